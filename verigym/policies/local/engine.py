"""The engine: requests in, token ids and logprobs out, many at a time.

Requests may come at any moment; they join the running batch at its next step and leave it when they are done. What requests
share (a system prompt, the prompt of a group) is computed once. A request's tokens depend on its own seed alone, never on what
else is in the batch. Several adapters are served side by side where the model allows it, else one after the other.

Three decoders stand behind it, chosen by the model: `paged` on CUDA and `slots` on the CPU for attention models, and `plain`
for every other architecture, which batches prompts of equal length and is slower.
"""

import asyncio
import functools
import importlib.util
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import torch

from verigym.core.records import Sampling
from verigym.model import lora
from verigym.model.fused import Fused
from verigym.model.llama_family import plain
from verigym.policies.local import plain_decoder, slots
from verigym.policies.local.sampling import SampledTokens, restricts

MOST_SIDES = 4
"""Adapters served side by side, each with weights of its own; more take turns."""
_GATHER_S, _GATHERS = 0.001, 20
"""How long, and how often, the first request of a batch waits for others."""


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    ids: list[int]
    """The whole prompt."""
    shared: int = 0
    """How many leading ids other requests have as well."""
    sampling: Sampling = Sampling()
    seed: int = 0
    version: str = ""
    """Whose weights: a key of `Engine.adapters`, or what sits on the model."""
    matcher: Any = None
    """Says which tokens may come next: `allowed(vocabulary)`, and is told which one came: `took(id)`."""
    heard: Callable[[list[int]], None] | None = None
    """Is told the tokens as they are sampled, on the thread of whoever asked."""


class EngineReply(msgspec.Struct, frozen=True):
    ids: list[int]
    """Sampled tokens, the end token included when there was one."""
    logprobs: list[float]
    """At the sampling temperature (at 1 when greedy), of the whole distribution."""
    finish: Literal["stop", "length", "context_full"]
    restricted: list[float] = []
    """The same of what truncation and constraint left; empty where neither was on."""


class Row:
    """A request under way."""

    def __init__(
        self,
        request: Generation,
        future: asyncio.Future[EngineReply],
        loop: asyncio.AbstractEventLoop,
        window: int = 1 << 30,
    ) -> None:
        self.request = request
        self.future = future
        self.loop = loop
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.restricted: list[float] = []
        self.prefix = tuple(request.ids[: min(request.shared, len(request.ids) - 1)])
        """The ids it shares, at least one of its prompt left for itself."""
        self.matcher = request.matcher
        self.seed = request.seed & (2**63 - 1)
        self.most = min(request.sampling.max_tokens, window - len(request.ids))
        """Tokens that it may sample in all."""
        self.watched = request.matcher is not None or bool(request.sampling.stop)
        """Whether each of its tokens has to be looked at."""

    @functools.cached_property
    def random(self) -> random.Random:
        """Its own stream of numbers."""
        return random.Random(self.request.seed)

    @property
    def prompt(self) -> list[int]:
        return self.request.ids

    @property
    def context(self) -> list[int]:
        """What has to be computed before its next token: after an interruption, what it sampled as well."""
        return self.request.ids + self.ids if self.ids else self.request.ids

    @property
    def left(self) -> int:
        """Tokens that it may still sample."""
        return self.most - len(self.ids)

    @property
    def dead(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.future.cancelled()


class _Side:
    """One set of weights, and the batch that runs on it."""

    def __init__(self, decoder: Any) -> None:
        self.decoder = decoder
        self.version: str | None = None


class Engine:
    def __init__(
        self, model: Any, *, stop_ids: set[int], decode: Callable[[list[int]], str] = str, max_batch: int | None = None
    ) -> None:
        on_cpu = next(model.parameters()).device.type == "cpu"
        self.model = model
        self.stop_ids = stop_ids
        self.decode = decode
        self.max_batch = max_batch or (128 if on_cpu else 512)
        self.window: int = getattr(model.config, "max_position_embeddings", None) or 1 << 30
        self.adapters: dict[str, lora.LoraAdapter] = {}
        """By version. The version "" is whatever sits on the model."""
        self._waiting: deque[Row] = deque()
        self._lock = threading.Lock()
        self._running = False
        self._idle = threading.Event()
        self._idle.set()
        self._sides: list[_Side] = []
        self._taken: list[tuple[_Side, list[Row]]] = []
        """Admitted, and not begun yet."""

    async def generate(self, request: Generation) -> EngineReply:
        loop = asyncio.get_running_loop()
        if len(request.ids) >= self.window:
            return EngineReply([], [], "context_full")
        row = Row(request, loop.create_future(), loop, self.window)
        with self._lock:
            self._waiting.append(row)
            start, self._running = not self._running, True
            self._idle.clear()
        if start:
            threading.Thread(target=self._drive, name="verigym-engine").start()
        return await row.future

    def refresh(self) -> None:
        """The weights on the model changed: take them over. Requests under way are waited for."""
        self.wait()
        for side in self._sides:
            if side.version == "":
                side.version = None

    def wait(self) -> None:
        """Until nothing runs, so that weights may be changed."""
        self._idle.wait()

    # -- the thread -----------------------------------------------------------------------------------------------

    def _drive(self) -> None:
        """Runs until nothing waits and nothing is active. Not a daemon: a thread killed inside torch takes the process down."""
        try:
            self._gather()
            with torch.inference_mode():
                while self._more():
                    self._admit()
                    while self._taken:
                        self._turn(*self._taken[0])
                        self._taken.pop(0)
                    for side in self._sides:
                        if side.decoder.rows:
                            self._turn(side, None)
        except BaseException as error:
            with self._lock:
                rows = [row for side in self._sides for row in side.decoder.rows]
                failed = {*rows, *(row for _, new in self._taken for row in new), *self._waiting}
                self._taken = []
                self._waiting.clear()
                self._running = False
            for side in self._sides:
                side.decoder.reset()
            self._idle.set()
            for row in failed:
                if not row.dead:
                    row.loop.call_soon_threadsafe(_fail, row.future, error)

    def _gather(self) -> None:
        """Waits while requests keep coming, so that those asked for together begin together."""
        seen = 0
        for _ in range(_GATHERS):
            time.sleep(_GATHER_S)
            if len(self._waiting) == seen:
                return
            seen = len(self._waiting)

    def _more(self) -> bool:
        with self._lock:
            self._running = bool(self._waiting) or any(side.decoder.rows for side in self._sides)
            if not self._running:
                self._idle.set()
            return self._running

    def _admit(self) -> None:
        """Takes waiting requests, in order, as far as there is room and their batch can take them."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        room = self.max_batch - sum(len(side.decoder.rows) for side in self._sides)
        taken: dict[str, tuple[_Side, list[Row]]] = {}
        left: list[Row] = []
        full: set[str] = set()
        for row in waiting:
            version = row.request.version
            if row.dead:
                continue
            if room > 0 and version not in full:
                side, new = taken.get(version) or (self._side(version, taken), [])
                if side is not None and side.decoder.fits(row, new):
                    new.append(row)
                    taken[version] = side, new
                    room -= 1
                    continue
            full.add(version)
            left.append(row)
        with self._lock:
            self._waiting.extendleft(reversed(left))
        self._taken = list(taken.values())

    def _side(self, version: str, taken: dict[str, Any]) -> _Side | None:
        """The side that wears this version; else a new one, or one that nobody uses, puts it on."""
        found = next((side for side in self._sides if side.version == version), None)
        if found is not None:
            return found
        used = [side for side, _ in taken.values()]
        free = next((side for side in self._sides if not side.decoder.rows and side not in used), None)
        bare = free is not None and free.version is None
        if not bare and (not self._sides or (self._sides[0].decoder.beside and len(self._sides) < MOST_SIDES)):
            free = _Side(decoder_for(self.model, self.max_batch, self.window))
            self._sides.append(free)
        if free is not None:
            free.decoder.reset()
            free.decoder.wear(self.adapters[version] if version else None)
            free.version = version
        return free

    def _turn(self, side: _Side, new: list[Row] | None) -> None:
        """One look at a batch: new rows begin, or all go on."""
        decoder = side.decoder
        try:
            if new is not None:
                self._settle(decoder, new, decoder.begin(new))
            else:
                rows = list(decoder.rows)
                self._settle(decoder, rows, decoder.advance(max(row.left for row in rows)))
        except Exception as error:
            if not _out_of_memory(error):
                raise
            self._shrink(decoder, new or [], error)

    def _shrink(self, decoder: Any, new: list[Row], error: Exception) -> None:
        """Out of memory: half as many rows at once from now on. All begin again where they are: nothing is sampled twice."""
        rows = [*decoder.rows, *(row for row in new if row not in decoder.rows)]
        decoder.reset()
        if len(rows) == 1:
            rows[0].loop.call_soon_threadsafe(_fail, rows[0].future, error)
            return
        self.max_batch = max(1, len(rows) // 2)
        with self._lock:
            self._waiting.extendleft(reversed(rows))

    def _settle(self, decoder: Any, rows: list[Row], drawn: SampledTokens) -> None:
        """Gives each row its tokens, and lets the finished ones go."""
        done: dict[asyncio.AbstractEventLoop, list[tuple[Row, EngineReply]]] = {}
        steps = len(drawn.ids[0])
        for place, (row, ids, logprobs) in enumerate(zip(rows, drawn.ids, drawn.logprobs, strict=True)):
            finish, taken = None, steps
            if row.watched or row.left <= steps or not self.stop_ids.isdisjoint(ids):
                finish, taken = self._finish(row, ids)
            row.ids += ids[:taken]
            row.logprobs += logprobs[:taken]
            if row.request.heard is not None:
                row.loop.call_soon_threadsafe(row.request.heard, ids[:taken])
            if drawn.restricted is not None:
                row.restricted.append(drawn.restricted[place])
            if finish is not None:
                restricted = row.restricted if restricts(row) else []
                done.setdefault(row.loop, []).append((row, EngineReply(row.ids, row.logprobs, finish, restricted)))
            if finish is not None or row.future.cancelled():
                decoder.drop(row)
        for loop, finished in done.items():
            loop.call_soon_threadsafe(_resolve, finished)

    def _finish(self, row: Row, ids: list[int]) -> tuple[Literal["stop", "length"] | None, int]:
        """Whether these next tokens end the row, and how many of them it takes."""
        settings = row.request.sampling
        for taken, id in enumerate(ids[: row.left], 1):
            if row.matcher is not None and id not in self.stop_ids:
                row.matcher.took(id)
            if id in self.stop_ids or (settings.stop and self._said([*row.ids, *ids[:taken]], settings.stop)):
                return "stop", taken
        return ("length", row.left) if row.left <= len(ids) else (None, len(ids))

    def _said(self, ids: list[int], stops: list[str]) -> bool:
        """Whether the last tokens hold one of the texts: a token is at least one byte, so only few of them can."""
        tail = self.decode(ids[-max(len(text.encode()) for text in stops) - 4 :])
        return any(text in tail for text in stops)


def decoder_for(model: Any, max_batch: int, window: int) -> Any:
    """The fastest decoder that is right for this model."""
    found = plain(model)
    if found is None:
        why = slots.right(model)
        if why:
            line = f"{type(model).__name__}: decoded without sharing, prompts of equal length together ({why})"
            print(line, file=sys.stderr, flush=True)
        return plain_decoder.PlainDecoder(model) if why else slots.SlotDecoder(model, None)
    if found.embedding.device.type == "cuda" and importlib.util.find_spec("triton"):
        from verigym.policies.local.paged import PagedDecoder

        return PagedDecoder(Fused(found), max_batch, window)
    return slots.SlotDecoder(model, Fused(found))


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def _resolve(finished: list[tuple[Row, EngineReply]]) -> None:
    for row, completion in finished:
        if not row.future.done():
            row.future.set_result(completion)


def _fail(future: asyncio.Future[EngineReply], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))
