"""Audits a verifier: checks whether its rewards can be trusted before you train against them.

It uses stored outputs and scripted replies on the same tasks, so no model is needed. If the verifier asks a judge and none is
passed in, the checks that need one are unclear, and the others use the stored verdicts. Nothing is stored.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from verigym.audit.cases import cases_hold
from verigym.audit.cheats import cheats_fail
from verigym.audit.check import gold_passes
from verigym.audit.edits import EditResults, harmful_change, harmless_keep, longer_pays, subjects, try_edits
from verigym.audit.labels import Agreement, agreement
from verigym.audit.repeatability import ScoringGroup, judge_repeats, repeats, score
from verigym.audit.rewards import RewardPart, parts_of, passing_pays, rewards_differ
from verigym.audit.scripted_episodes import Answer
from verigym.core.errors import InfrastructureFailure, VerifierFailure
from verigym.core.printable import Printable
from verigym.core.protocols import Context, Policy, Reply, Request
from verigym.core.records import Case, Check, Label, Task, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec
from verigym.verifiers.answers import find_json
from verigym.verifiers.judge import answers_in

FEW = 20
"""Minimum number of labels for a result."""
_AGREE = 0.6
"""Minimum kappa. From here agreement is commonly called substantial."""
_DOUBT = 0.4
"""Minimum lower end of kappa's interval."""
_CHEATED = 20
_JUDGED = 5
"""Number of tasks for cheats, without and with a judge."""
_SWAYED = 0.2
"""Maximum share of pairs in which a judge may follow the order."""
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
"""Order of fixes: first what a policy would learn to exploit, then what misleads it, then what adds noise."""


class Outputs(Struct, frozen=True, kw_only=True):
    """The audited outputs of a run, with the whole groups that they belong to."""

    ids: list[str]
    """Trajectory ids, in the order of selection."""
    groups: list[ScoringGroup]
    stored: dict[str, Verdict]
    """The run's verdicts, by trajectory."""

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
    """Number of outputs."""
    fix: list[str]
    """What to fix, the most harmful first. Empty if the verifier can be trusted."""
    checks: list[Check]
    rewards: list[float]
    parts: list[RewardPart]
    agreement: Agreement | None
    asks_judge: bool
    passing: list[float] = []
    """The rewards of outputs that passed. The others of `rewards` failed."""

    @property
    def trust(self) -> bool:
        return not self.fix


class ObservedJudge:
    """Records whether the judge was asked. Without a judge, every request fails."""

    asked = False

    def __init__(self, judge: Policy | None = None) -> None:
        self._judge = judge

    async def respond(self, request: Request) -> Reply:
        self.asked = True
        if self._judge is None:
            raise InfrastructureFailure("the verifier needs a judge. Pass --judge MODEL")
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
    """Runs all checks. `context.policies` may have a judge. Labels are by trajectory. `processes` other processes score again."""
    named = context.policies.get("judge")
    watched = ObservedJudge(named)
    context = msgspec.structs.replace(context, policies={**context.policies, "judge": watched})
    fresh = await score(environment.verifier, outputs.groups, context)
    asks_judge = watched.asked
    alone = asks_judge and named is None  # a scripted judge would prove nothing
    used = outputs.stored if alone else fresh
    judged = {id: used[id] for id in outputs.ids if id in used}
    judge = watched if asks_judge and named else None  # None: episodes are played with a scripted judge
    agreed = agreement(labels, used)
    tasks = list(outputs.tasks.values())
    checks: list[Check] = []

    def untested() -> Answer:
        return "unclear", NO_JUDGE

    async def ask(name: str, question: Callable[[], Answer | Awaitable[Answer]]) -> None:
        try:
            answer = question()
            outcome, words = await answer if inspect.isawaitable(answer) else answer
        except (Exception, SystemExit) as error:  # gold, cheats and environments are the user's code
            outcome, words = "fail", f"{name}: {type(error).__name__}: {error}"
        checks.append(Check(name=name, outcome=outcome, words=words))

    await ask("every output gets a verdict", lambda: _all_judged(run, judged, outputs.trajectories))
    verdicts = [one for one in judged.values() if one.reward is not None]
    await ask("rewards differ", lambda: rewards_differ(verdicts))
    await ask("passing is what pays", lambda: passing_pays(verdicts))
    await ask("it agrees with people", lambda: _agrees(agreed, run, asks_judge))
    await ask("gold solutions pass", lambda: gold_passes(environment, tasks, judge=judge))
    await ask("cheats do not pass", untested if alone else lambda: _cheats(environment, tasks, judge))
    again = partial(judge_repeats, environment, outputs.groups, context, fresh)
    if not asks_judge:
        again = partial(repeats, environment, outputs.groups, context, fresh, outputs.stored, processes)
    await ask("the verdict is always the same", untested if alone else again)
    if swayed := _order(verdicts):
        await ask("the judge does not mind the order", lambda: swayed)
    if alone:
        await ask("harmless edits keep the verdict", untested)
        await ask("harmful edits change the verdict", untested)
    else:
        tried = EditResults()
        try:
            some = subjects(environment, judged, outputs.trajectories, outputs.tasks)
            tried = await try_edits(environment, some, judge)
        except (Exception, SystemExit) as error:  # the user's code too
            tried.broken = str(error) if isinstance(error, VerifierFailure) else f"{type(error).__name__}: {error}"
        await ask("harmless edits keep the verdict", lambda: harmless_keep(tried))
        if not tried.broken:
            await ask("harmful edits change the verdict", lambda: harmful_change(tried))
            await ask("longer does not pay", lambda: longer_pays(tried))
    if cases:
        await ask("corrected cases hold", untested if alone else partial(cases_hold, environment, cases, context))
    failed = sorted((check for check in checks if check.outcome == "fail"), key=lambda check: HARM.index(check.name))
    return Audit(
        environment=environment.name,
        verifier=environment.verifier.name,
        run=run,
        n=len(outputs.ids),
        fix=[check.words for check in failed],
        checks=checks,
        rewards=[one.reward for one in verdicts if one.reward is not None],
        parts=parts_of(verdicts),
        agreement=agreed,
        asks_judge=asks_judge,
        passing=[one.reward for one in verdicts if one.reward is not None and one.passed],
    )


def _all_judged(run: str, judged: Mapping[str, Verdict], trajectories: Mapping[str, Trajectory]) -> Answer:
    broken = [one for id, one in judged.items() if one.reward is None and trajectories[id].scorable]
    if broken and (error := broken[0].error):
        first = f"{broken[0].trajectory}: {error.kind}: {error.message}"
        return "fail", f"{len(broken)} of {len(judged)} outputs have no verdict. {first}"
    if not judged:
        return "fail", f"no output has a verdict. Run verigym rescore {run} --judge MODEL"
    return "pass", f"{len(judged)} of {len(judged)}"


def _agrees(agreed: Agreement | None, run: str, asks_judge: bool) -> Answer:
    """A judge replaces a person, so without labels it cannot be trusted."""
    more = f"verigym label {run} --single"
    if agreed is None:
        words = "the verifier asks a judge, and agreement with people is not measured. " if asks_judge else ""
        return ("fail" if asks_judge else "unclear"), f"{words}no output of this run is labelled. Run {more}"
    words = f"the verifier agrees with the label on {agreed.agreed} of {agreed.n} outputs"
    if agreed.kappa is None:
        least = 0.05 ** (1 / agreed.n)
        words += f" (true rate at least {100 * least:.0f}%)"
        return "unclear", f"{words}. All labels are equal, so kappa is undefined. Label a run with good and bad outputs"
    words += f", kappa {agreed.kappa:.2f} ({agreed.low:.2f} to {agreed.high:.2f})"
    if agreed.n < FEW:
        return "unclear", f"{words}. At least {FEW} labels are needed. Run {more}"
    if agreed.kappa < _AGREE:
        lenient = sum(one.passed for one in agreed.disagreements)
        strict = len(agreed.disagreements) - lenient
        leaning = f"the verifier passes {lenient} outputs labelled bad and fails {strict} labelled good"
        return "fail", f"{words}. The agreement is too low: {leaning}"
    if agreed.low < _DOUBT:
        return "unclear", f"{words}. The interval is too wide. Add labels with {more}"
    return "pass", words


async def _cheats(environment: EnvironmentSpec, tasks: list[Task], judge: Policy | None) -> Answer:
    tried, faults = await cheats_fail(environment, tasks[: _JUDGED if judge else _CHEATED], judge)
    if not tried:
        return "unclear", "no task could be tested, because the gold solutions get no verdict"
    return ("fail", "; ".join(faults)) if faults else ("pass", f"{tried} tried")


def _order(verdicts: Sequence[Verdict]) -> Answer | None:
    """How often a pairwise judge chose the same side in both orders. None if no pairs were judged."""
    pairs: list[tuple[str, str]] = []
    for verdict in verdicts:
        winners = _winners(verdict.evidence)
        pairs += zip(winners[::2], winners[1::2], strict=False)
    decided = [pair for pair in pairs if set(pair) <= {"A", "B"}]
    if not decided:
        return None
    swayed = [pair for pair in decided if pair[0] == pair[1]]
    share = len(swayed) / len(decided)
    first = sum(pair[0] == "A" for pair in swayed)
    words = (
        f"after two outputs were swapped, the judge chose the same position in {len(swayed)} of {len(decided)} pairs"
    )
    words += f" ({first} times the first position)" if swayed else ""
    return ("fail" if share > 0.5 else "unclear" if share > _SWAYED else "pass"), words


def _winners(evidence: str) -> list[str]:
    try:
        return [str(find_json(answer)["winner"]) for answer in answers_in(evidence)]
    except (ValueError, KeyError, TypeError):  # the evidence of another verifier
        return []
