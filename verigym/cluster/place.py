"""A cluster as the place of a workspace: policies on its engines, ranks that learn, workers that run episodes.

The same records are stored as without a cluster. Everything that can be wrong with a setup is refused before a run begins.
"""

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verigym.cluster.checks import check_adapter, check_version
from verigym.cluster.engines import EngineNeeds, as_fleet, connect
from verigym.cluster.estimate import summary
from verigym.cluster.placement import Node, Placed
from verigym.cluster.settings import ClusterSettings
from verigym.core.errors import EngineLost, Refused
from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.vllm import VllmEngine
from verigym.policies.render import Renderer
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.many import run_many
from verigym.workspace.place import Here, RunEpisodes
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.model.shape import Shape
    from verigym.training.plan import Device, TrainingLoad
    from verigym.training.publish import Publisher
    from verigym.training.recipe import Recipe


class ClusterPlace:
    """Engines at addresses. `RayPlace` adds what Ray starts."""

    def __init__(self, settings: ClusterSettings) -> None:
        self.settings = settings
        self.nodes: Sequence[Node] = ()
        self.placed: Sequence[Placed] = ()
        """What is started where."""
        self._fleet: Fleet | None = None
        self._engines: Sequence[Any] = ()
        self._needs: EngineNeeds | None = None
        self._opened = 0
        """Blocks that use the fleet."""
        self._renderers: dict[str, Renderer] = {}

    @contextlib.asynccontextmanager
    async def sampling(self, ws: WorkspaceFolder, version: Version) -> AsyncIterator[Policy]:
        engines = self.settings.engines
        if engines is None or version.is_remote:
            async with Here().sampling(ws, version) as policy:
                yield policy
            return
        check_version(version, engines.kind)
        adapter, source = ws.adapter_of(version), ws.source_of(version)
        if adapter is not None:
            check_adapter(adapter, engines.kind)
        needs = EngineNeeds(
            model=source, versions=1 if adapter else 0, rank=_rank_of(adapter), quantized=version.quantized
        )
        async with self._open(needs) as fleet:
            name = version.id if adapter is not None else ""
            if adapter is not None:
                await fleet.load(name, adapter)
            render = self._renderer(ws, source)
            try:
                yield TokenPolicy(render.tokenizer, fleet, agent=version.id, version=name, render=render)
            finally:
                if name:
                    await fleet.forget(name)

    @contextlib.asynccontextmanager
    async def publishing(
        self, ws: WorkspaceFolder, policy: Any, recipe: "Recipe", run: str
    ) -> "AsyncIterator[Publisher | None]":
        engines = self.settings.engines
        if engines is None or not self.samples_elsewhere(recipe):
            yield None
            return
        if recipe.adapter == "full" and engines.kind == "sglang":
            raise Refused(
                "adapter: full trains all weights, and Verigym does not replace those of SGLang. Use engines of kind vllm or "
                "local, or train an adapter"
            )
        if recipe.adapter == "qlora" and engines.kind in ("vllm", "sglang"):
            raise Refused(
                f"adapter: qlora trains on a 4-bit base, and {engines.kind} would sample from another one. Use engines of kind "
                "local, or adapter: lora"
            )
        from verigym.training.publish import Publisher

        keep = getattr(recipe, "ahead", 0) + 1
        rank = max([recipe.lora.r, *(recipe.lora.rank_pattern or {}).values()])
        full = recipe.adapter == "full"
        needs = EngineNeeds(
            model=policy.base, versions=0 if full else keep + 1, rank=rank, quantized=policy.quantized, full=full
        )  # while a new version loads, the oldest may still have requests
        folder = ws.home / "published" / run
        async with self._open(needs) as fleet:
            await self._forget_left(f"{run}@")
            publisher = Publisher(fleet, policy.render, policy.model, base=policy.base, folder=folder, keep=keep)
            try:
                await self._try_adapter(publisher, run, folder)
                yield publisher
            finally:
                await publisher.close()

    async def _forget_left(self, prefix: str) -> None:
        """Frees what a command that was killed left on engines that outlived it."""
        for engine in self._engines:
            if isinstance(engine, VllmEngine):
                with contextlib.suppress(EngineLost):
                    await engine.forget_left(prefix)

    async def _try_adapter(self, publisher: "Publisher", run: str, folder: Path) -> None:
        """Loads the adapter as it is at the start, so that one that an engine cannot read ends the command now."""
        assert self.settings.engines is not None
        with tempfile.TemporaryDirectory(dir=_made(folder.parent), prefix=".try-") as work:
            if not publisher.full:
                check_adapter(publisher.write(Path(work)), self.settings.engines.kind)
        await publisher.publish(f"{run}@0")

    def samples_elsewhere(self, recipe: "Recipe") -> bool:
        wanted = recipe.algorithm != "reward" and bool(recipe.samples or recipe.held_out_eval)
        return wanted and self.settings.engines is not None

    @contextlib.contextmanager
    def learning(self, recipe: "Recipe") -> Iterator[None]:
        yield

    @property
    def run_episodes(self) -> RunEpisodes:
        return run_many

    def summary(self, load: "TrainingLoad", shape: "Shape", device: "Device") -> Sequence[str]:
        return summary(self.settings, self.placed, self.nodes, load, shape, device)

    def close(self) -> None:
        pass

    @contextlib.asynccontextmanager
    async def _open(self, needs: EngineNeeds) -> AsyncIterator[Fleet]:
        """The fleet of the engines, open during the block. Connections belong to an event loop, so they close with the block."""
        if self._fleet is None or not (self._needs and self._needs.covers(needs)):
            self._fleet, self._needs = await self._connected(needs), needs
        fleet = self._fleet
        self._opened += 1
        try:
            yield fleet
        finally:
            self._opened -= 1
            if not self._opened:
                await fleet.close()

    async def _connected(self, needs: EngineNeeds) -> Fleet:
        engines = self.settings.engines
        assert engines is not None
        self._engines = await connect(engines, engines.at, needs, self.settings.key_env)
        return as_fleet(self._engines, [engine.name for engine in self._engines], needs)

    def _renderer(self, ws: WorkspaceFolder, source: str) -> Renderer:
        if source not in self._renderers:
            from verigym.policies.local.rendering import renderer_of

            ws.check_base(source)
            self._renderers[source] = renderer_of(source)
        return self._renderers[source]


def use_store(settings: ClusterSettings) -> None:
    """Points this process, and those that it starts, at the store and the files of the cluster."""
    for variable, value in (("VERIGYM_STORE", settings.store), ("VERIGYM_FILES", settings.files)):
        if value:
            os.environ[variable] = value


def _rank_of(adapter: Path | None) -> int:
    """The highest rank of an adapter."""
    import json

    if adapter is None:
        return 16
    described = json.loads((adapter / "adapter_config.json").read_text())
    return max([described["r"], *(described.get("rank_pattern") or {}).values()])


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
