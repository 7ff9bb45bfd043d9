"""Finds what would have been right and proves it: the right solution of the task passes, and the failures do not.

The correct outcome comes from a correction, or from a successful trace with the same request. The environment's rule
`mined(request, items)` or the general rule turns it into task data. Nothing is assumed: the solution and the failures are played
in the environment and scored by its verifier. If something is missing, `MissingEvidence` says what.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from verigym.audit.scripted_episodes import ScriptedEpisode, play, why
from verigym.audit.verifier import ObservedJudge
from verigym.core.errors import VerigymError, words_of
from verigym.core.records import Fault, FunctionCall, Item, Json, Message, Task, content_hash
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.mining.attempts import Attempt, replies, solution, with_tool_name
from verigym.mining.signals import AttemptJudgement, FeedbackSummary
from verigym.policies.dialects.plain import arguments_of
from verigym.tasks import near_duplicates as near
from verigym.verifiers.toolcall import canonical

NO_JUDGE = "The verifier needs a judge, which mining does not provide"
_LONGEST = 160
"""Maximum characters of a solution or reason in a message."""


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


class RuleDefect(MissingEvidence):
    """The environment's own rule `mined` does not work. No other source is tried, because that would hide the defect."""


def expected_outcome(
    environment: EnvironmentSpec,
    attempts: Sequence[Attempt],
    judgements: Sequence[AttemptJudgement],
    feedback: Mapping[str, FeedbackSummary],
    names: Mapping[str, str],
) -> Expectation:
    """The correct outcome, from all attempts at one request. Raises `MissingEvidence`."""
    outcomes: dict[str, Expectation] = {}

    def add(items: Sequence[Item], source: str, by_correction: bool) -> None:
        right = Expectation(replies(items), solution(environment, items), source, by_correction)
        outcomes.setdefault(meaning(right.items), right)

    for attempt in attempts:
        told = feedback.get(attempt.trace.id)
        if told is not None and told.correction and attempt.last:
            by = f" by {told.who}" if told.who else ""
            correction = [with_tool_name(item, names) for item in told.correction]
            add(correction, f"correction{by} on {attempt.trace.id}", True)
    if len(outcomes) > 1:
        raise MissingEvidence(f"The corrections disagree: {_either(outcomes.values())}")
    for attempt, judgement in zip(attempts, judgements, strict=True):
        if judgement.standing == "succeeded" and attempt.tried:
            add(attempt.tried, f"{attempt.trace.id}, which succeeded", False)
    if not outcomes:
        raise MissingEvidence(
            "The correct outcome is unknown. The request has no correction, and no trace with the same request succeeded"
        )
    if len(outcomes) > 1:
        corrected = any(outcome.by_correction for outcome in outcomes.values())
        sides = "A correction and a success disagree" if corrected else "Successful traces disagree"
        raise MissingEvidence(f"{sides}: {_either(outcomes.values())}")
    return next(iter(outcomes.values()))


def data_of(environment: EnvironmentSpec, request: str, items: Sequence[Item]) -> Json:
    """The data of a task for which these items are right. Raises `MissingEvidence`."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    offered = {tool.name for tool in environment.tools}
    for call in calls:
        if call.name not in offered:
            raise MissingEvidence(f'Unknown tool: {environment.name} has no tool "{call.name}"')
    if environment.mined is not None:
        try:
            data = environment.mined(request, list(items))
        except Exception as error:  # user code may raise anything
            raise RuleDefect(
                f"mined(...) of {environment.name} raised {type(error).__name__}: {words_of(error)}"
            ) from error
        if data is None:
            raise MissingEvidence(f"mined(request, items) of the environment returned None for: {one_line(items)}")
        return data
    if len(calls) == 1:
        arguments = arguments_of(calls[0])
        if arguments is None:
            raise MissingEvidence(f"The correct call cannot be parsed: {calls[0].arguments[:_LONGEST]}")
        return {"expected_tool": calls[0].name, "expected_args": arguments}
    if calls:
        raise MissingEvidence(
            f"The correct outcome has {len(calls)} calls. "
            "Define mined(request, items) in the environment to make a task from them"
        )
    text = "\n".join(item.text for item in items if isinstance(item, Message)).strip()
    if not text:
        raise MissingEvidence("The correct outcome is empty")
    return {"answer": text}


def meaning(items: Sequence[Item]) -> str:
    """Equal for two solutions with the same meaning: calls by their arguments, text only if there is no call."""
    calls = [item for item in items if isinstance(item, FunctionCall)]
    if calls:
        return content_hash([[call.name, canonical(arguments_of(call) or call.arguments)] for call in calls])
    return near.plain("\n".join(item.text for item in items if isinstance(item, Message)))


async def check_solution(environment: EnvironmentSpec, task: Task, right: Sequence[Reply]) -> None:
    """Checks that the task's gold solution and the correct outcome pass. Raises `MissingEvidence`, or `RuleDefect` if the
    environment's rule made the task."""
    try:
        await _check_solution(environment, task, right)
    except MissingEvidence as error:
        if environment.mined is not None and not str(error).startswith(NO_JUDGE):
            raise RuleDefect(str(error)) from error
        raise


async def _check_solution(environment: EnvironmentSpec, task: Task, right: Sequence[Reply]) -> None:
    try:
        gold = environment.gold_replies(task)
    except Exception as error:  # user code may raise anything
        raise MissingEvidence(
            f"The task cannot be run without the state of the trace: gold(task) of {environment.name} raised "
            f"{type(error).__name__}: {words_of(error)}. Define mined(request, items) to give the task everything it needs"
        ) from error
    same = _meaning_of(environment, gold) == _meaning_of(environment, right)
    for what, solved in (("the task's gold solution", gold), ("the correct outcome", right)):
        if not solved or (solved is right and same):
            continue
        played = await play_and_score(environment, task, solved)
        if not played.verdict.passed:
            raise MissingEvidence(f"The verifier does not pass {what}: {why(played)[:_LONGEST]}")


async def play_and_score(environment: EnvironmentSpec, task: Task, replies: Sequence[Reply]) -> ScriptedEpisode:
    """Plays and scores an attempt or a solution. Raises `MissingEvidence` if that is impossible."""
    judge = ObservedJudge()
    try:
        played = await play(environment, task, replies, judge=judge)
    except VerigymError as error:
        raise MissingEvidence(f"The replies cannot be run in the environment: {words_of(error)}") from error
    if judge.asked:
        raise MissingEvidence(NO_JUDGE)
    error = played.trajectory.error
    if error is not None and error.fault is not Fault.MODEL:
        raise MissingEvidence(
            f"The task cannot be run without the state of the trace: {error.kind}: {error.message[:_LONGEST]}. "
            "Define mined(request, items) in the environment to give the task everything it needs"
        )
    if played.verdict.reward is None:
        raise MissingEvidence(f"The verifier failed: {why(played)[:_LONGEST]}")
    return played


def _either(outcomes: Iterable[Expectation]) -> str:
    return " or ".join(f"{one_line(outcome.items)} ({outcome.source})" for outcome in list(outcomes)[:2])


def _meaning_of(environment: EnvironmentSpec, replies: Sequence[Reply]) -> list[str]:
    return [meaning(solution(environment, as_items(reply))) for reply in replies]


def as_items(reply: Reply) -> list[Item]:
    return [Message("assistant", reply)] if isinstance(reply, str) else reply


def one_line(items: Sequence[Item]) -> str:
    """The calls or the text, on one line."""
    calls = [f"{item.name} {item.arguments}" for item in items if isinstance(item, FunctionCall)]
    text = "; ".join(calls) or " ".join(item.text for item in items if isinstance(item, Message))
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
