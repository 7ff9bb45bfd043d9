"""The gate on a workspace: measures look by look what its policy asks for, until every question is settled, and decides.

Judging is `gates`, recording and moving the champion `registry.ledger`. Every measurement is named by its content: asked
again, the gate finds what is finished, and goes on where an earlier gate of the same two versions stopped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import takewhile
from typing import Any

import msgspec
from msgspec import Struct

from verigym.audit.labels import Calibration
from verigym.core.errors import Refused, VerigymError
from verigym.core.records import Check, Decision, Json, Report, Suite, Task, Version, content_hash
from verigym.environments.load import base_and_added, load_environment, regression_file
from verigym.evaluation.report import make_report
from verigym.evaluation.stats import Delta, paired_delta
from verigym.evaluation.suites import in_turn, make_suite
from verigym.gates.checks import BETTER, least_gain
from verigym.gates.decide import LookResult, look, next_step
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair, TrainingEvidence
from verigym.gates.guards import no_perplexity
from verigym.gates.held_out import held_out
from verigym.gates.judging import PARTS, PRIMARY, first_sizes, largest_sizes, tasks_to_measure
from verigym.gates.policy import DEFAULT, GatePolicy, Regressions, hash_of
from verigym.registry import ledger
from verigym.registry.checkpoints import with_choices
from verigym.registry.imports import with_unknown_data
from verigym.registry.versions import version_id
from verigym.rollout.settings import RunSettings
from verigym.store.transfer import ImportedRun
from verigym.training.alarms import held_out_falls, since_first, values
from verigym.training.recipe import overlong_penalty
from verigym.verifiers.ending import REGRESSIONS
from verigym.workspace import gate_target
from verigym.workspace import measure as stages
from verigym.workspace.decisions import asked_before
from verigym.workspace.gate_budget import BudgetUsedUp, GateBudget, GateMeter, GatePlan, SuitePlan
from verigym.workspace.gate_target import Target, config_of_report, find_target, without_families
from verigym.workspace.leak_check import check_versions
from verigym.workspace.perplexity import perplexity
from verigym.workspace.shared_reports import GUARDS, SETTINGS, sampled_alike
from verigym.workspace.workspace import WorkspaceFolder

Bars = Callable[[str], AbstractContextManager[stages.OnProgress]]
"""A bar for each measurement, by its title."""
_DEMANDS = ("alpha", "primary")
"""Fields of a policy that make it another test of "better"."""


def silent(title: str) -> AbstractContextManager[stages.OnProgress]:
    return nullcontext(lambda _: None)


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
        like: Report | None = None,
        seed: int | None = None,
        chosen_on: Iterable[str] = (),
        bars: Bars = silent,
    ) -> None:
        """Families in `chosen_on` are left out, because they chose the candidate or one of its rivals."""
        if candidate.id == champion.id:
            raise Refused(f"Version {candidate.id} is the champion itself. Give the gate another candidate")
        candidate = with_choices(ws.store, candidate)
        self.ws, self.candidate, self.champion, self.policy, self.bars = ws, candidate, champion, policy, bars
        self._told = settings is not None
        """Whether the settings were given rather than found."""
        self.guards = gate_target.guard_environments(policy)
        self.target = find_target(
            ws, candidate, champion, environment, suite, settings, like, besides=[*self.guards.values()]
        )
        self.specs = {"primary": self.target.environment}
        self.missing: dict[str, str] = {}
        self.sides: dict[str, tuple[Version, Version]] = {"primary": (champion, candidate)}
        """Suite to the versions that are measured on it: champion, candidate."""
        if policy.retention is not None and candidate.weights != champion.weights:
            self._add_guard("retention", bare(champion), bare(candidate))
        if policy.safety is not None:
            self._add_guard("safety", champion, candidate)
        regressions = regression_file(ws.home, self.target.environment.name)
        if isinstance(policy.regressions, Regressions) and regressions.exists():
            base = base_and_added(self.target.environment.name)[0]
            self.specs["regressions"] = load_environment(f"{base}+{regressions}")
            self.sides["regressions"] = champion, candidate
        self.chosen_on = frozenset(candidate.chosen_on) | frozenset(chosen_on)
        self.left_out: dict[str, int] = {}
        """Suite to the number of its families that are left out, because they chose the candidate."""
        wholes = {name: self._whole(name) for name in self.specs}
        self.suites = {name: suite for name, (suite, _) in wholes.items()}
        self.tasks = {name: {task.id: task for task in tasks} for name, (_, tasks) in wholes.items()}
        held_out(candidate, champion, list(self.suites.values()))
        asked = [(self.suites[name].name, self.specs[name], tasks) for name, (_, tasks) in wholes.items()]
        self.unread = check_versions(ws, (candidate, champion), asked)
        """Datasets of training whose rows are gone, so that their prompts were not compared with those of the suites."""
        self.history = self._history()
        self.orders = {
            name: sorted(in_turn(tasks), key=lambda task: task.id not in self.history.tasks.get(name, ()))
            for name, (_, tasks) in wholes.items()
        }
        """Suite to its tasks in the order in which they are measured: those of earlier looks first."""
        self.seeds = _seeds(self.target, self.history, seed, self._temperature())
        self.meter = GateMeter()
        self._texts: PassageLosses | None = None

    def _add_guard(self, name: str, champion: Version, candidate: Version) -> None:
        self.specs[name] = gate_target.guard_environment(name, self.guards, self.target, self.champion)
        self.sides[name] = champion, candidate

    def _whole(self, name: str) -> tuple[Suite, list[Task]]:
        splits = {"primary": self.target.suite, "regressions": REGRESSIONS}
        split = splits.get(name) or next(iter(self.specs[name].suites.values()), "val")
        suite, tasks = stages.suite_of(self.specs[name], split)
        if left_out := len(self.chosen_on.intersection(suite.families)):
            self.left_out[suite.name] = left_out
            return without_families(suite, tasks, self.chosen_on)
        return suite, tasks

    def _temperature(self) -> float:
        samplings = (one.sampling or self.target.settings.sampling for one in (self.candidate, self.champion))
        return max(sampling.temperature for sampling in samplings)

    def settings(self, name: str) -> RunSettings:
        if name == "primary":
            return self.target.settings
        return gate_target.guard_settings(name, self.policy, self.target, (self.candidate, self.champion))

    def against(self, rival: Version) -> "Gate":
        """The same gate for another candidate."""
        target = self.target
        return Gate(
            self.ws,
            rival,
            self.champion,
            self.policy,
            environment=target.environment.name,
            suite=target.suite,
            settings=target.settings,
            seed=self.seeds[-1] if len(self.seeds) > 1 else None,
            chosen_on=self.chosen_on,
            bars=self.bars,
        )

    def plan(self, rivals: "Sequence[Gate]" = ()) -> GatePlan:
        """What would be measured."""
        first, most = self._sizes(), largest_sizes(self.orders, self.policy)
        suites: list[SuitePlan] = []
        for name, order in self.orders.items():
            wanted = [tasks_to_measure(name, order, sizes) for sizes in (first, most)]
            done = [*self._done(name), *(one._done(name)[1] for one in rivals if name == "primary")]
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
            like=self.target.known.run if self.target.known is not None and not self._told else "",
            suites=suites,
            dollars=self._dollars(suites),
            policy=self.policy.name,
            families=(families := len(self.suites["primary"].families)),
            least_gain=least_gain(families, self.policy),
            left_out=self.left_out,
        )

    def _dollars(self, suites: Sequence[SuitePlan]) -> float | None:
        """By the cost of an episode in the report that the settings are taken from."""
        known = self.target.known
        cost = known.metrics.get("cost") if known is not None else None
        return cost.value * sum(suite.most for suite in suites) if cost is not None else None

    def _sizes(self) -> dict[str, int]:
        """The first look. What both versions have been measured on already is used at once, unless somebody looked at it before
        it had grown to this size. To stop at a good moment would be luck."""
        sizes, most = first_sizes(self.orders, self.policy), largest_sizes(self.orders, self.policy)
        known = {
            name: set.intersection(*self._done(name)) | self.history.tasks.get(name, set()) for name in self.orders
        }
        for name, part in ((name, PARTS[name]) for name in sizes):
            if part is PRIMARY and self._was_watched():
                continue
            stored = takewhile(lambda task: task.id in known[part.suite], part.tasks(self.orders[part.suite]))  # noqa: B023
            sizes[name] = max(sizes[name], min(len(list(stored)), most[name]))
        return sizes

    def _was_watched(self) -> bool:
        """Whether the candidate was evaluated on this suite at several sizes before the gate was asked."""
        suite = self.suites["primary"]
        reports = [one for one in self.ws.store.documents("report", Report) if one.agent == self.candidate.id]
        asked = {
            len(one.suite.tasks)
            for one in reports
            if (one.suite.environment, one.suite.name) == (suite.environment, suite.name)
        }
        return len(asked) > 1 and BETTER not in self.history.checks

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

    def _question(self) -> Json:
        """What makes two tests of "better" one test that goes on: asked otherwise, it is another test."""
        config = stages.config_of(self.specs["primary"], self.candidate, [], self.target.settings)
        return {
            "candidate": self.candidate.id,
            "suite": self.suites["primary"].name,
            "unchanged": True,
            "verifier": self.specs["primary"].verifier.name,
            **{name: msgspec.to_builtins(getattr(self.policy, name)) for name in _DEMANDS},
            **{name: config.get(name) for name in SETTINGS},
        }

    def _earlier(self) -> Iterator[tuple[ledger.LedgerEntry, Report, Json]]:
        """Decisions against this champion that share a family or the candidate with this one, each with the candidate's report
        and the question."""
        families, here = set(self.suites["primary"].families), base_and_added(self.target.environment.name)[0]
        for entry in ledger.entries(self.ws.store):
            decision = entry.decision
            if decision.kind != "gate" or decision.champion != self.champion.id or not decision.reports:
                continue
            report = self.ws.store.get("report", decision.reports[0], Report)
            if report is None:
                continue
            same_pair = decision.candidate == self.candidate.id and base_and_added(report.suite.environment)[0] == here
            if not same_pair and families.isdisjoint(report.suite.families):
                continue
            config = config_of_report(self.ws, report)
            question = {
                "candidate": decision.candidate,
                "suite": report.suite.name,
                "unchanged": self._unchanged("primary", report),
                "verifier": report.suite.verifier,
                **{name: decision.policy.get(name) for name in _DEMANDS},
                **{name: config.get(name) for name in SETTINGS},
            }
            yield entry, report, question

    def _history(self) -> "_History":
        history, asked = _History(), self._question()
        names = {suite.name: name for name, suite in self.suites.items()}
        for entry, report, question in self._earlier():
            if question != asked:
                continue
            history.seeds.append(report.seed)
            asked_alike = {self.suites["primary"].name}
            for sides in entry.decision.measured:
                measured, name = self.ws.store.get("report", sides.candidate, Report), names.get(sides.suite, "")
                if measured is None or not name or (name != "primary" and not self._asked_alike(name, measured)):
                    continue
                asked_alike.add(sides.suite)
                history.tasks.setdefault(name, set()).update(measured.suite.tasks)
            history.checks |= {
                check.name: check for check in entry.decision.checks if check.looks and check.suite in asked_alike
            }
            better = history.checks.get(BETTER)
            if better is not None and better.outcome != "pass" and better.looks[-1].information >= 1:
                history.seen |= frozenset(report.suite.families)
        return history

    def _unchanged(self, name: str, report: Report) -> bool:
        """Whether the suite still has all tasks of an earlier report, word for word."""
        before = {task.id: task for task in self.ws.store.tasks(report.run)}
        return all(task in before and self.tasks[name].get(task) == before[task] for task in report.suite.tasks)

    def _asked_alike(self, name: str, report: Report) -> bool:
        """Whether a guardrail suite was measured as it would be now."""
        config = config_of_report(self.ws, report)
        return (
            report.suite.verifier == self.specs[name].verifier.name
            and config.get("sampling") == msgspec.to_builtins(self.settings(name).sampling)
            and self._unchanged(name, report)
        )

    def _turn(self) -> int:
        """How many tests were made against this champion on these families, or about this candidate, this one included."""
        asked, others = self._question(), set[str]()
        for _, _, question in self._earlier():
            if question == asked:
                break
            others.add(content_hash(question))
        return len(others) + 1

    def _seeds_of(self, name: str) -> list[int]:
        return self.seeds if name == "primary" else [0]

    def run(self, budget: GateBudget = GateBudget(), rivals: "Sequence[Gate]" = ()) -> Decision:
        """Measures and looks until every question is settled, or the budget or a suite is used up. With `rivals`, the best of all
        candidates at each look is judged, and that it was chosen is allowed for."""
        gates = [self, *rivals]
        sizes, turn = self._sizes(), max(one._turn() for one in gates)
        share_looks(gates)
        best, evidence, result = self, None, None
        for one in gates:
            one.meter = self.meter = GateMeter(budget=budget)
        while True:
            try:
                best, others = self._best(sizes, gates)
                evidence = msgspec.structs.replace(best._evidence(sizes), rivals=others, turn=turn)
            except BudgetUsedUp as stop:
                if evidence is None:
                    return self._unmeasured(str(stop))
                result = look(best.candidate, self.champion, evidence, self.policy, str(stop))
                break
            result = look(best.candidate, self.champion, evidence, self.policy)
            if not result.wanted:
                break
            sizes |= result.wanted
            best.history.checks = {check.name: check for check in result.decision.checks}
            share_looks([best, *gates])
            if best.history.checks.get(BETTER, _UNKNOWN).outcome == "pass":
                gates = [best]  # it is shown to be better, the others are not
        return best._final(result, evidence)

    def _best(self, sizes: dict[str, int], gates: "Sequence[Gate]") -> "tuple[Gate, list[ReportPair]]":
        """The candidate with the highest figure, and the reports of the others."""
        if len(gates) == 1:
            return gates[0], []
        champion = self._measure("primary", self.champion, sizes)
        pairs = [(one, ReportPair(champion, one._measure("primary", one.candidate, sizes))) for one in gates]
        figure = "reward" if self.policy.primary == "reward" else "success"
        best = max(pairs, key=lambda pair: pair[1].candidate.metrics[figure].value)
        return best[0], [sides for one, sides in pairs if one is not best[0]]

    def _unmeasured(self, stopped: str) -> Decision:
        return Decision(
            candidate=self.candidate.id,
            champion=self.champion.id,
            verdict="NEED MORE DATA",
            words=f"NEED MORE DATA. It stopped before the first look because {stopped}. What was measured is stored. "
            "Repeat the command to go on.",
            policy=msgspec.to_builtins(self.policy),
            policy_hash=hash_of(self.policy),
        )

    def _final(self, result: LookResult, evidence: Evidence) -> Decision:
        reports = [
            report
            for sides in (evidence.primary, evidence.retention, evidence.safety, evidence.regressions)
            for report in sides or ()
        ]
        for report in reports:
            self.ws.store.put("report", report.id, report)
        imported = sorted({one.run for one in reports if self.ws.store.get("imported", one.run, ImportedRun)})
        decision = result.decision
        sentences = [
            next_step(decision, base_and_added(self.target.environment.name)[0]),
            *asked_before(self.ws, decision),
            f"The rows of {', '.join(self.unread)} are gone, so their prompts were not compared with the suites."
            if self.unread
            else "",
            f"Imported from a file, and scored again here: {', '.join(imported)}." if imported else "",
        ]
        return msgspec.structs.replace(decision, words=" ".join([decision.words, *filter(None, sentences)]))

    def _evidence(self, sizes: dict[str, int]) -> Evidence:
        """Both versions measured on as many tasks. What cannot be measured, because an agent cannot be opened, is missing with
        the reason."""
        primary = ReportPair(*(self._measure("primary", version, sizes) for version in self.sides["primary"]))
        guards: dict[str, ReportPair | None] = {}
        for name in (*GUARDS, "regressions"):
            if name in self.sides:
                try:
                    guards[name] = ReportPair(*(self._measure(name, version, sizes) for version in self.sides[name]))
                except BudgetUsedUp:
                    raise
                except VerigymError as error:
                    self.missing[name] = str(error)
        judge = self.target.settings.judge
        return Evidence(
            primary=primary,
            retention=guards.get("retention"),
            safety=guards.get("safety"),
            regressions=guards.get("regressions"),
            texts=self._losses(),
            orders=self.orders,
            earlier=self.history.checks,
            seen_families=self.history.seen,
            marks_unsafe=self.target.environment.toolbox.marks_unsafe,
            missing=self.missing,
            trained=_trained(self.ws, self.candidate, primary.candidate),
            unknown_data=with_unknown_data(self.ws.store, self.candidate, self.champion),
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
        """A bar that also counts what is spent, and stops when the budget is used up."""
        calls, cost = 0, 0.0
        with self.bars(title) as bar:

            def on_progress(progress: Any) -> None:
                nonlocal calls, cost
                bar(progress)
                self.meter.count(progress.calls - calls, progress.cost - cost)
                calls, cost = progress.calls, progress.cost
                if progress.done < progress.total:
                    self.meter.check()

            yield on_progress

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


class _History(Struct):
    """What the ledger holds of earlier looks at the same question."""

    checks: dict[str, Check] = {}
    seen: frozenset[str] = frozenset()
    """Families of a test of "better" that ended at full information."""
    tasks: dict[str, set[str]] = {}
    """Suite to the tasks that were looked at."""
    seeds: list[int] = []


_UNKNOWN = Check(name="", outcome="unclear", words="")


def share_looks(gates: Sequence[Gate]) -> None:
    """Candidates among which the best is judged share the looks at the question whether it is better."""
    known = [one.history.checks[BETTER] for one in gates if BETTER in one.history.checks]
    if len(gates) > 1 and known:
        longest = max(known, key=lambda check: len(check.looks))
        for one in gates:
            one.history.checks[BETTER] = longest


def _seeds(target: Target, history: _History, seed: int | None, temperature: float) -> list[int]:
    """The seeds of the primary suite. Another seed is measured beside the earlier ones and averaged with them."""
    known = list(dict.fromkeys(history.seeds)) or [target.settings.seed]
    if seed is None or seed in known:
        return known
    if temperature == 0:
        raise Refused(f"Sampling is greedy, so seed {seed} gives the same replies as seed {known[0]}. Leave --seed out")
    return [*known, seed]


def gate(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    policy: GatePolicy = DEFAULT,
    *,
    environment: str = "",
    suite: str = "",
    settings: RunSettings | None = None,
    like: Report | None = None,
    seed: int | None = None,
    budget: GateBudget = GateBudget(),
    rivals: Sequence[Version] = (),
    bars: Bars = silent,
    on_plan: Callable[[GatePlan], None] = lambda _: None,
) -> Decision:
    """Measures what the policy asks for and decides. Nobody recorded the decision yet. With `rivals`, the best of all candidates
    is judged."""
    with _one_at_a_time(ws, champion):
        asked = Gate(
            ws,
            candidate,
            champion,
            policy,
            environment=environment,
            suite=suite,
            settings=settings,
            like=like,
            seed=seed,
            chosen_on=[family for rival in rivals for family in rival.chosen_on],
            bars=bars,
        )
        on_plan(asked.plan(others := [asked.against(rival) for rival in rivals]))
        return asked.run(budget, others)


@contextmanager
def _one_at_a_time(ws: WorkspaceFolder, champion: Version) -> Iterator[None]:
    """Candidates that are tested at the same time would each count as the first."""
    with ExitStack() as stack:
        try:
            stack.enter_context(ws.store.claim(f"gate/{champion.id}"))
        except Refused as error:
            raise Refused(
                f"Another gate against {champion.label} is running. Wait until it ends: each candidate counts the tests before it"
            ) from error
        yield


def bare(version: Version) -> Version:
    """The weights alone: a prompt for one job, or replies held to its format, say nothing of what was forgotten."""
    base, quantized, adapter = version.base, version.quantized, version.adapter
    plain = Version(base=base, quantized=quantized, adapter=adapter, full=version.full, name=version.name)
    plain = msgspec.structs.replace(plain, families=version.families)
    return version if version_id(plain) == version.id else msgspec.structs.replace(plain, id=version_id(plain))


def _trained(ws: WorkspaceFolder, candidate: Version, report: Report) -> TrainingEvidence | None:
    """What the metrics of the run that made it say."""
    run = candidate.recipe.get("run", "")
    if not run:
        return None
    history = ws.store.metrics(run)
    rise, fall = since_first(values(history, "reward")), held_out_falls(history)
    model, reward = candidate.recipe.get("reward_model", ""), candidate.recipe.get("reward", "")
    return TrainingEvidence(
        run=run,
        paid_by=f"reward model {model}" if model else ", ".join(reward) if isinstance(reward, dict) else str(reward),
        penalty=overlong_penalty(candidate.recipe),
        reward=(rise.before, rise.last) if rise.up() else None,
        alarm=fall.words if fall else "",
        start=candidate.parent,
        since_start=_since_start(ws, candidate.parent, report),
    )


def _since_start(ws: WorkspaceFolder, start: str, report: Report) -> Delta | None:
    """Success against the version that training started from, on the tasks of both reports."""
    now = {one.task: one for one in report.results if not one.error}
    for other in reversed(ws.store.documents("report", Report)):
        if other.agent != start or other.suite.verifier != report.suite.verifier:
            continue
        before = [one for one in other.results if one.task in now and not one.error]
        if before and sampled_alike(ws, other, report):
            after = [now[one.task].passed for one in before]
            return paired_delta([one.passed for one in before], after, [one.family for one in before], rate=True)
    return None


def _calibration(ws: WorkspaceFolder, verifier: str, judge: str) -> Calibration | None:
    known = [
        one for one in ws.store.documents("calibration", Calibration) if (one.verifier, one.judge) == (verifier, judge)
    ]
    return known[-1] if known else None
