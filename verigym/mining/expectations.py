"""Finds what would have been right and proves it: the right solution of the task passes, and the failures do not.

The right outcome comes from a correction, or from a successful trace with the same request. The environment's rule
`mined(request, items)` or the general rule turns it into task data. Nothing is assumed: the solution and the failures are played
in the environment and scored by its verifier. If something is missing, `MissingEvidence` says what.
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
    """The right replies, ready to play."""
    items: list[Item]
    """The same as calls and text."""
    source: str
    """`correction by ana on TRACE`, or `TRACE, which succeeded`."""
    by_correction: bool = False


class MissingEvidence(Exception):
    """Why no task can be made from a request."""


def expectation(
    environment: EnvironmentSpec,
    attempts: Sequence[Attempt],
    judged: Sequence[AttemptJudgement],
    heard: Mapping[str, FeedbackSummary],
    names: Mapping[str, str],
) -> Expectation:
    """The right outcome, from all attempts at one request. Raises `MissingEvidence`."""
    found: dict[str, Expectation] = {}
    for one in attempts:
        said = heard.get(one.trace.id)
        if said is not None and said.correction and one.last:
            by = f" by {said.who}" if said.who else ""
            right = [named(item, names) for item in said.correction]
            made = _expected(environment, right, f"correction{by} on {one.trace.id}", True)
            found.setdefault(meaning(made.items), made)
    if len(found) > 1:
        raise MissingEvidence(f"The corrections disagree: {_either(found.values())}")
    for one, judgement in zip(attempts, judged, strict=True):
        if judgement.standing == "succeeded" and one.tried:
            made = _expected(environment, one.tried, f"{one.trace.id}, which succeeded", False)
            found.setdefault(meaning(made.items), made)
    if not found:
        raise MissingEvidence("The request has no correction, and no trace with the same request succeeded")
    if len(found) > 1:
        people = any(one.by_correction for one in found.values())
        raise MissingEvidence(
            f"{'A correction and a success disagree' if people else 'Successful traces disagree'}: {_either(found.values())}"
        )
    return next(iter(found.values()))


def data_of(environment: EnvironmentSpec, request: str, items: Sequence[Item]) -> Json:
    """The data of a task for which these items are right. Raises `MissingEvidence`."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    known = {tool.name for tool in environment.tools}
    for call in calls:
        if call.name not in known:
            raise MissingEvidence(f'Unknown tool: {environment.name} has no tool "{call.name}"')
    if environment.mined is not None:
        try:
            data = environment.mined(request, list(items))
        except Exception as error:  # user code may raise anything
            raise MissingEvidence(
                f"mined(...) of {environment.name} raised {type(error).__name__}: {words_of(error)}"
            ) from error
        if data is None:
            raise MissingEvidence(f"The environment's rule mined(request, items) returned no task for: {short(items)}")
        return data
    if len(calls) == 1:
        arguments = arguments_of(calls[0])
        if arguments is None:
            raise MissingEvidence(f"The right call cannot be parsed: {calls[0].arguments[:_SHOWN]}")
        return {"expected_tool": calls[0].name, "expected_args": arguments}
    if calls:
        raise MissingEvidence(
            f"The right outcome has {len(calls)} calls. Define mined(request, items) in the environment to make a task from them"
        )
    text = "\n".join(item.text for item in items if isinstance(item, Message)).strip()
    if not text:
        raise MissingEvidence("The right outcome is empty")
    return {"answer": text}


def meaning(items: Sequence[Item]) -> str:
    """Equal for two solutions with the same meaning: calls by their arguments, text only if there is no call."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    if calls:
        return content_hash([[call.name, canonical(arguments_of(call) or call.arguments)] for call in calls])
    return near.plain("\n".join(item.text for item in items if isinstance(item, Message)))


async def proven(environment: EnvironmentSpec, task: Task, right: Sequence[Reply]) -> None:
    """Checks that the task's gold solution and the right outcome pass. Raises `MissingEvidence`."""
    try:
        gold = environment.gold_replies(task)
    except Exception as error:  # user code may raise anything
        raise MissingEvidence(
            f"Unknown state: gold(task) of {environment.name} raised {type(error).__name__}: {words_of(error)}. "
            "Define mined(request, items) to give the task everything it needs"
        ) from error
    same = _meaning_of(environment, gold) == _meaning_of(environment, right)
    for what, said in (("its gold solution", gold), ("the right outcome", right)):
        if not said or (said is right and same):
            continue
        played = await played_in(environment, task, said)
        if not played.verdict.passed:
            raise MissingEvidence(f"The verifier does not pass {what}: {why(played)[:_SHOWN]}")


async def played_in(environment: EnvironmentSpec, task: Task, said: Sequence[Reply]) -> ScriptedEpisode:
    """Plays and scores an attempt or a solution. Raises `MissingEvidence` if that is impossible."""
    nobody = NoJudge()
    try:
        played = await play(environment, task, said, judge=nobody)
    except VerigymError as error:
        raise MissingEvidence(f"The replies cannot be played: {words_of(error)}") from error
    if nobody.asked:
        raise MissingEvidence("The verifier needs a judge, which mining does not provide")
    error = played.trajectory.error
    if error is not None and error.fault is not Fault.MODEL:
        raise MissingEvidence(
            f"Unknown state: {error.kind}: {error.message[:_SHOWN]}. Define mined(request, items) in the environment to "
            "give the task everything it needs"
        )
    if played.verdict.reward is None:
        raise MissingEvidence(f"The verifier failed: {why(played)[:_SHOWN]}")
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
    """The calls or the text, on one line."""
    calls = [f"{item.name} {item.arguments}" for item in items if isinstance(item, FunctionCall)]
    text = "; ".join(calls) or " ".join(item.text for item in items if isinstance(item, Message))
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
