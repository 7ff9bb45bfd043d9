"""The engine: requests in, token ids and logprobs out, many at a time.

Requests may come at any moment; they join the running batch at its next step and leave it when they are done. Ids that
requests say they share (a system prompt) are computed once and kept; a prompt asked for several times at once is computed
once. A request's tokens depend on its own seed alone, never on what else is in the batch.

Two decoders stand behind it, chosen by the model (`slots.supported`): `slots` for plain attention models, with a shared
prefix, and `plain_decoder` for every other architecture, which batches prompts of equal length and is slower.
"""

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import torch
from torch import Tensor

from verigym.core.records import Sampling
from verigym.policies.local import plain_decoder, slots

_GATHER_S = 0.002
"""How long the first request of a batch waits for others."""


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    ids: list[int]
    """The whole prompt."""
    shared: int = 0
    """How many leading ids other requests have as well."""
    sampling: Sampling = Sampling()
    seed: int = 0


class Completion(msgspec.Struct, frozen=True):
    ids: list[int]
    """Sampled tokens, the end token included when there was one."""
    logprobs: list[float]
    """At the sampling temperature (at 1 when greedy), untruncated."""
    finish: Literal["stop", "length", "context_full"]


class Row:
    """A request under way."""

    def __init__(
        self, request: Generation, future: asyncio.Future[Completion], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.request = request
        self.future = future
        self.loop = loop
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.random = random.Random(request.seed)

    @property
    def prompt(self) -> list[int]:
        return self.request.ids

    @property
    def dead(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.future.cancelled()


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
        self._waiting: deque[Row] = deque()
        self._lock = threading.Lock()
        self._running = False
        self._idle = threading.Event()
        self._idle.set()
        kind = slots.SlotDecoder if slots.supported(model) else plain_decoder.PlainDecoder
        self._decoder = kind(model, self.max_batch)

    async def generate(self, request: Generation) -> Completion:
        loop = asyncio.get_running_loop()
        if len(request.ids) >= self.window:
            return Completion([], [], "context_full")
        row = Row(request, loop.create_future(), loop)
        with self._lock:
            self._waiting.append(row)
            start, self._running = not self._running, True
            self._idle.clear()
        if start:
            threading.Thread(target=self._drive, name="verigym-engine").start()
        return await row.future

    def refresh(self) -> None:
        """The weights changed: forget what was computed with the old ones. Requests under way are waited for."""
        self.wait()
        self._decoder.forget()

    def wait(self) -> None:
        """Until nothing runs, so that weights may be changed."""
        self._idle.wait()

    def _drive(self) -> None:
        """Runs until nothing waits and nothing is active. Not a daemon: a thread killed inside torch takes the process down."""
        active: list[Row] = []
        try:
            time.sleep(_GATHER_S)
            with torch.inference_mode():
                while self._more(active):
                    self._admit(active)
                    if active:
                        self._settle(active, self._decoder.step(active))
        except BaseException as error:
            with self._lock:
                failed = active + list(self._waiting)
                self._waiting.clear()
                self._running = False
            self._decoder.forget()
            self._idle.set()
            for row in failed:
                if not row.dead:
                    row.loop.call_soon_threadsafe(_fail, row.future, error)

    def _more(self, active: list[Row]) -> bool:
        with self._lock:
            self._running = bool(active or self._waiting)
            if not self._running:
                self._idle.set()
            return self._running

    def _admit(self, active: list[Row]) -> None:
        """Takes waiting requests into the batch, in order, as far as there is room and the decoder can run them together."""
        with self._lock:
            new: list[Row] = []
            while self._waiting and len(active) + len(new) < self.max_batch:
                row = self._waiting[0]
                if row.dead:
                    self._waiting.popleft()
                elif self._decoder.fits(row, (active + new)[:1]):
                    new.append(self._waiting.popleft())
                else:
                    break
        if new:
            active.extend(new)
            self._settle(active, self._decoder.begin(new), new)

    def _settle(self, active: list[Row], logits: Tensor, rows: list[Row] | None = None) -> None:
        """Samples the next token of `rows` (all active ones when none are named) and lets the finished ones go."""
        rows = list(active) if rows is None else rows
        tokens, logprobs = sample(logits, rows)
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
            row.ids.append(token)
            row.logprobs.append(logprob)
        for row in [row for row in rows if row.dead or self._finish(row)]:
            self._decoder.drop(active.index(row))
            last = active.pop()
            if last is not row:
                active[active.index(row)] = last

    def _finish(self, row: Row) -> bool:
        finish: Literal["stop", "length"] | None = None
        sampling = row.request.sampling
        if row.ids[-1] in self.stop_ids or (
            sampling.stop and any(text in self.decode(row.ids) for text in sampling.stop)
        ):
            finish = "stop"
        elif len(row.ids) >= sampling.max_tokens or len(row.prompt) + len(row.ids) >= self.window:
            finish = "length"
        if finish is None:
            return False
        done = Completion(row.ids, row.logprobs, finish)
        row.loop.call_soon_threadsafe(_resolve, row.future, done)
        return True


def _resolve(future: asyncio.Future[Completion], done: Completion) -> None:
    if not future.done():
        future.set_result(done)


def _fail(future: asyncio.Future[Completion], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))


def sample(logits_BV: Tensor, rows: list[Row]) -> tuple[list[int], list[float]]:
    """One token a row by inverting its distribution at one number of the row's own stream, and its logprob."""
    temperatures = [row.request.sampling.temperature for row in rows]
    scale_B = torch.tensor([t if t > 0 else 1.0 for t in temperatures], device=logits_BV.device)
    logprobs_BV = torch.log_softmax(logits_BV.float() / scale_B[:, None], -1)
    chosen_B = logprobs_BV.argmax(-1)
    if any(t > 0 for t in temperatures):
        probs_BV = _truncate(logprobs_BV, rows).exp()
        cumulative_BV = probs_BV.cumsum(-1, dtype=torch.float64)
        draws = [row.random.random() if t > 0 else 0.0 for row, t in zip(rows, temperatures, strict=True)]
        target_B = torch.tensor(draws, dtype=torch.float64, device=logits_BV.device) * cumulative_BV[:, -1]
        drawn_B = torch.searchsorted(cumulative_BV, target_B[:, None], right=True)[:, 0].clamp_(
            max=logits_BV.shape[-1] - 1
        )
        greedy_B = torch.tensor([t == 0 for t in temperatures], device=logits_BV.device)
        chosen_B = torch.where(greedy_B, chosen_B, drawn_B)
    return chosen_B.tolist(), logprobs_BV.gather(-1, chosen_B[:, None])[:, 0].tolist()


def _truncate(logprobs_BV: Tensor, rows: list[Row]) -> Tensor:
    """Keeps the smallest set of tokens whose probability reaches top_p."""
    top_p = [row.request.sampling.top_p for row in rows]
    if all(p >= 1 for p in top_p):
        return logprobs_BV
    sorted_BV, order_BV = logprobs_BV.sort(-1, descending=True)
    before_BV = sorted_BV.exp().cumsum(-1) - sorted_BV.exp()
    limit_B1 = torch.tensor(top_p, device=logprobs_BV.device)[:, None]
    sorted_BV = sorted_BV.masked_fill(before_BV >= limit_B1, -torch.inf)
    return torch.empty_like(logprobs_BV).scatter_(-1, order_BV, sorted_BV)
