"""The Python API: one `Workspace` with the verbs of the command line.

Every method is synchronous. Its work runs on one event loop in a thread of the workspace, so a method also works in a
notebook, where another event loop runs already. `AsyncWorkspace` has the same methods for code that is async itself.
"""

import asyncio
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from verigym import verbs
from verigym.api_production import ProductionVerbs
from verigym.api_records import RecordVerbs
from verigym.core.event_loop import LoopCall
from verigym.core.records import Case, Check, Dataset, Decision, Label, Report, Sampling, Trajectory, Version
from verigym.present import Metrics, RecordList
from verigym.progress_bar import ProgressBar
from verigym.verbs import Agent

if TYPE_CHECKING:
    from types import TracebackType

    from verigym.audit.verifier import Audit
    from verigym.core.protocols import Policy
    from verigym.evaluation.compare import Comparison
    from verigym.evaluation.failures import Explanation
    from verigym.gates.policy import GatePolicy
    from verigym.harness.environment import EnvironmentSpec
    from verigym.registry.ledger import LedgerEntry
    from verigym.rollout.many import Progress
    from verigym.rollout.rescore import RescoreResult
    from verigym.rollout.settings import RunSettings
    from verigym.store.database import Run
    from verigym.training.recipe import Recipe
    from verigym.workspace.advise import AdviceReport
    from verigym.workspace.design import DesignFiles, VariationFiles
    from verigym.workspace.dry_run import DryRun
    from verigym.workspace.train import OnStep

T = TypeVar("T")


class Workspace(ProductionVerbs, RecordVerbs):
    """A project folder with its runs, versions, datasets and ledger, and the verbs of the command line.

    ```text
    with verigym.Workspace() as ws:
        print(ws.evaluate("toolcall", "smollm2-135m", n=240))
    ```

    An environment is a name, a Python file, a file of tasks, or the result of `load_environment`. An agent is a `Version`
    or text that names one. A run is an id, the beginning of an id, `latest`, a `Report` or a `Run`.
    """

    # -- agents -----------------------------------------------------------------------------------------------------

    def agent(self, model: Agent) -> Version:
        """Find a version, or name a new agent on a base model.

        `model` is an id, a name, `champion`, `latest`, `smollm2-135m`, a hub id, a folder, or URL#MODEL of a server.
        """
        return self._call(verbs.find_agent, model)

    def policy(self, agent: Agent) -> "Policy":
        """Load the policy of an agent. Policies are independent: another call never changes one that you hold.

        Agents on the same local base model share its weights.
        """
        return self._call(verbs.open_policy, agent)

    # -- running and measuring ----------------------------------------------------------------------------------------

    def rollout(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        n: int | None = None,
        k: int = 1,
        split: str = "train",
        temperature: float = 1.0,
        max_tokens: int = 256,
        seed: int = 0,
        name: str = "",
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "Run":
        """Run `k` episodes of each of `n` tasks, score them and store them. A repeated call resumes the run.

        `settings` replaces `k`, `temperature`, `max_tokens`, `seed`, `user` and `judge`, and has further settings.
        """
        sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
        chosen = functools.partial(verbs.settings_of, settings, k, sampling, seed, user, judge)
        bar = ProgressBar("rollout")
        report = on_progress or bar.episodes
        return self._call(verbs.rollout, environment, agent, chosen, n, split, name, verifier, report, bar=bar)

    def evaluate(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        n: int | None = None,
        k: int = 1,
        split: str = "val",
        temperature: float = 0.0,
        max_tokens: int = 64,
        seed: int = 0,
        name: str = "",
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> Report:
        """Measure an agent on held-out tasks: rates with intervals, latency, tokens, cost and failure buckets.

        A repeated call with the same settings finds the finished run and runs nothing again. `settings` replaces `k`,
        `temperature`, `max_tokens`, `seed`, `user` and `judge`, and has further settings.
        """
        sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
        chosen = functools.partial(verbs.settings_of, settings, k, sampling, seed, user, judge)
        bar = ProgressBar("evaluate")
        report = on_progress or bar.episodes
        return self._call(verbs.evaluate, environment, agent, chosen, n, split, name, verifier, report, bar=bar)

    def rescore(
        self,
        run: "str | Report | Run" = "latest",
        *,
        environment: "str | EnvironmentSpec" = "",
        verifier: str = "",
        judge: Agent | None = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "RescoreResult":
        """Score a stored run again, without a model, by the verifier as it is now or by another one.

        If the run has a report by an earlier version of the verifier, a new report is added to `reports`.
        """
        return self._call(verbs.rescore_run, run, environment, verifier, judge, on_progress)

    def explain(self, run: "str | Report | Run" = "latest", *, judge: Agent | None = None) -> "Explanation":
        """Explain why episodes of a run failed: buckets, clusters by symptom, examples to read.

        A `judge` is asked about failures that the rules cannot name.
        """
        return self._call(verbs.explain_run, run, judge)

    def advise(
        self,
        run: "str | Report | Run" = "latest",
        *,
        try_fixes: bool = False,
        n: int = 40,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "AdviceReport":
        """Recommend what to try first, with reasons, figures and the command. The cheapest fix comes first.

        `try_fixes` first runs the cheap trials (a prompt variant, constrained decoding) on `n` training tasks each.
        """
        bar = ProgressBar("trials")
        return self._call(verbs.advise_on_run, run, try_fixes, n, on_progress or bar.episodes, bar=bar)

    def compare(self, before: Agent, after: Agent, *, environment: str = "") -> "Comparison":
        """Compare two versions task by task on the held-out tasks that both were measured on."""
        return self._call(verbs.compare_versions, before, after, environment)

    # -- verifiers ----------------------------------------------------------------------------------------------------

    def check(
        self, environment: "str | EnvironmentSpec", *, on_check: Callable[[Check], None] | None = None
    ) -> list[Check]:
        """Test the contract of an environment without a model: gold passes, cheats fail, state is isolated."""
        return RecordList(self._call(verbs.check_environment, environment, on_check))

    def audit(
        self,
        environment: "str | EnvironmentSpec",
        run: "str | Report | Run" = "",
        *,
        n: int = 100,
        seed: int = 0,
        verifier: str = "",
        judge: Agent | None = None,
        who: str = "",
    ) -> "Audit":
        """Test whether a verifier can be trusted, on `n` stored outputs of a run and on the labels of people."""
        return self._call(verbs.audit_verifier, environment, run, n, seed, verifier, judge, who)

    def audit_case(
        self,
        environment: "str | EnvironmentSpec",
        trajectory: str | Trajectory,
        *,
        should: Literal["pass", "fail"],
        note: str = "",
        who: str = "",
        verifier: str = "",
    ) -> Case:
        """Save an output with its right verdict. `check` and `audit` replay it from now on.

        `note` is the reason. `who` defaults to your user name.
        """
        return self._call(verbs.save_case, environment, trajectory, should, note, who, verifier)

    def label(
        self,
        trajectory: str | Trajectory,
        judgement: Literal["good", "bad", "better", "worse", "same"],
        *,
        other: str | Trajectory = "",
        note: str = "",
        who: str = "",
    ) -> Label:
        """Store a person's judgement of an output: `good` or `bad`, for `audit`.

        With `other`, an output of the same task, the judgement is `better`, `worse` or `same`, for `pairs(labels=True)`.
        The newest label of a person counts.
        """
        return self._call(verbs.store_label, trajectory, judgement, other, note, who)

    # -- designed tasks -----------------------------------------------------------------------------------------------

    def design_make(
        self,
        spec: str | Path,
        *,
        n: int | None = None,
        out: str | Path | None = None,
        seed: int | None = None,
        model: Agent = "",
        teacher: Agent = "",
        k: int = 4,
        teacher_output: Literal["demos", "pairs"] = "demos",
    ) -> "DesignFiles":
        """Generate exactly `n` rows from a spec, or fail and name the constraint that cannot be met.

        Writes NAME.jsonl or `out`, and the rejected rows with reasons beside it. A repeated call resumes. `model` fills
        columns that name no model. A `teacher` tries each task `k` times, and its tries become a dataset.
        """
        bar = ProgressBar("rows")
        taught = verbs.TeacherChoice(teacher, k, teacher_output)
        return self._call(verbs.make_design, spec, n, out, seed, model, taught, bar, bar=bar)

    def design_vary(
        self,
        environment: str,
        *,
        kinds: Sequence[str] = (),
        split: str = "train",
        played_in: str = "",
        n: int | None = None,
        out: str | Path | None = None,
        seed: int = 0,
        preview: bool = False,
        teacher: Agent = "",
        k: int = 4,
        teacher_output: Literal["demos", "pairs"] = "demos",
    ) -> "VariationFiles":
        """Vary the tasks of an environment or a task file and write them to NAME.varied.jsonl or `out`.

        `kinds` are paraphrase, distractor, boundary, typo and unsafe. The default is all. Each variation is verified.
        `played_in` names the environment that plays the tasks of a file. `preview` writes nothing.
        """
        bar = ProgressBar("variations")
        taught = verbs.TeacherChoice(teacher, k, teacher_output)
        settings = (list(kinds), split, played_in, n, out, seed, preview)
        return self._call(verbs.vary_tasks, environment, *settings, taught, bar, bar=bar)

    # -- data and training --------------------------------------------------------------------------------------------

    def demos(
        self,
        run: "str | Report | Run" = "latest",
        *,
        per_task: int = 4,
        min_reward: float | None = None,
        name: str = "",
    ) -> Dataset:
        """Make demonstrations from the episodes of a run that passed."""
        return self._call(verbs.demos, run, per_task, min_reward, name)

    def pairs(
        self,
        run: "str | Report | Run" = "latest",
        *,
        gap: float = 0.1,
        per_task: int = 4,
        labels: bool = False,
        name: str = "",
    ) -> Dataset:
        """Make preference pairs from episodes of one task whose rewards differ by `gap`, or from labels of people."""
        return self._call(verbs.pairs, run, gap, per_task, labels, name)

    def import_data(self, file: str | Path, *, name: str = "") -> Dataset:
        """Import the demonstrations or preferences of a file (.jsonl, .json, .csv or .parquet)."""
        return self._call(verbs.import_data, Path(file), name)

    def dry_run(self, recipe: "str | Path | Recipe", **fields: Any) -> "DryRun":
        """Check a recipe and estimate its time, memory and cost, without training."""
        return self._call(verbs.plan_recipe, recipe, fields)

    def train(self, recipe: "str | Path | Recipe", *, on_step: "OnStep | None" = None, **fields: Any) -> Version:
        """Train by a recipe and return the new version. A repeated call resumes from the last checkpoint.

        Further arguments change fields of the recipe: `steps=60`, `lora={"r": 8}`.
        """
        bar = ProgressBar("train")
        return self._call(verbs.train_recipe, recipe, on_step, fields, bar, bar=bar)

    def metrics(self, run: "str | Version" = "latest") -> Metrics:
        """Read the metrics of a training run by step. A trained version names its run."""
        return Metrics(self._call(verbs.read_metrics, run))

    # -- versions -----------------------------------------------------------------------------------------------------

    def gate(
        self,
        candidate: Agent,
        *,
        champion: Agent = "champion",
        policy: "str | GatePolicy" = "default",
        environment: str = "",
        rescore: bool = False,
    ) -> Decision:
        """Decide whether a version may replace the champion, and record the decision in the ledger.

        Guardrail suites that are not measured yet are measured. `rescore` scores both runs again if the verifier changed.
        """
        return self._call(verbs.decide, candidate, champion, policy, environment, rescore)

    def promote(
        self, candidate: Decision | Agent, *, override: str = "", policy: "str | GatePolicy" = ""
    ) -> "LedgerEntry":
        """Make a version the champion if the gate says PROMOTE. `override` is the recorded reason to promote anyway.

        `candidate` is a decision of `gate`, or a version, which is gated first.
        """
        return self._call(verbs.promote, candidate, override, policy)

    def rollback(self, version: Agent = "", *, why: str = "") -> "LedgerEntry":
        """Make an earlier champion the champion again. The default is the one before."""
        return self._call(verbs.rollback, version, why)


class AsyncWorkspace:
    """A workspace for async code: `rollout`, `evaluate` and `train` are coroutines with the parameters of `Workspace`.

    Cancelling one stops its work. What finished is kept. Every other verb is a method of `workspace`, a `Workspace`.
    """

    def __init__(self, home: str | Path | None = None) -> None:
        """Opens the folder `home`, as `Workspace` does."""
        self.workspace = Workspace(home)

    async def rollout(self, environment: "str | EnvironmentSpec", agent: Agent, **options: Any) -> "Run":
        """Run episodes, as `Workspace.rollout` does."""
        return await self._await(functools.partial(self.workspace.rollout, environment, agent, **options))

    async def evaluate(self, environment: "str | EnvironmentSpec", agent: Agent, **options: Any) -> Report:
        """Measure an agent, as `Workspace.evaluate` does."""
        return await self._await(functools.partial(self.workspace.evaluate, environment, agent, **options))

    async def train(self, recipe: "str | Path | Recipe", **fields: Any) -> Version:
        """Train by a recipe, as `Workspace.train` does."""
        return await self._await(functools.partial(self.workspace.train, recipe, **fields))

    async def close(self) -> None:
        """Closes the workspace."""
        await asyncio.to_thread(self.workspace.close)

    async def __aenter__(self) -> "AsyncWorkspace":
        return self

    async def __aexit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        await self.close()

    async def _await(self, method: Callable[[], T]) -> T:
        """The method on the workspace's thread. A nested call on that thread runs at once."""
        self.workspace._check_open()
        thread = self.workspace._thread
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        call = LoopCall(method, lambda: loop.call_soon_threadsafe(ended.set_result, None))
        thread.submit(call)
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            thread.stop(call)
            if call.started:
                await asyncio.shield(ended)
            raise
        return call.result()


def compare(before: Report, after: Report) -> "Comparison":
    """Compare two reports on the same suite, task by task."""
    from verigym.evaluation.compare import compare as compare_reports

    return compare_reports(before, after)
