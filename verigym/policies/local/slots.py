"""The decoder for attention models on the CPU: every row has a slot of keys and values, and prefixes are shared.

    keys of a row = its prefix (one copy for all rows that have it, P positions)  +  its own slot (T positions)

Attention reads a prefix once for all its rows, as one product, instead of one copy per row. Slots 0..n-1 are in use. When a row
leaves, the last row moves into its slot. The forward pass is the fused one if the model has one. Otherwise it is the model's own
with our attention.

Shapes: B rows, K key-value heads, G query heads to each of them, S new positions of a row, D head size.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface

from verigym.core.generation import Generation
from verigym.model import lora, packed
from verigym.model.attention import check_known
from verigym.model.llama_family import FusedWeights
from verigym.model.logprobs import logits_of
from verigym.model.lora_layers import base_of
from verigym.policies.local import sampling
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens

_NAME = "verigym_slots"
_GROW = 64
_PREFILL = 384
"""Maximum tokens of several prompts that are computed at once."""
_PREFIXES = 8
"""Number of cached prefixes. The least recently used is dropped first."""


class Prefix(NamedTuple):
    """Keys and values of shared tokens as weights of products, one of each per layer and head. They end with zeros, so that
    there are P16 positions, a multiple of 16."""

    keys: list[list[Tensor]]
    """Packed (P16, D)."""
    values: list[list[Tensor]]
    """Packed (D, P16)."""
    after_P16: Tensor
    """Minus infinity for the positions after the end, otherwise 0."""


def _prefix(keys: list[Tensor], values: list[Tensor]) -> Prefix:
    """Prepares the keys and values of one row, (1, K, P, D) per layer."""
    count = keys[0].shape[2]
    more = _rounded(count) - count
    after_P16 = F.pad(keys[0].new_zeros(count), (0, more), value=-torch.inf)
    heads = [[packed.pack(F.pad(head, (0, 0, 0, more))) for head in layer[0]] for layer in keys]
    columns = [[packed.pack(F.pad(head.T, (0, more)).contiguous()) for head in layer[0]] for layer in values]
    return Prefix(heads, columns, after_P16)


def _rounded(count: int) -> int:
    """The next multiple of 16. A sum over positions then has the same bits, however many are hidden at the end."""
    return -(-count // 16) * 16


class _SlotPass:
    """Keys and values during one forward pass, in the shape of a transformers cache.
    If `write` is None, the rows are new prompts and their keys are collected. Otherwise the new key of row i goes to position
    `write[i]` of slot i."""

    is_compileable = False

    def __init__(
        self,
        decoder: "SlotDecoder",
        positions_BS: Tensor,
        offsets_B: Tensor,
        prefixes: list[tuple[Prefix, Tensor | slice]],
        write: Tensor | None,
    ) -> None:
        """`offsets_B` are the lengths of the rows' prefixes. `prefixes` lists each prefix with its rows."""
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []
        self.decoder = decoder
        self.prefixes = prefixes
        self.write = write
        self.flat: Tensor | None = None
        """Row indices of the new keys in the flattened buffer."""
        self.width = _rounded(int(offsets_B.max()))
        self.own = _rounded(positions_BS.shape[1] if write is None else int(write.max()) + 1)
        self.more = self.own - positions_BS.shape[1] if write is None else 0
        """Positions that are added to those of prompts for attention only."""
        positions_BS = F.pad(positions_BS, (0, self.more))
        before = torch.arange(self.width, device=positions_BS.device).expand(len(offsets_B), -1)
        before = before.masked_fill(before >= offsets_B[:, None], 1 << 30)
        own = offsets_B[:, None] + torch.arange(self.own, device=positions_BS.device)
        self.back_BSX = positions_BS[:, :, None] - torch.cat([before, own], 1)[:, None]
        """The distance of each key from the query. Negative if the key is hidden."""
        self.masks: dict[int | None, Tensor] = {}

    def update(self, key: Tensor, value: Tensor, layer_idx: int, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        if self.write is None:
            self.keys.append(key)
            self.values.append(value)
            return key, value
        keys, values = self.decoder.slot_keys[layer_idx], self.decoder.slot_values[layer_idx]
        if self.flat is None:
            groups, positions = keys.shape[1:3]
            heads = torch.arange(len(self.write) * groups, device=keys.device).view(-1, groups)
            self.flat = (heads * positions + self.write[:, None]).flatten()
        for buffer, new in ((keys, key), (values, value)):
            buffer.view(-1, buffer.shape[-1]).index_copy_(0, self.flat, new.reshape(-1, buffer.shape[-1]))
        return keys[: len(self.write), :, : self.own], values[: len(self.write), :, : self.own]

    def get_seq_length(self, *_: Any) -> int:
        return 0

    def attend(
        self,
        layer: int,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        scaling: float,
        window: int | None = None,
        cap: float | None = None,
    ) -> Tensor:
        """Attention of (B, H, S, D) queries to each row's prefix and own keys. Returns (B, S, H, D)."""
        if self.more:
            query, key, value = (F.pad(each, (0, 0, 0, self.more)) for each in (query, key, value))
        rows, heads, new, size = query.shape
        query = (query * scaling).reshape(rows, key.shape[1], -1, size)
        scores = self._prefix_scores(layer, query)
        mask, seen = self._mask(window, scores.dtype), scores.unflatten(2, (-1, new))
        own = (query @ key.transpose(-1, -2)).unflatten(2, (-1, new))
        if cap is None and window is None:  # no query's prefix is hidden
            torch.add(own, mask[..., self.width :], out=seen[..., self.width :])
        else:
            seen[..., self.width :] = own
            if cap is not None:
                seen.div_(cap).tanh_().mul_(cap)
            seen.add_(mask)
        weights = torch.softmax(scores.float(), -1).to(query.dtype)
        out = weights[..., self.width :] @ value
        for prefix, which in self.prefixes:
            some = weights[which, ..., : len(prefix.after_P16)].transpose(0, 1).flatten(1, 2)
            found = [packed.linear(each, values) for each, values in zip(some, prefix.values[layer], strict=True)]
            out[which] += torch.stack(found).unflatten(1, (-1, out.shape[2])).transpose(0, 1)
        return out.view(rows, heads, new, size).transpose(1, 2)[:, : new - self.more]

    def _prefix_scores(self, layer: int, query: Tensor) -> Tensor:
        """The scores of each row's queries with the keys of its prefix, minus infinity past its end, and room for the row's own.
        One product per prefix and head."""
        scores = query.new_empty((*query.shape[:3], self.width + self.own))
        if not any(isinstance(which, slice) for _, which in self.prefixes):
            scores[..., : self.width].fill_(-torch.inf)
        for prefix, which in self.prefixes:
            some = query[which].transpose(0, 1).flatten(1, 2)
            found = [
                packed.linear(each, keys, prefix.after_P16) for each, keys in zip(some, prefix.keys[layer], strict=True)
            ]
            scores[which, ..., : len(prefix.after_P16)] = (
                torch.stack(found).unflatten(1, (-1, query.shape[2])).transpose(0, 1)
            )
        return scores

    def _mask(self, window: int | None, dtype: torch.dtype) -> Tensor:
        """Minus infinity for keys that are hidden from a query, otherwise 0, (B, 1, 1, S, X)."""
        if window not in self.masks:
            far = self.back_BSX >= window if window is not None else False
            hidden_BSX = (self.back_BSX < 0) | far
            zeros_BSX = torch.zeros(hidden_BSX.shape, dtype=dtype, device=hidden_BSX.device)
            self.masks[window] = zeros_BSX.masked_fill_(hidden_BSX, -torch.inf)[:, None, None]
        return self.masks[window]


def _attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    _: Any,
    *,
    slots: _SlotPass,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    check_known(module, sliding_window, others)
    scale = scaling or query.shape[-1] ** -0.5
    return slots.attend(module.layer_idx, query, key, value, scale, sliding_window, softcap), None


AttentionInterface.register(_NAME, _attention)


class StepDecoder:
    """A decoder that computes a prompt when its row begins, and a step when its tokens are asked for."""

    version: str | None = None
    rows: list[Row]

    @property
    def everyone(self) -> list[Row]:
        return self.rows

    def prompts(self) -> None: ...

    def make_room(self, steps: int) -> None: ...

    def launch(self, steps: int) -> None: ...

    def release(self, small: bool = False) -> None: ...


class SlotDecoder(StepDecoder):
    def __init__(self, model: Any, fused: FusedWeights | None) -> None:
        self.model = model
        self.fused = fused
        self.concurrent = fused is not None and not fused.llama.has_experts
        self.device = next(model.parameters()).device
        self.slot_keys: list[Tensor] = []
        self.slot_values: list[Tensor] = []
        self.reset()

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        if self.fused is not None:
            self.fused.use_adapter(adapter)
        else:
            lora.use(self.model, adapter)

    def reset(self) -> None:
        self.rows = []
        self.prefixes: OrderedDict[tuple[int, ...], Prefix] = OrderedDict()

    def release(self, small: bool = False) -> None:
        if self.fused is not None:
            self.fused.release()

    def fits(self, row: Row, new: list[Row]) -> bool:
        return True

    def begin(self, new: list[Row]) -> SampledTokens:
        """Computes the prompts of new rows, grouped by prefix, and draws their first tokens."""
        by_prefix: dict[tuple[int, ...], list[Row]] = {}
        for row in new:
            by_prefix.setdefault(row.prefix, []).append(row)
        logits: dict[Row, Tensor] = {}
        for ids, rows in by_prefix.items():
            logits |= self._begin(ids, rows)
        return sampling.draw(torch.stack([logits[row] for row in new]), new)

    def advance(self, steps: int) -> SampledTokens:
        """The next token of every row."""
        return sampling.draw(self.logits(), self.rows)

    def logits(self) -> Tensor:
        """The logits of the next token of every row."""
        ids = torch.tensor([[row.ids[-1]] for row in self.rows], device=self.device)
        write = torch.tensor([self._length(row) - 1 for row in self.rows], device=self.device)
        offset = torch.tensor([len(row.prefix) for row in self.rows], device=self.device)
        positions = (write + offset)[:, None]
        forward = _SlotPass(self, positions, offset, self._prefixes_in_use(), write)
        hidden = self._forward(ids, positions, forward)
        return self._logits(hidden[:, 0])

    def _logits(self, hidden: Tensor) -> Tensor:
        return logits_of(self.model, hidden, None if self.fused is None else self.fused.head)

    def drop(self, row: Row) -> None:
        place, last = self.rows.index(row), self.rows.pop()
        if last is not row:
            self.rows[place] = last
            length = self._length(last)
            for buffer in self.slot_keys + self.slot_values:
                buffer[place, :, :length] = buffer[len(self.rows), :, :length]

    def _length(self, row: Row) -> int:
        """Number of used positions of a row's slot, including its last token."""
        return len(row.context) - len(row.prefix)

    def _begin(self, prefix_ids: tuple[int, ...], new: list[Row]) -> dict[Row, Tensor]:
        """Fills the slots of new rows with one prefix and returns the logits of their next tokens. Equal prompts are computed
        once. Prompts of similar length are computed together, in batches of limited size."""
        prefix = self._prefix_of(prefix_ids)
        tails = [tuple(row.context[len(prefix_ids) :]) for row in new]
        window = getattr(self.model.config, "max_position_embeddings", None) or 1 << 30
        room = max(min(len(tail) + row.left, window) for tail, row in zip(tails, new, strict=True))
        self._make_room(len(self.rows) + len(new), max(room, *map(len, tails)))
        places: dict[tuple[int, ...], list[int]] = {}
        for place, tail in enumerate(tails):
            places.setdefault(tail, []).append(place)
        found: dict[Row, Tensor] = {}
        for some in _together(sorted(places, key=len)):
            longest = len(some[-1])
            ids = torch.tensor([[*tail, *[0] * (longest - len(tail))] for tail in some], device=self.device)
            forward, hidden = self._prefill(ids, len(prefix_ids), prefix)
            source = torch.tensor([i for i, tail in enumerate(some) for _ in places[tail]], device=self.device)
            target = torch.tensor([place for tail in some for place in places[tail]], device=self.device)
            for buffers, kept in ((self.slot_keys, forward.keys), (self.slot_values, forward.values)):
                for buffer, each in zip(buffers, kept, strict=True):
                    buffer[target + len(self.rows), :, :longest] = each[source]
            last = torch.tensor([len(tail) - 1 for tail in some], device=self.device)
            logits = self._logits(hidden[torch.arange(len(some), device=self.device), last])
            found |= {new[place]: each for tail, each in zip(some, logits, strict=True) for place in places[tail]}
        self.rows += new
        return found

    def _prefix_of(self, ids: tuple[int, ...]) -> Prefix | None:
        if not ids:
            return None
        if ids not in self.prefixes:
            forward, _ = self._prefill(torch.tensor([ids], device=self.device), 0, None)
            self.prefixes[ids] = _prefix(forward.keys, forward.values)
            in_use = {row.prefix for row in self.rows}
            for old in [old for old in self.prefixes if old not in in_use and old != ids][:-_PREFIXES]:
                del self.prefixes[old]
        self.prefixes.move_to_end(ids)
        return self.prefixes[ids]

    def _prefixes_in_use(self) -> list[tuple[Prefix, Tensor | slice]]:
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(row.prefix, []).append(place)
        if len(places) == 1:
            return [(self.prefixes[ids], slice(None)) for ids in places if ids]
        return [(self.prefixes[ids], torch.tensor(rows, device=self.device)) for ids, rows in places.items() if ids]

    def _prefill(self, ids: Tensor, offset: int, prefix: Prefix | None) -> tuple[_SlotPass, Tensor]:
        positions = torch.arange(offset, offset + ids.shape[1], device=self.device).expand(ids.shape[0], -1)
        offsets = torch.full((len(ids),), offset, device=self.device)
        forward = _SlotPass(self, positions, offsets, [(prefix, slice(None))] if prefix is not None else [], None)
        return forward, self._forward(ids, positions, forward)

    def _forward(self, ids: Tensor, positions: Tensor, forward: _SlotPass) -> Tensor:
        """The last hidden states, (B, S, H)."""
        if self.fused is not None:
            return self._fused(self.fused, ids, positions, forward)
        config = self.model.config
        before = config._attn_implementation
        config._attn_implementation = _NAME
        try:
            out = self.model.base_model(
                input_ids=ids, position_ids=positions, past_key_values=forward, use_cache=True, slots=forward
            )
        finally:
            config._attn_implementation = before
        return out.last_hidden_state

    def _fused(self, fused: FusedWeights, ids: Tensor, positions: Tensor, forward: _SlotPass) -> Tensor:
        rows, new = ids.shape

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            query, key, value = (tensor.view(rows, new, *tensor.shape[1:]).transpose(1, 2) for tensor in (q, k, v))
            key, value = forward.update(key, value, layer)
            return forward.attend(layer, query, key, value, *fused.llama.layers[layer].scores)

        return fused.hidden(ids.view(-1), positions.reshape(-1), attend).view(rows, new, -1)

    def _make_room(self, rows: int, positions: int) -> None:
        """Makes room for `rows` slots of `positions` positions. Slots in use are kept."""
        have_rows, have = (self.slot_keys[0].shape[0], self.slot_keys[0].shape[2]) if self.slot_keys else (0, 0)
        if have_rows >= rows and have >= positions:
            return
        rows = max(have_rows, -(-rows // 16) * 16)
        positions = max(have, -(-positions // _GROW) * _GROW)
        config = self.model.config
        heads = config.num_key_value_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        used, dtype = len(self.rows), base_of(self.model.get_output_embeddings()).weight.dtype
        for buffers in (self.slot_keys, self.slot_values):
            buffers.extend([torch.empty(0)] * (config.num_hidden_layers - len(buffers)))
            for layer, old in enumerate(buffers):  # one by one, so that old and new buffers never exist all at once
                new = torch.zeros(rows, heads, positions, size, device=self.device, dtype=dtype)
                if used:
                    new[:used, :, :have] = old[:used]
                buffers[layer] = new


def _together(tails: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Prompts in batches of about `_PREFILL` tokens, shortest first. Larger batches are not faster on a CPU."""
    batch: list[tuple[int, ...]] = []
    for tail in tails:
        if batch and (len(batch) + 1) * len(tail) > _PREFILL:
            yield batch
            batch = []
        batch.append(tail)
    yield batch


@torch.inference_mode()
def why_unsupported(model: Any) -> str:
    """Why this decoder is wrong for the model, tested on two rows that share a prefix. Empty if it is correct."""
    vocabulary = model.config.get_text_config().vocab_size
    ids = [(7 + 5 * i) % vocabulary for i in range(14)]
    nobody: Any = None
    rows = [Row(Generation(ids=prompt, shared=5), nobody) for prompt in (ids[:8], ids[:5] + ids[9:])]
    try:
        decoder = SlotDecoder(model, None)
        decoder._begin(rows[0].prefix, rows)
        for row in rows:
            row.ids = [ids[3]]
        mine = decoder.logits()
        own = torch.stack([model(torch.tensor([row.context], device=model.device)).logits[0, -1] for row in rows])
    except Exception as error:  # any error means that the model is not supported
        return f"{type(error).__name__}: {error}".splitlines()[0]
    near = 1e-3 if own.dtype == torch.float32 else 0.1
    return "" if (mine - own).abs().max() <= near * own.abs().max() else "its attention gives different results"
