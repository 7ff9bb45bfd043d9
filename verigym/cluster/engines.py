"""Connects to the engines of a cluster: checks each of them, and makes them one fleet.

An engine at an address is connected to here. `launch.py` starts engines. Both kinds speak HTTP.
"""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from verigym.cluster.checks import check_server
from verigym.cluster.settings import Engines
from verigym.core.errors import EngineLost
from verigym.core.printable import warn
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.one_version import OneVersionEngine
from verigym.policies.engines.sglang import SglangEngine
from verigym.policies.engines.vllm import VllmEngine

_FULL_S = 600.0
"""Maximum seconds that replacing all weights of an engine takes."""

ConnectedEngine = VllmEngine | SglangEngine


class EngineNeeds(Struct, frozen=True, kw_only=True):
    """What a job needs of its engines."""

    model: str
    """The model that they serve: a folder or a name."""
    versions: int = 1
    """Versions that must be loaded at once."""
    rank: int = 16
    """Highest rank of an adapter."""
    quantized: str = ""
    full: bool = False
    """Whether all weights are replaced instead of adapters."""

    def covers(self, other: "EngineNeeds") -> bool:
        """Whether engines that meet these needs also meet the others."""
        same = (self.model, self.quantized, self.full) == (other.model, other.quantized, other.full)
        return same and self.versions >= other.versions and self.rank >= other.rank


async def connect(
    settings: Engines, addresses: Sequence[str], needs: EngineNeeds, key_env: str
) -> list[ConnectedEngine]:
    """Connects to engines and checks them. An engine that does not answer stays in the list, because it may come back. Fails if
    none answers, or if one is wrong."""
    results = await asyncio.gather(
        *(_connect(settings, address, needs, key_env) for address in addresses), return_exceptions=True
    )
    wrong = [result for result in results if isinstance(result, BaseException)]
    refused = next((error for error in wrong if not isinstance(error, EngineLost)), None)
    good = [result for result in results if not isinstance(result, BaseException)]
    if refused is not None or not good:
        for engine in good:
            await engine.close()
        raise refused or EngineLost(f"No engine answers. {wrong[0]}. Start the engines, or check engines.at")
    for error in wrong:
        warn(f"{error}. It is used when it answers")
    return [
        _like(good[0], address, key_env) if isinstance(result, BaseException) else result
        for address, result in zip(addresses, results, strict=True)
    ]


async def _connect(settings: Engines, address: str, needs: EngineNeeds, key_env: str) -> ConnectedEngine:
    await check_server(address, key_env, os.environ.get(key_env, "").strip())
    wanted = settings.model or needs.model
    if settings.kind == "sglang":
        return await SglangEngine.connect(
            address,
            model=wanted,
            window=settings.window,
            slots=settings.versions,
            versions=needs.versions,
            max_batch=settings.max_batch,
            key_env=key_env,
        )
    return await VllmEngine.connect(
        address, model=wanted, versions=needs.versions, max_batch=settings.max_batch, key_env=key_env
    )


def _like(other: ConnectedEngine, address: str, key_env: str) -> ConnectedEngine:
    """An engine that does not answer yet, with the settings of one that does."""
    if isinstance(other, SglangEngine):
        return SglangEngine(address, window=other.window, slots=other.slots, max_batch=other.max_batch, key_env=key_env)
    engine = VllmEngine(
        address,
        model=other.model,
        window=other.window,
        slots=other.slots,
        max_batch=other.max_batch,
        key_env=key_env,
    )
    engine.takes_files = other.takes_files
    return engine


def as_fleet(engines: Sequence[Any], names: Sequence[str], needs: EngineNeeds) -> Fleet:
    """The engines as one. If all weights are replaced, each has one version at a time."""
    wrapped = [OneVersionEngine(engine) for engine in engines] if needs.full else engines
    return Fleet(wrapped, names=names, timeout_s=30.0, load_s=_FULL_S if needs.full else 30.0)
