"""Whether a verifier's rewards can be trusted, before anything is trained against them: every question as a check in words.

It is asked about stored outputs, and about scripted replies on the same tasks; no model is needed. Of a verifier that asks a
judge, what needs one is left open unless a judge is passed in; the rest is read from the stored verdicts. Nothing is stored.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from verigym.audit.agreement import Agreement, agreement
from verigym.audit.cases import cases_hold
from verigym.audit.cheats import cheats_fail
from verigym.audit.check import gold_passes
from verigym.audit.repeatability import judge_repeats, repeats
from verigym.audit.rewards import RewardPart, parts_of, passing_pays, rewards_differ
from verigym.audit.scripted_episodes import Answer
from verigym.audit.sensitivity import EditResults, harmful_change, harmless_keep, longer_pays, subjects, try_edits
from verigym.audit.subprocess_scoring import ScoringGroup, score
from verigym.core.errors import InfrastructureFailure, VerifierFailure
from verigym.core.printable import Printable
from verigym.core.protocols import Context, Policy, Reply, Request
from verigym.core.records import Case, Check, Label, Task, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec
from verigym.verifiers.answers import find_json

FEW = 20
"""Outputs, or labels, under which little can be said."""
_AGREE = 0.6
"""Kappa from which agreement is commonly called substantial."""
_DOUBT = 0.4
"""Kappa above which the interval should begin."""
_CHEATED = 20
_JUDGED = 5
"""Tasks that are cheated on, and where each reply costs a judge's answer."""
_SWAYED = 0.2
"""Share of pairs in which a judge may follow the order."""
NO_JUDGE = "not tested, because the verifier needs a judge. Pass --judge MODEL"
HARM = (
    "cheats do not pass",
    "harmful edits change the verdict",
    "gold solutions pass",
    "corrected cases hold",
    "every output gets a verdict",
    "the verdict is always the same",
    "it agrees with people",
    "passing is what pays",
    "longer does not pay",
    "the judge does not mind the order",
    "harmless edits keep the verdict",
    "rewards differ",
)
"""What to put right first: what a policy would learn to exploit, then what misleads it, then what merely adds noise."""


class Outputs(Struct, frozen=True, kw_only=True):
    """What is audited: some outputs of a run, and all of the groups that they are in."""

    ids: list[str]
    """Trajectories, in the order in which they were picked."""
    groups: list[ScoringGroup]
    stored: dict[str, Verdict]
    """Those that count in the run, by trajectory."""

    @property
    def trajectories(self) -> dict[str, Trajectory]:
        return {one.id: one for group in self.groups for one in group.trajectories}

    @property
    def tasks(self) -> dict[str, Task]:
        return {group.task.id: group.task for group in self.groups}


class Audit(Printable, Struct, frozen=True, kw_only=True):
    environment: str
    verifier: str
    """name@version"""
    run: str
    n: int
    """Outputs looked at."""
    fix: list[str]
    """What to put right, the most harmful first, in words; empty where it can be trusted."""
    checks: list[Check]
    rewards: list[float]
    parts: list[RewardPart]
    agreement: Agreement | None
    asks_judge: bool

    @property
    def trust(self) -> bool:
        return not self.fix


class NoJudge:
    """In the place of a judge: it answers nothing, and remembers that it was asked."""

    asked = False

    async def respond(self, request: Request) -> Reply:
        self.asked = True
        raise InfrastructureFailure("the verifier needs a judge. Pass --judge MODEL")


class ObservedJudge:
    """A judge, and whether it was asked."""

    asked = False

    def __init__(self, judge: Policy) -> None:
        self._judge = judge

    async def respond(self, request: Request) -> Reply:
        self.asked = True
        return await self._judge.respond(request)


async def audit_verifier(
    environment: EnvironmentSpec,
    run: str,
    outputs: Outputs,
    context: Context,
    labels: Mapping[str, Label],
    cases: Sequence[Case] = (),
    *,
    processes: int = 3,
) -> Audit:
    """All questions. `context.policies` has a judge where one was named; labels are by trajectory. In so many other processes
    the outputs are scored once more."""
    named = context.policies.get("judge")
    watched = ObservedJudge(named) if named else NoJudge()
    context = msgspec.structs.replace(context, policies={**context.policies, "judge": watched})
    fresh = await score(environment.verifier, outputs.groups, context)
    asks_judge = watched.asked
    alone = asks_judge and named is None
    known = outputs.stored if alone else fresh
    judged = {id: known[id] for id in outputs.ids if id in known}
    judge = watched if asks_judge and named else None  # else a scripted one, in what is played here
    agreed = agreement(labels, known)
    tasks = list(outputs.tasks.values())
    checks: list[Check] = []

    async def ask(name: str, question: Callable[[], Answer | Awaitable[Answer]]) -> None:
        try:
            found = question()
            outcome, words = await found if inspect.isawaitable(found) else found
        except (Exception, SystemExit) as error:  # gold, cheats and environments are the user's own code
            outcome, words = "fail", f"{name}: {type(error).__name__}: {error}"
        checks.append(Check(name=name, outcome=outcome, words=words))

    await ask("every output gets a verdict", lambda: _all_judged(run, judged, outputs.trajectories))
    verdicts = [one for one in judged.values() if one.reward is not None]
    await ask("rewards differ", lambda: rewards_differ(verdicts))
    await ask("passing is what pays", lambda: passing_pays(verdicts))
    await ask("it agrees with people", lambda: _agrees(agreed, run, asks_judge))
    await ask("gold solutions pass", lambda: gold_passes(environment, tasks, judge))
    await ask("cheats do not pass", lambda: _cheats(environment, tasks, judge, alone))
    if alone:
        await ask("the verdict is always the same", lambda: ("unclear", NO_JUDGE))
    elif asks_judge:
        await ask("the verdict is always the same", lambda: judge_repeats(environment, outputs.groups, context, fresh))
    else:
        again = lambda: repeats(environment, outputs.groups, context, fresh, outputs.stored, processes)  # noqa: E731
        await ask("the verdict is always the same", again)
    if swayed := _order(verdicts):
        await ask("the judge does not mind the order", lambda: swayed)
    if alone:
        for name in ("harmless edits keep the verdict", "harmful edits change the verdict"):
            await ask(name, lambda: ("unclear", NO_JUDGE))
    else:
        tried = EditResults()
        try:
            some = subjects(environment, judged, outputs.trajectories, outputs.tasks)
            tried = await try_edits(environment, some, judge)
        except (Exception, SystemExit) as error:  # theirs as well
            tried.broken = str(error) if isinstance(error, VerifierFailure) else f"{type(error).__name__}: {error}"
        await ask("harmless edits keep the verdict", lambda: harmless_keep(tried))
        if not tried.broken:
            await ask("harmful edits change the verdict", lambda: harmful_change(tried))
            await ask("longer does not pay", lambda: longer_pays(tried))
    if cases:
        await ask(
            "corrected cases hold", lambda: ("unclear", NO_JUDGE) if alone else cases_hold(environment, cases, context)
        )
    failed = sorted((one for one in checks if one.outcome == "fail"), key=lambda one: HARM.index(one.name))
    return Audit(
        environment=environment.name,
        verifier=environment.verifier.name,
        run=run,
        n=len(outputs.ids),
        fix=[one.words for one in failed],
        checks=checks,
        rewards=[one.reward for one in verdicts if one.reward is not None],
        parts=parts_of(verdicts),
        agreement=agreed,
        asks_judge=asks_judge,
    )


def _all_judged(run: str, judged: Mapping[str, Verdict], trajectories: Mapping[str, Trajectory]) -> Answer:
    broken = [one for id, one in judged.items() if one.reward is None and trajectories[id].scorable]
    if broken and (error := broken[0].error):
        words = f"{error.kind}: {error.message}"
        return "fail", f"{len(broken)} of {len(judged)} outputs have no verdict. {broken[0].trajectory}: {words}"
    if not judged:
        return "fail", f"no output has a verdict. Run verigym rescore {run} --judge MODEL"
    return "pass", f"{len(judged)} of {len(judged)}"


def _agrees(found: Agreement | None, run: str, asks_judge: bool) -> Answer:
    """A judge is a person's stand-in: without labels there is no reason to trust it."""
    more = f"verigym label {run} --single"
    if found is None:
        words = "the verifier asks a judge, and agreement with people is not measured. " if asks_judge else ""
        return ("fail" if asks_judge else "unclear"), f"{words}no output of this run is labelled. Run {more}"
    words = f"the verifier agrees with the label on {found.agreed} of {found.n} outputs"
    if found.kappa is None:
        least = 0.05 ** (1 / found.n)
        words += f" (true rate at least {100 * least:.0f}%)"
        return "unclear", f"{words}. All labels are equal, so kappa is undefined. Label a run with good and bad outputs"
    words += f", kappa {found.kappa:.2f} ({found.low:.2f} to {found.high:.2f})"
    if found.n < FEW:
        return "unclear", f"{words}. At least {FEW} labels are needed. Run {more}"
    if found.kappa < _AGREE:
        return "fail", f"{words}. The agreement is too low: {_leaning(found)}"
    if found.low < _DOUBT:
        return "unclear", f"{words}. The interval is too wide. Add labels with {more}"
    return "pass", words


def _leaning(found: Agreement) -> str:
    lenient = sum(one.passed for one in found.disagreements)
    strict = len(found.disagreements) - lenient
    return f"the verifier passes {lenient} outputs labelled bad and fails {strict} labelled good"


async def _cheats(environment: EnvironmentSpec, tasks: list[Task], judge: Policy | None, alone: bool) -> Answer:
    if alone:  # a scripted judge would stand for nobody
        return "unclear", NO_JUDGE
    tried, faults = await cheats_fail(environment, tasks[: _JUDGED if judge else _CHEATED], judge)
    if not tried:
        return "unclear", "no task could be tested, because the gold solutions get no verdict"
    return ("fail", "; ".join(faults)) if faults else ("pass", f"{tried} tried")


def _order(verdicts: Sequence[Verdict]) -> Answer | None:
    """How often a judge of pairs named the same side in both orders; none where no pairs were judged."""
    pairs: list[tuple[str, str]] = []
    for verdict in verdicts:
        said = _winners(verdict.evidence)
        pairs += zip(said[::2], said[1::2], strict=False)
    decided = [pair for pair in pairs if set(pair) <= {"A", "B"}]
    if not decided:
        return None
    swayed = [pair for pair in decided if pair[0] == pair[1]]
    share = len(swayed) / len(decided)
    first = sum(pair[0] == "A" for pair in swayed)
    words = f"after two outputs swapped places, the judge chose the same place in {len(swayed)} of {len(decided)} pairs"
    words += f" ({first} times the first place)" if swayed else ""
    return ("fail" if share > 0.5 else "unclear" if share > _SWAYED else "pass"), words


def _winners(evidence: str) -> list[str]:
    try:
        answers = msgspec.json.decode(evidence, type=_JudgeAnswers).answers
        return [msgspec.convert(find_json(answer), _Winner).winner for answer in answers]
    except ValueError:  # words, or the evidence of another verifier
        return []


class _JudgeAnswers(Struct):
    answers: list[str]


class _Winner(Struct):
    winner: str
