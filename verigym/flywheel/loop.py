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
from verigym.core.words import counted, with_interval
from verigym.environments.load import base_and_added, load_environment, without_added
from verigym.evaluation.suites import split_part
from verigym.flywheel.fixes import FixRequest, choose
from verigym.flywheel.loop_recipe import USUAL_TOKENS, Loop
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
from verigym.harness.environment import EnvironmentSpec
from verigym.mining.mine import mine
from verigym.mining.proposals import with_file
from verigym.registry import ledger
from verigym.rollout.settings import RunSettings
from verigym.tasks.files import write_whole
from verigym.tasks.load import load_tasks
from verigym.training.recipe import make_recipe
from verigym.workspace import decisions, gate
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
            rounds = rounds_of(ws, loop.id)
            earlier = rounds if not rounds or rounds[-1].over else rounds[:-1]
            try:
                _Round(ws, loop, len(earlier) + 1, earlier, screen).play()
            except Paused as pause:
                why = str(pause)
                break
    return LoopResult(rounds_of(ws, loop.id), why)


def ended(ws: WorkspaceFolder, loop: Loop) -> str:
    """Why no further round runs. Empty if a round can start or resume."""
    rounds = rounds_of(ws, loop.id)
    last = rounds[-1].over if rounds else None
    if rounds and last is None:
        return ""
    if len(rounds) >= loop.recipe.budget.rounds:
        most = counted(loop.recipe.budget.rounds, "round")
        return f"the budget of {most} is spent. Raise budget.rounds and repeat the command to resume"
    if last is not None and last.why and not _anything_new(ws, rounds[-1]):
        return last.why
    return over_budget(loop, spent(ws, loop))


class _Round:
    def __init__(self, ws: WorkspaceFolder, loop: Loop, number: int, earlier: list[Round], screen: LoopScreen) -> None:
        self.ws, self.loop, self.recipe, self.number = ws, loop, loop.recipe, number
        self.earlier, self.screen, self.log = earlier, screen, RoundLog(ws, loop, number)
        self.bars = self.log.watched(screen.episodes)

    def play(self) -> None:
        """Runs one round, from the current champion to the next."""
        once = self.log.once
        champion = self.ws.find(once("begun", RoundStart, self.begin).champion)
        self.screen.round(self.number, champion)
        mined = once("dug", MiningResult, self.mine)
        before = once("before", RoundEvaluation, lambda: self.measure(champion, mined, "Evaluate the champion"))
        fix = once("chosen", ChosenFix, lambda: self.choose(mined, before))
        outcome = None
        if fix.fix is not None:
            candidate = self.ws.find(once("made", Candidate, lambda: self.make(fix)).version)
            if candidate.id == champion.id:
                outcome = once("decided", Outcome, lambda: _nothing_learnt(champion))
            else:
                after = once("after", RoundEvaluation, lambda: self.measure(candidate, mined, "Evaluate the candidate"))
                outcome = once("decided", Outcome, lambda: self.decide(champion, candidate, mined, before, after))
        once("over", RoundEnd, lambda: self.close(fix, outcome), free=True)
        self.screen.over(rounds_of(self.ws, self.loop.id)[-1])

    def begin(self) -> RoundStart:
        recipe, now = self.recipe, ledger.champion(self.ws.store)
        if now is None and not recipe.model:
            raise BadInput(
                "No champion exists yet. Set model in the recipe, such as model: smollm2-135m. "
                "Or promote an evaluated version: verigym promote VERSION"
            )
        champion = self.ws.find(now) if now is not None else self.ws.champion(self.ws.agent(recipe.model))
        feedback = len(self.ws.store.bodies("feedback"))
        return RoundStart(champion=champion.id, traces=_traces(self.ws), feedback=feedback, when=_now())

    def mine(self) -> MiningResult:
        """Mines the traces and feedback that exist now. Later ones belong to the next round."""
        with self.screen.step("Mine", "failures in production traces become tasks. Each records its traces"):
            summary = self.mine_traces() if _traces(self.ws) else "no production traces"
            environment = _frozen(self.ws, with_file(self.ws, self.recipe.environment))
            last = self.earlier[-1].dug if self.earlier else None
            new = _added(environment) - (_added(last.environment) if last else set())
            train = sum(split == "train" for _, split in new)
            words = f"{summary}. New: {train} tasks to train on, {len(new) - train} held out"
            self.screen.line(words)
            mined = MiningResult(environment=environment, train=train, held_out=len(new) - train, words=words)
            self.suite(mined)  # refuses before the tasks are stored, if there is no suite
        return mined

    def mine_traces(self) -> str:
        recipe, settings = self.recipe, self.recipe.mining
        environment, accept = load_environment(recipe.environment), not settings.review
        report = mine(self.ws, environment, settings.traces, held_out_share=settings.held_out, accept=accept)
        if settings.review and report.open:
            raise Paused(
                f"{len(report.open)} mined tasks or cases need a review. Run verigym mine review {recipe.environment}, "
                "then repeat the command to resume"
            )
        counts, missing = report.summary.counts, len(report.summary.unverifiable)
        unknown = f" ({missing} without a known correct outcome)" if missing else ""
        return f"{counts['failed requests']} requests failed in {counts['traces']} traces{unknown}"

    def measure(self, version: Version, mined: MiningResult, title: str) -> RoundEvaluation:
        with self.screen.step(title, f"{version.label} on held-out tasks"):
            report = self.report(version, mined, self.recipe.evaluation.tasks)
            success, suite = report.metrics["success"], report.suite
            tasks = f"{len(suite.tasks)} tasks of {len(suite.families)} families, suite {suite.name}"
            self.screen.line(f"success {with_interval(success.value, success.low, success.high)} on {tasks}")
            if version.id == ledger.champion(self.ws.store) and report.buckets:
                self.screen.failures(open_run(self.ws, report.run).explained().findings)
        return RoundEvaluation(
            version=version.id,
            report=report.id,
            run=report.run,
            success=report.metrics["success"],
            buckets=report.buckets,
        )

    def choose(self, mined: MiningResult, before: RoundEvaluation) -> ChosenFix:
        with self.screen.step("Advise", "the cheapest fix first. Cheap ones are tried on training tasks"):
            environment = load_environment(mined.environment)
            subject = msgspec.structs.replace(open_subject(self.ws, before.run), environment=environment)
            request = FixRequest(self.loop, self.number, self.earlier, self.settings(), self.bars, self.screen.line)
            return choose(request, subject)

    def make(self, fix: ChosenFix) -> Candidate:
        """The candidate. A prompt or a constraint is already a version. Other fixes are trained."""
        if fix.version:
            return Candidate(version=fix.version)
        recipe = make_recipe(dict(fix.recipe), [], f"the loop's {fix.fix}")
        with self.screen.step("Train", f"{recipe.algorithm} from {recipe.start or recipe.model}, {recipe.steps} steps"):
            with self.screen.training(recipe.steps) as show_step:

                def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
                    show_step(step, metrics, alarms)
                    self.log.check()

                version, run = train(self.ws, recipe, on_step)
            self.screen.line(f"version {version.id} ({version.name}), run {run}")
        return Candidate(version=version.id, run=run)

    def decide(
        self,
        champion: Version,
        candidate: Version,
        mined: MiningResult,
        before: RoundEvaluation,
        after: RoundEvaluation,
    ) -> Outcome:
        """Asks the gate, which measures as many tasks as it needs."""
        why = f"loop {self.loop.id}, round {self.number}"
        with self.screen.step("Gate", f"policy {self.loop.policy.name}: really better, and nothing lost?"):
            environment, split = self.suite(mined)
            decision = gate.gate(
                self.ws,
                candidate,
                champion,
                self.loop.policy,
                environment=environment.name,
                suite=split,
                settings=self.settings(),
                bars=self.bars,
            )
            decisions.settle(self.ws, decision, why, once=True)
            self.screen.decided(decision)
        return Outcome(
            verdict=decision.verdict,
            words=decision.words,
            reports=decision.reports,
            before=before.success,
            after=after.success,
            champion=ledger.champion(self.ws.store) or "",
        )

    def close(self, fix: ChosenFix, outcome: Outcome | None) -> RoundEnd:
        why = fix.why if fix.fix is None else ""
        last = self.earlier[-1] if self.earlier else None
        if outcome is not None and last is not None and last.chosen is not None:
            repeats = outcome.verdict == last.verdict and outcome.verdict not in ("", "PROMOTE")
            if repeats and (outcome.verdict == "NEED MORE DATA" or fix.fix == last.chosen.fix):
                why = f"the gate decided {outcome.verdict} again, as in round {last.number}. A person should review the results"
        return RoundEnd(
            why=why,
            champion=ledger.champion(self.ws.store) or "",
            data=_data(self.ws),
            seconds=self.log.seconds,
            dollars=self.log.dollars,
            when=_now(),
        )

    def report(self, version: Version, mined: MiningResult, n: int | None) -> Report:
        """The report of a version. The same tasks of the same version are evaluated once, even across rounds."""
        environment, split = self.suite(mined)
        with self.bars(f"held-out tasks, {version.label}") as bar:
            return stages.measure(self.ws, environment, version, self.settings(), split=split, n=n, on_progress=bar)

    def settings(self) -> RunSettings:
        """How the versions of a round are measured. They share the champion's base model."""
        settings = self.recipe.evaluation
        most = settings.max_tokens or stages.max_tokens_for(self.ws.find("champion"), USUAL_TOKENS)
        return RunSettings(
            k=settings.repeats,
            sampling=Sampling(temperature=settings.temperature, max_tokens=most),
            prices=self.recipe.budget.prices,
            user=self.ws.agent(self.recipe.user) if self.recipe.user else None,
            judge=self.ws.agent(self.recipe.judge) if self.recipe.judge else None,
        )

    def suite(self, mined: MiningResult) -> tuple[EnvironmentSpec, str]:
        """The environment and the split to evaluate on. Mining does not change the environment's own suites, so they are
        evaluated without mined tasks."""
        wanted, own = self.recipe.evaluation.suite, load_environment(self.recipe.environment)
        if not wanted:
            return own, next(iter(own.suites.values()))
        if wanted != "mined":
            name, _ = split_part(wanted)
            return (own if name in (*own.suites, *own.suites.values()) else load_environment(mined.environment)), wanted
        environment = load_environment(mined.environment)
        added = [split for name, split in environment.suites.items() if name not in own.suites]
        if not added:
            raise Refused(
                "evaluation.suite: mined: no mined task is held out yet. Mine some traces, or name another suite of "
                f"{own.name}: {', '.join(own.suites)}"
            )
        return environment, added[-1]


def _nothing_learnt(champion: Version) -> Outcome:
    words = "No group of tries differed in reward, so there was nothing to learn from: the weights are the champion's."
    return Outcome(verdict="", words=words, champion=champion.id)


def _frozen(ws: WorkspaceFolder, environment: str) -> str:
    """The environment with a copy of its current mined tasks, because later mining adds to their file. The same tasks in any
    order give the same copy."""
    base, added = without_added(environment), base_and_added(environment)[1]
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


def _data(ws: WorkspaceFolder) -> int:
    """Number of labels and datasets."""
    return sum(len(ws.store.bodies(kind)) for kind in ("label", "dataset"))


def _anything_new(ws: WorkspaceFolder, last: Round) -> bool:
    """Whether traces, feedback, data or champion changed since the last round."""
    assert last.begun is not None and last.over is not None
    before = (last.begun.traces, last.begun.feedback, last.over.data, last.over.champion)
    return before != (_traces(ws), len(ws.store.bodies("feedback")), _data(ws), ledger.champion(ws.store))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
