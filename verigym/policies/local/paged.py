"""The decoder on CUDA: fused weights, a paged cache, and one CUDA graph per step.

A step of a small model is hundreds of kernels of a few microseconds each. Launched one by one, they wait for Python. A CUDA graph
avoids this wait. A graph is recorded for a batch size at its first use, and several steps run before the tokens are read.
Prompts are computed without padding. Each shared page and each repeated prompt is computed once.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from verigym.model import kernels, lora
from verigym.model.llama_family import FusedWeights
from verigym.model.logprobs import logits_of
from verigym.policies.local import sampling
from verigym.policies.local.pages import Pages, SequencePages
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens

STEPS = 8
"""Steps between two reads of the tokens. A row that ends in between wastes the remaining steps."""
_SIZES = [1, 2, 4, 8, 16, 32, 64, 96, *range(128, 4097, 64)]
_SHARE = 0.35
"""Maximum share of the free memory for keys and values."""


class PagedDecoder:
    concurrent = True
    """Several instances with different adapters can run concurrently."""
    version: str | None = None
    """Version of the weights, set by the engine."""

    def __init__(self, fused: FusedWeights, max_batch: int, window: int) -> None:
        self.fused = fused
        self.llama = fused.llama
        self.max_batch = max_batch
        self.window = window
        self.device = self.llama.embedding.device
        self.pages = Pages(1, kernels.PAGE)
        self.cache = torch.zeros(0)
        """(2 x layers, pages, K, PAGE, D): keys and values of each layer in turn."""
        self.rows: list[Row] = []
        self.held: dict[Row, SequencePages] = {}
        self.graphs: dict[tuple[int, bool], torch.cuda.CUDAGraph] = {}
        self.changed = True
        positions = torch.arange(min(window, 1 << 17), device=self.device)
        self.turns = torch.cat(self.llama.turns(positions), -1)[:, 0].float().contiguous()
        width = self.pages.needed(min(window, 1 << 17))
        whole = {"device": self.device, "dtype": torch.int32}
        self.ids = torch.zeros(max_batch, dtype=torch.long, device=self.device)
        self.state = torch.zeros(3, max_batch, **whole)
        self.positions, self.counts, self.which = self.state
        self.table = torch.zeros(max_batch, width, **whole)
        self.temperature = torch.ones(max_batch, device=self.device)
        self.seeds = torch.zeros(max_batch, dtype=torch.long, device=self.device)
        self.logprobs = torch.zeros(max_batch, device=self.device)
        self.drawn_ids = torch.zeros(STEPS, max_batch, dtype=torch.long, device=self.device)
        self.drawn_logprobs = torch.zeros(STEPS, max_batch, device=self.device)
        self.logits = torch.zeros(0)

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        if self.fused.use_adapter(adapter):
            self.graphs.clear()

    def reset(self) -> None:
        """Releases all rows and the cache, after the weights changed or memory ran out."""
        for row in list(self.held):
            self.pages.release(self.held.pop(row), [])
        self.pages.forget()
        self.rows = []

    def fits(self, row: Row, new: list[Row]) -> bool:
        """Reserves the pages of a whole row, so that no row in progress runs out of pages."""
        ids = row.context
        positions = min(len(ids) + row.left, self.window)
        held = self.pages.take(ids, positions)
        if held is None and self._grow(self.pages.needed(positions)):
            held = self.pages.take(ids, positions)
        if held is None:
            return False
        self.held[row] = held
        return True

    def begin(self, new: list[Row]) -> SampledTokens:
        """Computes the prompts of new rows and draws their first tokens."""
        first: dict[tuple[int, ...], int] = {}
        which = [first.setdefault(tuple(row.context), len(first)) for row in new]
        leaders = [new[which.index(index)] for index in range(len(first))]
        copies = [
            (self.held[leaders[index]].pages[at], self.held[row].pages[at])
            for row, index in zip(new, which, strict=True)
            if row is not leaders[index]
            for at in [(len(row.context) - 1) // kernels.PAGE]
        ]
        runs = [
            (index, self.held[row].cached, len(row.context) - self.held[row].cached)
            for index, row in enumerate(leaders)
        ]
        ids = [id for row, (_, cached, _) in zip(leaders, runs, strict=True) for id in row.context[cached:]]
        table = self._table([self.held[row] for row in leaders])
        tiles = kernels.Tiles(runs, self.llama.heads // self.llama.kv_heads, self.device)
        rows = np.repeat(np.arange(len(runs), dtype=np.int32), [count for _, _, count in runs])
        positions = np.concatenate([np.arange(cached, cached + count, dtype=np.int32) for _, cached, count in runs])
        hidden = self._hidden(self._to(np.array(ids)), self._to(rows), self._to(positions), self._to(table), tiles)
        last = np.cumsum([count for _, _, count in runs]) - 1
        logits = logits_of(self.llama.model, hidden[self._to(last)], self.fused.head)
        if copies:
            source, target = (self._to(np.array(side)) for side in zip(*copies, strict=True))
            self.cache[:, target] = self.cache[:, source]
        self.rows += new
        self.changed = True
        return self._draw(logits, new, which)

    def advance(self, steps: int) -> SampledTokens:
        """The next tokens of all rows, for at most `steps` steps."""
        active, number = self.rows, len(self.rows)
        size = next(size for size in _SIZES if size >= number)
        if self.changed:
            self._upload(active)
        restricted = any(sampling.restricts(row) for row in active)
        steps = 1 if restricted else min(steps, STEPS)
        graph = self._graph(min(size, self.max_batch), restricted)
        for step in range(steps):
            graph.replay()
            if not restricted:
                self.drawn_ids[step].copy_(self.ids)
                self.drawn_logprobs[step].copy_(self.logprobs)
        if restricted:
            self.changed = True
            return self._draw(self.logits[:number], active, list(range(number)))
        return SampledTokens(
            self.drawn_ids[:steps, :number].T.tolist(), self.drawn_logprobs[:steps, :number].T.tolist(), None
        )

    def drop(self, row: Row) -> None:
        self.pages.release(self.held.pop(row), row.context[:-1])
        self.rows.remove(row)
        self.changed = True

    def _hidden(
        self, ids: Tensor, rows: Tensor, positions: Tensor, table: Tensor, tiles: kernels.Tiles | None
    ) -> Tensor:
        llama = self.llama
        x = self.fused.embed(ids)
        for number, (layer, (qkv, out, gate_up, down)) in enumerate(zip(llama.layers, self.fused.weights, strict=True)):
            keys, values = self.cache[2 * number], self.cache[2 * number + 1]
            heads = F.linear(kernels.norm(x, layer.norm_in, llama.eps), qkv, layer.qkv.bias)
            q = kernels.turn_and_keep(
                heads, keys, values, self.turns, rows, positions, table, llama.heads, layer.head_norms, llama.eps
            )
            seen = kernels.attend(q, keys, values, table, positions, tiles, layer.scaling)
            _add(x, seen.view(len(x), -1), out, layer.out.bias)
            gated = kernels.gate(
                F.linear(kernels.norm(x, layer.norm_mid, llama.eps), gate_up, layer.gate_up.bias), llama.gelu
            )
            _add(x, gated, down, layer.down.bias)
        return kernels.norm(x, llama.norm, llama.eps)

    def _step(self, size: int, restricted: bool) -> None:
        """The step that a graph records: one token for `size` rows, read from and written to the buffers."""
        hidden = self._hidden(self.ids[:size], self.which[:size], self.positions[:size], self.table[:size], None)
        logits = logits_of(self.llama.model, hidden, self.fused.head)
        if restricted:
            self.logits[:size].copy_(logits)
            return
        draw = (self.which, self.temperature, self.seeds, self.counts, self.ids, self.logprobs)
        kernels.draw(logits, *(buffer[:size] for buffer in draw))
        self.positions[:size] += 1
        self.counts[:size] += 1

    def _graph(self, size: int, restricted: bool) -> torch.cuda.CUDAGraph:
        if (size, restricted) not in self.graphs:
            if restricted and not len(self.logits):
                self.logits = torch.empty(
                    self.max_batch, logits_of(self.llama.model, self.llama.embedding[:1]).shape[-1], device=self.device
                )
            kept = [buffer.clone() for buffer in (self.ids, self.state, self.logprobs)]
            self._step(size, restricted)  # compiles the kernels
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self._step(size, restricted)
            for buffer, before in zip((self.ids, self.state, self.logprobs), kept, strict=True):
                buffer.copy_(before)
            self.graphs[size, restricted] = graph
        return self.graphs[size, restricted]

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
        state = np.zeros((3, self.max_batch), dtype=np.int32)
        state[0, :number] = [len(row.request.ids) + len(row.ids) - 1 for row in active]
        state[1, :number] = [len(row.ids) for row in active]
        state[2] = np.arange(self.max_batch)
        self.state.copy_(self._to(state))
        table = self._table([self.held[row] for row in active])
        self.table.zero_()
        self.table[:number, : table.shape[1]] = self._to(table)
        self.changed = False

    def _table(self, held: list[SequencePages]) -> np.ndarray:
        table = np.zeros((len(held), max(len(one.pages) for one in held)), dtype=np.int32)
        for row, one in enumerate(held):
            table[row, : len(one.pages)] = one.pages
        return table

    def _to(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _grow(self, needed: int) -> bool:
        """Adds pages if memory allows. The cache is kept and the graphs are recorded again."""
        llama = self.llama
        one = 2 * len(llama.layers) * llama.kv_heads * kernels.PAGE * llama.head_size * llama.embedding.element_size()
        free = torch.cuda.mem_get_info(self.device)[0] if self.device.type == "cuda" else 1 << 33
        free += torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        most = self.pages.total + int(free * _SHARE) // one
        total = min(most, max(1024, self.pages.total * 2, self.pages.total + needed))
        if total < self.pages.total + needed - self.pages.room:
            return False
        shape = (2 * len(llama.layers), total, llama.kv_heads, kernels.PAGE, llama.head_size)
        grown = torch.zeros(shape, dtype=llama.embedding.dtype, device=self.device)
        if self.pages.total > 1:
            grown[:, : self.pages.total] = self.cache
        self.cache = grown
        self.graphs.clear()
        self.pages.grow(total)
        return True


def _add(sum_NH: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Adds the result of a linear layer in place."""
    sum_NH.addmm_(x, weight.T)
    if bias is not None:
        sum_NH += bias
