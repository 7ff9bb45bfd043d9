"""A stronger model that solves requests of which nobody knows the right outcome, several times each.

Its episodes are stored in a run of their own, so mining again asks it only about new requests.
"""

import asyncio

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import Policy
from verigym.core.records import Fault, Sampling, Task, Trajectory, Version, content_hash
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store

_MAX_TOKENS = 512
"""Maximum tokens per reply."""


class Teacher:
    """Solves a task k times. Finished episodes are read from the store."""

    def __init__(self, store: Store, environment: EnvironmentSpec, version: Version, policy: Policy, k: int) -> None:
        self.label, self.k = version.label, k
        self._store, self._environment, self._version, self._policy = store, environment, version, policy
        settings = {"environment": environment.name, "agent": version.id, "environment_version": environment.version}
        self.run = f"teacher-{content_hash(settings)[:8]}"
        self._config = settings

    async def solve(self, task: Task) -> list[Trajectory]:
        """The episodes that ended normally. `task` has the start and expects nothing."""
        key = content_hash([task.prompt, task.data])[:16]
        task = msgspec.structs.replace(task, id=f"teacher/{key}")
        episodes = await asyncio.gather(*(self._episode(task, key, index) for index in range(self.k)))
        broken = next((one.error for one in episodes if one.error and one.error.fault is Fault.INFRASTRUCTURE), None)
        if broken is not None:
            raise InfrastructureFailure(
                f"The teacher {self.label} did not answer: {broken.message}. Repeat the command to resume. Its finished episodes "
                "are stored"
            )
        return [episode for episode in episodes if episode.error is None]

    async def _episode(self, task: Task, key: str, index: int) -> Trajectory:
        id = f"{self.run}/{key}/{index}"
        stored = self._store.trajectory_in(self.run, id) if self._store.has_run(self.run) else None
        if stored is not None and stored.scorable:
            return stored
        seed = derive(0, "teacher", key, index)
        episode = await run_episode(
            self._environment,
            task,
            self._policy,
            RunSettings(sampling=Sampling(max_tokens=_MAX_TOKENS), seed=seed),
            agent=self._version,
            id=id,
            group=f"{self.run}/{key}",
            index=index,
        )
        self._store.begin_run(self.run, "rollout", self._config, parent="mining")
        self._store.add(self.run, [episode])
        return episode
