"""The engine: requests in, token ids and logprobs out, many at a time.

Requests can arrive at any time. They join the running batch at its next step and leave it when they finish. A prefix that
requests share (a system prompt, the prompt of a group) is computed once. The tokens of a request depend only on its own seed,
never on the rest of the batch. Several adapters are served concurrently if the model allows it, otherwise in turn.

The model determines one of three decoders: `paged` on CUDA for the Llama family, `slots` on CPUs and for other models, and
`PlainDecoder` for models that neither computes correctly.
"""

import asyncio
import inspect
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import torch
from torch import Tensor

from verigym.core.errors import BadInput, not_found
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.printable import warn
from verigym.core.records import Weights
from verigym.core.time_limit import waiting
from verigym.model import full, lora, lora_files
from verigym.model.cpu_kernels import Bits
from verigym.model.devices import has_kernels
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.model.load import load_model
from verigym.model.mamba_memory import prompt_tokens, scan_bytes
from verigym.model.packed import fused_weights, why_not_integers
from verigym.model.threads import in_thread
from verigym.policies.engines.uses import VersionUses
from verigym.policies.local import sampling
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens, restricts
from verigym.policies.local.slots import SlotDecoder, StepDecoder, why_unsupported

if TYPE_CHECKING:
    from verigym.policies.local.paged import PagedDecoder

Decoder: TypeAlias = "PagedDecoder | SlotDecoder | PlainDecoder"
"""A batch of rows and the weights that decode them. `begin` returns the first tokens of new rows, or None if `prompts` computes
them later, some at a time. `make_room` prepares the next steps, `launch` starts them, and `advance` returns the next tokens of
all rows."""

Taken: TypeAlias = "dict[tuple[object, Weights], tuple[Decoder, list[Row]]]"
"""Admitted requests that have not begun, by version and weights. In place of a version that was forgotten: its decoder."""

_BITS: dict[Weights, Bits] = {"": 32, "int16": 16, "int8": 8}
MOST_DECODERS = 4
"""Maximum adapters served concurrently, each with its own merged weights. More adapters take turns."""
_GATHER_S, _GATHERS = 0.001, 20
"""How long, and how often, the first request of a batch waits for other requests."""


class LocalEngine:
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
        """Adapters by version. The version "" is the adapter on the model."""
        self._uses = VersionUses()
        self._waiting: deque[Row] = deque()
        self._lock = threading.Lock()
        self._running = False
        self._idle = threading.Event()
        self._idle.set()
        self._decoders: list[Decoder] = []
        """Each has one set of weights and the batch that uses it."""
        self._taken: list[tuple[Decoder, list[Row]]] = []
        """Admitted requests that have not begun."""
        self._open = asyncio.Event()
        """Whether requests may begin."""
        self._open.set()

    async def generate(self, request: Generation) -> Completion:
        if request.version and request.version not in self.adapters:
            raise not_found("loaded version", request.version, self.adapters)
        if request.sampling.weights:  # the first time, the kernels are compiled
            await asyncio.to_thread(self.check_weights, request.sampling.weights)
        if len(request.ids) >= self.window:
            return Completion([], [], "context_full", version=request.version)
        await self._open.wait()
        row = Row(request, asyncio.get_running_loop().create_future(), self.window, waiting(), self.stop_ids)
        with self._lock:
            self._waiting.append(row)
            start, self._running = not self._running, True
            self._idle.clear()
        if start:
            threading.Thread(target=self._drive, name="verigym-engine").start()
        try:
            with self._uses.of(request.version):
                return await row.future
        finally:
            row.begun()

    def check_weights(self, weights: str) -> None:
        """Refuses a request with integer weights if this model cannot sample with them."""
        if weights not in _BITS:
            raise BadInput(f'Weights cannot be "{weights}". Use int16 or int8')
        if weights and (why := why_not_integers(llama_model(self.model))):
            raise BadInput(f"Weights in {weights} cannot be used here: {why}. Remove the setting")

    async def load(self, version: str, folder: Path) -> None:
        """Reads the adapter in the folder. Requests of other versions go on meanwhile."""
        if version not in self.adapters:
            adapter = await asyncio.to_thread(lora_files.read, self.model, folder)
            self.adapters.setdefault(version, adapter)

    async def forget(self, version: str) -> None:
        """Drops the adapter after its last request."""
        await self._uses.end(version)
        if self.adapters.pop(version, None) is not None:
            for decoder in self._decoders:
                if decoder.version == version:
                    decoder.version = None

    async def pause(self) -> None:
        """Holds new requests back and waits until those that run have ended."""
        self._open.clear()
        await asyncio.to_thread(self.wait)

    async def replace(self, folder: Path) -> None:
        """Replaces all weights by those of a model in a folder. Only while paused."""
        if self._open.is_set():
            raise BadInput("Weights are replaced while the engine is paused. Call pause() first")
        await in_thread(self._replace, folder)

    def _replace(self, folder: Path) -> None:
        given = load_model(str(folder), device="cpu", dtype=self.model.dtype)
        full.set_named_weights(self.model, dict(given.named_parameters()))
        for decoder in self._decoders:
            decoder.version = None

    async def resume(self) -> None:
        """Lets requests run again."""
        self._open.set()

    async def alive(self) -> bool:
        return True

    async def usage(self) -> EngineLoad:
        return EngineLoad(running=sum(len(decoder.everyone) for decoder in self._decoders), waiting=len(self._waiting))

    def refresh(self) -> None:
        """Takes over changed weights of the model. Waits for requests in progress."""
        self.wait()
        for decoder in self._decoders:
            if decoder.version == "":
                decoder.version = None

    def wait(self) -> None:
        """Waits until no request runs, so that weights can be changed. A large cache is given back."""
        self._idle.wait()
        with self._lock:
            if not self._running:
                for decoder in self._decoders:
                    decoder.release()

    def _drive(self) -> None:
        """Runs until no request is waiting or active. It is not a daemon thread, because killing a thread inside torch crashes
        the process."""
        try:
            self._gather()
            with torch.inference_mode():
                while self._more():
                    self._admit()
                    while self._taken:
                        self._turn(*self._taken[0])
                        self._taken.pop(0)
                    for decoder in self._decoders:
                        if decoder.everyone:
                            self._turn(decoder, None)
        except BaseException as error:
            with self._lock:
                rows = [row for decoder in self._decoders for row in decoder.everyone]
                failed = {*rows, *(row for _, new in self._taken for row in new), *self._waiting}
                self._taken = []
                self._waiting.clear()
                for decoder in self._decoders:
                    decoder.reset()
                self._running = False
                self._idle.set()
            for row in failed:
                if not row.future.cancelled():
                    row.loop.call_soon_threadsafe(_fail, row.future, error)

    def _gather(self) -> None:
        """Waits while requests keep arriving, so that simultaneous requests begin together."""
        seen = 0
        for _ in range(_GATHERS):
            time.sleep(_GATHER_S)
            if len(self._waiting) == seen:
                return
            seen = len(self._waiting)

    def _more(self) -> bool:
        with self._lock:
            self._running = bool(self._waiting or self._taken) or any(decoder.everyone for decoder in self._decoders)
            if not self._running:
                self._idle.set()
            return self._running

    def _admit(self) -> None:
        """Admits waiting requests in order, as long as there is room in their batch."""
        with self._lock:
            waiting = list(self._waiting)
        taken: Taken = {  # no new request joins a decoder whose version was forgotten
            (decoder if decoder.version is None else decoder.version, decoder.weights): (decoder, new)
            for decoder, new in self._taken
        }
        room = self.max_batch - sum(len(decoder.everyone) for decoder in self._decoders)
        room -= sum(len(new) for _, new in self._taken)
        left: list[Row] = []
        full: set[tuple[str, Weights]] = set()
        for row in waiting:
            kind = row.request.version, row.request.sampling.weights
            if row.future.cancelled():
                continue
            if room > 0 and kind not in full:
                decoder, new = taken.get(kind) or (self._decoder(*kind, taken), [])
                try:
                    fits = decoder is not None and self._fits(decoder, row, new, taken)
                except torch.OutOfMemoryError as error:  # it would not fit alone
                    row.loop.call_soon_threadsafe(_fail, row.future, error)
                    continue
                if decoder is not None and fits:
                    new.append(row)
                    taken[kind] = decoder, new
                    room -= 1
                    continue
            full.add(kind)
            left.append(row)
        with self._lock:
            for _ in waiting:
                self._waiting.popleft()
            self._waiting.extendleft(reversed(left))
        self._taken = list(taken.values())

    def _fits(self, decoder: Decoder, row: Row, new: list[Row], taken: Taken) -> bool:
        """Whether a decoder has room for one more row. The others give memory back for it, or it waits for them."""
        try:
            return decoder.fits(row, new)
        except torch.OutOfMemoryError:
            used = [other for other, _ in taken.values()]
            idle = [other for other in self._decoders if not other.everyone and other not in used]
            for other in idle:
                other.release(small=True)
            return len(idle) == len(self._decoders) and decoder.fits(row, new)

    def _decoder(self, version: str, weights: Weights, taken: Taken) -> "Decoder | None":
        """The decoder with this version and these weights. Otherwise a new or idle decoder loads the version."""
        alike = [decoder for decoder in self._decoders if decoder.weights == weights]
        loaded = next((decoder for decoder in alike if decoder.version == version), None)
        if loaded is not None:
            return loaded
        used = [decoder for decoder, _ in taken.values()]
        idle = [decoder for decoder in self._decoders if not decoder.everyone and decoder not in used]
        free = next((decoder for decoder in idle if decoder.weights == weights), None)
        bare = free is not None and free.version is None
        more = not self._decoders or (self._decoders[0].concurrent and len(self._decoders) < MOST_DECODERS)
        if not bare and not more and free is None and idle:
            old = idle.pop(0)
            # a new list, because other threads may go through this one
            self._decoders = [decoder for decoder in self._decoders if decoder is not old]
            del old  # its memory is needed for the next one
            more = True
        if not bare and more:
            free = decoder_for(self.model, self.max_batch, self.window, weights)
            self._decoders.append(free)
        if free is not None:
            free.reset()
            free.use_adapter(self.adapters[version] if version else None)
            free.version = version
        return free

    def _turn(self, decoder: Decoder, new: list[Row] | None) -> None:
        """One turn of a batch: begins new rows, or advances all rows."""
        try:
            if new is not None:
                first = decoder.begin(new)
                if first is not None:
                    self._settle(decoder, new, first)
                return
            ready = decoder.prompts()
            if ready is not None:
                self._settle(decoder, *ready)
            if decoder.rows or decoder.everyone:
                steps = max((row.left for row in decoder.rows), default=1)
                large = decoder.make_room(steps)
                if large is not None:
                    message = f"The GPU has no memory for the keys and values of {len(large.context)} tokens"
                    large.loop.call_soon_threadsafe(_fail, large.future, torch.OutOfMemoryError(message))
                if rows := list(decoder.rows):
                    decoder.launch(steps)
                    self._admit()  # while the device computes
                    self._settle(decoder, rows, decoder.advance(steps))
        except Exception as error:
            if not _out_of_memory(error):
                raise
            self._shrink(decoder, new or [], error)

    def _shrink(self, decoder: Decoder, new: list[Row], error: Exception) -> None:
        """Halves the batch size after memory ran out. Rows resume after their last token, so nothing is sampled twice."""
        admitted = [row for other, some in self._taken if other is decoder and some is not new for row in some]
        rows = [*decoder.everyone, *(row for row in [*new, *admitted] if row not in decoder.everyone)]
        if admitted:
            self._taken = [(other, some) for other, some in self._taken if other is not decoder]
        if len(rows) == 1:
            rows[0].loop.call_soon_threadsafe(_fail, rows[0].future, error)
        else:
            self.max_batch = max(1, len(rows) // 2)
            with self._lock:
                self._waiting.extendleft(reversed(rows))
        decoder.reset()
        decoder.release(small=True)

    def _settle(self, decoder: Decoder, rows: list[Row], drawn: SampledTokens) -> None:
        """Appends the tokens to their rows and releases finished rows."""
        done: dict[asyncio.AbstractEventLoop, list[tuple[Row, Completion]]] = {}
        begun: dict[asyncio.AbstractEventLoop, list[Row]] = {}
        steps = len(drawn.ids[0]) if drawn.ids else 0
        for index, (row, ids, logprobs) in enumerate(zip(rows, drawn.ids, drawn.logprobs, strict=True)):
            finish, taken = None, steps
            if row.watched or row.left <= steps or not row.stop_ids.isdisjoint(ids):
                finish, taken = self._finish(row, ids)
            if not row.ids:
                begun.setdefault(row.loop, []).append(row)
            row.ids += ids[:taken]
            row.logprobs += logprobs[:taken]
            if row.request.on_tokens is not None:
                row.loop.call_soon_threadsafe(row.request.on_tokens, ids[:taken])
            if drawn.restricted is not None:
                row.restricted.append(drawn.restricted[index])
            if finish is not None:
                restricted = row.restricted if restricts(row) else []
                done.setdefault(row.loop, []).append(
                    (row, Completion(row.ids, row.logprobs, finish, restricted, row.request.version))
                )
            if finish is not None or row.future.cancelled():
                decoder.drop(row)
        for loop, first in begun.items():
            loop.call_soon_threadsafe(_begin, first)
        for loop, finished in done.items():
            loop.call_soon_threadsafe(_resolve, finished)

    def _finish(self, row: Row, ids: list[int]) -> tuple[Literal["stop", "length"] | None, int]:
        """Whether these tokens end the row, and how many of them it keeps."""
        settings = row.request.sampling
        for taken, id in enumerate(ids[: row.left], 1):
            if row.request.matcher is not None and id not in row.stop_ids:
                row.request.matcher.took(id)
            if id in row.stop_ids or (settings.stop and self._said([*row.ids, *ids[:taken]], settings.stop)):
                return "stop", taken
        return ("length", row.left) if row.left <= len(ids) else (None, len(ids))

    def _said(self, ids: list[int], stops: list[str]) -> bool:
        """Whether the last tokens contain a stop text. A token is at least one byte, so only a few tokens are decoded."""
        tail = self.decode(ids[-max(len(text.encode()) for text in stops) - 4 :])
        return any(text in tail for text in stops)


class PlainDecoder(StepDecoder):
    """The decoder for every architecture: uses the forward pass and cache of transformers on prompts of equal length.

    It needs no padding, so states and sliding windows are correct by construction. It is slower than `slots`, because prefixes
    are not shared and new requests wait until the batch is done.
    """

    concurrent = False

    def __init__(self, model: Any) -> None:
        self.model = model
        self.device = next(model.parameters()).device
        self.scan_bytes = scan_bytes(model)
        accepted = inspect.signature(model.forward).parameters
        self.cache_name = "cache_params" if "cache_params" in accepted else "past_key_values"
        """The name of the cache in the forward pass. Mamba has its own."""
        self.reset()

    def reset(self) -> None:
        self.cache: Any = None
        self.rows = []
        self.places: dict[Row, int] = {}
        """The cache row of each request. Finished rows stay in the cache until the batch is done."""

    def fits(self, row: Row, new: list[Row]) -> bool:
        if self.rows or not new:
            return not self.rows
        return len(row.context) == len(new[0].context) and len(row.context) * (len(new) + 1) <= self.prompt_tokens()

    def prompt_tokens(self) -> float:
        """Maximum tokens of all prompts of a batch. One prompt is always read."""
        return prompt_tokens(self.device, self.scan_bytes)

    def begin(self, new: list[Row]) -> SampledTokens:
        self.reset()
        self.rows = list(new)
        self.places = {row: place for place, row in enumerate(new)}
        return sampling.draw(self._forward(torch.tensor([row.context for row in new], device=self.device)), self.rows)

    def advance(self, steps: int) -> SampledTokens:
        ids = torch.zeros(max(self.places.values()) + 1, 1, dtype=torch.long, device=self.device)
        for row, place in self.places.items():
            ids[place, 0] = row.ids[-1]
        logits = self._forward(ids)
        return sampling.draw(logits[[self.places[row] for row in self.rows]], self.rows)

    def drop(self, row: Row) -> None:
        self.rows.remove(row)

    def _forward(self, ids: Tensor) -> Tensor:
        with self.wearing():
            out = self.model(input_ids=ids, **{self.cache_name: self.cache}, use_cache=True)
        self.cache = out[self.cache_name]
        return out.logits[:, -1]


def decoder_for(model: Any, max_batch: int, window: int, weights: Weights = "") -> Decoder:
    """The fastest decoder that gives correct results for this model."""
    llama = llama_model(model)
    if llama is None:
        why = why_unsupported(model)
        if why:
            warn(
                f"{type(model).__name__}: uses the slow decoder ({why}). Only prompts of equal length run together, and prefixes "
                "are not shared. On an H200, a Nemotron-H of 1.1 billion weights samples about 700 to 1,000 tokens/s with it"
            )
        return PlainDecoder(model) if why else SlotDecoder(model, None)
    if has_kernels(llama.embedding.device):
        from verigym.policies.local.paged import PagedDecoder

        return PagedDecoder(FusedWeights(llama), max_batch, window)
    return SlotDecoder(model, fused_weights(llama, _BITS[weights]), weights)


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def _begin(rows: list[Row]) -> None:
    for row in rows:
        row.begun()


def _resolve(finished: list[tuple[Row, Completion]]) -> None:
    for row, completion in finished:
        if not row.future.done():
            row.future.set_result(completion)


def _fail(future: asyncio.Future[Completion], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))
