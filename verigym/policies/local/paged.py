"""The decoder on CUDA: fused weights, a paged cache, and one CUDA graph per step.

A step of a small model is hundreds of kernels of a few microseconds each. Launched one by one, they wait for Python. A CUDA graph
avoids this wait. A graph is recorded for a batch size at its first use, and several steps run before the tokens are read.
Prompts are computed without padding, a limited number of tokens at a time, so that rows in progress go on meanwhile. Each shared
page and each repeated prompt is computed once.

A row has pages for what it has sampled and a little more. A new row begins if there is memory for what it and the others are
expected to need until they end. If pages run out nevertheless, the newest row waits: its pages are moved to the host and back, so
its tokens are the same as if it had not waited.
"""

from collections import deque
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from verigym.core.records import Weights
from verigym.model import expert_kernels, kernels, lora
from verigym.model.devices import memory
from verigym.model.llama_family import FusedWeights
from verigym.model.logprobs import logits_of
from verigym.policies.local import sampling
from verigym.policies.local.blocks import Blocks, PagesOnHost
from verigym.policies.local.pages import Pages, SequencePages
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens

STEPS = 8
"""Steps between two reads of the tokens. A row that ends in between wastes the remaining steps."""
AHEAD = 256
"""Positions after the prompt for which a new row gets pages."""
GUESS = 4096
"""Tokens that a reply is expected to take, or its limit if that is lower, until others have ended."""
PROMPT_TOKENS = 8192
"""Maximum tokens of prompts that are computed between two reads of the tokens."""
LARGE = 0.125
"""Share of the GPU's memory above which the cache is given back while nothing is sampled."""
_SIZES = [1, 2, 4, 8, 16, 32, 64, 96, *range(128, 4097, 64)]


class _Replayed(Protocol):
    def replay(self) -> None: ...


class _Eager:
    """A step that is not recorded, on devices without graphs."""

    def __init__(self, decoder: "PagedDecoder", size: int, restricted: bool, segments: kernels.Segments) -> None:
        self._step = lambda: decoder._step(size, restricted, segments)

    def replay(self) -> None:
        self._step()


class PagedDecoder:
    version: str | None = None
    """Version of the weights, set by the engine."""
    weights: Weights = ""
    """As in `Sampling`. This decoder does not round them."""

    def __init__(self, fused: FusedWeights, max_batch: int, window: int) -> None:
        self.fused = fused
        self.llama = fused.llama
        self.concurrent = not self.llama.has_experts
        """Whether several instances with different adapters run at once. A merged copy of all experts is as large as the model,
        so there is one of them."""
        self.max_batch = max_batch
        self.window = window
        self.device = self.llama.embedding.device
        self.pages = Pages(1, kernels.PAGE)
        self.blocks = Blocks(self.llama, self.device)
        self.rows: list[Row] = []
        self.pending: deque[Row] = deque()
        """Rows whose prompts are not computed yet, in order. Rows share pages with those before them."""
        self.waiting: list[tuple[Row, PagesOnHost]] = []
        """Rows that had begun and have no pages now, the oldest last."""
        self.held: dict[Row, SequencePages] = {}
        self.limit = 0
        """Number of pages that the memory holds."""
        self.promised: int | None = None
        """Pages that rows do not have yet and are expected to need. None if it must be counted again."""
        self.usual = 1.0
        """Tokens of a reply that ended lately, as a share of those expected without this knowledge."""
        self.ended = 0
        self.graphs: dict[tuple[int, bool, int, int], _Replayed] = {}
        self.pool: Any = None
        """The memory of all graphs. They run one after the other, and what they return is copied."""
        self.changed = True
        self.outgrown = 0
        """Number of steps after which a row has more segments than were uploaded."""
        positions = torch.arange(min(window, 1 << 17), device=self.device)
        turns = self.llama.turns(positions)
        self.turns = {rope: torch.cat(both, -1)[:, 0].float().contiguous() for rope, both in turns.items()}
        width = self.pages.needed(min(window, 1 << 17) + STEPS)  # rows that end go on until the tokens are read
        whole = {"device": self.device, "dtype": torch.int32}
        self.ids = torch.zeros(max_batch, dtype=torch.long, device=self.device)
        self.state = torch.zeros(4, max_batch, **whole)
        self.positions, self.counts, self.which, self.first = self.state
        self.table = torch.zeros(max_batch, width, dtype=torch.long, device=self.device)
        self.members = kernels.Segments.members(self.llama.heads, self.llama.kv_heads)
        self._items = torch.full((0, 1 + self.members), -1, **whole)
        self.items = self._items
        """The full segments of the step, and their rows: the beginning of a buffer that graphs read."""
        self.most = 1
        self.temperature = torch.ones(max_batch, device=self.device)
        self.seeds = torch.zeros(max_batch, dtype=torch.long, device=self.device)
        self.logprobs = torch.zeros(max_batch, device=self.device)
        self.drawn_ids = torch.zeros(STEPS, max_batch, dtype=torch.long, device=self.device)
        self.drawn_logprobs = torch.zeros(STEPS, max_batch, device=self.device)
        self.logits = torch.zeros(0)
        self.launched = 0
        """Steps whose tokens were not read. 0 if only the logits of one step were computed."""

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        if self.fused.use_adapter(adapter):
            self.graphs.clear()

    @property
    def everyone(self) -> list[Row]:
        """All rows that have not ended."""
        return [*self.rows, *(row for row, _ in self.waiting), *self.pending]

    def reset(self) -> None:
        """Releases all rows and the cache, after the weights changed or memory ran out."""
        for row in list(self.held):
            self.pages.release(self.held.pop(row), [])
        self.pages.forget()
        self.rows, self.waiting = [], []
        self.pending.clear()
        self.changed = True

    def release(self, small: bool = False) -> None:
        """Gives the memory of a large cache back, or that of a small one too. Only while there are no rows."""
        if small or self.blocks.bytes > LARGE * memory(self.device)[1]:
            self.pages.shrink()
            self.blocks.release()

    def fits(self, row: Row, new: list[Row]) -> bool:
        """Reserves pages for a prompt and the beginning of the reply. Rows that wait for pages come first."""
        if self.waiting:
            return False
        positions = min(len(row.context) + min(row.left, AHEAD), self.window)
        alone = not self.held
        if alone:
            self.limit = self.blocks.limit()
        if self._take(row, positions):
            return True
        if alone:
            raise torch.OutOfMemoryError(f"The GPU has no memory for the keys and values of {positions} tokens")
        return False

    def _take(self, row: Row, positions: int) -> bool:
        """Gives a row pages for so many positions, if there is memory for what all rows are expected to need."""
        needed = self.pages.needed(positions)
        if self.promised is None or not self.held:
            self.promised = sum(self._growth(one, len(held.pages)) for one, held in self.held.items())
        promised = self.promised + self._growth(row, needed)
        spare = promised - max(0, self.limit - self.blocks.pages) if self.held else 0
        if needed > self.pages.room:
            self._grow(needed - self.pages.room)
        held = self.pages.take(row.context, positions, max(0, spare))
        if held is None:
            return False
        self.held[row], self.promised = held, promised
        return True

    def _growth(self, row: Row, pages: int) -> int:
        """The pages that a row with so many is expected to need besides them."""
        expected = min(row.most, max(len(row.ids), int(self.usual * min(row.most, GUESS))))
        return max(0, self.pages.needed(len(row.request.ids) + expected) - pages)

    def _grow(self, pages: int) -> None:
        self.blocks.grow(pages + (self.pages.total == 1))
        self.pages.grow(max(1, self.blocks.pages))

    def begin(self, new: list[Row]) -> None:
        """Takes new rows over. `prompts` computes their prompts."""
        self.pending += new

    def prompts(self) -> tuple[list[Row], SampledTokens] | None:
        """Computes some of the prompts that are left. Returns the rows that have their first token now."""
        if not self.pending:
            return None
        runs: list[tuple[Row, int, int]] = []
        """The row, its first token to compute, and how many."""
        left, copies = PROMPT_TOKENS, dict[tuple[int, ...], Row]()
        for row in self.pending:
            context = self._context(row)
            if context in copies:
                continue
            if left <= 0:
                break
            cached = self.held[row].cached
            count = min(left, len(row.context) - cached)
            runs.append((row, cached, count))
            left -= count
            copies[context] = row
        hidden = self._compute(runs)
        for row, cached, count in runs:
            self.held[row].cached = cached + count
        ready = [row for row in copies.values() if self.held[row].cached == len(row.context)]
        place = {self._context(row): number for number, row in enumerate(ready)}
        new = [row for row in self.pending if self._context(row) in place]
        if not new:
            return [], SampledTokens([], [], None)
        ends = np.cumsum([count for _, _, count in runs]) - 1
        last = [ends[number] for number, (row, _, _) in enumerate(runs) if row in ready]
        logits = logits_of(self.llama.model, hidden[self._to(np.array(last))], self.fused.head)
        which = [place[self._context(row)] for row in new]
        copied = [(ready[index], row) for row, index in zip(new, which, strict=True) if row is not ready[index]]
        if copied:  # the last page of a prompt is never shared
            at = [(len(row.context) - 1) // kernels.PAGE for _, row in copied]
            source = [self.held[leader].pages[number] for (leader, _), number in zip(copied, at, strict=True)]
            target = [self.held[row].pages[number] for (_, row), number in zip(copied, at, strict=True)]
            self.blocks.copy(source, target, self.table)
        gone = set(new)
        self.pending = deque(row for row in self.pending if row not in gone)
        self.rows += new
        self.changed = True
        return new, self._draw(logits, new, which)

    def _context(self, row: Row) -> tuple[int, ...]:
        """Equal for pending rows with the same context: a full page stands for all ids up to its end, and the rest follows."""
        ids = row.context
        full = (len(ids) - 1) // kernels.PAGE
        return (self.held[row].pages[full - 1] if full else 0, *ids[full * kernels.PAGE :])

    def _compute(self, runs: list[tuple[Row, int, int]]) -> Tensor:
        """The hidden states of parts of prompts, one after the other."""
        parts = [(number, start, count) for number, (_, start, count) in enumerate(runs)]
        ids = [id for row, start, count in runs for id in row.context[start : start + count]]
        tiles = kernels.Tiles(parts, self.llama.heads // self.llama.kv_heads, self.device)
        rows = np.repeat(np.arange(len(runs), dtype=np.int32), [count for _, _, count in runs])
        positions = np.concatenate([np.arange(start, start + count, dtype=np.int32) for _, start, count in runs])
        cache = self.blocks.cache(self._to(self._table([self.held[row] for row, _, _ in runs])))
        return self._hidden(self._to(np.array(ids)), self._to(rows), self._to(positions), cache, tiles)

    def make_room(self, steps: int) -> Row | None:
        """Gives every row the pages of its next steps. The newest rows wait if there are too few. A row that has too few even
        alone is removed and returned."""
        self.waiting = [(row, kept) for row, kept in self.waiting if not row.future.cancelled()]
        # Pages of pending rows are found by their ids before they are computed
        while self.waiting and not self.pending and self._resume(*self.waiting[-1]):
            self.waiting.pop()
        if self.waiting and not self.rows and not self.pending:
            return self.waiting.pop()[0]
        self.promised = None
        short: list[tuple[Row, int, int]] = []
        """Rows with too few pages, the positions that they need, and the pages that they lack."""
        for row in self.rows:
            prompt, done = len(row.request.ids), len(row.ids)
            positions = prompt + min(done - 1 + min(steps, STEPS), row.most)
            if (lacking := self.pages.needed(positions) - len(self.held[row].pages)) > 0:
                short.append((row, positions, lacking))
        more = sum(lacking for _, _, lacking in short) - self.pages.room
        if more > 0:
            self._grow(more)
        for row, positions, _ in short:
            while row in self.held and not self.pages.extend(self.held[row], positions):
                if len(self.rows) == 1 and not self.pending:
                    self.drop(row)
                    return row
                self._suspend(self.rows[-1])
            self.changed = True
        return None

    def _suspend(self, row: Row) -> None:
        """Moves the pages of a row to the host."""
        used = self.pages.needed(len(row.context) - 1)
        self.waiting.append((row, self.blocks.to_host(self.held[row].pages[:used])))
        self._leave(row)

    def _resume(self, row: Row, kept: PagesOnHost) -> bool:
        if not self._take(row, min(len(row.context) + STEPS, len(row.request.ids) + row.most)):
            return False
        held = self.held[row]
        self.blocks.from_host(kept, held.pages, held.cached // kernels.PAGE)
        self.rows.append(row)
        self.changed = True
        return True

    def launch(self, steps: int) -> None:
        """Starts at most `steps` steps of all rows. Call `make_room` first, and `advance` for the tokens."""
        active, number = self.rows, len(self.rows)
        size = min(next(size for size in _SIZES if size >= number), self.max_batch)
        restricted = any(sampling.restricts(row) for row in active)
        steps = 1 if restricted else min(steps, STEPS)
        if self.changed or self.outgrown < steps:
            self._upload(active)
        self.outgrown -= steps
        graph = self._graph(size, restricted)
        for step in range(steps):
            graph.replay()
            if not restricted:
                self.drawn_ids[step].copy_(self.ids)
                self.drawn_logprobs[step].copy_(self.logprobs)
        self.launched = 0 if restricted else steps

    def advance(self, steps: int) -> SampledTokens:
        """The tokens of the steps that `launch` started."""
        steps, number = self.launched, len(self.rows)
        if not steps:
            self.changed = True
            return self._draw(self.logits[:number], self.rows, list(range(number)))
        return SampledTokens(
            self.drawn_ids[:steps, :number].T.tolist(), self.drawn_logprobs[:steps, :number].T.tolist(), None
        )

    def drop(self, row: Row) -> None:
        """Releases the pages of a row that ends."""
        self._leave(row)
        self.ended += 1
        share = len(row.ids) / max(1, min(row.most, GUESS))
        self.usual += (share - self.usual) / min(32, 4 + self.ended)

    def _leave(self, row: Row) -> None:
        self.pages.release(self.held.pop(row), row.context[:-1])
        self.rows.remove(row)
        self.changed = True

    def _hidden(
        self, ids: Tensor, rows: Tensor, positions: Tensor, cache: kernels.Cache, how: kernels.Tiles | kernels.Segments
    ) -> Tensor:
        llama = self.llama
        x = self.fused.embed(ids)
        for number, (layer, (qkv, out, *mlp)) in enumerate(zip(llama.layers, self.fused.weights, strict=True)):
            heads = F.linear(kernels.norm(x, layer.norm_in, llama.eps), qkv, layer.qkv.bias)
            q = kernels.turn_and_keep(
                heads, cache, number, self.turns[layer.rope], rows, positions, llama.heads, layer.head_norms, llama.eps
            )
            if isinstance(how, kernels.Tiles):
                seen = kernels.attend(q, cache, number, how, layer.scores)
            else:
                seen = kernels.attend_segments(q, cache, number, positions, how, layer.scores)
            after = layer.norms_after or (None, None)
            x = _added(x, seen.view(len(x), -1), out, layer.out.bias, after[0], llama.eps)
            ready = kernels.norm(x, layer.norm_mid, llama.eps)
            if layer.mixture is not None:
                prompts = isinstance(how, kernels.Tiles)
                expert_kernels.add_mixture(x, ready, layer.mixture, mlp, prompts, llama.gelu)
                continue
            gated = kernels.gate(F.linear(ready, mlp[0], layer.gate_up.bias), llama.gelu)
            x = _added(x, gated, mlp[1], layer.down.bias, after[1], llama.eps)
        return kernels.norm(x, llama.norm, llama.eps)

    def _step(self, size: int, restricted: bool, segments: kernels.Segments) -> None:
        """The step that a graph records: one token for `size` rows, read from and written to the buffers."""
        cache = self.blocks.cache(self.table[:size])
        hidden = self._hidden(self.ids[:size], self.which[:size], self.positions[:size], cache, segments)
        logits = logits_of(self.llama.model, hidden, self.fused.head)
        if restricted:
            self.logits[:size].copy_(logits)
            return
        draw = (self.which, self.temperature, self.seeds, self.counts, self.ids, self.logprobs)
        kernels.draw(logits, *(buffer[:size] for buffer in draw))
        self.positions[:size] += 1
        self.counts[:size] += 1

    def _graph(self, size: int, restricted: bool) -> _Replayed:
        key = size, restricted, self.most, len(self.items)
        if key not in self.graphs:
            if restricted and not len(self.logits):
                self.logits = torch.empty(
                    self.max_batch, logits_of(self.llama.model, self.llama.embedding[:1]).shape[-1], device=self.device
                )
            segments = kernels.Segments(self.most, self.first[:size], self.items)
            self.graphs[key] = (
                self._recorded(size, restricted, segments)
                if self.device.type == "cuda"
                else _Eager(self, size, restricted, segments)
            )
        return self.graphs[key]

    def _recorded(self, size: int, restricted: bool, segments: kernels.Segments) -> torch.cuda.CUDAGraph:
        kept = [buffer.clone() for buffer in (self.ids, self.state, self.logprobs)]
        self._step(size, restricted, segments)  # compiles the kernels
        torch.cuda.synchronize()
        if not self.graphs:  # a pool ends with its last graph
            self.pool = torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool, capture_error_mode="thread_local"):
            self._step(size, restricted, segments)
        for buffer, before in zip((self.ids, self.state, self.logprobs), kept, strict=True):
            buffer.copy_(before)
        return graph

    def _draw(self, logits: Tensor, rows: list[Row], which: list[int]) -> SampledTokens:
        """First tokens, and tokens under truncation or constraint, outside of a graph."""
        ids = torch.empty(len(rows), dtype=torch.long, device=self.device)
        logprobs = torch.empty(len(rows), device=self.device)
        settings = [row.request.sampling for row in rows]
        temperature = self._to(np.array([one.temperature for one in settings], dtype=np.float32))
        seeds = self._to(np.array([row.seed for row in rows]))
        counts = self._to(np.array([len(row.ids) for row in rows], dtype=np.int32))
        source = self._to(np.array(which, dtype=np.int32))
        kept = sampling.restrict(logits[source.long()].float(), rows) if any(map(sampling.restricts, rows)) else None
        if kept is None:
            kernels.draw(logits, source, temperature, seeds, counts, ids, logprobs)
            return SampledTokens(ids[:, None].tolist(), logprobs[:, None].tolist(), None)
        every = torch.arange(len(rows), dtype=torch.int32, device=self.device)
        kernels.draw(kept, every, temperature, seeds, counts, ids, logprobs)
        free = sampling.logprobs_of(logits[source.long()], rows, ids)
        return SampledTokens(ids[:, None].tolist(), free[:, None].tolist(), logprobs.tolist())

    def _upload(self, active: list[Row]) -> None:
        """Copies the state of the active rows into the buffers that the graphs read."""
        number = len(active)
        settings = [row.request.sampling for row in active]
        self.ids[:number] = self._to(np.array([row.ids[-1] for row in active]))
        self.seeds[:number] = self._to(np.array([row.seed for row in active]))
        self.temperature[:number] = self._to(np.array([one.temperature for one in settings], dtype=np.float32))
        state = np.zeros((4, self.max_batch), dtype=np.int32)
        state[0, :number] = [len(row.request.ids) + len(row.ids) - 1 for row in active]
        state[1, :number] = [len(row.ids) for row in active]
        state[2] = np.arange(self.max_batch)
        longest = int(state[0].max())
        self.most = segments(longest + STEPS)
        state[3, :number] = self._share(active, state[0] // kernels.SEGMENT)
        self.outgrown = self.most * kernels.SEGMENT - longest
        self.state.copy_(self._to(state))
        table = self._table([self.held[row] for row in active])
        self.table.fill_(int(self.blocks.places[0]))
        self.table[:number, : table.shape[1]] = self._to(table)
        self.changed = False

    def _share(self, active: list[Row], full: np.ndarray) -> list[int]:
        """Lists the full segments that several rows share. Returns how many each row has. Rows that share the last page of a
        segment share all of it, and all segments before it."""
        pages = kernels.SEGMENT // kernels.PAGE
        readers: dict[tuple[int, int], list[int]] = {}
        for number, row in enumerate(active):
            held = self.held[row].pages
            for segment in range(full[number]):
                readers.setdefault((segment, held[(segment + 1) * pages - 1]), []).append(number)
        items: list[list[int]] = []
        shared = [0] * len(active)
        for (segment, _), rows in readers.items():
            if len(rows) > 1:
                for start in range(0, len(rows), self.members):
                    some = rows[start : start + self.members]
                    items.append([segment, *some, *[-1] * (self.members - len(some))])
                for number in rows:
                    shared[number] += 1
        room = 1 << max(4, (len(items) - 1).bit_length()) if items else 0
        if len(self._items) < room:
            with torch.inference_mode(False):
                self._items = torch.full((room, 1 + self.members), -1, dtype=torch.int32, device=self.device)
            self.graphs = {key: graph for key, graph in self.graphs.items() if not key[3]}
        self.items = self._items[:room]
        if items:
            listed = np.full((room, 1 + self.members), -1, dtype=np.int32)
            listed[: len(items)] = items
            self.items.copy_(self._to(listed))
        return shared

    def _table(self, held: list[SequencePages]) -> np.ndarray:
        """Where the pages of each row are."""
        table = np.full((len(held), max(len(one.pages) for one in held)), self.blocks.places[0])
        for row, one in enumerate(held):
            table[row, : len(one.pages)] = self.blocks.places[one.pages]
        return table

    def _to(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)


def segments(position: int) -> int:
    """Number of segments up to a position, as a power of two."""
    return 1 << (position // kernels.SEGMENT).bit_length()


def _added(sum_NH: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None, norm: Tensor | None, eps: float) -> Tensor:
    """`sum_NH` plus the result of a linear layer, normalised if there is a norm. Without one, `sum_NH` is changed in place."""
    if norm is not None:
        return kernels.norm(F.linear(x, weight, bias), norm, eps, sum_NH)
    sum_NH.addmm_(x, weight.T)
    if bias is not None:
        sum_NH += bias
    return sum_NH
