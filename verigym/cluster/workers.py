"""Rollout workers: processes on any machine that run episodes and write them into the store.

The driver claims the run, cuts its tasks into parts and gives each part to a worker. A part is a list of tasks: what the store
lacks of them is run. So a part whose worker was lost goes to another worker, and nothing is lost or doubled. A worker loads the
environment by its name and samples on the engines over HTTP. Plans that a worker cannot rebuild (a model in the driver's memory
as judge or user, tools that vary, an external agent) are run by the driver.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.cluster.ray_cluster import import_ray
from verigym.cluster.started import EngineSpec, HostedEngine
from verigym.core.errors import InfrastructureFailure, Refused, VerigymError
from verigym.core.printable import warn
from verigym.core.protocols import Context, Policy
from verigym.core.records import Task, Version
from verigym.policies.engines.fleet import Fleet
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.many import (
    Progress,
    RunEpisode,
    RunPlan,
    RunResults,
    missing_tasks,
    run_many,
    run_missing,
    standing,
)
from verigym.rollout.settings import RunSettings
from verigym.sandbox.open import LazySandbox
from verigym.store.database import Store

_PARTS = 4
"""Parts per worker. Several let a fast worker take more of them."""
_TRIES = 20
"""How often a part is given to a worker, if workers are lost."""
_PATIENCE_S = 10.0
"""Seconds after which the command runs a part itself, if no worker is left."""
_LOOK_S = 0.5
"""Seconds between two looks at the store, for the progress."""
_CLAIM_S = 60.0
"""Maximum seconds that a worker waits for a part that a lost one may still hold."""


class PartOrder(Struct, frozen=True, kw_only=True):
    """What a worker is asked to do."""

    run: str
    part: str
    """The name under which the part is claimed."""
    environment: str
    environment_version: str
    verifier: str
    """Name of the verifier with its version."""
    tasks: list[Task]
    agent: Version
    settings: RunSettings
    base: str
    policy_agent: str
    version: str
    """The version on the engines. Empty for the base."""
    folder: str
    """The folder of the version's adapter, which is named by its hash."""


class Worker:
    """The actor. `engines` are names of actors. Handles would be lost with the machine that stored them."""

    def __init__(self, home: str, variables: dict[str, str], engines: Sequence[str], spec: EngineSpec) -> None:
        os.environ.update(variables)
        from verigym.workspace.workspace import WorkspaceFolder

        self._ws = WorkspaceFolder(Path(home))
        self._engines, self._spec = engines, spec
        self._renderers: dict[str, Any] = {}

    def pid(self) -> int:
        return os.getpid()

    async def run(self, order: bytes) -> int:
        """Runs what the store lacks of a part. Returns how many episodes infrastructure broke."""
        asked = msgspec.msgpack.decode(order, type=PartOrder)
        plan = _rebuilt(asked)
        ray = import_ray()
        engines = [HostedEngine(ray.get_actor(name), name, self._spec) for name in self._engines]
        await asyncio.gather(*(engine.alive() for engine in engines))  # connects to those that run
        fleet = Fleet(engines)
        try:
            if asked.version:
                await fleet.load(asked.version, Path(asked.folder))
            render = self._render(asked.base)
            policy = TokenPolicy(
                render.tokenizer, fleet, agent=asked.policy_agent, version=asked.version, render=render
            )
            with await self._claimed(asked.part):
                _, failures = await run_missing(self._ws.store, plan, policy)
            return failures
        finally:
            await fleet.close()

    def _render(self, base: str) -> Any:
        from verigym.policies.local.rendering import renderer_of

        if base not in self._renderers:
            self._renderers[base] = renderer_of(base)
        return self._renderers[base]

    async def _claimed(self, part: str) -> contextlib.ExitStack:
        """The claim of a part. A worker whose machine was lost may hold it for a moment longer."""
        deadline = asyncio.get_running_loop().time() + _CLAIM_S
        stack = contextlib.ExitStack()
        while True:
            try:
                stack.enter_context(self._ws.store.claim(part))
                return stack
            except Refused:
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.5)


def _rebuilt(asked: PartOrder) -> RunPlan:
    """The plan of a part. Refuses an environment or a verifier that differs from the driver's."""
    from verigym.environments.load import load_environment

    environment = load_environment(asked.environment)
    verifier = next((one for one in environment.verifiers.values() if one.name == asked.verifier), None)
    if environment.version != asked.environment_version or verifier is None:
        raise InfrastructureFailure(
            f"A worker has another version of {asked.environment} than the command. Give all machines the same files"
        )
    return RunPlan(
        run=asked.run,
        environment=environment,
        tasks=asked.tasks,
        agent=asked.agent,
        verifier=verifier,
        settings=asked.settings,
        context=Context(sandbox=LazySandbox(asked.settings.require_sandbox)),
    )


class WorkerPool:
    """The workers of a cluster, as the driver sees them: `run` has the parameters of `run_many`."""

    def __init__(self, workers: Sequence[Any], base: str) -> None:
        """`base` is the model of the engines, whose tokenizer a worker loads."""
        self.workers, self.base = workers, base
        self.lost = 0
        """How often a worker was lost."""
        self._idle: asyncio.Queue[Any] | None = None
        self._loop: Any = None
        self._away: set[asyncio.Task[None]] = set()
        """One task for each worker that was lost and is not back."""
        self._told = False

    async def run(
        self,
        store: Store,
        plan: RunPlan,
        policy: Policy,
        on_progress: Any = lambda _: None,
        cache: RunResults | None = None,
        run: RunEpisode = run_episode,
    ) -> Progress:
        reason = _only_here(plan, policy, run)
        if reason:
            if not self._told:
                warn(f"The command runs the episodes itself, because {reason}")
                self._told = True
            return await run_many(store, plan, policy, on_progress, cache, run)
        assert isinstance(policy, TokenPolicy)
        with store.claim(plan.run):
            missing = missing_tasks(store, plan)
            size = max(1, -(-len(missing) // (_PARTS * len(self.workers))))
            parts = _parts(missing, size, lambda task: _version_of(run, plan, task))
            watch = asyncio.create_task(_watch(store, plan, on_progress))
            try:
                broken = await asyncio.gather(*(self._part(store, plan, policy, tasks, run) for tasks in parts))
            finally:
                watch.cancel()
                await asyncio.wait([watch])
            progress = standing(store, plan)
            on_progress(progress)
            if not sum(broken) and progress.done == progress.total:
                store.finish_run(plan.run)
            return progress

    async def _part(
        self, store: Store, plan: RunPlan, policy: TokenPolicy, tasks: Sequence[Task], run: RunEpisode
    ) -> int:
        order = b""
        for attempt in range(_TRIES):
            worker = await self._worker()
            if worker is None:
                warn(f"No worker is left, so the command runs {len(tasks)} tasks itself")
                part = msgspec.structs.replace(plan, tasks=tasks)
                _, failures = await run_missing(store, part, policy, run=run)
                return failures
            try:
                if not order:  # a part takes its version when it begins, and keeps it
                    own = await _policy_of(run, plan, tasks) or policy
                    order = _order(plan, own, tasks, self.base, len(self.workers))
                failures = await asyncio.wrap_future(worker.run.remote(order).future())
                self._queue().put_nowait(worker)
                return failures
            except Exception as error:
                if not _is_loss(error):
                    self._queue().put_nowait(worker)
                    raise _in_words(error) from None
                self.lost += 1
                self._away.add(asyncio.create_task(self._back(worker)))
                warn(f"A worker was lost. Its part of {len(tasks)} tasks goes to another ({attempt + 1} of {_TRIES})")
        raise InfrastructureFailure(
            f"{_TRIES} workers were lost with the same part of {plan.run}. Repeat the command to run what is missing"
        )

    async def _worker(self) -> Any:
        """A worker that waits. None if all of them have been lost for a while."""
        while True:
            try:
                return await asyncio.wait_for(self._queue().get(), _PATIENCE_S)
            except TimeoutError:
                if len(self._away) == len(self.workers):
                    return None

    async def _back(self, worker: Any) -> None:
        """Gives a lost worker work again as soon as it answers."""
        queue = self._queue()
        while True:
            with contextlib.suppress(Exception):  # Ray has many exceptions for an actor that is away
                await asyncio.wait_for(asyncio.wrap_future(worker.pid.remote().future()), _PATIENCE_S)
                break
            await asyncio.sleep(1.0)
        task = asyncio.current_task()
        assert task is not None
        self._away.discard(task)
        queue.put_nowait(worker)

    def _queue(self) -> asyncio.Queue[Any]:
        """The workers that wait, in the running event loop. Each runs one part at a time."""
        loop = asyncio.get_running_loop()
        if self._idle is None or self._loop is not loop:
            self._idle, self._loop, self._away = asyncio.Queue(), loop, set()
            for worker in self.workers:
                self._idle.put_nowait(worker)
        return self._idle


def _parts(tasks: Sequence[Task], size: int, version_of: Callable[[Task], int | None]) -> list[list[Task]]:
    """The tasks in parts of at most `size`. Groups with different versions are in different parts."""
    by_version: dict[int | None, list[Task]] = {}
    for task in tasks:
        by_version.setdefault(version_of(task), []).append(task)
    return [some[start : start + size] for some in by_version.values() for start in range(0, len(some), size)]


def _version_of(run: Any, plan: RunPlan, task: Task) -> int | None:
    """The version with which a group has begun, in a run with `ahead`."""
    return run.version_of(f"{plan.run}/{task.id}") if hasattr(run, "version_of") else None


async def _policy_of(run: Any, plan: RunPlan, tasks: Sequence[Task]) -> Any:
    """The policy of a part, in a run with `ahead`. Otherwise nothing."""
    if not hasattr(run, "policy_of"):
        return None
    return await run.policy_of([f"{plan.run}/{task.id}" for task in tasks])


def _order(plan: RunPlan, policy: TokenPolicy, tasks: Sequence[Task], base: str, share: int) -> bytes:
    engine: Any = policy.engine
    folder = engine.folder_of(policy.version) if policy.version else ""
    concurrency = max(1, -(-plan.settings.concurrency // share))
    return msgspec.msgpack.encode(
        PartOrder(
            run=plan.run,
            part=f"{plan.run}/part-{tasks[0].id}"[:180],
            environment=plan.environment.name,
            environment_version=plan.environment.version,
            verifier=plan.verifier.name,
            tasks=list(tasks),
            agent=plan.agent,
            settings=msgspec.structs.replace(plan.settings, concurrency=concurrency),
            base=base,
            policy_agent=policy.agent,
            version=policy.version,
            folder=str(folder),
        )
    )


def _only_here(plan: RunPlan, policy: Policy, run: RunEpisode) -> str:
    """Why only the driver can run a plan. Empty if a worker can."""
    context = plan.context
    if plan.environment.drives_itself:
        return "the loop of another project drives them"
    if plan.agent.program or plan.environment.agent or getattr(run, "run", run) is not run_episode:
        return "an external agent drives them"
    if context.policies or getattr(context, "scorer", None) is not None:
        return "a judge, a simulated user or a reward model is in its memory"
    if plan.environment.toolbox.plain is not plan.environment.toolbox:
        return "the tools vary from task to task"
    if plan.environment.tools_files:
        return "the tools of a tools file run on this machine"
    if not isinstance(policy, TokenPolicy):
        return "the agent is a model behind a server"
    if policy.version and (Path(policy.engine.folder_of(policy.version)) / "config.json").exists():
        return "all parameters are trained, and only the command knows which engines have the new ones"
    return ""


async def _watch(store: Store, plan: RunPlan, on_progress: Any) -> None:
    """Shows the progress while workers write."""
    while True:
        await asyncio.sleep(_LOOK_S)
        on_progress(await asyncio.to_thread(standing, store, plan))


def _is_loss(error: BaseException) -> bool:
    """Whether the worker is gone, and not its work wrong."""
    exceptions = import_ray("ray.exceptions")
    return isinstance(error, exceptions.RayActorError | exceptions.RaySystemError)


def _in_words(error: BaseException) -> BaseException:
    """The error of a worker as it was raised there."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, VerigymError) else error
