"""The loop: each round mines, evaluates the champion, explains, advises, tries the lightest fix, evaluates it and gates it.

`play` runs the loop, `_Round.play` one round. A round tries one fix. A rejected fix is not tried again on the same champion and
tasks, so the next round takes the next heavier fix. Every step is stored once (`rounds`), so a killed loop resumes where it
stopped. The caller's `LoopScreen` shows the progress.
"""

import hashlib
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Decision, Finding, Report, Sampling, Version
from verigym.environments.load import base_and_added, load_environment
from verigym.evaluation.suites import split_part
from verigym.flywheel.fixes import FixRequest, choose
from verigym.flywheel.loop_recipe import Loop
from verigym.flywheel.rounds import (
    Candidate,
    ChosenFix,
    MiningResult,
    Outcome,
    Paused,
    Round,
    RoundEnd,
    RoundEvaluation,
    RoundLog,
    RoundStart,
    over_budget,
    rounds_of,
    spent,
)
from verigym.gates.evidence import ReportPair
from verigym.harness.environment import EnvironmentSpec
from verigym.mining.mine import mine
from verigym.mining.proposals import with_file
from verigym.registry import ledger
from verigym.rollout.settings import RunSettings
from verigym.tasks.files import write_whole
from verigym.tasks.load import load_tasks
from verigym.training.recipe import make_recipe
from verigym.workspace import gate
from verigym.workspace import measure as stages
from verigym.workspace.advise import open_subject
from verigym.workspace.explain import open_run
from verigym.workspace.train import OnStep, train
from verigym.workspace.workspace import WorkspaceFolder


class StageScreen(Protocol):
    """Shows the steps of a loop or of the quickstart."""

    def step(self, title: str, why: str) -> AbstractContextManager[None]: ...
    def line(self, text: str) -> None: ...
    def episodes(self, what: str) -> AbstractContextManager[stages.OnProgress]: ...
    def training(self, steps: int) -> AbstractContextManager[OnStep]: ...
    def failures(self, findings: list[Finding]) -> None: ...
    def decided(self, decision: Decision) -> None: ...


class LoopScreen(StageScreen, Protocol):
    def round(self, number: int, champion: Version) -> None: ...
    def over(self, round: Round) -> None: ...


class LoopResult(NamedTuple):
    rounds: list[Round]
    why: str
    """Why the loop stopped."""


def play(ws: WorkspaceFolder, loop: Loop, screen: LoopScreen) -> LoopResult:
    """Runs rounds until the budget is spent or nothing is left to do. Steps that are already stored are reused."""
    with ws.store.claim(f"loop {loop.id}"):
        while not (why := ended(ws, loop)):
            known = rounds_of(ws, loop.id)
            goes_on = known and known[-1].over is None
            number = len(known) if goes_on else len(known) + 1
            try:
                _Round(ws, loop, number, known[: number - 1], screen).play()
            except Paused as waits:
                why = str(waits)
                break
    return LoopResult(rounds_of(ws, loop.id), why)


def ended(ws: WorkspaceFolder, loop: Loop) -> str:
    """Why no further round runs. Empty if a round can start or resume."""
    known = rounds_of(ws, loop.id)
    if known and known[-1].over is None:
        return ""
    if len(known) >= loop.recipe.budget.rounds:
        return f"the budget of {loop.recipe.budget.rounds} rounds is spent. Raise budget.rounds and repeat the command to resume"
    if known and known[-1].over is not None and known[-1].over.why and not _anything_new(ws, known[-1]):
        return known[-1].over.why
    return over_budget(loop, spent(ws, loop))


class _Round:
    def __init__(self, ws: WorkspaceFolder, loop: Loop, number: int, before: list[Round], screen: LoopScreen) -> None:
        self.ws, self.loop, self.recipe, self.number = ws, loop, loop.recipe, number
        self.earlier, self.screen, self.log = before, screen, RoundLog(ws, loop, number)
        self.bars = self.log.watched(screen.episodes)

    def play(self) -> None:
        """Runs one round, from the current champion to the next."""
        begun = self.log.once("begun", RoundStart, self.begin)
        champion = self.ws.find(begun.champion)
        self.screen.round(self.number, champion)
        dug = self.log.once("dug", MiningResult, self.mine)
        before = self.log.once("before", RoundEvaluation, lambda: self.measure(champion, dug, "Evaluate the champion"))
        chosen = self.log.once("chosen", ChosenFix, lambda: self.choose(dug, before))
        decided = None
        if chosen.fix is not None:
            made = self.log.once("made", Candidate, lambda: self.make(chosen))
            if made.version != champion.id:
                candidate = self.ws.find(made.version)
                after = self.log.once(
                    "after", RoundEvaluation, lambda: self.measure(candidate, dug, "Evaluate the candidate")
                )
                decided = self.log.once(
                    "decided", Outcome, lambda: self.decide(champion, candidate, dug, before, after)
                )
            else:
                decided = self.log.once("decided", Outcome, lambda: _nothing_learnt(champion))
        self.log.once("over", RoundEnd, lambda: self.close(chosen, decided), free=True)
        self.screen.over(rounds_of(self.ws, self.loop.id)[-1])

    # -- the steps in order --------------------------------------------------------------------------------------

    def begin(self) -> RoundStart:
        recipe, now = self.recipe, ledger.champion(self.ws.store)
        if now is None and not recipe.model:
            raise BadInput(
                "No champion exists yet. Name the first champion in the recipe (model: smollm2-135m), "
                "or promote one: verigym promote VERSION"
            )
        champion = self.ws.find(now) if now is not None else self.ws.champion(self.ws.agent(recipe.model))
        return RoundStart(champion=champion.id, traces=_traces(self.ws), feedback=_feedback(self.ws), when=_now())

    def mine(self) -> MiningResult:
        """Mines the traces and feedback that exist now. Later ones belong to the next round."""
        with self.screen.step(
            "Mine", "failures in production traces become tasks, each with its way back to the trace"
        ):
            said = self.mined() if _traces(self.ws) else "no production traces"
            environment = _frozen(self.ws, with_file(self.ws, self.recipe.environment))
            last = self.earlier[-1].dug if self.earlier else None
            new = _added(environment) - (_added(last.environment) if last else set())
            train = sum(split == "train" for _, split in new)
            words = f"{said}; new: {train} tasks to train on, {len(new) - train} held out"
            self.screen.line(words)
            dug = MiningResult(environment=environment, train=train, held_out=len(new) - train, words=words)
            self.suite(dug)  # refuses before the tasks are stored, if there is no suite
        return dug

    def mined(self) -> str:
        recipe, asked = self.recipe, self.recipe.mining
        environment, accept = load_environment(recipe.environment), not asked.review
        found = mine(self.ws, environment, asked.traces, held_out_share=asked.held_out, accept=accept)
        if asked.review and found.open:
            raise Paused(
                f"{len(found.open)} mined tasks or cases need a review. Run verigym mine review {recipe.environment}, "
                "then repeat the command to resume"
            )
        it, missing = found.summary.counts, len(found.summary.unverifiable)
        unknown = f" ({missing} without a known right outcome)" if missing else ""
        return f"{it['failed requests']} requests failed in {it['traces']} traces{unknown}"

    def measure(self, version: Version, dug: MiningResult, title: str) -> RoundEvaluation:
        with self.screen.step(title, f"{version.label} on held-out tasks"):
            report = self.report(version, dug, self.recipe.evaluation.tasks)
            self.screen.line(_measured(report))
            if version.id == ledger.champion(self.ws.store) and report.buckets:
                self.screen.failures(open_run(self.ws, report.run).explained().findings)
        return RoundEvaluation(
            version=version.id,
            report=report.id,
            run=report.run,
            success=report.metrics["success"],
            buckets=report.buckets,
        )

    def choose(self, dug: MiningResult, before: RoundEvaluation) -> ChosenFix:
        with self.screen.step("Advise", "the lightest fix first; cheap ones are tried on training tasks"):
            subject = open_subject(self.ws, before.run)
            subject = msgspec.structs.replace(subject, environment=load_environment(dug.environment))
            asked = FixRequest(self.loop, self.number, self.earlier, self.settings(), self.bars, self.screen.line)
            return choose(asked, subject)

    def make(self, chosen: ChosenFix) -> Candidate:
        """The candidate. A prompt or a constraint is already a version. Other fixes are trained."""
        if chosen.version:
            return Candidate(version=chosen.version)
        recipe = make_recipe(dict(chosen.recipe), [], f"the loop's {chosen.fix}")
        with self.screen.step("Train", f"{recipe.algorithm} from {recipe.start or recipe.model}, {recipe.steps} steps"):
            with self.screen.training(recipe.steps) as show_step:

                def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
                    show_step(step, metrics, alarms)
                    self.log.check()

                version, run = train(self.ws, recipe, on_step)
            self.screen.line(f"version {version.id} ({version.name}), run {run}")
        return Candidate(version=version.id, run=run)

    def decide(
        self, champion: Version, candidate: Version, dug: MiningResult, before: RoundEvaluation, after: RoundEvaluation
    ) -> Outcome:
        """Asks the gate. If it needs more data and the suite has more tasks, both versions are evaluated once more on as many as
        it asks for. This happens only once, because every further look makes a lucky result likelier."""
        why = f"loop {self.loop.id}, round {self.number}"
        with self.screen.step("Gate", f"policy {self.loop.policy.name}: really better, and nothing lost?"):
            sides = ReportPair(*(_known(self.ws, each.report) for each in (before, after)))
            decision = gate.judge(self.ws, candidate, champion, sides, self.loop.policy, self.bars)
            if more := self.more(decision, dug):
                gate.keep(self.ws, decision, why)
                self.screen.line(f"{decision.verdict}: both are measured on {more} tasks")
                sides = ReportPair(*(self.report(each, dug, more) for each in (champion, candidate)))
                decision = gate.judge(self.ws, candidate, champion, sides, self.loop.policy, self.bars)
            gate.settle(self.ws, decision, why, once=True)
            self.screen.decided(decision)
        return Outcome(
            verdict=decision.verdict,
            words=decision.words,
            reports=decision.reports,
            before=sides.champion.metrics["success"],
            after=sides.candidate.metrics["success"],
            champion=ledger.champion(self.ws.store) or "",
        )

    def close(self, chosen: ChosenFix, decided: Outcome | None) -> RoundEnd:
        why = chosen.why if chosen.fix is None else ""
        last = self.earlier[-1] if self.earlier else None
        if decided is not None and last is not None and last.chosen is not None:
            repeats = decided.verdict == last.verdict and decided.verdict not in ("", "PROMOTE")
            if repeats and (decided.verdict == "NEED MORE DATA" or chosen.fix == last.chosen.fix):
                why = f"the gate says {decided.verdict} again, as in round {last.number}: somebody should look"
        return RoundEnd(
            why=why,
            champion=ledger.champion(self.ws.store) or "",
            data=_data(self.ws),
            seconds=self.log.seconds,
            dollars=self.log.dollars,
            when=_now(),
        )

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def report(self, version: Version, dug: MiningResult, n: int | None) -> Report:
        """The report of a version. The same tasks of the same version are evaluated once, even across rounds."""
        environment, split = self.suite(dug)
        with self.bars(f"held-out tasks, {version.label}") as bar:
            return stages.measure(self.ws, environment, version, self.settings(), split=split, n=n, on_progress=bar)

    def settings(self) -> RunSettings:
        asked = self.recipe.evaluation
        return RunSettings(
            k=asked.repeats,
            sampling=Sampling(temperature=asked.temperature, max_tokens=asked.max_tokens),
            prices=self.recipe.budget.prices,
            user=self.ws.agent(self.recipe.user) if self.recipe.user else None,
            judge=self.ws.agent(self.recipe.judge) if self.recipe.judge else None,
        )

    def suite(self, dug: MiningResult) -> tuple[EnvironmentSpec, str]:
        """The environment and the split to evaluate on. Mining does not change the environment's own suites, so they are
        evaluated without mined tasks."""
        wanted, own = self.recipe.evaluation.suite, load_environment(self.recipe.environment)
        if not wanted:
            return own, next(iter(own.suites.values()))
        if wanted != "mined":
            name, _ = split_part(wanted)
            return (own if name in (*own.suites, *own.suites.values()) else load_environment(dug.environment)), wanted
        mined = load_environment(dug.environment)
        added = [split for name, split in mined.suites.items() if name not in own.suites]
        if not added:
            raise Refused(
                "evaluation.suite: mined: no mined task is held out yet. Mine some traces, or name another suite of "
                f"{own.name}: {', '.join(own.suites)}"
            )
        return mined, added[-1]

    def more(self, decision: Decision, dug: MiningResult) -> int:
        """Number of tasks that the gate needs, if the suite has more than were evaluated. Otherwise 0."""
        environment, split = self.suite(dug)
        suite, _ = stages.suite_of(environment, split)
        measured, there = decision.measured[0].tasks, len(suite.tasks)
        needed = max(
            (one.needed for one in decision.checks if one.outcome == "unclear" and one.suite == suite.name), default=0
        )
        return min(needed, there) if decision.verdict == "NEED MORE DATA" and min(needed, there) > measured else 0


def _nothing_learnt(champion: Version) -> Outcome:
    words = "No group of tries differed in reward, so there was nothing to learn from: the weights are the champion's."
    return Outcome(verdict="", words=words, champion=champion.id)


def _known(ws: WorkspaceFolder, report: str) -> Report:
    found = ws.store.get("report", report, Report)
    assert found is not None, report
    return found


def _measured(report: Report) -> str:
    it = report.metrics["success"]
    tasks = f"{len(report.suite.tasks)} tasks of {len(report.suite.families)} families"
    return f"success {100 * it.value:.1f}% ({100 * it.low:.1f}% to {100 * it.high:.1f}%) on {tasks}, suite {report.suite.name}"


def _frozen(ws: WorkspaceFolder, environment: str) -> str:
    """The environment with a copy of its current mined tasks, because later mining adds to their file. The same tasks in any
    order give the same copy."""
    base, added = base_and_added(environment)
    if not added:
        return base
    body = b"\n".join(sorted(Path(added).read_bytes().splitlines())) + b"\n"
    copy = ws.home / "loops" / hashlib.sha256(body).hexdigest()[:8] / Path(added).name
    write_whole(copy, lambda file: file.writelines([body]))
    return f"{base}+{copy}"


def _added(environment: str) -> set[tuple[str, str]]:
    """The ids of the mined tasks, each with its split."""
    _, added = base_and_added(environment)
    return {(task.id, task.split) for task in load_tasks(Path(added))} if added else set()


def _traces(ws: WorkspaceFolder) -> dict[str, int]:
    """Runs of production traces, each with its number of traces."""
    return {run.id: run.trajectories for run in ws.store.runs() if run.kind == "traces"}


def _feedback(ws: WorkspaceFolder) -> int:
    return len(ws.store.bodies("feedback"))


def _data(ws: WorkspaceFolder) -> int:
    """Number of labels and datasets."""
    return sum(len(ws.store.bodies(kind)) for kind in ("label", "dataset"))


def _anything_new(ws: WorkspaceFolder, last: Round) -> bool:
    """Whether traces, feedback, data or champion changed since the last round."""
    assert last.begun is not None and last.over is not None
    had = (last.begun.traces, last.begun.feedback, last.over.data, last.over.champion)
    return had != (_traces(ws), _feedback(ws), _data(ws), ledger.champion(ws.store))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
