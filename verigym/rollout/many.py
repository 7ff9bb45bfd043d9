"""Many episodes: k of each task, as many at once as allowed, stored as they finish, resumed where they stopped.

An episode's id is its run, task and index, and its seed follows from them: the same call runs exactly what is missing.
What the progress callback has counted is committed.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec

from verigym.core.errors import VerifierFailure, failure
from verigym.core.protocols import Context, Policy, Verifier
from verigym.core.records import Fault, Sampling, Task, Trajectory, Verdict, Version
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import Limits, run_episode
from verigym.store.database import Store

_FLUSH_S = 0.25
_FLUSH_EPISODES = 64
_RETRY_S = 1.0


class Progress(msgspec.Struct):
    """Counts of what is committed."""

    total: int
    done: int = 0
    passed: int = 0
    errors: int = 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to run."""

    run: str
    environment: EnvironmentSpec
    tasks: Sequence[Task]
    agent: Version
    verifier: Verifier
    k: int = 1
    """Episodes of each task: a group."""
    sampling: Sampling = Sampling()
    seed: int = 0
    concurrency: int = 512
    retries: int = 2
    """Of an episode that infrastructure broke."""
    limits: Limits = Limits()
    context: Context = Context()


async def run_many(
    store: Store, plan: Plan, policy: Policy, on_progress: Callable[[Progress], None] = lambda _: None
) -> tuple[list[Trajectory], list[Verdict]]:
    """Runs and scores what is missing of the plan; returns all of it, by task and index."""
    known = _finished(store, plan)
    judged = {
        v.trajectory: v for v in store.verdicts(plan.run, plan.verifier.name) if v.trajectory in known and not _broke(v)
    }
    keeper = _Keeper(store, plan, known, judged, on_progress)
    todo = [(task, index) for task in plan.tasks for index in range(plan.k) if _id(plan, task, index) not in known]
    queue = iter(todo)

    async def work() -> None:
        for task, index in queue:
            await keeper.keep(task, await _episode(plan, task, index, policy))

    at_once = min(plan.concurrency, getattr(policy, "max_concurrency", plan.concurrency), len(todo))
    workers = [asyncio.create_task(work()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
        for task in plan.tasks:  # groups whose episodes were stored by an earlier call that ended before scoring them
            await keeper.score(task)
    finally:
        for worker in workers:
            worker.cancel()
        keeper.flush()
    if not any(_unlucky(one) for one in known.values()):
        store.finish_run(plan.run)
    ids = [_id(plan, task, index) for task in plan.tasks for index in range(plan.k)]
    return [known[id] for id in ids], [judged[id] for id in ids]


def pending(store: Store, plan: Plan) -> int:
    """How many episodes of the plan have still to be run."""
    return len(plan.tasks) * plan.k - len(_finished(store, plan))


def _finished(store: Store, plan: Plan) -> dict[str, Trajectory]:
    """Stored episodes by id; those that infrastructure broke are run again by the next call."""
    stored = store.trajectories(plan.run)
    return {one.id: one for one in stored if not _unlucky(one)}


def _unlucky(trajectory: Trajectory) -> bool:
    """Whether infrastructure broke it."""
    return trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE


def _broke(verdict: Verdict) -> bool:
    """Whether the verifier itself failed: it is asked again by the next call."""
    return verdict.error is not None and verdict.error.fault in (Fault.VERIFIER, Fault.INFRASTRUCTURE)


def _id(plan: Plan, task: Task, index: int) -> str:
    return f"{plan.run}/{task.id}/{index}"


async def _episode(plan: Plan, task: Task, index: int, policy: Policy) -> Trajectory:
    """One episode, tried again when infrastructure broke it."""
    seed = derive(plan.seed, "episode", task.id, index)
    for attempt in range(plan.retries + 1):
        trajectory = await run_episode(
            plan.environment,
            task,
            policy,
            agent=plan.agent,
            id=_id(plan, task, index),
            group=f"{plan.run}/{task.id}",
            index=index,
            sampling=plan.sampling,
            seed=seed,
            limits=plan.limits,
        )
        if not _unlucky(trajectory):
            break
        await asyncio.sleep(min(_RETRY_S * 2.0**attempt, 10.0) if attempt < plan.retries else 0)
    return trajectory  # type: ignore[possibly-undefined]


class _Keeper:
    """Scores groups when they are whole, and commits in small batches."""

    def __init__(
        self,
        store: Store,
        plan: Plan,
        known: dict[str, Trajectory],
        judged: dict[str, Verdict],
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.store, self.plan, self.known, self.judged, self.on_progress = store, plan, known, judged, on_progress
        self.trajectories: list[Trajectory] = []
        self.verdicts: list[Verdict] = []
        self.progress = Progress(total=len(plan.tasks) * plan.k)
        self.flushed = time.monotonic()
        self._report()

    async def keep(self, task: Task, trajectory: Trajectory) -> None:
        self.known[trajectory.id] = trajectory
        self.trajectories.append(trajectory)
        await self.score(task)
        if len(self.trajectories) >= _FLUSH_EPISODES or time.monotonic() - self.flushed >= _FLUSH_S:
            self.flush()

    async def score(self, task: Task) -> None:
        group = [self.known.get(_id(self.plan, task, index)) for index in range(self.plan.k)]
        whole = [trajectory for trajectory in group if trajectory is not None]
        if len(whole) < self.plan.k or all(trajectory.id in self.judged for trajectory in whole):
            return
        verdicts = await self._verdicts(task, whole)
        self.verdicts += verdicts
        self.judged.update((verdict.trajectory, verdict) for verdict in verdicts)

    async def _verdicts(self, task: Task, group: list[Trajectory]) -> list[Verdict]:
        verifier = self.plan.verifier
        try:
            verdicts = await verifier.verify(task, group, self.plan.context)
            if [verdict.trajectory for verdict in verdicts] != [one.id for one in group]:
                raise VerifierFailure(f"{verifier.name} gave verdicts for other trajectories than it was asked about")
            return verdicts
        except Exception as error:  # a verifier that breaks costs its verdicts, not the run
            broken = failure(error, Fault.VERIFIER)
            return [Verdict(trajectory=one.id, verifier=verifier.name, reward=None, error=broken) for one in group]

    def flush(self) -> None:
        if self.trajectories or self.verdicts:
            self.store.add(self.plan.run, self.trajectories, self.verdicts)
            self.trajectories, self.verdicts = [], []
        self.flushed = time.monotonic()
        self._report()

    def _report(self) -> None:
        self.progress.done = len(self.known)
        self.progress.passed = sum(verdict.passed for verdict in self.judged.values())
        self.progress.errors = sum(verdict.reward is None for verdict in self.judged.values())
        self.on_progress(self.progress)
