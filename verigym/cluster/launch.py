"""Opens the place that `--cluster` names, and starts its engines, ranks and workers with Ray."""

import asyncio
import atexit
import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from verigym.cluster.engines import EngineNeeds, as_fleet
from verigym.cluster.place import ClusterPlace, use_store
from verigym.cluster.placement import Node, place, rank_gpus
from verigym.cluster.ray_cluster import RayCluster, this_machine
from verigym.cluster.settings import KEY_ENV, ClusterSettings, Engines, read_cluster
from verigym.cluster.started import START_S, EngineHost, EngineSpec, HostedEngine
from verigym.cluster.workers import Worker, WorkerPool
from verigym.core.errors import InfrastructureFailure
from verigym.core.printable import warn
from verigym.core.words import counted
from verigym.policies.engines.fleet import Fleet
from verigym.workspace.place import RunEpisodes
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.training.recipe import Recipe

VLLM_PYTHON = "VERIGYM_VLLM_PYTHON"
"""The variable with the Python interpreter that has vLLM, for `--cluster auto`."""
_OTHERS_S = 60.0
"""Seconds that the other engines have after the first one answers."""
_SENT = ("VERIGYM_STORE", "VERIGYM_FILES", "PGPASSWORD", "PGPASSFILE", "HF_HUB_OFFLINE", "HF_HOME", "VERIGYM_CACHE")
"""Variables of the driver that workers get."""


def open_place(given: str) -> ClusterPlace:
    """The place of a cluster file, of addresses, of a Ray cluster (HOST:PORT), or of what there is (`auto`)."""
    settings = ClusterSettings() if given == "auto" else read_cluster(given)
    use_store(settings)
    if given == "auto" or (settings.ray and msgspec.structs.replace(settings, ray="") == ClusterSettings()):
        return _auto(settings)
    return RayPlace(settings) if settings.needs_ray else ClusterPlace(settings)


def _auto(settings: ClusterSettings) -> ClusterPlace:
    """Engines on all GPUs but one, which learns. With fewer than two GPUs, this process does everything."""
    ray = RayCluster(settings.ray) if settings.ray or os.environ.get("RAY_ADDRESS") else None
    nodes = ray.nodes() if ray is not None else [this_machine()]
    chosen = chosen_by(nodes, os.environ.get(VLLM_PYTHON, ""))
    if chosen.engines is None:
        gpus = sum(node.gpus for node in nodes)
        warn(f"--cluster auto: {counted(int(gpus), 'GPU')}, so this process samples and learns")
        return ClusterPlace(settings)
    engines = chosen.engines
    warn(f"--cluster auto: {counted(engines.count, 'engine')} of kind {engines.kind}, and 1 rank that learns")
    return RayPlace(msgspec.structs.replace(chosen, ray=settings.ray), ray)


def chosen_by(nodes: Sequence[Node], vllm_python: str) -> ClusterSettings:
    """The settings of `--cluster auto` for these machines."""
    gpus = int(sum(node.gpus for node in nodes))
    if gpus < 2:
        return ClusterSettings()
    if vllm_python:
        return ClusterSettings(engines=Engines(kind="vllm", count=gpus - 1, gpus=1, python=vllm_python))
    return ClusterSettings(engines=Engines(kind="local", count=gpus - 1, gpus=1))


class RayPlace(ClusterPlace):
    """A place whose processes Ray starts. They start when they are first needed and end with the command."""

    def __init__(self, settings: ClusterSettings, ray: RayCluster | None = None) -> None:
        super().__init__(settings)
        self._ray = ray
        if ray is None and (settings.ray or os.environ.get("RAY_ADDRESS")):
            self._ray = RayCluster(settings.ray)
        self.nodes = self._ray.nodes() if self._ray is not None else [this_machine()]
        self.placed = place(settings, self.nodes)  # refuses what has no room
        self._rank_gpus = rank_gpus(settings, self.nodes)
        self._hosts: list[Any] = []
        self._workers: list[Any] = []
        self._pool: WorkerPool | None = None
        self._spec: EngineSpec | None = None
        self._held: Any = None
        self._keyed: list[str | None] = []
        """The key that the environment had before."""
        self._home = ""
        atexit.register(self.close)
        if self._rank_gpus:  # before anything of this process looks at the GPUs
            self._held = self.ray.reserve_gpu(self._rank_gpus)

    @property
    def ray(self) -> RayCluster:
        """The Ray cluster, which is started on this machine if there is none."""
        if self._ray is None:
            self._ray = RayCluster()
        return self._ray

    @contextlib.contextmanager
    def learning(self, recipe: "Recipe") -> Iterator[None]:
        learners = self.settings.learners
        if learners.count < 2:
            yield
            return
        from verigym.cluster.learners import start_rank
        from verigym.training.rank_processes import start_ranks

        def start(rank: int, environment: dict[str, str]) -> Any:
            return start_rank(self.ray, rank, environment, cpus=learners.cpus, gpus=self._rank_gpus)

        with start_ranks(learners.count, shard=learners.shard, host=self.ray.host, start=start):
            yield

    @property
    def run_episodes(self) -> RunEpisodes:
        return self._pool.run if self._pool is not None else super().run_episodes

    def close(self) -> None:
        """Ends what was started. Ray itself ends too if this process started it."""
        atexit.unregister(self.close)
        if self._ray is not None:
            for actor in (*self._workers, *self._hosts, self._held):
                if actor is not None:
                    self._ray.kill(actor)
            self._ray.close()
        self._hosts, self._workers, self._pool, self._held, self._fleet = [], [], None, None, None
        while self._keyed:
            os.environ.pop(KEY_ENV, None)
            if (before := self._keyed.pop()) is not None:
                os.environ[KEY_ENV] = before

    async def _connected(self, needs: EngineNeeds) -> Fleet:
        engines = self.settings.engines
        assert engines is not None
        if engines.at:
            fleet = await super()._connected(needs)
            return fleet
        self._end_started()
        self.ray.check_clocks()
        self._spec = self._spec_of(engines, needs)
        self._hosts = [
            self.ray.actor(
                EngineHost, f"engine-{number}", self._spec, self.ray.host, cpus=engines.cpus, gpus=engines.gpus_each,
                max_concurrency=8,
            )
            for number in range(engines.count)
        ]  # fmt: skip
        hosted = [
            HostedEngine(actor, self.ray.named(f"engine-{number}"), self._spec)
            for number, actor in enumerate(self._hosts)
        ]
        await _first(hosted)
        self._engines = hosted
        self._start_workers(needs.model)
        return as_fleet(hosted, [one.name for one in hosted], needs)

    def _spec_of(self, engines: Engines, needs: EngineNeeds) -> EngineSpec:
        key = os.environ.get(self.settings.key_env, "").strip() or secrets.token_hex(16)
        if not self._keyed:
            self._keyed = [os.environ.get(KEY_ENV)]
        os.environ[KEY_ENV] = key  # the connections of this process use it
        return EngineSpec(
            kind=engines.kind,
            model=engines.model or needs.model,
            name=needs.model,
            python=engines.python,
            flags=engines.flags,
            max_batch=engines.max_batch,
            versions=max(engines.versions, needs.versions),
            rank=needs.rank,
            quantized=needs.quantized,
            gpus=engines.gpus_each,
            key=key,
            full=needs.full,
        )

    def _start_workers(self, base: str) -> None:
        workers = self.settings.workers
        if not workers.count:
            return
        variables = {name: os.environ[name] for name in (*_SENT, KEY_ENV) if name in os.environ}
        engines = [self.ray.named(f"engine-{number}") for number in range(len(self._hosts))]
        self._workers = [
            self.ray.actor(
                Worker, f"worker-{number}", self._home, variables, engines, self._spec, cpus=workers.cpus, gpus=0.0
            )
            for number in range(workers.count)
        ]
        self._pool = WorkerPool(self._workers, base)

    def _end_started(self) -> None:
        for actor in (*self._workers, *self._hosts):
            self.ray.kill(actor)
        self._workers, self._hosts, self._pool = [], [], None

    def sampling(self, ws: WorkspaceFolder, version: Any) -> Any:
        self._home = str(ws.home.absolute())
        return super().sampling(ws, version)

    def publishing(self, ws: WorkspaceFolder, policy: Any, recipe: "Recipe", run: str) -> Any:
        self._home = str(ws.home.absolute())
        return super().publishing(ws, policy, recipe, run)


async def _first(engines: Sequence[HostedEngine]) -> None:
    """Waits until the engines answer. Once one does, the others have a moment more and else join later. Fails if all of them
    failed to start."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + START_S
    while True:
        up = await asyncio.gather(*(engine.alive() for engine in engines))
        if all(up):
            return
        if any(up):
            deadline = min(deadline, clock() + _OTHERS_S)
        wrong = [engine.error for engine in engines if engine.error]
        if clock() > deadline or len(wrong) == len(engines):
            if any(up):
                return
            said = wrong[0] if wrong else f"no engine answered within {START_S:g} s"
            raise InfrastructureFailure(f"No engine could be started: {said}")
        await asyncio.sleep(0.5)
