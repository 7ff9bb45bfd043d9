"""An engine with one version at a time, for training that changes all parameters.

An adapter is one more name on an engine. Weights that are trained as a whole are not: an engine has one copy of them. So loading
a version pauses the engine until running requests have ended, replaces the weights, and resumes it. Every reply is therefore of
one version.
"""

from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from verigym.core.errors import EngineLost, not_found
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.protocols import Engine


class ReplaceableEngine(Engine, Protocol):
    """An engine whose weights can be replaced."""

    async def pause(self) -> None:
        """Holds new requests back and waits until those that run have ended."""
        ...

    async def replace(self, folder: Path) -> None:
        """Loads all weights from a folder with a model, and drops what was computed with the old ones. Only while paused."""
        ...

    async def resume(self) -> None:
        """Lets requests run again."""
        ...


class OneVersionEngine:
    """`OneVersionEngine(engine).load("run@3", folder)` replaces all weights by those of a model in a folder."""

    def __init__(self, engine: ReplaceableEngine) -> None:
        self.engine = engine
        self.version: str | None = ""
        """The version that the engine has. Empty for the weights that it began with. None after a failure, if it is not known."""

    @property
    def max_batch(self) -> int:
        return self.engine.max_batch

    async def generate(self, request: Generation) -> Completion:
        if request.version != self.version:
            known = [] if self.version is None else [self.version]
            raise not_found("loaded version", request.version, known, "The engine has one version at a time.")
        try:
            reply = await self.engine.generate(replace(request, version=""))
        except EngineLost:
            self.version = None  # it may come back with the weights that it began with
            raise
        return replace(reply, version=request.version)

    async def load(self, version: str, folder: Path) -> None:
        if version == self.version:
            return
        await self.engine.pause()
        try:
            self.version = None  # while it may have parts of both
            await self.engine.replace(folder)
            self.version = version
        finally:
            await self.engine.resume()

    async def forget(self, version: str) -> None:
        """Does nothing: the weights stay until others replace them."""

    async def alive(self) -> bool:
        alive = await self.engine.alive()
        if not alive:
            self.version = None
        return alive

    async def usage(self) -> EngineLoad:
        return await self.engine.usage()

    async def close(self) -> None:
        close = getattr(self.engine, "close", None)
        if close is not None:
            await close()
