"""The gate on a workspace: measures look by look what its policy asks for, until every question is settled, and decides.

Judging is `gates`, recording and moving the champion `registry.ledger`. Every measurement is named by its content: asked
again, the gate finds what is finished, and goes on where an earlier gate of the same two versions stopped.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import msgspec
from msgspec import Struct

from verigym.audit.labels import Calibration
from verigym.core.errors import BadInput, NotFound, Refused, VerigymError
from verigym.core.records import Check, Decision, Json, Report, Sampling, Suite, Task, Version
from verigym.environments.load import load_environment
from verigym.evaluation.compare import compare
from verigym.evaluation.report import make_report
from verigym.evaluation.stats import Delta
from verigym.evaluation.suites import in_turn, make_suite
from verigym.gates.checks import BETTER, held_out
from verigym.gates.decide import LookResult, look, next_step
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair, TrainingEvidence
from verigym.gates.guards import no_perplexity
from verigym.gates.judging import first_sizes, largest_sizes, tasks_to_measure
from verigym.gates.policy import DEFAULT, GatePolicy
from verigym.harness.environment import EnvironmentSpec
from verigym.registry import ledger
from verigym.registry.versions import version_id
from verigym.rollout.settings import EpisodeLimits, Prices, RunSettings
from verigym.training.alarms import held_out_falls, since_first, values
from verigym.workspace import measure as stages
from verigym.workspace.perplexity import perplexity
from verigym.workspace.workspace import WorkspaceFolder

Bars = Callable[[str], AbstractContextManager[stages.OnProgress]]
"""A bar for each measurement, by its title."""
GUARDS = ("retention", "safety")
"""Environments of guardrail suites: reports on them are no primary ones, unless that is asked for."""
_SETTINGS = ("sampling", "k", "judge", "user")
_OVERLAP = 0.5
"""An earlier candidate was tested on the same families if it used at least this share of them."""


def silent(title: str) -> AbstractContextManager[stages.OnProgress]:
    return nullcontext(lambda _: None)


class GateBudget(Struct, frozen=True, kw_only=True):
    """When the gate stops, though not every question is settled. None: no limit."""

    minutes: float | None = None
    calls: int | None = None
    """Replies of models."""
    dollars: float | None = None

    def __str__(self) -> str:
        limits = (
            (self.minutes, f"{self.minutes} minutes"),
            (self.calls, f"{self.calls} calls"),
            (self.dollars, f"${self.dollars}"),
        )
        return " and ".join(words for limit, words in limits if limit is not None) or "no limit"


def parse_budget(text: str) -> GateBudget:
    """`10min`, `500calls`, `$2`, or several of them with commas."""
    limits: dict[str, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        number, unit = (part[1:], "dollars") if part.startswith("$") else _split_unit(part)
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not value > 0 or not unit:
            raise BadInput(f'The budget "{part}" is invalid. Write minutes, calls or dollars: 10min, 500calls, $2')
        limits[unit] = value
    calls = limits.get("calls")
    return GateBudget(minutes=limits.get("minutes"), calls=int(calls) if calls else None, dollars=limits.get("dollars"))


def _split_unit(text: str) -> tuple[str, str]:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    word = text[len(number) :].strip()
    units = {
        "min": "minutes",
        "m": "minutes",
        "minutes": "minutes",
        "calls": "calls",
        "call": "calls",
        "usd": "dollars",
    }
    return number, units.get(word, "")


class SuitePlan(Struct, frozen=True, kw_only=True):
    """What the gate measures of one suite, for both versions together, in episodes."""

    suite: str
    tasks: int
    """Tasks that the gate can use."""
    done: int
    """Episodes that are stored already."""
    first: int
    """Episodes of the first look that are missing."""
    most: int
    """Episodes that are missing if every question takes all its tasks."""
    looks: list[int]
    """Numbers of tasks at the looks of its largest question."""


class GatePlan(Struct, frozen=True, kw_only=True):
    candidate: str
    champion: str
    environment: str
    settings: Json
    """How replies are sampled: as in the champion's last report."""
    suites: list[SuitePlan]
    dollars: float | None = None
    """What all missing episodes cost at most. None without a price."""

    @property
    def first(self) -> int:
        return sum(suite.first for suite in self.suites)

    @property
    def most(self) -> int:
        return sum(suite.most for suite in self.suites)


class _Target(Struct, frozen=True, kw_only=True):
    """What the primary suite is and how it is measured."""

    environment: EnvironmentSpec
    suite: str
    settings: RunSettings
    known: Report | None
    """The report that they are taken from."""


class Gate:
    """One candidate against one champion."""

    def __init__(
        self,
        ws: WorkspaceFolder,
        candidate: Version,
        champion: Version,
        policy: GatePolicy = DEFAULT,
        *,
        environment: str = "",
        suite: str = "",
        settings: RunSettings | None = None,
        seed: int | None = None,
        bars: Bars = silent,
    ) -> None:
        if candidate.id == champion.id:
            raise Refused(f"Version {candidate.id} is the champion itself. Give the gate another candidate")
        self.ws, self.candidate, self.champion, self.policy, self.bars = ws, candidate, champion, policy, bars
        self.target = _target(ws, candidate, champion, environment, suite, settings)
        self.specs = {"primary": self.target.environment}
        self.missing: dict[str, str] = {}
        self.sides: dict[str, tuple[Version, Version]] = {"primary": (champion, candidate)}
        """Suite to the versions that are measured on it: champion, candidate."""
        if policy.retention is not None and (candidate.base, candidate.adapter) != (champion.base, champion.adapter):
            self._add_guard("retention", bare(champion), bare(candidate))
        if policy.safety is not None:
            self._add_guard("safety", champion, candidate)
        wholes = {name: self._whole(name) for name in self.specs}
        self.suites = {name: suite for name, (suite, _) in wholes.items()}
        self.orders = {name: in_turn(tasks) for name, (_, tasks) in wholes.items()}
        held_out(candidate, champion, list(self.suites.values()))
        self.seeds = _seeds(self.target, seed, self._own_temperature())
        self.history = _history(ws, candidate, champion)
        self.spent = _Spent()
        self._texts: PassageLosses | None = None

    def _add_guard(self, name: str, champion: Version, candidate: Version) -> None:
        self.specs[name] = load_environment(name)
        self.sides[name] = champion, candidate

    def _whole(self, name: str) -> tuple[Suite, list[Task]]:
        return stages.suite_of(self.specs[name], self.target.suite if name == "primary" else "val")

    def _own_temperature(self) -> float:
        own = [one.sampling.temperature for one in (self.candidate, self.champion) if one.sampling is not None]
        return max(own, default=self.target.settings.sampling.temperature)

    def settings(self, name: str) -> RunSettings:
        if name == "primary":
            return self.target.settings
        asked = self.policy.retention if name == "retention" else self.policy.safety
        assert asked is not None
        return RunSettings(
            sampling=Sampling(temperature=0.0, max_tokens=asked.max_tokens), prices=self.target.settings.prices
        )

    def plan(self) -> GatePlan:
        """What would be measured."""
        first, most = self._sizes(), largest_sizes(self.orders, self.policy)
        suites: list[SuitePlan] = []
        for name, order in self.orders.items():
            wanted = [tasks_to_measure(name, order, sizes) for sizes in (first, most)]
            done = self._done(name)
            k = self.settings(name).k * (len(self.seeds) if name == "primary" else 1)
            missing = [k * sum(task.id not in known for known in done for task in tasks) for tasks in wanted]
            suites.append(
                SuitePlan(
                    suite=self.suites[name].name,
                    tasks=len(wanted[1]),
                    done=k * sum(len(known) for known in done),
                    first=missing[0],
                    most=missing[1],
                    looks=[len(wanted[0]), len(wanted[1])],
                )
            )
        return GatePlan(
            candidate=self.candidate.id,
            champion=self.champion.id,
            environment=self.target.environment.name,
            settings=msgspec.to_builtins(self.target.settings.sampling),
            suites=suites,
            dollars=self._dollars(suites),
        )

    def _dollars(self, suites: Sequence[SuitePlan]) -> float | None:
        """By the cost of an episode in the report that the settings are taken from."""
        known = self.target.known
        cost = known.metrics.get("cost") if known is not None else None
        return cost.value * sum(suite.most for suite in suites) if cost is not None else None

    def _sizes(self) -> dict[str, int]:
        """The first look. What both versions have been measured on already is used at once."""
        sizes = first_sizes(self.orders, self.policy)
        known = [set(done) for done in self._done("primary")]
        prefix = 0
        for task in self.orders["primary"]:
            if not all(task.id in done for done in known):
                break
            prefix += 1
        return {**sizes, "primary": max(sizes["primary"], prefix)}

    def _done(self, name: str) -> list[set[str]]:
        """For each side, the tasks whose episodes are stored."""
        sides: list[set[str]] = []
        for version in self.sides[name]:
            of_seeds = [
                {task for _, tasks in self._stored(name, version, seed) for task in tasks}
                for seed in self._seeds_of(name)
            ]
            sides.append(set.intersection(*of_seeds))
        return sides

    def _stored(self, name: str, version: Version, seed: int) -> Iterator[tuple[str, list[str]]]:
        settings = msgspec.structs.replace(self.settings(name), seed=seed)
        config = stages.config_of(self.specs[name], version, self.orders[name], settings)
        return stages.known_episodes(self.ws, self.orders[name], "eval", config)

    def _seeds_of(self, name: str) -> list[int]:
        return self.seeds if name == "primary" else [0]

    def run(self, budget: GateBudget = GateBudget(), rivals: "Sequence[Gate]" = ()) -> Decision:
        """Measures and looks until every question is settled, or the budget or a suite is used up. With `rivals`, the best of all
        candidates at each look is judged, and that it was chosen is allowed for."""
        sizes, best = self._sizes(), self
        while True:
            before = msgspec.structs.replace(self.spent)
            best, others = self._best(sizes, rivals) if rivals else (self, [])
            evidence = msgspec.structs.replace(best._evidence(sizes), rivals=others)
            result = look(best.candidate, self.champion, evidence, self.policy)
            if not result.wanted:
                break
            wanted = {**sizes, **result.wanted}
            stopped = self._stopped(budget, before, sizes, wanted)
            if stopped:
                result = look(best.candidate, self.champion, evidence, self.policy, stopped)
                break
            best.history.checks = {check.name: check for check in result.decision.checks}
            for one in (self, *rivals):  # they share the looks at the question who is better
                one.history.checks[BETTER] = best.history.checks[BETTER]
            sizes = wanted
        return best._final(result, evidence)

    def _best(self, sizes: dict[str, int], rivals: "Sequence[Gate]") -> "tuple[Gate, list[ReportPair]]":
        """The candidate with the highest success, and the reports of the others."""
        pairs: list[tuple[Gate, ReportPair]] = []
        champion = self._measure("primary", self.champion, sizes)
        for one in (self, *rivals):
            one.spent = self.spent
            pairs.append((one, ReportPair(champion, one._measure("primary", one.candidate, sizes))))
        best = max(pairs, key=lambda pair: pair[1].candidate.metrics["success"].value)
        return best[0], [sides for one, sides in pairs if one is not best[0]]

    def _final(self, result: LookResult, evidence: Evidence) -> Decision:
        for sides in (evidence.primary, evidence.retention, evidence.safety):
            for report in sides or ():
                self.ws.store.put("report", report.id, report)
        decision = result.decision
        sentences = [next_step(decision, self.target.environment.name), *_asked_before(self.ws, decision)]
        return msgspec.structs.replace(decision, words=" ".join([decision.words, *filter(None, sentences)]))

    def _stopped(self, budget: GateBudget, before: "_Spent", sizes: dict[str, int], wanted: dict[str, int]) -> str:
        """Why the next look would exceed the budget. Empty if it would not."""
        episodes = self.spent.episodes - before.episodes
        more = sum(
            2 * (len(tasks_to_measure(name, order, wanted)) - len(tasks_to_measure(name, order, sizes)))
            for name, order in self.orders.items()
        )
        for limit, used, last, unit in (
            (budget.minutes, self.spent.seconds / 60, (self.spent.seconds - before.seconds) / 60, "minutes"),
            (budget.calls, self.spent.calls, self.spent.calls - before.calls, "calls"),
            (budget.dollars, self.spent.dollars, self.spent.dollars - before.dollars, "dollars"),
        ):
            expected = used + (last / episodes * more if episodes else 0.0)
            if limit is not None and (used >= limit or expected > limit):
                return (
                    f"the budget of {limit:g} {unit} would be exceeded: {used:.3g} are used, and the next look of "
                    f"{more} episodes would bring it to about {expected:.3g}"
                )
        return ""

    def _evidence(self, sizes: dict[str, int]) -> Evidence:
        """Both versions measured on as many tasks. What cannot be measured, because an agent cannot be opened, is missing with
        the reason."""
        primary = ReportPair(*(self._measure("primary", version, sizes) for version in self.sides["primary"]))
        guards: dict[str, ReportPair | None] = {}
        for name in GUARDS:
            if name in self.sides:
                try:
                    guards[name] = ReportPair(*(self._measure(name, version, sizes) for version in self.sides[name]))
                except VerigymError as error:
                    self.missing[name] = str(error)
        judge = self.target.settings.judge
        return Evidence(
            primary=primary,
            retention=guards.get("retention"),
            safety=guards.get("safety"),
            texts=self._losses(),
            orders=self.orders,
            earlier=self.history.checks,
            seen_families=self.history.seen,
            turn=_turn(self.ws, self.candidate, self.champion, self.suites["primary"].families),
            marks_unsafe=self.target.environment.toolbox.marks_unsafe,
            missing=self.missing,
            trained=_trained(self.ws, self.candidate, primary.candidate),
            judge=judge.id if judge is not None else "",
            calibration=_calibration(self.ws, primary.candidate.suite.verifier, judge.id)
            if judge is not None
            else None,
        )

    def _measure(self, name: str, version: Version, sizes: dict[str, int]) -> Report:
        order, spec = self.orders[name], self.specs[name]
        tasks = tasks_to_measure(name, order, sizes)
        trajectories: list[Any] = []
        verdicts: list[Any] = []
        run = ""
        ids = {task.id for task in tasks}
        for seed in self._seeds_of(name):
            settings = msgspec.structs.replace(self.settings(name), seed=seed)
            with self._counting(f"{'held-out tasks' if name == 'primary' else name}, {version.label}") as bar:
                run = stages.rollout(self.ws, spec, version, tasks, settings, kind="eval", whole=order, on_progress=bar)
            trajectories += [one for one in self.ws.store.trajectories(run) if one.task in ids]
            verdicts += self.ws.store.verdicts(run, spec.verifier.name)
        suite = make_suite(self.suites[name].name, spec.name, tasks, spec.verifier.name)
        return make_report(
            run, version.id, suite, tasks, trajectories, verdicts, self._seeds_of(name)[-1], spec.explain
        )

    @contextmanager
    def _counting(self, title: str) -> Iterator[stages.OnProgress]:
        """A bar that also counts what is spent."""
        begun, done, last = time.monotonic(), -1, [0, 0.0]
        with self.bars(title) as bar:

            def on_progress(progress: Any) -> None:
                nonlocal done
                done = progress.done if done < 0 else done
                last[:] = [progress.calls, progress.cost]
                self.spent.episodes += progress.done - done
                done = progress.done
                bar(progress)

            yield on_progress
        self.spent.seconds += time.monotonic() - begun
        self.spent.calls += int(last[0])
        self.spent.dollars += last[1]

    def _losses(self) -> PassageLosses | None:
        asked = self.policy.retention
        if self._texts is not None or asked is None or asked.perplexity is None or "retention" not in self.sides:
            return self._texts
        champion, candidate = self.sides["retention"]
        if no_perplexity(candidate, champion) or "perplexity" in self.missing:
            return None
        try:
            self._texts = PassageLosses(*(perplexity(self.ws, version).nats for version in (champion, candidate)))
        except VerigymError as error:
            self.missing["perplexity"] = str(error)
        return self._texts


class _Spent(Struct):
    episodes: int = 0
    seconds: float = 0.0
    calls: int = 0
    dollars: float = 0.0


class _History(Struct):
    """What the ledger holds of earlier looks at two versions."""

    checks: dict[str, Check] = {}
    seen: frozenset[str] = frozenset()
    """Families of a test of "better" that ended at full information."""


def _history(ws: WorkspaceFolder, candidate: Version, champion: Version) -> _History:
    history = _History()
    for entry in ledger.entries(ws.store):
        decision = entry.decision
        if decision.kind != "gate" or (decision.candidate, decision.champion) != (candidate.id, champion.id):
            continue
        history.checks = {check.name: check for check in decision.checks if check.looks}
        better = history.checks.get(BETTER)
        if better is not None and better.outcome != "pass" and better.looks[-1].information >= 1:
            report = ws.store.get("report", decision.reports[0], Report)
            history.seen |= frozenset(report.suite.families) if report is not None else frozenset()
    return history


def _turn(ws: WorkspaceFolder, candidate: Version, champion: Version, families: Sequence[str]) -> int:
    """How many candidates were tested against this champion on these families since it became champion, this one included."""
    others: set[str] = set()
    for entry in ledger.entries(ws.store):
        decision = entry.decision
        if entry.champion_after != entry.champion_before:
            others.clear()
        if decision.kind != "gate" or decision.champion != champion.id or not decision.reports:
            continue
        if decision.candidate == candidate.id:
            break
        report = ws.store.get("report", decision.reports[0], Report)
        used = set(report.suite.families) if report is not None else set()
        if len(used.intersection(families)) >= _OVERLAP * len(set(families)):
            others.add(decision.candidate)
    return len(others) + 1


def _seeds(target: _Target, seed: int | None, temperature: float) -> list[int]:
    """The seeds of the primary suite. Another seed is measured beside the first and averaged with it."""
    first = target.settings.seed
    if seed is None or seed == first:
        return [first]
    if temperature == 0:
        raise Refused(
            f"Replies are sampled greedily, so seed {seed} would give the same replies as seed {first}. Leave --seed out"
        )
    return [first, seed]


def gate(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    policy: GatePolicy = DEFAULT,
    *,
    environment: str = "",
    suite: str = "",
    settings: RunSettings | None = None,
    seed: int | None = None,
    budget: GateBudget = GateBudget(),
    rivals: Sequence[Version] = (),
    bars: Bars = silent,
    on_plan: Callable[[GatePlan], None] = lambda _: None,
) -> Decision:
    """Measures what the policy asks for and decides. Nobody recorded the decision yet. With `rivals`, the best of all candidates
    is judged."""

    def asked_about(version: Version, target: _Target | None = None) -> Gate:
        return Gate(
            ws,
            version,
            champion,
            policy,
            environment=target.environment.name if target else environment,
            suite=target.suite if target else suite,
            settings=target.settings if target else settings,
            seed=seed,
            bars=bars,
        )

    asked = asked_about(candidate)
    others = [asked_about(rival, asked.target) for rival in rivals]
    plan = asked.plan()
    if others:
        primary = plan.suites[0]
        more = msgspec.structs.replace(
            primary, first=primary.first * (len(others) + 2) // 2, most=primary.most * (len(others) + 2) // 2
        )
        plan = msgspec.structs.replace(plan, suites=[more, *plan.suites[1:]])
    on_plan(plan)
    return asked.run(budget, others)


def _target(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    environment: str,
    suite: str,
    settings: RunSettings | None,
) -> _Target:
    """By default the environment that the candidate was trained on, or else that of its newest report, measured as the champion
    was measured last."""
    wanted = environment or _trained_on(candidate)
    reports = [
        one
        for one in reversed(ws.store.documents("report", Report))
        if (one.suite.environment == wanted if wanted else one.suite.environment not in GUARDS)
    ]
    known = [next((one for one in reports if one.agent == version.id), None) for version in (champion, candidate)]
    if not wanted:
        if known[1] is None and known[0] is None:
            raise Refused(
                f"{candidate.label} was not trained here and has no report, so the gate does not know on which tasks to compare "
                f"it. Name an environment: verigym gate {candidate.id} -e ENV"
            )
        wanted = (known[1] or known[0]).suite.environment  # type: ignore[union-attr]
        known = [one if one is not None and one.suite.environment == wanted else None for one in known]
    model = known[0] or known[1]
    spec = load_environment(wanted)
    if model is None:
        return _Target(
            environment=spec,
            suite=suite or "val",
            settings=settings or RunSettings(sampling=stages.GREEDY),
            known=None,
        )
    spec = stages.judged_by(spec, _verifier_of(spec, model))
    return _Target(
        environment=spec,
        suite=suite or _suite_of(spec, model),
        settings=settings or _settings_of(ws, model),
        known=model,
    )


def _verifier_of(spec: EnvironmentSpec, report: Report) -> str:
    name = report.suite.verifier.partition("@")[0]
    return name if name in spec.verifiers else ""


def _suite_of(spec: EnvironmentSpec, report: Report) -> str:
    """The suite of the report, if the environment still has it."""
    name = report.suite.name
    known = [*spec.suites, *(f"{spec.name}:{split}" for split in spec.suites.values())]
    return name.removeprefix(f"{spec.name}:") if name.split(" ")[0] in known else "val"


def _settings_of(ws: WorkspaceFolder, report: Report) -> RunSettings:
    """How the episodes of a report were run."""
    try:
        config = ws.store.run(report.run).config
    except NotFound:
        return RunSettings(sampling=stages.GREEDY, seed=report.seed)
    user, judge = (ws.find(config[role]) if role in config else None for role in ("user", "judge"))
    return RunSettings(
        k=config.get("k", 1),
        sampling=msgspec.convert(config.get("sampling", {}), Sampling),
        seed=config.get("seed", 0),
        limits=msgspec.convert(config.get("limits", {}), EpisodeLimits),
        prices=msgspec.convert(config.get("prices", {}), Prices),
        user=user,
        judge=judge,
    )


def _trained_on(candidate: Version) -> str:
    """The environment that a version was trained on. Empty if it was not trained, or on guardrail suites alone."""
    recipe = candidate.recipe
    names = [recipe.get("environment", ""), *recipe.get("environments", {})]
    return next((name for name in names if name and name not in GUARDS), "")


def keep(ws: WorkspaceFolder, decision: Decision, why: str = "asked") -> None:
    """Records the decision, whatever it is, so that the policy it was made by cannot be chosen afterwards. Asked again, the
    same question is not recorded twice."""
    if not any(known.decision.verdict == decision.verdict for known in _answers(ws, decision)):
        ledger.record(ws.store, decision, moves=False, why=why)


def settle(ws: WorkspaceFolder, decision: Decision, why: str = "", *, once: bool = False) -> ledger.LedgerEntry | None:
    """Records the decision. If it says PROMOTE, or overrides the gate, its candidate becomes champion: the entry is returned.

    With `once`, a resumed loop may call this again. A decision that was carried out is not carried out a second time, and a
    version that became champion meanwhile stays champion."""
    promotes = decision.verdict == "PROMOTE" or decision.kind == "override"
    if once:
        if any(known.champion_before != known.champion_after for known in _answers(ws, decision)):
            return None
        promotes = promotes and ledger.champion(ws.store) == decision.champion
    if promotes:
        return ledger.promote(ws.store, decision, why=why)
    keep(ws, decision, why or "asked")
    return None


def _answers(ws: WorkspaceFolder, decision: Decision) -> list[ledger.LedgerEntry]:
    """What the ledger holds of the same question."""
    asked = _question(decision)
    return [one for one in ledger.entries(ws.store) if one.decision.kind == "gate" and _question(one.decision) == asked]


def last_decision(ws: WorkspaceFolder, candidate: Version, champion: Version) -> Decision | None:
    """The last decision of the gate about this pair."""
    for entry in reversed(ledger.entries(ws.store)):
        known = entry.decision
        if known.policy and (known.candidate, known.champion) == (candidate.id, champion.id):
            return known
    return None


def last_policy(ws: WorkspaceFolder, candidate: Version, champion: Version) -> GatePolicy | None:
    """By which this pair was judged last."""
    known = last_decision(ws, candidate, champion)
    return msgspec.convert(known.policy, GatePolicy) if known is not None else None


def not_asked(candidate: Version, champion: Version) -> Decision:
    words = "NEED MORE DATA. The gate was not asked about these two versions."
    return Decision(candidate=candidate.id, champion=champion.id, verdict="NEED MORE DATA", words=words)


def _question(decision: Decision) -> tuple[object, ...]:
    return decision.candidate, decision.champion, decision.policy_hash, decision.measured


def _asked_before(ws: WorkspaceFolder, decision: Decision) -> Iterator[str]:
    """One sentence for each other policy that was tried on the same reports."""
    told = {decision.policy_hash, ""}
    for entry in ledger.entries(ws.store):
        known = entry.decision
        if known.reports == decision.reports and known.policy_hash not in told:
            told.add(known.policy_hash)
            yield (
                f"These reports were judged before by another policy ({known.policy.get('name')}, {known.policy_hash[:8]}, "
                f"ledger entry {entry.seq}: {known.verdict}): a policy chosen after looking proves less."
            )


def shared_reports(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str = ""
) -> tuple[Report, Report]:
    """The newest reports of both that can be compared: candidate, champion."""
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.hash == theirs.suite.hash and _alike(ws, ours, theirs):
            return ours, theirs
    changed = _verifier_changed(ws, candidate, champion, environment)
    if changed is not None:
        ours, theirs = changed
        raise Refused(
            f"{candidate.label} was scored by {ours.suite.verifier} and {champion.label} by {theirs.suite.verifier}, on the "
            "same tasks. Score both again by the present verifier, which takes no model: "
            f"verigym rescore {ours.run} and verigym rescore {theirs.run}"
        )
    raise Refused(
        f"{candidate.label} and {champion.label} have no report on the same held-out tasks. Run: "
        + " and ".join(_missing_evals(ws, candidate, champion, environment))
    )


def _pairs(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> Iterator[tuple[Report, Report]]:
    """Newest first."""
    reports = [
        report
        for report in reversed(ws.store.documents("report", Report))
        if (report.suite.environment == environment if environment else report.suite.environment not in GUARDS)
    ]
    theirs = [report for report in reports if report.agent == champion.id]
    for ours in reports:
        if ours.agent == candidate.id:
            yield from ((ours, one) for one in theirs)


def _alike(ws: WorkspaceFolder, one: Report, other: Report, fields: tuple[str, ...] = _SETTINGS) -> bool:
    """Decoded, repeated and judged alike."""
    settings = [ws.store.run(report.run).config for report in (one, other)]
    return all(settings[0].get(field) == settings[1].get(field) for field in fields)


def _verifier_changed(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> tuple[Report, Report] | None:
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.verifier != theirs.suite.verifier and _alike(ws, ours, theirs, (*_SETTINGS, "tasks")):
            return ours, theirs
    return None


def _missing_evals(ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str) -> Iterator[str]:
    """What to type: as the other was measured, where it was."""
    reports = [one for one in ws.store.documents("report", Report) if one.suite.environment not in GUARDS]
    known = {
        version.id: [one for one in reports if one.agent == version.id and environment in ("", one.suite.environment)]
        for version in (candidate, champion)
    }
    model = (known[champion.id] or known[candidate.id])[-1:]
    if not model:
        yield from (f"verigym eval {environment or 'ENV'} -m {one.id}" for one in (candidate, champion))
        return
    missing = candidate if known[champion.id] else champion
    config: Json = ws.store.run(model[0].run).config
    sampling = config.get("sampling", {})
    options = f"-n {config.get('num_tasks')} -k {config.get('k', 1)} --temperature {sampling.get('temperature', 1.0)}"
    yield f"verigym eval {config.get('environment')} -m {missing.id} {options} --max-tokens {sampling.get('max_tokens', 256)}"


def bare(version: Version) -> Version:
    """The weights alone: a prompt for one job, or replies held to its format, say nothing of what was forgotten."""
    plain = Version(base=version.base, adapter=version.adapter, name=version.name, families=version.families)
    return version if version_id(plain) == version.id else msgspec.structs.replace(plain, id=version_id(plain))


def _trained(ws: WorkspaceFolder, candidate: Version, report: Report) -> TrainingEvidence | None:
    """What the metrics of the run that made it say."""
    run = candidate.recipe.get("run", "")
    if not run:
        return None
    history = ws.store.metrics(run)
    rise = since_first(values(history, "reward"))
    model, reward = candidate.recipe.get("reward_model", ""), candidate.recipe.get("reward", "")
    return TrainingEvidence(
        run=run,
        paid_by=f"reward model {model}" if model else ", ".join(reward) if isinstance(reward, dict) else str(reward),
        reward=(rise.before, rise.last) if rise.up() else None,
        alarm=held_out_falls(history) or "",
        start=candidate.parent,
        since_start=_since_start(ws, candidate.parent, report),
    )


def _since_start(ws: WorkspaceFolder, start: str, report: Report) -> Delta | None:
    for other in reversed(ws.store.documents("report", Report)):
        if other.agent == start and other.suite.hash == report.suite.hash and _alike(ws, other, report):
            return compare(other, report).success
    return None


def _calibration(ws: WorkspaceFolder, verifier: str, judge: str) -> Calibration | None:
    known = [
        one for one in ws.store.documents("calibration", Calibration) if (one.verifier, one.judge) == (verifier, judge)
    ]
    return known[-1] if known else None
