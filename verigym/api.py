"""The Python API: one `Workspace` with the verbs of the command line.

Every method is synchronous. Its work runs on one event loop in a thread of the workspace, so a method also works in a
notebook, where another event loop runs already. `AsyncWorkspace` has the same methods for code that is async itself.
"""

import asyncio
import functools
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from verigym.api_base import Agent, nothing, on_thread, run_id, trajectory_id, user_name
from verigym.api_production import ProductionVerbs
from verigym.api_records import RecordVerbs
from verigym.api_training import TrainingVerbs
from verigym.core.errors import BadInput
from verigym.core.event_loop import LoopCall
from verigym.core.records import Check, Label, Report, Sampling, Trajectory, Version
from verigym.present import RecordList

if TYPE_CHECKING:
    from types import TracebackType

    from verigym.audit.verifier import Audit
    from verigym.core.protocols import Policy
    from verigym.evaluation.compare import Comparison
    from verigym.evaluation.failures import Explanation
    from verigym.harness.environment import EnvironmentSpec
    from verigym.rollout.many import Progress
    from verigym.rollout.settings import RunSettings
    from verigym.store.database import Run
    from verigym.training.recipe import Recipe
    from verigym.workspace.advise import AdviceReport
    from verigym.workspace.audit import SavedCase
    from verigym.workspace.rescore import RescoredRun

T = TypeVar("T")


class Workspace(TrainingVerbs, ProductionVerbs, RecordVerbs):
    """A project folder with its runs, versions, datasets and ledger, and the verbs of the command line.

    ```text
    with verigym.Workspace() as ws:
        print(ws.evaluate("toolcall", "smollm2-135m", n=240))
    ```

    An environment is a name, a Python file, a file of tasks, or the result of `load_environment`. An agent is a `Version`
    or text that names one. A run is an id, the beginning of an id, `latest`, a `Report` or a `Run`.
    """

    @classmethod
    def demo(cls, folder: str | Path = "verigym-demo") -> "Workspace":
        """Open the recorded demonstration workspace. It is put into `folder` unless it is there already.

        It holds three versions of an invented model (`base`, `grpo`, `hacked`), their training and the decisions about
        them. Scripts wrote the replies, so reading, comparing, explaining and gating need no model.
        """
        from verigym.workspace.demo import put_demo

        put_demo(Path(folder))
        return cls(folder)

    @on_thread
    def agent(self, model: Agent, *, constraints: str | Mapping[str, object] = "", program: str = "") -> Version:
        """Find a version, or name a new agent on a base model.

        `model` is an id, a name, `champion`, `latest`, `smollm2-135m`, a Hugging Face model id, a folder, or URL#MODEL.
        `constraints` limits the replies of a local model: `tools` (only valid calls of the offered tools), `copy:name,file`
        (also, these arguments are copied from the request) or a JSON schema.
        `program` is an external agent that drives the episodes: a command, such as `codex exec {prompt}`, or module:function.
        """
        from verigym.workspace.agents import constrained, with_program

        version = constrained(self._agent(model), constraints) if constraints else self._agent(model)
        return with_program(version, program) if program else version

    @on_thread
    def policy(self, agent: Agent) -> "Policy":
        """Load the policy of an agent. Policies are independent: another call never changes one that you hold.

        Agents on the same local base model share its weights.
        """
        return self.folder.open_policy(self._agent(agent))

    @on_thread
    def rollout(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        n: int | None = None,
        k: int = 1,
        split: str = "train",
        temperature: float = 1.0,
        max_tokens: int | None = None,
        seed: int = 0,
        name: str = "",
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "Run":
        """Run `k` episodes of each of `n` tasks, score them and store them. A repeated call resumes the run.

        `max_tokens` is 256 by default, or 4096 for a model that reasons. `settings` replaces `k`, `temperature`, `max_tokens`,
        `seed`, `user` and `judge`, and has further settings.
        """
        from verigym.workspace import measure

        self._bar.start("rollout")
        spec = self._environment(environment, verifier)
        version = self._agent(agent)
        most = max_tokens or measure.max_tokens_for(version, 256)
        settings = settings or self._settings(k, Sampling(temperature=temperature, max_tokens=most), seed, user, judge)
        tasks = measure.tasks_of(spec, split, n, settings.seed)
        report = on_progress or self._bar.episodes
        run = measure.rollout(self.folder, spec, version, tasks, settings, name=name, on_progress=report)
        return self.folder.store.run(run)

    @on_thread
    def evaluate(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        n: int | None = None,
        k: int = 1,
        split: str = "val",
        temperature: float = 0.0,
        max_tokens: int | None = None,
        seed: int = 0,
        name: str = "",
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> Report:
        """Measure an agent on held-out tasks: rates with intervals, latency, tokens, cost and failure buckets.

        A repeated call with the same settings finds the finished run and runs nothing again. `max_tokens` is 64 by default,
        or 4096 for a model that reasons. `settings` replaces `k`, `temperature`, `max_tokens`, `seed`, `user` and `judge`,
        and has further settings.
        """
        from verigym.workspace.measure import max_tokens_for, measure

        self._bar.start("evaluate")
        spec = self._environment(environment, verifier)
        version = self._agent(agent)
        most = max_tokens or max_tokens_for(version, 64)
        settings = settings or self._settings(k, Sampling(temperature=temperature, max_tokens=most), seed, user, judge)
        report = on_progress or self._bar.episodes
        return measure(self.folder, spec, version, settings, split=split, n=n, name=name, on_progress=report)

    def _settings(
        self, k: int, sampling: Sampling, seed: int, user: Agent | None, judge: Agent | None
    ) -> "RunSettings":
        from verigym.rollout.settings import RunSettings

        played, judged = self._agent_or_none(user), self._agent_or_none(judge)
        return RunSettings(k=k, sampling=sampling, seed=seed, user=played, judge=judged)

    @on_thread
    def rescore(
        self,
        run: "str | Report | Run" = "latest",
        *,
        environment: "str | EnvironmentSpec" = "",
        verifier: str = "",
        judge: Agent | None = None,
        require_sandbox: bool = False,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "RescoredRun":
        """Score a stored run again, without a model, by the verifier as it is now or by another one.

        The result has the `scores` and the `report` by them, and says if the report was `renewed`. Only an evaluation has a
        report. `require_sandbox` refuses to run code that cannot be isolated.
        """
        from verigym.workspace.rescore import rescore

        self._bar.start("rescore")
        judged_by, report = self._agent_or_none(judge), on_progress or self._bar.episodes
        return rescore(
            self.folder, run_id(run), environment, verifier, judged_by, report, require_sandbox=require_sandbox
        )

    @on_thread
    def explain(self, run: "str | Report | Run" = "latest", *, judge: Agent | None = None) -> "Explanation":
        """Explain why episodes of a run failed: buckets, clusters by symptom, examples to read.

        A `judge` is asked about failures that the rules cannot name.
        """
        from verigym.workspace.explain import open_run, with_judge

        source = open_run(self.folder, run_id(run))
        if judge:
            self._bar.start("judge")
            source = with_judge(source, self._agent(judge), self._bar.report)
        return source.explained()

    @on_thread
    def advise(
        self,
        run: "str | Report | Run" = "latest",
        *,
        try_fixes: bool = False,
        n: int = 40,
        tools: Sequence[str | Path] = (),
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "AdviceReport":
        """Recommend what to try first, with reasons, figures and the command. The cheapest fix comes first.

        `try_fixes` first runs the cheap trials (a small optimisation, constrained decoding) and compares each on `n`
        training tasks. `tools` are tools files that the optimisation may add, such as a search over documents.
        """
        from verigym.flywheel.trials import try_out
        from verigym.workspace.advise import advise_on, open_subject

        self._bar.start("trials")
        subject, report = open_subject(self.folder, run_id(run)), on_progress or self._bar.episodes
        return advise_on(subject, try_out(subject, n, on_progress=report, tools=tools).notes if try_fixes else [])

    @on_thread
    def compare(self, before: Agent, after: Agent, *, environment: str = "") -> "Comparison":
        """Compare two versions task by task on the held-out tasks that both were measured on."""
        from verigym.evaluation.compare import compare
        from verigym.workspace.shared_reports import shared_reports

        ours, theirs = shared_reports(self.folder, self._version(after), self._version(before), environment)
        return compare(theirs, ours)

    @on_thread
    def check(
        self,
        environment: "str | EnvironmentSpec",
        *,
        n: int | None = None,
        all_tasks: bool = False,
        on_check: Callable[[Check], None] | None = None,
    ) -> list[Check]:
        """Test the contract of an environment without a model: gold passes, cheats fail, state is isolated.

        It checks `n` tasks, spread over splits and families. The default is 40, or 8 with a sandbox. `all_tasks` checks
        every task.
        """
        from verigym.workspace.audit import check, sample_of

        spec, done = self._environment(environment), []
        self._bar.start("checking")

        def report(check: Check) -> None:
            done.append(check)
            self._bar.report(len(done), 0, check.name)
            (on_check or nothing)(check)

        def playing(question: str, episodes: int) -> None:
            self._bar.report(len(done), 0, f"{question}: {episodes:,} episodes")

        return RecordList(check(self.folder, spec, report, max(1, sample_of(spec, n, all_tasks)[0]), playing))

    @on_thread
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
        from verigym.workspace.audit import audit

        spec = self._environment(environment, verifier)
        self._bar.start("auditing")
        self._bar.report(0, 0)
        return audit(self.folder, spec, run_id(run), n=n, seed=seed, judge=self._agent_or_none(judge), who=who)

    @on_thread
    def audit_case(
        self,
        environment: "str | EnvironmentSpec",
        trajectory: str | Trajectory,
        *,
        should: Literal["pass", "fail"],
        note: str = "",
        who: str = "",
        verifier: str = "",
    ) -> "SavedCase":
        """Save an output with its right verdict. `check` and `audit` replay it from now on.

        `note` is the reason. `who` defaults to your user name.
        """
        from verigym.workspace.audit import keep_case

        if should not in ("pass", "fail"):
            raise BadInput(f'The value of should is "{should}". It must be "pass" or "fail"')
        spec = self._environment(environment, verifier)
        return keep_case(self.folder, spec, trajectory_id(trajectory), should, note, user_name(who))

    @on_thread
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
        judgements = ("better", "worse", "same") if other else ("good", "bad")
        if judgement not in judgements:
            kind = "A comparison with another output" if other else "The judgement of one output"
            raise BadInput(f'The judgement is "{judgement}". {kind} is one of: {", ".join(judgements)}')
        store = self.folder.store
        labelled = store.trajectory(trajectory_id(trajectory))[1]
        compared = store.trajectory(trajectory_id(other))[1] if other else None
        if compared is not None and (compared.task != labelled.task or compared.id == labelled.id):
            raise BadInput(
                f"{labelled.id} and {compared.id} are not two different outputs of one task. Name two outputs of one task"
            )
        other_id = compared.id if compared is not None else ""
        label = Label(trajectory=labelled.id, judgement=judgement, other=other_id, who=user_name(who), note=note)
        store.put("label", uuid.uuid4().hex, label)
        return label


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
