"""Many episodes: groups of k for each task, all at once, each scored when its group is whole, stored as it finishes.

An episode's id is its run, task and index, and its seed follows from them: the same call runs exactly what is missing.
What the progress callback has counted is committed. What is finished leaves memory: only groups in flight are held.
"""

import asyncio
import contextlib
import gc
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

import msgspec

from verigym.core import watchdog as alarm
from verigym.core.errors import VerifierFailure, failure
from verigym.core.protocols import Context, Policy, Verifier
from verigym.core.records import Fault, Sampling, Stop, Task, Trajectory, Verdict, Version
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import Limits, Prices, gathered, run_episode
from verigym.store.database import Store
from verigym.store.writer import Batch, Writer
from verigym.verifiers.lift import ENDS

_RETRY_S = 1.0
_RARE = 100_000
"""New objects between two collections."""
_ASKED_AGAIN = (Fault.VERIFIER.value, Fault.INFRASTRUCTURE.value)
"""Whose failure to judge is not the last word: the next call asks again."""


class Progress(msgspec.Struct):
    """Counts of what is committed."""

    total: int
    done: int = 0
    passed: int = 0
    judged: int = 0
    errors: int = 0
    """Judged without a reward: the environment, the verifier or infrastructure failed."""
    cost: float = 0.0
    """US dollars of this call's episodes."""


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
    prices: Prices = Prices()
    context: Context = Context()
    """What the verifier may use; `policies["user"]` plays the user."""
    verify_s: float = 600.0
    """The longest that judging one group may take."""


class Made(msgspec.Struct):
    """What a call made, by trajectory, for a caller who goes on with it at once instead of reading it back."""

    trajectories: dict[str, Trajectory] = {}
    verdicts: dict[str, Verdict] = {}


async def run_many(
    store: Store,
    plan: Plan,
    policy: Policy,
    on_progress: Callable[[Progress], None] = lambda _: None,
    made: Made | None = None,
) -> Progress:
    """Runs and scores what is missing of the plan. `results` has all of it."""
    offer = plan.environment.toolbox.offer(plan.agent.tool_descriptions)
    store.put("tools", offer.hash, offer)
    with store.claim(plan.run):
        ledger = _Ledger(store, plan)
        on_progress(ledger.progress)

        def committed(batch: Batch) -> None:
            ledger.count(batch)
            on_progress(ledger.progress)
            if made is not None:
                made.trajectories |= {one.id: one for one in batch.trajectories}
                made.verdicts |= {one.trajectory: one for one in batch.verdicts}

        async with Writer(store, plan.run, committed) as writer:
            with alarm.watching(), _rare_collections():
                await _run(store, plan, policy, ledger, writer)
        if not ledger.unlucky:
            store.finish_run(plan.run)
        return ledger.progress


async def _run(store: Store, plan: Plan, policy: Policy, ledger: "_Ledger", writer: Writer) -> None:
    groups: dict[str, list[Trajectory]] = defaultdict(list)
    context = msgspec.structs.replace(plan.context, blob=writer.blob)

    def keep_blob(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        writer.keep_blob(sha256, data)
        return sha256

    async def episode(task: Task, index: int, missing: int) -> None:
        trajectory = await _episode(plan, task, index, policy, keep_blob)
        group = groups[task.id]
        group.append(trajectory)
        last = len(group) == missing
        await writer.add(trajectory)
        if last:
            del groups[task.id]
            await score(task, group)

    async def score(task: Task, group: list[Trajectory]) -> None:
        if len(group) < plan.k:  # the others are stored already
            fresh = {one.index for one in group}
            group += [one for one in store.trajectories(plan.run, task.id) if one.index not in fresh]
        group = sorted((one for one in group if one.index < plan.k), key=lambda one: one.index)
        await writer.add(verdicts=await judge(plan.verifier, task, group, context, plan.verify_s))

    async def work() -> None:
        for task, index, missing in queue:
            if missing:
                await episode(task, index, missing)
            else:
                await score(task, [])

    queue = ledger.missing()
    left = plan.k * len(plan.tasks) - ledger.progress.done + ledger.unjudged
    at_once = min(plan.concurrency, getattr(policy, "max_concurrency", plan.concurrency), left)
    await gathered([work() for _ in range(at_once)])


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Thousands of live episodes are many objects and hardly a cycle: looking through them all for one, as often as Python
    does by default, takes more time than the episodes themselves."""
    before = gc.get_threshold()
    if not 0 < before[0] < _RARE:  # as somebody wants it, or another call beside this one
        yield
        return
    gc.set_threshold(_RARE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def results(store: Store, plan: Plan, made: Made | None = None) -> tuple[list[Trajectory], list[Verdict]]:
    """All trajectories of the plan and their verdicts, by task in the plan's order, and by index; what is not in `made` is
    read."""
    ids = [_id(plan, task, index) for task in plan.tasks for index in range(plan.k)]
    found, judged = (made.trajectories, made.verdicts) if made is not None else ({}, {})
    if not all(id in found and id in judged for id in ids):
        found = {one.id: one for one in store.each_trajectory(plan.run)}
        judged = {one.trajectory: one for one in store.each_verdict(plan.run, plan.verifier.name)}
    return [found[id] for id in ids], [judged[id] for id in ids]


def pending(store: Store, plan: Plan) -> int:
    """How many episodes of the plan have still to be run."""
    return len(plan.tasks) * plan.k - _Ledger(store, plan).progress.done


async def judge(
    verifier: Verifier, task: Task, group: Sequence[Trajectory], context: Context, seconds: float = 600.0
) -> list[Verdict]:
    """The verdicts on a group. A verifier that breaks or hangs costs its verdicts, nothing else."""
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            verdicts = await verifier.verify(task, group, context)
        if [verdict.trajectory for verdict in verdicts] != [one.id for one in group]:
            raise VerifierFailure(f"{verifier.name} gave verdicts for other trajectories than it was asked about")
        return verdicts
    except BaseException as error:
        if isinstance(error, ENDS):
            raise
        if isinstance(error, TimeoutError) and clock.expired():
            error = VerifierFailure(f"{verifier.name} took more than {seconds:g} s")
        broken = failure(error, Fault.VERIFIER)
        return [Verdict(trajectory=one.id, verifier=verifier.name, reward=None, error=broken) for one in group]


class _Ledger:
    """What is stored of a plan, as bits a task: which of its episodes are done, judged, passed, judged without a reward."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self.plan = plan
        self.progress = Progress(total=len(plan.tasks) * plan.k)
        self.unlucky = 0
        """Episodes of this call that infrastructure broke: the run is not finished."""
        self._whole = (1 << plan.k) - 1
        self._done: dict[str, int] = {task.id: 0 for task in plan.tasks}
        judged, passed, errors = Counter[str](), Counter[str](), Counter[str]()
        for one in store.standing(plan.run, plan.verifier.name):
            if one.task not in self._done or one.place >= plan.k or one.fault == Fault.INFRASTRUCTURE:
                continue  # not of this plan, or to be run again
            self._done[one.task] |= 1 << one.place
            self.progress.done += 1
            if one.judged and one.verdict_fault not in _ASKED_AGAIN:
                judged[one.task] += 1
                passed[one.task] += one.passed
                errors[one.task] += one.reward is None
        whole = {task for task, done in self._done.items() if done == self._whole}
        self._settled = {task for task in whole if judged[task] == plan.k}
        self.unjudged = len(whole) - len(self._settled)
        self.progress.judged = plan.k * len(self._settled)
        self.progress.passed = sum(passed[task] for task in self._settled)
        self.progress.errors = sum(errors[task] for task in self._settled)

    def missing(self) -> Iterator[tuple[Task, int, int]]:
        """Task and index of each episode to run, and how many its group lacks; 0 for a group that only lacks its verdicts."""
        for task in self.plan.tasks:
            done = self._done[task.id]
            lacking = [index for index in range(self.plan.k) if not done >> index & 1]
            for index in lacking:
                yield task, index, len(lacking)
            if not lacking and task.id not in self._settled:
                yield task, 0, 0

    def count(self, batch: Batch) -> None:
        self.progress.done += len(batch.trajectories)
        self.progress.cost += sum(one.cost for one in batch.trajectories)
        self.unlucky += sum(_unlucky(one) for one in batch.trajectories)
        self.progress.judged += len(batch.verdicts)
        for verdict in batch.verdicts:
            self.progress.passed += verdict.passed
            self.progress.errors += verdict.reward is None


def _unlucky(trajectory: Trajectory) -> bool:
    """Whether infrastructure broke it."""
    return trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE


def _id(plan: Plan, task: Task, index: int) -> str:
    return f"{plan.run}/{task.id}/{index}"


async def _episode(plan: Plan, task: Task, index: int, policy: Policy, keep_blob: Callable[[bytes], str]) -> Trajectory:
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
            prices=plan.prices,
            user=plan.context.policies.get("user"),
            keep_blob=keep_blob,
        )
        if not _unlucky(trajectory) or trajectory.stop is Stop.TIME_OUT:  # the limit was asked for
            break
        await asyncio.sleep(min(_RETRY_S * 2.0**attempt, 10.0) if attempt < plan.retries else 0)
    return trajectory  # type: ignore[possibly-undefined]
