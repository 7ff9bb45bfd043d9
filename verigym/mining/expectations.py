"""What would have been right, and proof of it: the task of a request, whose right solution passes and whose failures do not.

What is right comes from a correction, or from a trace with the same request that succeeded; what the task's data then is, from
the environment's own rule `mined(request, items)` or the general one. Nothing is believed: solution and failure are played in the
environment and scored by its verifier. What is missing for that is said in words.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from verigym.audit.scripted_episodes import ScriptedEpisode, play, why
from verigym.audit.verifier import NoJudge
from verigym.core.errors import VerigymError, words_of
from verigym.core.records import Fault, FunctionCall, Item, Json, Message, Task, content_hash
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.mining.attempts import Attempt, named, replies, solution
from verigym.mining.signals import AttemptJudgement, FeedbackSummary
from verigym.policies.dialects.plain import arguments_of
from verigym.tasks import near_duplicates as near
from verigym.verifiers.toolcall import canonical

_SHOWN = 160


class Expectation(Struct, frozen=True):
    replies: list[Reply]
    """What is right, as it is played."""
    items: list[Item]
    """The same as calls and words."""
    source: str
    """`correction by ana on TRACE`, or `TRACE, which succeeded`."""
    by_correction: bool = False


class MissingEvidence(Exception):
    """Why no task can be made of a request, in words."""


def expectation(
    environment: EnvironmentSpec,
    attempts: Sequence[Attempt],
    judged: Sequence[AttemptJudgement],
    heard: Mapping[str, FeedbackSummary],
    names: Mapping[str, str],
) -> Expectation:
    """Of the attempts at one request. Raises `MissingEvidence`."""
    found: dict[str, Expectation] = {}
    for one in attempts:
        said = heard.get(one.trace.id)
        if said is not None and said.correction and one.last:
            by = f" by {said.who}" if said.who else ""
            right = [named(item, names) for item in said.correction]
            made = _expected(environment, right, f"correction{by} on {one.trace.id}", True)
            found.setdefault(meaning(made.items), made)
    if len(found) > 1:
        raise MissingEvidence(f"the corrections disagree: {_either(found.values())}")
    for one, judgement in zip(attempts, judged, strict=True):
        if judgement.standing == "succeeded" and one.tried:
            made = _expected(environment, one.tried, f"{one.trace.id}, which succeeded", False)
            found.setdefault(meaning(made.items), made)
    if not found:
        raise MissingEvidence("no correction, and no trace with the same request that succeeded")
    if len(found) > 1:
        people = any(one.by_correction for one in found.values())
        raise MissingEvidence(
            f"{'a correction and a success disagree' if people else 'ambiguous: successes differ'}: {_either(found.values())}"
        )
    return next(iter(found.values()))


def data_of(environment: EnvironmentSpec, request: str, items: Sequence[Item]) -> Json:
    """The data of a task whose right outcome these items are. Raises `MissingEvidence`."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    known = {tool.name for tool in environment.tools}
    for call in calls:
        if call.name not in known:
            raise MissingEvidence(f'tool unknown: "{call.name}" is no tool of {environment.name}')
    if environment.mined is not None:
        try:
            data = environment.mined(request, list(items))
        except Exception as error:  # the user's own code may raise anything
            raise MissingEvidence(
                f"mined(...) of {environment.name} raised {type(error).__name__}: {words_of(error)}"
            ) from error
        if data is None:
            raise MissingEvidence(f"the environment's rule mined(request, items) makes no task of it: {short(items)}")
        return data
    if len(calls) == 1:
        arguments = arguments_of(calls[0])
        if arguments is None:
            raise MissingEvidence(f"the right call cannot be read: {calls[0].arguments[:_SHOWN]}")
        return {"expected_tool": calls[0].name, "expected_args": arguments}
    if calls:
        raise MissingEvidence(
            f"{len(calls)} calls: which task they are, only a rule mined(request, items) of the environment can say"
        )
    text = "\n".join(item.text for item in items if isinstance(item, Message)).strip()
    if not text:
        raise MissingEvidence("what would have been right is empty")
    return {"answer": text}


def meaning(items: Sequence[Item]) -> str:
    """The same for two solutions that mean the same: calls by their arguments' meaning, words only where there is no call."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    if calls:
        return content_hash([[call.name, canonical(arguments_of(call) or call.arguments)] for call in calls])
    return near.plain("\n".join(item.text for item in items if isinstance(item, Message)))


async def proven(environment: EnvironmentSpec, task: Task, right: Sequence[Reply]) -> None:
    """That the task's gold passes, and what is right passes. Raises `MissingEvidence`."""
    try:
        gold = environment.gold_replies(task)
    except Exception as error:  # the user's own code may raise anything
        raise MissingEvidence(
            f"state unknown: gold(task) of {environment.name} raised {type(error).__name__}: {words_of(error)}; "
            "a rule mined(request, items) can give the task all that it needs"
        ) from error
    same = _meaning_of(environment, gold) == _meaning_of(environment, right)
    for what, said in (("its gold solution", gold), ("what is said to be right", right)):
        if not said or (said is right and same):
            continue
        played = await played_in(environment, task, said)
        if not played.verdict.passed:
            raise MissingEvidence(f"the verifier does not pass {what}: {why(played)[:_SHOWN]}")


async def played_in(environment: EnvironmentSpec, task: Task, said: Sequence[Reply]) -> ScriptedEpisode:
    """An attempt, or a solution, played and scored. Raises `MissingEvidence` where nothing can be said about it."""
    nobody = NoJudge()
    try:
        played = await play(environment, task, said, judge=nobody)
    except VerigymError as error:
        raise MissingEvidence(f"it cannot be played: {words_of(error)}") from error
    if nobody.asked:
        raise MissingEvidence("its verifier asks a judge, which mining does not")
    error = played.trajectory.error
    if error is not None and error.fault is not Fault.MODEL:
        raise MissingEvidence(
            f"state unknown: {error.kind}: {error.message[:_SHOWN]}; a rule mined(request, items) of the environment can "
            "give the task all that it needs"
        )
    if played.verdict.reward is None:
        raise MissingEvidence(f"the verifier failed: {why(played)[:_SHOWN]}")
    return played


def _expected(environment: EnvironmentSpec, items: Sequence[Item], source: str, by_correction: bool) -> Expectation:
    right = replies(items)
    return Expectation(right, solution(environment, items), source, by_correction)


def _either(found: Iterable[Expectation]) -> str:
    return " or ".join(f"{short(one.items)} ({one.source})" for one in list(found)[:2])


def _meaning_of(environment: EnvironmentSpec, said: Sequence[Reply]) -> list[str]:
    return [meaning(solution(environment, as_items(reply))) for reply in said]


def as_items(reply: Reply) -> list[Item]:
    return [Message("assistant", reply)] if isinstance(reply, str) else reply


def short(items: Sequence[Item]) -> str:
    """What was called, or said, on a line."""
    calls = [f"{item.name} {item.arguments}" for item in items if isinstance(item, FunctionCall)]
    text = "; ".join(calls) or " ".join(item.text for item in items if isinstance(item, Message))
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
