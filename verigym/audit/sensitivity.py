"""Outputs that passed, played once more with small edits: harmless ones should keep the verdict, harmful ones should not.

The edited replies are played in the environment, so that marks and end state are those of what was edited. What does not pass
when it is played unchanged (a tool that draws by chance, a user who says something else) is left out.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from verigym.audit.edits import HARMFUL, HARMLESS, Edit, bare, padded, replies_of
from verigym.audit.scripted_episodes import Answer, Replies, play, why
from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Policy
from verigym.core.records import Message, Task, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.replies import cut, wording

_MOST = 20
"""Outputs that are edited, and as many that are padded."""
_HALF = 0.5
_OFTEN = 3
"""Times an argument was changed unnoticed from which it is named."""


class EditableOutput(Struct, frozen=True):
    name: str
    """Trajectory, or the task whose gold solution it is."""
    task: Task
    replies: Replies
    user: list[str]
    """What a model said as the user."""
    passed: bool


class EditResults(Struct):
    """What the edits did."""

    outputs: int = 0
    """Passing ones that could be played again."""
    tried: Counter[str] = field(default_factory=Counter)
    """Kind of edit to outputs that it could be applied to."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Kind to outputs on which it did what it should not: changed the verdict, or was not noticed."""
    example: dict[str, str] = {}
    """Kind to an output on which it went wrong."""
    unnoticed: Counter[str] = field(default_factory=Counter)
    """Which argument was changed, to how often nobody noticed; of those that were never noticed."""
    padded: int = 0
    paid: int = 0
    """Padded outputs, and those of them that earned more for it."""
    gain: float = 0.0
    """All that they earned more."""
    broken: str = ""
    """Why it could not be tried."""


def subjects(
    environment: EnvironmentSpec,
    verdicts: Mapping[str, Verdict],
    trajectories: Mapping[str, Trajectory],
    tasks: Mapping[str, Task],
) -> list[EditableOutput]:
    """Passing outputs that differ, then gold solutions where those are few; then failed ones, to be padded."""
    found: dict[tuple[str, bytes], EditableOutput] = {}
    for passed in (True, False):
        some: dict[tuple[str, bytes], EditableOutput] = {}
        for id, verdict in verdicts.items():
            one = trajectories[id]
            if verdict.reward is None or verdict.passed != passed or cut(one) is None or len(some) == _MOST:
                continue
            script = "scripted" if environment.scripted_user else None  # which speaks for itself
            user = [
                one.items[i] for turn in one.turns if turn.actor == "user" and turn.agent != script for i in turn.made
            ]
            said = [item.text for item in user if isinstance(item, Message)]
            replies = replies_of(one)
            some.setdefault(_key(one.task, replies), EditableOutput(id, tasks[one.task], replies, said, passed))
        found |= some
        if passed:
            for task in list(tasks.values())[: _MOST - len(some)]:
                if gold := [bare(reply) for reply in environment.gold_replies(task)]:
                    name = f"the gold solution of {task.id}"
                    found.setdefault(_key(task.id, gold), EditableOutput(name, task, gold, [], True))
    return list(found.values())


def _key(task: str, replies: Replies) -> tuple[str, bytes]:
    """The same for replies that say and call the same."""
    items = [[Message("assistant", reply)] if isinstance(reply, str) else reply for reply in replies]
    return task, b"".join(map(wording, items))


async def try_edits(environment: EnvironmentSpec, some: Sequence[EditableOutput], judge: Policy | None) -> EditResults:
    """All edits of all of them. `VerifierFailure` at the first that the verifier breaks or hangs on: the rest would too."""
    tried = EditResults()
    noticed: Counter[str] = Counter()

    async def verdict(one: EditableOutput, replies: Replies) -> Verdict:
        played = await play(environment, one.task, replies, judge=judge, user=one.user)
        if played.verdict.reward is None and replies is not one.replies:
            raise VerifierFailure(f"the verifier gave no verdict on an edit of {one.name}: {why(played)[:300]}")
        return played.verdict

    def count(kind: str, one: EditableOutput, wrong: bool) -> None:
        tried.tried[kind] += 1
        tried.wrong[kind] += wrong
        if wrong:
            tried.example.setdefault(kind, one.name)

    async def harmful(kind: str, one: EditableOutput, edited: list[Edit]) -> None:
        """One that is noticed is enough: of several calls some may not matter."""
        hits = [not (await verdict(one, edit.replies)).passed for edit in edited]
        count(kind, one, not any(hits))
        for edit, hit in zip(edited, hits, strict=True):
            (noticed if hit else tried.unnoticed)[f"{kind}: {edit.what}"] += 1

    for one in some:
        plain = await verdict(one, one.replies)
        if plain.reward is None or plain.passed != one.passed:
            continue
        if longer := padded(one.replies):
            gain = ((await verdict(one, longer)).reward or 0.0) - plain.reward
            tried.padded += 1
            tried.paid += gain > 1e-9
            tried.gain += max(0.0, gain)
        if not one.passed:
            continue
        tried.outputs += 1
        for kind, harmless in HARMLESS.items():
            if replies := harmless(one.replies):
                count(kind, one, not (await verdict(one, replies)).passed)
        for kind, edits in HARMFUL.items():
            if edited := list(edits(one.replies, environment.tools)):
                await harmful(kind, one, edited)
    for what in noticed:
        tried.unnoticed.pop(what, None)
    return tried


def harmless_keep(tried: EditResults) -> Answer:
    return _said(tried, list(HARMLESS), "turned a pass into a failure", "kept")


def harmful_change(tried: EditResults) -> Answer:
    kinds = list(HARMFUL)
    outcome, words = _said(tried, kinds, "still passed", "noticed")
    if outcome == "fail" and all(tried.wrong[kind] == tried.tried[kind] for kind in kinds if kind != "a call dropped"):
        return "fail", f"the verifier checks the format and not the content: {words}"
    never = [what.split(": ")[1] for what, count in tried.unnoticed.items() if count >= _OFTEN and "argument" in what]
    if never and outcome != "fail":
        return "unclear", f"{words}. Any value passes for {', '.join(never[:5])}. Check that this is intended"
    return outcome, words


def longer_pays(tried: EditResults) -> Answer:
    if not tried.padded:
        return "unclear", "no output could be padded"
    words = f"600 words of filler raised the reward of {tried.paid} of {tried.padded} outputs"
    if tried.paid > tried.padded / 4:
        return "fail", f"{words}, by {tried.gain / tried.paid:.3g} on average, so the verifier rewards length"
    return ("unclear" if tried.paid else "pass"), words


def _said(tried: EditResults, kinds: Sequence[str], bad: str, good: str) -> Answer:
    if tried.broken:
        return "fail", tried.broken
    some = [kind for kind in kinds if tried.tried[kind]]
    if not some:
        return "unclear", "no passing output could be edited. Audit a run with passing outputs, or write gold(task)"
    wrong = [kind for kind in some if tried.wrong[kind]]
    told = [f"{kind} {bad} in {tried.wrong[kind]} of {tried.tried[kind]} ({tried.example[kind]})" for kind in wrong]
    fine = [f"{kind} ({tried.tried[kind]})" for kind in some if kind not in wrong]
    if fine:
        told.append(f"{good}: {', '.join(fine)}")
    bad_half = any(tried.wrong[kind] > _HALF * tried.tried[kind] for kind in wrong)
    return ("fail" if bad_half else "unclear" if wrong else "pass"), "; ".join(told)
