"""Runs many episodes concurrently: k per task. Each episode is stored when it finishes, each group scored when it is complete.

The run, the task and the index make an episode's id and its seed, so the same call runs exactly what is missing.
The progress callback counts only committed episodes. Memory holds only the groups that are in flight.
"""

import asyncio
import contextlib
import gc
import hashlib
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence

import msgspec

from verigym.core import watchdog as alarm
from verigym.core.errors import NoServer, VerifierFailure, failure
from verigym.core.interrupts import ends_run
from verigym.core.protocols import Context, Policy, Verifier
from verigym.core.records import Fault, Stop, Task, Toolset, Trajectory, Verdict, Version
from verigym.core.seeds import derive
from verigym.core.time_limit import TimeLimit
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import gathered, run_episode
from verigym.rollout.settings import RunSettings
from verigym.rollout.skills import offered
from verigym.store.database import Store
from verigym.store.writer import Batch, Writer

_RETRY_S = 1.0
_RARE = 100_000
"""New objects between two collections."""
_MANY = 2048
"""With this many episodes at once, those that wait for the others of their group are packed."""
_ASKED_AGAIN = (Fault.VERIFIER.value, Fault.INFRASTRUCTURE.value)
"""A verdict that failed because of one of these is asked for again by the next call."""


class Progress(msgspec.Struct):
    """Counts of committed episodes."""

    total: int
    done: int = 0
    passed: int = 0
    judged: int = 0
    errors: int = 0
    """Verdicts without a reward, because the environment, the verifier or infrastructure failed."""
    cost: float = 0.0
    """US dollars spent by this call."""
    calls: int = 0
    """Replies that models gave during this call."""

    def count_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        self.judged += len(verdicts)
        self.passed += sum(verdict.passed for verdict in verdicts)
        self.errors += sum(verdict.reward is None for verdict in verdicts)


RunEpisode = Callable[..., Awaitable[Trajectory]]
"""A function with the parameters of `run_episode`."""


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `run_many` needs to run and score the episodes of one run."""

    run: str
    environment: EnvironmentSpec
    tasks: Sequence[Task]
    agent: Version
    verifier: Verifier
    settings: RunSettings = RunSettings()
    context: Context = Context()
    """What the verifier may use. `policies["user"]` plays the user."""

    @property
    def k(self) -> int:
        return self.settings.k

    @property
    def episodes(self) -> int:
        """How many the whole run has."""
        return self.settings.k * len(self.tasks)


class RunResults(msgspec.Struct):
    """Trajectories and verdicts of one call by trajectory id, so that the caller need not read them back from the store."""

    trajectories: dict[str, Trajectory] = {}
    verdicts: dict[str, Verdict] = {}


async def run_many(
    store: Store,
    plan: RunPlan,
    policy: Policy,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cache: RunResults | None = None,
    run: RunEpisode = run_episode,
) -> Progress:
    """Runs and scores the episodes of the plan that are missing in the store. `results` returns all of them. `run` runs one
    episode: by default with our own loop, otherwise with an external agent."""
    with store.claim(plan.run):
        progress, failures = await run_missing(store, plan, policy, on_progress, cache, run)
        if not failures:
            store.finish_run(plan.run)
        return progress


async def run_missing(
    store: Store,
    plan: RunPlan,
    policy: Policy,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cache: RunResults | None = None,
    run: RunEpisode = run_episode,
) -> tuple[Progress, int]:
    """`run_many` for a caller that has claimed the run, or a part of its tasks. Returns also how many episodes infrastructure
    broke."""
    if not plan.environment.toolbox.by_state:
        offer = offered(plan.environment.toolbox, plan.environment, plan.agent)
        store.put("tools", offer.hash, offer)
    state = _RunState(store, plan)
    on_progress(state.progress)

    def committed(batch: Batch) -> None:
        state.count(batch)
        on_progress(state.progress)
        if cache is not None:
            cache.trajectories |= {one.id: one for one in batch.trajectories}
            cache.verdicts |= {one.trajectory: one for one in batch.verdicts}

    async with Writer(store, plan.run, committed) as writer:
        with alarm.watching(), _rare_collections():
            await _run(store, plan, policy, state, writer, run)
    return state.progress, state.infrastructure_failures


async def _run(
    store: Store, plan: RunPlan, policy: Policy, state: "_RunState", writer: Writer, run: RunEpisode
) -> None:
    groups: dict[str, list[_Waiting]] = defaultdict(list)
    context = msgspec.structs.replace(plan.context, blob=writer.blob)

    def keep_blob(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        writer.keep_blob(sha256, data)
        return sha256

    async def episode(task: Task, index: int, missing: int) -> None:
        trajectory = await _episode(run, plan, task, index, policy, keep_blob, writer.keep_tools)
        group = groups[task.id]
        last = len(group) + 1 == missing
        group.append(trajectory if last else waiting(trajectory))
        await writer.add(trajectory)
        del trajectory  # the writer has it until it is stored
        if last:
            del groups[task.id]
            await score(task, [_unpacked(one) for one in group])

    async def score(task: Task, group: list[Trajectory]) -> None:
        if len(group) < plan.k:  # the others are stored already
            fresh = {one.index for one in group}
            group += [one for one in store.trajectories(plan.run, task.id) if one.index not in fresh]
        group = sorted((one for one in group if one.index < plan.k), key=lambda one: one.index)
        await writer.add(verdicts=await judge(plan.verifier, task, group, context, plan.settings.verifier_seconds))

    async def work() -> None:
        for task, index, missing in queue:
            if missing:
                await episode(task, index, missing)
            else:
                await score(task, [])

    queue = state.missing()
    left = plan.episodes - state.progress.done + state.unscored_groups
    most = plan.settings.concurrency
    at_once = min(most, getattr(policy, "max_concurrency", most), left)
    waiting = _packed if at_once >= _MANY else _unpacked
    await gathered([work() for _ in range(at_once)])


_Waiting = Trajectory | bytes
"""A trajectory that waits for the others of its group."""
_decoder = msgspec.msgpack.Decoder(Trajectory)


def _packed(trajectory: Trajectory) -> _Waiting:
    """A trajectory with logprobs as bytes. They take a third of the memory: a float in a list takes 32 bytes."""
    return msgspec.msgpack.encode(trajectory) if any(turn.logprobs for turn in trajectory.turns) else trajectory


def _unpacked(waiting: _Waiting) -> Trajectory:
    return _decoder.decode(waiting) if isinstance(waiting, bytes) else waiting


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Makes garbage collections rare. Thousands of live episodes are many objects with hardly any cycles, and searching them
    as often as Python does by default takes more time than the episodes."""
    before = gc.get_threshold()
    if not 0 < before[0] < _RARE:  # set by the caller, or by another call that is running
        yield
        return
    gc.set_threshold(_RARE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def results(store: Store, plan: RunPlan, cache: RunResults | None = None) -> tuple[list[Trajectory], list[Verdict]]:
    """All trajectories of the plan and their verdicts, in the order of the plan's tasks and of the indices. What is not in
    `cache` is read from the store."""
    ids = [_id(plan, task, index) for task in plan.tasks for index in range(plan.k)]
    trajectories, verdicts = (cache.trajectories, cache.verdicts) if cache is not None else ({}, {})
    if not all(id in trajectories and id in verdicts for id in ids):
        trajectories = {one.id: one for one in store.each_trajectory(plan.run)}
        verdicts = {one.trajectory: one for one in store.each_verdict(plan.run, plan.verifier.name)}
    return [trajectories[id] for id in ids], [verdicts[id] for id in ids]


def standing(store: Store, plan: RunPlan) -> Progress:
    """What of the plan is in the store."""
    return _RunState(store, plan).progress


def missing_tasks(store: Store, plan: RunPlan) -> list[Task]:
    """The tasks of the plan of which an episode or a verdict is missing, in their order."""
    return list({task.id: task for task, _, _ in _RunState(store, plan).missing()}.values())


def pending(store: Store, plan: RunPlan) -> int:
    """How many episodes of the plan are not in the store yet."""
    return plan.episodes - _RunState(store, plan).progress.done


def unscored(store: Store, plan: RunPlan) -> int:
    """How many groups of the plan lack nothing but verdicts."""
    return _RunState(store, plan).unscored_groups


async def judge(
    verifier: Verifier, task: Task, group: Sequence[Trajectory], context: Context, seconds: float = 600.0
) -> list[Verdict]:
    """The verdicts on a group. If the verifier raises or hangs, its verdicts hold the failure and no reward."""
    clock = TimeLimit(seconds)
    try:
        async with clock:
            verdicts = await verifier.verify(task, group, context)
        if [verdict.trajectory for verdict in verdicts] != [one.id for one in group]:
            raise VerifierFailure(f"{verifier.name} returned verdicts for other trajectories than those of the group")
        return verdicts
    except BaseException as error:
        if ends_run(error):
            raise
        if isinstance(error, TimeoutError) and clock.expired():
            error = VerifierFailure(f"{verifier.name} took more than {seconds:g} s for one group")
        broken = failure(error, Fault.VERIFIER)
        return [Verdict(trajectory=one.id, verifier=verifier.name, reward=None, error=broken) for one in group]


class _RunState:
    """Which episodes of a plan are stored and which groups are scored."""

    def __init__(self, store: Store, plan: RunPlan) -> None:
        self.plan = plan
        self.progress = Progress(total=plan.episodes)
        self.infrastructure_failures = 0
        """Episodes of this call that infrastructure broke. The run is not finished while there are any."""
        self._done: dict[str, set[int]] = {}
        """Indices of the stored episodes by task. A task without any is left out."""
        tasks = {task.id for task in plan.tasks}
        judged, passed, errors = Counter[str](), Counter[str](), Counter[str]()
        for one in store.statuses(plan.run, plan.verifier.name):
            if one.task not in tasks or one.repeat >= plan.k or one.fault == Fault.INFRASTRUCTURE:
                continue  # not part of this plan, or to be run again
            self._done.setdefault(one.task, set()).add(one.repeat)
            self.progress.done += 1
            if one.judged and one.verdict_fault not in _ASKED_AGAIN:
                judged[one.task] += 1
                passed[one.task] += one.passed
                errors[one.task] += one.reward is None
        complete = {task for task, done in self._done.items() if len(done) == plan.k}
        self._scored = {task for task in complete if judged[task] == plan.k}
        self.unscored_groups = len(complete) - len(self._scored)
        self.progress.judged = plan.k * len(self._scored)
        self.progress.passed = sum(passed[task] for task in self._scored)
        self.progress.errors = sum(errors[task] for task in self._scored)

    def missing(self) -> Iterator[tuple[Task, int, int]]:
        """Task and index of each episode to run, and how many its group lacks. 0 means that only the verdicts are missing."""
        for task in self.plan.tasks:
            done = self._done.get(task.id, ())
            lacking = [index for index in range(self.plan.k) if index not in done]
            for index in lacking:
                yield task, index, len(lacking)
            if not lacking and task.id not in self._scored:
                yield task, 0, 0

    def count(self, batch: Batch) -> None:
        self.progress.done += len(batch.trajectories)
        self.progress.cost += sum(one.cost for one in batch.trajectories)
        self.progress.calls += sum(len(one.turns) for one in batch.trajectories)
        self.infrastructure_failures += sum(_infrastructure_failed(one) for one in batch.trajectories)
        self.progress.count_verdicts(batch.verdicts)


def _infrastructure_failed(trajectory: Trajectory) -> bool:
    return trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE


def _id(plan: RunPlan, task: Task, index: int) -> str:
    return f"{plan.run}/{task.id}/{index}"


async def _episode(
    run: RunEpisode,
    plan: RunPlan,
    task: Task,
    index: int,
    policy: Policy,
    keep_blob: Callable[[bytes], str],
    keep_tools: Callable[[Toolset], None],
) -> Trajectory:
    """One episode, retried if infrastructure broke it."""
    settings = msgspec.structs.replace(plan.settings, seed=derive(plan.settings.seed, "episode", task.id, index))
    for attempt in range(settings.retries + 1):
        trajectory = await run(
            plan.environment,
            task,
            policy,
            settings,
            agent=plan.agent,
            id=_id(plan, task, index),
            group=f"{plan.run}/{task.id}",
            index=index,
            user=plan.context.policies.get("user"),
            keep_blob=keep_blob,
            keep_tools=keep_tools,
        )
        if not _infrastructure_failed(trajectory) or trajectory.stop is Stop.TIME_OUT:  # a timeout is not retried
            break
        if trajectory.error is not None and trajectory.error.kind == NoServer.__name__:
            break
        await asyncio.sleep(min(_RETRY_S * 2.0**attempt, 10.0) if attempt < settings.retries else 0)
    return trajectory  # type: ignore[possibly-undefined]
