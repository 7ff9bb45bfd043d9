"""A fake engine, for tests and for simulations of large clusters: it computes nothing and takes the time it is told to.

Its tokens are a function of the prompt, the seed and the version. So a test can tell whether a request that moved to another
engine got the same tokens, and whether each request was answered by the version that it named. It has slots, waits for free
ones, and can crash and come back.
"""

import asyncio
import hashlib
import math
import random
import statistics
from collections.abc import Callable
from pathlib import Path

from verigym.core.errors import BadInput, EngineLost, not_found
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.policies.engines.uses import VersionUses

Draw = Callable[[random.Random], float]
"""Draws a number, for example a latency in seconds."""
Distribution = float | tuple[float, float] | Draw
"""A number, the median and the 99th percentile of a lognormal distribution, or a function that draws."""


class FakeEngine:
    """An engine that computes nothing: `FakeEngine(slots=256, latency_s=(2.0, 16.0), tokens=64)`.

    `latency_s` is the seconds of a request in its slot, and `tokens` the length of its reply. Each is a number, a pair of median
    and 99th percentile for a long tail, or a function that draws from a `random.Random`. `versions` is the maximum
    number of loaded versions besides the first weights. Replies use token ids below `vocabulary`, and end with a stop id of the
    request if they end before `max_tokens`. The draws depend on the request only, so a run can be repeated.
    """

    def __init__(
        self,
        *,
        slots: int = 64,
        latency_s: Distribution = 0.0,
        tokens: Distribution = 16,
        load_s: float = 0.0,
        versions: int = 8,
        vocabulary: int = 1000,
        window: int = 1 << 20,
    ) -> None:
        if slots < 1 or versions < 0 or vocabulary < 1:
            raise BadInput("slots and vocabulary must be at least 1, and versions at least 0")
        self.max_batch = slots
        self.versions: dict[str, Path] = {}
        """The folders of loaded versions."""
        self.served = 0
        """Completed requests."""
        self.busy_s = 0.0
        """Seconds that requests spent in slots, summed over the slots."""
        self._latency_s, self._tokens = drawer(latency_s), drawer(tokens)
        self._load_s, self._most, self._vocabulary, self._window = load_s, versions, vocabulary, window
        self._uses = VersionUses()
        self._free = slots
        self._queue: dict[asyncio.Future[None], None] = {}
        self._crashed = False
        self.weights: Path | None = None
        """The folder of the weights that replaced the first ones."""
        self._open = asyncio.Event()
        self._open.set()
        self._running: set[asyncio.Future[None]] = set()

    async def generate(self, request: Generation) -> Completion:
        self._check()
        if request.version and request.version not in self.versions:
            raise not_found("loaded version", request.version, self.versions)
        if len(request.ids) >= self._window:
            return Completion([], [], "context_full", version=request.version)
        with self._uses.of(request.version):
            while not self._open.is_set():
                await self._open.wait()
            self._check()
            digest = _digest(request, self.weights)
            await self._slot()
            try:
                await self._work(self._latency_s(random.Random(digest + b" latency")))
            finally:
                self._release()
        self.served += 1
        return self._reply(request, random.Random(digest))

    async def load(self, version: str, folder: Path) -> None:
        self._check()
        if version in self.versions:
            return
        if len(self.versions) >= self._most:
            raise BadInput(
                f"The engine has {self._most} slots for versions, and all are taken ({', '.join(sorted(self.versions))}). "
                "Forget a version first, or raise `versions`"
            )
        if self._load_s:
            await asyncio.sleep(self._load_s)
        self._check()
        self.versions[version] = folder

    async def forget(self, version: str) -> None:
        self._check()
        await self._uses.end(version)
        self.versions.pop(version, None)

    async def pause(self) -> None:
        """Holds new requests back and waits until those that run have ended."""
        self._check()
        self._open.clear()
        running = [*self._queue, *self._running]
        while running:
            await asyncio.wait(running)
            running = [*self._queue, *self._running]
        self._check()

    async def replace(self, folder: Path) -> None:
        """Replaces all weights by those in a folder. Replies depend on them."""
        self._check()
        if self._open.is_set():
            raise BadInput("Weights are replaced while the engine is paused. Call pause() first")
        if self._load_s:
            await asyncio.sleep(self._load_s)
        self.weights = folder

    async def resume(self) -> None:
        """Lets requests run again."""
        self._open.set()

    async def alive(self) -> bool:
        return not self._crashed

    async def usage(self) -> EngineLoad:
        self._check()
        return EngineLoad(running=self.max_batch - self._free, waiting=len(self._queue))

    def crash(self) -> None:
        """Fails every request in progress, and every call until `restart`."""
        self._crashed = True
        self._uses = VersionUses()
        for future in [*self._queue, *self._running]:
            if not future.done():
                future.set_exception(_lost())

    def restart(self) -> None:
        """Comes back after a crash, without any version."""
        self._crashed = False
        self.versions, self.weights = {}, None
        self._open.set()

    def _check(self) -> None:
        if self._crashed:
            raise _lost()

    async def _slot(self) -> None:
        if self._free:
            self._free -= 1
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue[future] = None
        try:
            await future  # the slot of a request that ended is handed over
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._release()
            raise
        finally:
            self._queue.pop(future, None)

    def _release(self) -> None:
        while self._queue:
            future = next(iter(self._queue))
            del self._queue[future]
            if not future.done():
                future.set_result(None)
                return
        self._free += 1

    async def _work(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._running.add(future)
        started = loop.time()
        timer = loop.call_later(seconds, _finish, future)
        try:
            await future
        finally:
            timer.cancel()
            self._running.discard(future)
            self.busy_s += loop.time() - started

    def _reply(self, request: Generation, draw: random.Random) -> Completion:
        most = min(request.sampling.max_tokens, self._window - len(request.ids))
        length = max(1, round(self._tokens(draw)))
        ids = [draw.randrange(self._vocabulary) for _ in range(min(length, most))]
        ends = length <= most
        if ends and request.stop_ids:
            ids[-1] = min(request.stop_ids)
        if request.on_tokens is not None:
            request.on_tokens(ids)
        logprobs = [-math.log(self._vocabulary)] * len(ids)
        return Completion(ids, logprobs, "stop" if ends else "length", version=request.version)


def drawer(given: Distribution) -> Draw:
    """Draws from the distribution. A pair has a long tail: half are below the first, and 1 of 100 is above the second."""
    if callable(given):
        return given
    if not isinstance(given, tuple):
        return lambda _: given
    median, p99 = given
    if not 0 < median <= p99:
        raise BadInput(f"The median must be above 0 and at most the 99th percentile (got {median:g} and {p99:g})")
    mu, sigma = math.log(median), math.log(p99 / median) / statistics.NormalDist().inv_cdf(0.99)
    return lambda draw: draw.lognormvariate(mu, sigma)


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _digest(request: Generation, weights: Path | None) -> bytes:
    named = request.version if weights is None else f"{weights} {request.version}"
    hashed = hashlib.blake2b(f"{request.seed} {named} ".encode(), digest_size=16)
    hashed.update(repr(request.ids).encode())
    return hashed.digest()


def _lost() -> EngineLost:
    return EngineLost("The fake engine crashed. Call restart() to bring it back")
