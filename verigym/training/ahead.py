"""Samples in front of the learner, so that neither waits for the other: `ahead` in a recipe.

    ahead 1:  step 5 is learnt while episodes of steps 6 and 7 run. Step 8 starts when step 6 is learnt.

Sampling of step s starts when step s - 1 - ahead is learnt. A group takes the newest version when its first episode starts, and
keeps it to its end. So its staleness, the updates between its version and the one that learns from it, is at most `ahead`.
Nothing is dropped, and a step is learnt when all its groups are in, so short episodes are not preferred.

The store is the queue: episodes are stored under their step as without `ahead`, and their turns name their version. After a
kill, the same call samples what is missing. A group that was begun goes on with its version.
"""

import asyncio
import contextlib
import heapq
import os
import pickle
import re
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import torch

from verigym.core.errors import Refused
from verigym.core.protocols import Policy
from verigym.core.records import Sample, Trajectory
from verigym.model import lora
from verigym.model.llama_family import llama_model
from verigym.model.threads import in_thread
from verigym.policies.local.policy import LocalPolicy
from verigym.rollout.many import RunEpisode
from verigym.training.groups import Group
from verigym.training.recipe import Recipe

if TYPE_CHECKING:
    from verigym.training.rollouts import TrainingRollouts

T = TypeVar("T")


class VersionPublisher(Protocol):
    """Makes the weights that are trained available to the sampler, one version per step."""

    async def publish(self, agent: str) -> Policy:
        """A policy of the weights as they are now. `agent` names the step, such as `run@3`."""
        ...


class LocalPublisher:
    """Versions on the engine in this process: copies of the adapter, which the engine samples while the adapter on the model is
    trained. The newest `keep` versions stay."""

    def __init__(self, policy: LocalPolicy, keep: int) -> None:
        llama = llama_model(policy.model)
        if llama is None or llama.has_experts:
            raise Refused(
                f"ahead: {policy.base} cannot be sampled while it is trained in the same process, because its adapters take "
                "turns. Set ahead: 0, or sample with engines in other processes"
            )
        self._policy, self._keep = policy, keep
        self._versions: list[str] = []

    async def publish(self, agent: str) -> Policy:
        model, engine = self._policy.model, self._policy.engine
        config = lora.config_of(model)
        assert config is not None, "no adapter on this model"
        engine.adapters[agent] = lora.LoraAdapter(config, await in_thread(lora.weights, model))
        self._versions = [one for one in self._versions if one != agent] + [agent]
        while len(self._versions) > self._keep:
            await engine.forget(self._versions.pop(0))
        return self._policy.with_version(agent, agent)

    async def close(self) -> None:
        while self._versions:
            await self._policy.engine.forget(self._versions.pop())


class EpisodeSlots:
    """A limit on concurrent episodes that all steps share. Episodes of earlier steps come first."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    @contextlib.asynccontextmanager
    async def of(self, step: int) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            self._count += 1
            slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (step, self._count, slot))
            try:
                await slot
            except asyncio.CancelledError:
                if slot.done() and not slot.cancelled():
                    self._release()
                raise
        try:
            yield
        finally:
            self._release()

    def _release(self) -> None:
        while self._waiting:
            *_, slot = heapq.heappop(self._waiting)
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1


class Versions:
    """The versions that a run samples from. `newest` is the last step that was learnt and published."""

    def __init__(self, run: str, publisher: VersionPublisher, ahead: int, slots: int) -> None:
        self.run, self._publisher, self._ahead = run, publisher, ahead
        self.newest = -1
        self._policies: dict[int, Policy] = {}
        self.slots = EpisodeSlots(slots)
        self._new = asyncio.Event()

    async def publish(self, step: int) -> None:
        """Makes the weights as they are now the version of this step. Drops versions that no group can have any more."""
        policy = await self._publisher.publish(f"{self.run}@{step}")
        self._policies = {one: each for one, each in self._policies.items() if one >= step - self._ahead} | {
            step: policy
        }
        self.newest = max(self.newest, step)
        self._new.set()
        self._new = asyncio.Event()

    @property
    def policy(self) -> Policy:
        """The policy of the newest version."""
        return self._policies[self.newest]

    def runner(self, step: int, run: RunEpisode, begun: Mapping[str, int] = {}) -> "GroupRunner":
        """`run` for the episodes of a step, with the version of their group. `begun` has the version of groups of which some
        episodes are stored."""
        known = {group: version for group, version in begun.items() if self._can_come(version)}
        return GroupRunner(self, step, run, known)

    def _can_come(self, version: int) -> bool:
        """Whether a version is there, or will be learnt again after a kill."""
        return version in self._policies or version > self.newest

    async def until(self, version: int) -> None:
        while version > self.newest:
            await self._new.wait()

    def of(self, version: int) -> Policy:
        return self._policies[version]


class GroupRunner:
    """Runs the episodes of one step, each with the version of its group."""

    def __init__(self, versions: Versions, step: int, run: RunEpisode, begun: dict[str, int]) -> None:
        self._versions, self._step, self.run = versions, step, run
        self._chosen = begun
        """The version of each group that has one."""

    async def __call__(
        self, environment: Any, task: Any, policy: Any, *args: Any, group: str, **more: Any
    ) -> Trajectory:
        if group in self._chosen:
            await self._versions.until(self._chosen[group])
        async with self._versions.slots.of(self._step):
            chosen = self._versions.of(self._chosen.setdefault(group, self._versions.newest))
            return await self.run(environment, task, chosen, *args, group=group, **more)

    def version_of(self, group: str) -> int | None:
        """The version of a group. None if it has not begun."""
        return self._chosen.get(group)

    async def policy_of(self, groups: Sequence[str]) -> Policy:
        """The policy of groups that begin now, or that have the same version. Whoever runs their episodes uses it for all."""
        version = self._chosen.get(groups[0])
        if version is not None:
            await self._versions.until(version)
        version = self._versions.newest if version is None else version
        for group in groups:
            self._chosen.setdefault(group, version)
        return self._versions.of(version)


class AheadSampler(Generic[T]):
    """Runs `sample(step)` for the steps that may be sampled. `learnt` allows more, and `take` waits for a step."""

    def __init__(self, sample: Callable[[int], Awaitable[T]], ahead: int, last: int) -> None:
        self._sample, self._ahead, self._last = sample, ahead, last
        self._begun = 0
        self._steps: dict[int, asyncio.Task[T]] = {}
        self._running = 0
        self._idle_since: float | None = None
        self._idle_s = 0.0

    def learnt(self, step: int) -> None:
        """Starts sampling what may be sampled once this step is learnt."""
        first = max(self._begun, step) + 1
        for begin in range(first, min(step + 1 + self._ahead, self._last) + 1):
            self._steps[begin] = asyncio.create_task(self._one(begin))
            self._begun = begin

    async def _one(self, step: int) -> T:
        if self._idle_since is not None:
            self._idle_s += self._now() - self._idle_since
            self._idle_since = None
        self._running += 1
        try:
            return await self._sample(step)
        finally:
            self._running -= 1
            if not self._running and self._begun < self._last:
                self._idle_since = self._now()

    async def take(self, step: int) -> tuple[T, dict[str, float]]:
        """What was sampled for a step, with the seconds that the learner waited for it. And the seconds in which nothing was
        sampled since the last step, because the learner was behind."""
        began = self._now()
        sampled = await self._steps.pop(step)
        waits = {"waited_for_episodes_s": self._now() - began, "waited_for_learner_s": self._idle_s}
        self._idle_s = 0.0
        return sampled, waits

    async def close(self) -> None:
        """Stops sampling. Episodes that ended are stored."""
        for task in self._steps.values():
            task.cancel()
        await asyncio.gather(*self._steps.values(), return_exceptions=True)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class VersionFiles:
    """The weights of the versions that a resumed run may need: those since `ahead` steps before its checkpoint. A group that was
    begun with one of them goes on with it."""

    def __init__(self, folder: Path, ahead: int) -> None:
        self._folder, self._ahead = folder, ahead

    def write(self, model: Any, step: int) -> None:
        """Stores the weights of this step. The disk may be slow, and a lost file only changes the version of a few episodes, so
        nothing waits for it."""
        draft = self._folder / f".version-{step:06d}.{os.getpid()}"
        self._folder.mkdir(parents=True, exist_ok=True)
        torch.save(lora.weights(model), draft)
        draft.replace(self._path(step))
        checkpoint = max(self._numbers("step-*.pt"), default=0)
        for old in self._numbers("version-*.pt"):
            if old < checkpoint - self._ahead:
                self._path(old).unlink(missing_ok=True)

    def read(self, before: int) -> Iterable[tuple[int, dict[str, Any]]]:
        """The versions before a step that episodes may still need, oldest first. Unreadable ones are left out."""
        for step in self._numbers("version-*.pt"):
            if before - self._ahead <= step < before:
                with contextlib.suppress(OSError, EOFError, RuntimeError, pickle.UnpicklingError):
                    yield step, torch.load(self._path(step), map_location="cpu", weights_only=True)

    def _path(self, step: int) -> Path:
        return self._folder / f"version-{step:06d}.pt"

    def _numbers(self, pattern: str) -> list[int]:
        return sorted(int(path.stem.rpartition("-")[2]) for path in self._folder.glob(pattern))


def version_of(trajectory: Trajectory, run: str) -> int | None:
    """The step of the oldest version that sampled a turn of this episode. None if no turn names a version of the run."""
    found = [re.fullmatch(re.escape(run) + r"@(\d+)", turn.agent) for turn in trajectory.turns]
    return min((int(one[1]) for one in found if one), default=None)


def ages_of(trajectories: Iterable[Trajectory], run: str, step: int) -> dict[str, int]:
    """For each episode of a step, the updates between its version and the weights that learn from it."""
    versions = {one.id: version_of(one, run) for one in trajectories}
    return {id: step - 1 - version for id, version in versions.items() if version is not None}


SampleStep = Callable[[int], Awaitable[tuple[list[Group], dict[str, float]]]]
"""Samples a step. Returns its groups and metrics."""


class OnTime:
    """Samples a step when it is its turn, with the weights of the step before."""

    def __init__(self, rollouts: "TrainingRollouts", sample: SampleStep) -> None:
        self._rollouts, self.groups = rollouts, sample

    async def weights_changed(self, step: int) -> None:
        self._rollouts.weights_changed(step)

    def ages(self, groups: Sequence[Group], samples: Sequence[Sample], step: int) -> list[int]:
        """The age of each sample. Empty if none can differ."""
        return []


class Ahead:
    """Samples in front of the learner."""

    def __init__(
        self, recipe: Recipe, rollouts: "TrainingRollouts", model: Any, folder: Path, sample: SampleStep
    ) -> None:
        policy: Any = rollouts.policy
        self._local: LocalPublisher | None = None
        if rollouts.publisher is not None:
            publisher, slots = rollouts.publisher, rollouts.publisher.engine.max_batch
        else:
            publisher = self._local = LocalPublisher(policy, recipe.ahead + 1)
            slots = policy.max_concurrency
        self.versions = Versions(rollouts.run, publisher, recipe.ahead, slots)
        self.sampler = AheadSampler(sample, recipe.ahead, recipe.steps)
        self._run, self._model, self._files = rollouts.run, model, VersionFiles(folder, recipe.ahead)

    async def groups(self, step: int) -> tuple[list[Group], dict[str, float]]:
        (groups, metrics), waits = await self.sampler.take(step)
        stale = self._ages(groups, step).values()
        staleness = {"staleness": statistics.fmean(stale), "staleness_max": float(max(stale))} if stale else {}
        return groups, metrics | waits | staleness

    async def weights_changed(self, step: int) -> None:
        """Makes the weights a version, and starts what may be sampled now."""
        if self.versions.newest < 0:  # at the start of this process
            for before, weights in self._files.read(step):
                with lora.with_weights(self._model, weights):
                    await self.versions.publish(before)
        await self.versions.publish(step)
        self.sampler.learnt(step)
        await in_thread(self._files.write, self._model, step)

    def ages(self, groups: Sequence[Group], samples: Sequence[Sample], step: int) -> list[int]:
        known = self._ages(groups, step)
        return [known.get(sample.trajectory, 0) for sample in samples]

    async def close(self) -> None:
        """Stops sampling. Episodes that ended are stored."""
        await self.sampler.close()
        if self._local is not None:
            await self._local.close()

    def _ages(self, groups: Sequence[Group], step: int) -> dict[str, int]:
        return ages_of((one for group in groups for one in group.trajectories), self._run, step)


@contextlib.asynccontextmanager
async def sampling_of(
    recipe: Recipe, rollouts: "TrainingRollouts", model: Any, folder: Path, sample: SampleStep
) -> AsyncIterator[OnTime | Ahead]:
    """How the episodes of a run are sampled: each step on its own, or ahead of the learner."""
    if not recipe.ahead:
        yield OnTime(rollouts, sample)
        return
    ahead = Ahead(recipe, rollouts, model, folder, sample)
    rollouts.versions = ahead.versions
    try:
        yield ahead
    finally:
        await ahead.close()
        rollouts.versions = None
