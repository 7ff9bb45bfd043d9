"""The decoder in torch alone: every row has a slot of keys, values and recurrent states, and prefixes are shared.

    keys of a row = its prefix (one copy for all rows that have it, P positions)  +  its own slot (T positions)

Attention reads a prefix once for all its rows, as one product, instead of one copy per row. Recurrent layers continue from the
state after the prefix. Slots 0..n-1 are in use. When a row leaves, the last row moves into its slot. The forward pass is the
fused one if the model has one. Otherwise it is the model's own with our attention and our cache.

Shapes: B rows, K key-value heads, G query heads to each of them, S new positions of a row, D head size.
"""

import functools
import inspect
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface
from transformers.cache_utils import Cache

from verigym.core.generation import Generation
from verigym.core.records import Weights
from verigym.model import lora, packed
from verigym.model.attention import Scores, check_known
from verigym.model.cpu_kernels import Rows, Steps
from verigym.model.devices import memory
from verigym.model.llama_family import FusedWeights
from verigym.model.logprobs import logits_of
from verigym.model.mamba_memory import prompt_tokens, scan_bytes
from verigym.policies.local import sampling
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens
from verigym.policies.local.states import StateName, States, copies, empty_layers, has_states, set_states, states_of

_NAME = "verigym_slots"
_GROW = 64
_AHEAD = 256
"""Positions after the prompt for which a new row gets room. Slots grow by half when a row needs more."""
_PREFILL_ON_CPU, _PREFILL = 384, 8192
"""Maximum tokens of several prompts that are computed at once. Larger batches are not faster on a CPU."""
_PREFIXES = 8
"""Number of cached prefixes. The least recently used is dropped first."""
_SCORES = 1 << 22
"""Maximum scores of a row and head that are computed at once. The queries of longer prompts are computed in blocks."""
_LARGE = 0.125
"""Share of the memory of the device above which unused slots are given back."""


class Prefix(NamedTuple):
    """What layers keep of shared tokens: keys and values as weights of products, by layer and head, and recurrent states. Keys
    and values end with zeros, so that there are P16 positions, a multiple of 16."""

    keys: dict[int, list[packed.Weight]]
    """Packed (P16, D)."""
    values: dict[int, list[packed.Weight]]
    """Packed (D, P16)."""
    after_P16: Tensor
    """Minus infinity for the positions after the end, otherwise 0."""
    states: States
    """(1, ...) each."""


def _prefix(forward: "_SlotPass", hidden_1PH: Tensor) -> Prefix:
    """Prepares the keys and values of one row, (1, K, P, D) per layer."""
    count = hidden_1PH.shape[1]
    more = _rounded(count) - count
    like = next(iter(forward.keys.values()), hidden_1PH)
    after_P16 = F.pad(like.new_zeros(count), (0, more), value=-torch.inf)
    heads = {i: [packed.pack(F.pad(head, (0, 0, 0, more))) for head in keys[0]] for i, keys in forward.keys.items()}
    columns = {
        i: [packed.pack(F.pad(head.T, (0, more)).contiguous()) for head in values[0]]
        for i, values in forward.values.items()
    }
    return Prefix(heads, columns, after_P16, states_of(forward.layers))


def _flat(heads: dict[int, list[Any]]) -> list[Any]:
    return [each for layer in sorted(heads) for each in heads[layer]]


def _rounded(count: int) -> int:
    """The next multiple of 16. A sum over positions then has the same bits, however many are hidden at the end."""
    return -(-count // 16) * 16


class _SlotPass(Cache):
    """Keys, values and states during one forward pass, as a cache of transformers.
    If `write` is None, the rows are new prompts and their keys are collected. Otherwise the new key of row i goes to position
    `write[i]` of slot i."""

    def __init__(
        self,
        decoder: "SlotDecoder",
        layers: list[Any],
        positions_BS: Tensor,
        offsets: list[int],
        prefixes: list[tuple[Prefix, Tensor | slice]],
        write: list[int] | None,
    ) -> None:
        """`layers` have the states of recurrent layers. `offsets` are the lengths of the rows' prefixes. `prefixes` lists each
        prefix with its rows."""
        super().__init__(layers=layers)
        self.keys: dict[int, Tensor] = {}
        self.values: dict[int, Tensor] = {}
        self.decoder = decoder
        self.prefixes = prefixes
        device = positions_BS.device
        self.write = None if write is None else torch.tensor(write, device=device)
        self.flat: dict[int, Tensor] = {}
        """Row indices of the new keys in the flattened buffer, by the number of heads."""
        self.width = _rounded(max(offsets))
        self.own = _rounded(positions_BS.shape[1] if write is None else max(write) + 1)
        self.more = self.own - positions_BS.shape[1] if write is None else 0
        """Positions that are added to those of prompts for attention only."""
        self.positions_BS = F.pad(positions_BS, (0, self.more))
        self.offsets_B = torch.tensor(offsets, device=device)
        self.masks: dict[tuple[int | None, int], Tensor] = {}

    @functools.cached_property
    def at_BX(self) -> Tensor:
        """The position of each key. A large number if there is no key."""
        before = torch.arange(self.width, device=self.offsets_B.device).expand(len(self.offsets_B), -1)
        before = before.masked_fill(before >= self.offsets_B[:, None], 1 << 30)
        own = self.offsets_B[:, None] + torch.arange(self.own, device=self.offsets_B.device)
        return torch.cat([before, own], 1)

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        if self.write is None:
            self.keys[layer_idx], self.values[layer_idx] = key_states, value_states
            return key_states, value_states
        keys, values = self.decoder.slot_keys[layer_idx], self.decoder.slot_values[layer_idx]
        groups, positions = keys.shape[1:3]
        if groups not in self.flat:
            heads = torch.arange(len(self.write) * groups, device=keys.device).view(-1, groups)
            self.flat[groups] = (heads * positions + self.write[:, None]).flatten()
        for buffer, new in ((keys, key_states), (values, value_states)):
            buffer.view(-1, buffer.shape[-1]).index_copy_(0, self.flat[groups], new.reshape(-1, buffer.shape[-1]))
        return keys[: len(self.write), :, : self.own], values[: len(self.write), :, : self.own]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return 0

    def attend(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, scores: Scores, sinks: Tensor | None = None
    ) -> Tensor:
        """Attention of (B, H, S, D) queries to each row's prefix and own keys. Returns (B, S, H, D). `sinks` are scores of the
        heads that take a share of the attention and have no value."""
        if self.more:
            query, key, value = (F.pad(each, (0, 0, 0, self.more)) for each in (query, key, value))
        rows, heads, new, _ = query.shape
        query = (query * scores.scaling).unflatten(1, (key.shape[1], -1))
        size = max(16, _SCORES // (self.width + self.own) // 16 * 16)
        found = [
            self._block(layer, query[..., start : start + size, :], key, value, start, scores, sinks)
            for start in range(0, new, size)
        ]
        out = found[0] if len(found) == 1 else torch.cat(found, 3)
        return out.reshape(rows, heads, new, -1).transpose(1, 2)[:, : new - self.more]

    def _block(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, start: int, scores: Scores, sinks: Tensor | None
    ) -> Tensor:
        """Attention of (B, K, G, S, D) queries, from query `start` on."""
        new = query.shape[3]
        query = query.flatten(2, 3)
        products = self._prefix_scores(layer, query)
        mask, seen = self._mask(scores.window, start, new, products.dtype), products.unflatten(2, (-1, new))
        own = (query @ key.transpose(-1, -2)).unflatten(2, (-1, new))
        if scores.cap is None and scores.window is None:  # no query's prefix is hidden
            torch.add(own, mask[..., self.width :], out=seen[..., self.width :])
        else:
            seen[..., self.width :] = own
            if scores.cap is not None:
                seen.div_(scores.cap).tanh_().mul_(scores.cap)
            seen.add_(mask)
        weights = _softmax(seen, sinks).flatten(2, 3).to(query.dtype)
        out = weights[..., self.width :] @ value
        for prefix, which in self.prefixes:
            some = weights[which, ..., : len(prefix.after_P16)].transpose(0, 1).flatten(1, 2)
            found = [packed.linear(each, values) for each, values in zip(some, prefix.values[layer], strict=True)]
            out[which] += torch.stack(found).unflatten(1, (-1, out.shape[2])).transpose(0, 1)
        return out.unflatten(2, (-1, new))

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

    def _mask(self, window: int | None, start: int, count: int, dtype: torch.dtype) -> Tensor:
        """Minus infinity for keys that are hidden from some neighbouring queries, otherwise 0, (B, 1, 1, S, X)."""
        if (window, start) not in self.masks:
            back_BSX = self.positions_BS[:, start : start + count, None] - self.at_BX[:, None]
            hidden_BSX = (back_BSX < 0) | (back_BSX >= window if window is not None else False)
            zeros_BSX = torch.zeros(hidden_BSX.shape, dtype=dtype, device=hidden_BSX.device)
            self.masks[window, start] = zeros_BSX.masked_fill_(hidden_BSX, -torch.inf)[:, None, None]
        return self.masks[window, start]


def _softmax(scores: Tensor, sinks: Tensor | None) -> Tensor:
    """The weights of (B, K, G, S, X) scores in float32. Sinks take their share first."""
    if sinks is None:
        return torch.softmax(scores.float(), -1)
    column = sinks.view(1, scores.shape[1], -1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column.to(scores.dtype)], -1).float(), -1)[..., :-1]


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
    s_aux: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    check_known(module, sliding_window, others)
    scores = Scores(scaling or query.shape[-1] ** -0.5, sliding_window, softcap)
    return slots.attend(module.layer_idx, query, key, value, scores, s_aux), None


AttentionInterface.register(_NAME, _attention)


class StepDecoder:
    """A decoder that computes a prompt when its row begins, and a step when its tokens are asked for."""

    version: str | None = None
    weights: Weights = ""
    model: Any
    rows: list[Row]
    mounted: lora.MountedAdapter | None = None
    """The adapter that the model wears in a forward pass. None for its own."""

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        self.mounted = None if adapter is None else lora.mounted(self.model, adapter)

    def wearing(self) -> AbstractContextManager[None]:
        """A context in which the model has the adapter of this decoder. Its own adapter may be in training, so it is put back."""
        return nullcontext() if self.mounted is None else lora.wearing(self.model, self.mounted)

    @property
    def everyone(self) -> list[Row]:
        return self.rows

    def prompts(self) -> None: ...

    def make_room(self, steps: int) -> None: ...

    def launch(self, steps: int) -> None: ...

    def release(self, small: bool = False) -> None: ...


class SlotDecoder(StepDecoder):
    def __init__(self, model: Any, fused: FusedWeights | None, weights: Weights = "") -> None:
        self.model = model
        self.fused = fused
        self.weights = weights
        self.concurrent = fused is not None and not fused.llama.has_experts
        self.device = next(model.parameters()).device
        self.scan_bytes = scan_bytes(model)
        accepted = inspect.signature(model.base_model.forward).parameters
        self.cache_name = "cache_params" if "cache_params" in accepted else "past_key_values"
        self.has_positions = "position_ids" in accepted
        self.recurrent = fused is None and has_states(model)
        self._empty()
        self.reset()
        self.shares = not self.recurrent or self._continues()
        """Whether rows continue from prefixes. Otherwise whole prompts are computed, equal ones once."""

    @torch.inference_mode()
    def _continues(self) -> bool:
        """Whether several tokens continue from recurrent states. In the first Mamba, they start from zeros: a much larger state
        before them leads to the same state after them. The first state is compared, because later layers add rounding."""
        ids = torch.tensor([_probe(self.model, 7)], device=self.device)
        prefix = _prefix(*self._prefill(ids[:, :5], 0, None))
        first = min((name for name in prefix.states if name.kind == "recurrent_states"), default=None)
        if first is None:
            return True
        before = prefix.states[first]
        other = prefix._replace(states=prefix.states | {first: before * 1000})
        one, two = (states_of(self._prefill(ids[:, 5:], 5, each)[0].layers)[first] for each in (prefix, other))
        return bool((one - two).abs().max() > 0.1 * before.abs().max())

    def _empty(self) -> None:
        self.slot_keys: dict[int, Tensor] = {}
        self.slot_values: dict[int, Tensor] = {}
        """Keys and values by layer, (R, K, T, D) for R slots of T positions."""
        self.slot_states: dict[StateName, Tensor] = {}
        """(R, ...) each. Their addresses change only if there are more slots."""
        self.room = (0, 0)
        """Number of slots, and of positions in each."""

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        if self.fused is not None:
            self.fused.use_adapter(adapter)
        else:
            super().use_adapter(adapter)

    def reset(self) -> None:
        self.rows = []
        self.prefixes: OrderedDict[tuple[int, ...], Prefix] = OrderedDict()

    def release(self, small: bool = False) -> None:
        if self.fused is not None:
            self.fused.release()
        buffers = (*self.slot_keys.values(), *self.slot_values.values(), *self.slot_states.values())
        if small or sum(buffer.nbytes for buffer in buffers) > _LARGE * memory(self.device)[1]:
            self._empty()

    def fits(self, row: Row, new: list[Row]) -> bool:
        return True

    def begin(self, new: list[Row]) -> SampledTokens:
        return sampling.draw(self.prompt_logits(new), new)

    def prompt_logits(self, new: list[Row]) -> Tensor:
        """Computes the prompts of new rows, grouped by prefix. Returns the logits of their first tokens."""
        by_prefix: dict[tuple[int, ...], list[Row]] = {}
        for row in new:
            by_prefix.setdefault(self._prefix_ids(row), []).append(row)
        logits: dict[Row, Tensor] = {}
        with self.wearing():
            for ids, rows in by_prefix.items():
                logits |= self._begin(ids, rows)
        return torch.stack([logits[row] for row in new])

    def advance(self, steps: int) -> SampledTokens:
        """The next token of every row."""
        return sampling.draw(self.logits(), self.rows)

    def logits(self) -> Tensor:
        """The logits of the next token of every row."""
        ids = torch.tensor([[row.ids[-1]] for row in self.rows], device=self.device)
        write = [self._length(row) - 1 for row in self.rows]
        offsets = [len(self._prefix_ids(row)) for row in self.rows]
        positions = torch.tensor([[sum(both)] for both in zip(write, offsets, strict=True)], device=self.device)
        if max(write) >= self.room[1]:
            self._make_room(len(self.rows), max(write) * 3 // 2)
        steps = getattr(self.fused, "steps", None)
        if self.fused is not None and steps is not None:
            return self._logits(self._step(self.fused, steps, ids[:, 0], positions[:, 0], write))
        layers = self._layers({name: buffer[: len(self.rows)] for name, buffer in self.slot_states.items()})
        forward = _SlotPass(self, layers, positions, offsets, self._prefixes_in_use(), write)
        with self.wearing():
            hidden = self._forward(ids, positions, forward)
            return self._logits(hidden[:, 0])

    def _step(self, fused: FusedWeights, steps: Steps, ids: Tensor, positions: Tensor, write: list[int]) -> Tensor:
        """The last hidden states of a step that the kernels compute, (B, H)."""
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(self._prefix_ids(row), []).append(place)
        rows: list[Rows] = []
        for prefix, some in places.items():
            kept = self.prefixes[prefix] if prefix else None
            keys, values = ((), ()) if kept is None else (_flat(kept.keys), _flat(kept.values))
            rows.append(Rows(keys, values, len(prefix), some))
        hidden = fused.embed(ids)
        slots = list(self.slot_keys.values()), list(self.slot_values.values())
        steps.run(hidden, fused.llama.turns(positions), slots, write, rows)
        return hidden

    def _logits(self, hidden: Tensor) -> Tensor:
        return logits_of(self.model, hidden, None if self.fused is None else self.fused.head)

    def drop(self, row: Row) -> None:
        place, last = self.rows.index(row), self.rows.pop()
        if last is not row:
            self.rows[place] = last
            length = self._length(last)
            for buffer in (*self.slot_keys.values(), *self.slot_values.values()):
                buffer[place, :, :length] = buffer[len(self.rows), :, :length]
            for buffer in self.slot_states.values():
                buffer[place] = buffer[len(self.rows)]

    def _prefix_ids(self, row: Row) -> tuple[int, ...]:
        return row.prefix if self.shares else ()

    def _length(self, row: Row) -> int:
        """Number of used positions of a row's slot, including its last token."""
        return len(row.context) - len(self._prefix_ids(row))

    def _begin(self, prefix_ids: tuple[int, ...], new: list[Row]) -> dict[Row, Tensor]:
        """Fills the slots of new rows with one prefix and returns the logits of their next tokens. Equal prompts are computed
        once. Several prompts are computed together, in batches of limited size."""
        prefix = self._prefix_of(prefix_ids)
        tails = [tuple(row.context[len(prefix_ids) :]) for row in new]
        room = max(len(tail) + min(row.left, _AHEAD) for tail, row in zip(tails, new, strict=True))
        places: dict[tuple[int, ...], list[int]] = {}
        for place, tail in enumerate(tails):
            places.setdefault(tail, []).append(place)
        found: dict[Row, Tensor] = {}
        for some in self._together(sorted(places, key=len)):
            longest = len(some[-1])
            ids = torch.tensor([[*tail, *[0] * (longest - len(tail))] for tail in some], device=self.device)
            forward, hidden = self._prefill(ids, len(prefix_ids), prefix)
            source = torch.tensor([i for i, tail in enumerate(some) for _ in places[tail]], device=self.device)
            target = torch.tensor([place for tail in some for place in places[tail]], device=self.device)
            self._store(forward, source, target + len(self.rows), (len(self.rows) + len(new), room))
            last = torch.tensor([len(tail) - 1 for tail in some], device=self.device)
            logits = self._logits(hidden[torch.arange(len(some), device=self.device), last])
            found |= {new[place]: each for tail, each in zip(some, logits, strict=True) for place in places[tail]}
        self.rows += new
        return found

    def _together(self, tails: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
        """Prompts in batches of limited size, shortest first. Padding would change the states of recurrent layers, so these
        get prompts of equal length."""
        most = self.prompt_tokens()
        batch: list[tuple[int, ...]] = []
        for tail in tails:
            padded = self.recurrent and len(batch) > 0 and len(tail) != len(batch[0])
            if batch and (padded or (len(batch) + 1) * len(tail) > most):
                yield batch
                batch = []
            batch.append(tail)
        yield batch

    def prompt_tokens(self) -> float:
        """Maximum tokens of several prompts that are computed at once."""
        most = _PREFILL_ON_CPU if self.device.type == "cpu" else _PREFILL
        return min(most, prompt_tokens(self.device, self.scan_bytes))

    def _prefix_of(self, ids: tuple[int, ...]) -> Prefix | None:
        if not ids:
            return None
        if ids not in self.prefixes:
            self.prefixes[ids] = _prefix(*self._prefill(torch.tensor([ids], device=self.device), 0, None))
            in_use = {self._prefix_ids(row) for row in self.rows}
            for old in [old for old in self.prefixes if old not in in_use and old != ids][:-_PREFIXES]:
                del self.prefixes[old]
        self.prefixes.move_to_end(ids)
        return self.prefixes[ids]

    def _prefixes_in_use(self) -> list[tuple[Prefix, Tensor | slice]]:
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(self._prefix_ids(row), []).append(place)
        if len(places) == 1:
            return [(self.prefixes[ids], slice(None)) for ids in places if ids]
        return [(self.prefixes[ids], torch.tensor(rows, device=self.device)) for ids, rows in places.items() if ids]

    def _prefill(self, ids: Tensor, offset: int, prefix: Prefix | None) -> tuple[_SlotPass, Tensor]:
        positions = torch.arange(offset, offset + ids.shape[1], device=self.device).expand(ids.shape[0], -1)
        layers = self._layers({} if prefix is None else copies(prefix.states, len(ids)))
        prefixes: list[tuple[Prefix, Tensor | slice]] = [] if prefix is None else [(prefix, slice(None))]
        forward = _SlotPass(self, layers, positions, [offset] * len(ids), prefixes, None)
        return forward, self._forward(ids, positions, forward)

    def _layers(self, states: States) -> list[Any]:
        """The layers of a cache that continue from these states."""
        layers = [] if self.fused is not None else empty_layers(self.model)
        set_states(layers, states)
        return layers

    def _forward(self, ids: Tensor, positions: Tensor, forward: _SlotPass) -> Tensor:
        """The last hidden states, (B, S, H)."""
        if self.fused is not None:
            return self._fused(self.fused, ids, positions, forward)
        given = {"input_ids": ids, self.cache_name: forward, "use_cache": True, "slots": forward}
        if self.has_positions:
            given["position_ids"] = positions
        config = self.model.config
        before = config._attn_implementation
        config._attn_implementation = _NAME
        try:
            return self.model.base_model(**given).last_hidden_state
        finally:
            config._attn_implementation = before

    def _fused(self, fused: FusedWeights, ids: Tensor, positions: Tensor, forward: _SlotPass) -> Tensor:
        rows, new = ids.shape

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            query, key, value = (tensor.view(rows, new, *tensor.shape[1:]).transpose(1, 2) for tensor in (q, k, v))
            key, value = forward.update(key, value, layer)
            return forward.attend(layer, query, key, value, fused.llama.layers[layer].scores)

        return fused.hidden(ids.view(-1), positions.reshape(-1), attend).view(rows, new, -1)

    def _store(self, forward: _SlotPass, source: Tensor, target: Tensor, room: tuple[int, int]) -> None:
        """Copies what layers keep of computed prompts to slots, each as often as it is needed."""
        states = states_of(forward.layers)
        if self.room == (0, 0):  # the first prompts show the sizes
            for buffers, computed in ((self.slot_keys, forward.keys), (self.slot_values, forward.values)):
                buffers |= {i: each.new_empty(0, each.shape[1], 0, each.shape[3]) for i, each in computed.items()}
            self.slot_states |= {name: state.new_empty(0, *state.shape[1:]) for name, state in states.items()}
        self._make_room(*room)
        for buffers, computed in ((self.slot_keys, forward.keys), (self.slot_values, forward.values)):
            for i, each in computed.items():
                buffers[i][target, :, : each.shape[2]] = each[source]
        for name, state in states.items():
            self.slot_states[name][target] = state[source]

    def _make_room(self, rows: int, positions: int) -> None:
        """Makes room for `rows` slots of `positions` positions. Slots in use are kept."""
        if self.room[0] >= rows and self.room[1] >= positions:
            return
        rows = max(self.room[0], -(-rows // 16) * 16)
        positions = max(self.room[1], -(-positions // _GROW) * _GROW)
        used = len(self.rows)
        for buffers in (self.slot_keys, self.slot_values):
            for i, old in buffers.items():  # one by one, so that old and new buffers never exist all at once
                buffers[i] = _grown(old, (rows, old.shape[1], positions, old.shape[3]), used)
        if rows > self.room[0]:
            for name, old in self.slot_states.items():
                self.slot_states[name] = _grown(old, (rows, *old.shape[1:]), used)
        self.room = rows, positions


def _grown(old: Tensor, shape: tuple[int, ...], used: int) -> Tensor:
    """A larger buffer with the content of the first rows."""
    new = old.new_zeros(shape)
    kept = (slice(used), *(slice(size) for size in old.shape[1:]))
    new[kept] = old[kept]
    return new


def _probe(model: Any, count: int) -> list[int]:
    """Some token ids to test a model with."""
    return [(7 + 5 * i) % model.config.get_text_config().vocab_size for i in range(count)]


@torch.inference_mode()
def why_unsupported(model: Any) -> str:
    """Why this decoder is wrong for the model, tested on two rows that share a prefix. Empty if it is correct."""
    ids = _probe(model, 15)
    nobody: Any = None
    rows = [Row(Generation(ids=prompt, shared=5), nobody) for prompt in (ids[:8], ids[:5] + ids[9:14])]
    try:
        decoder = SlotDecoder(model, None)
        mine = [decoder.prompt_logits(rows)]
        for sampled in ids[3], ids[14]:
            for row in rows:
                row.ids.append(sampled)
            mine.append(decoder.logits())
        length = [len(row.request.ids) for row in rows]
        whole = [model(torch.tensor([row.context], device=model.device)).logits[0] for row in rows]
    except Exception as error:  # any error means that the model is not supported
        return f"{type(error).__name__}: {error}".splitlines()[0]
    own = torch.stack([logits[count - 1 :] for logits, count in zip(whole, length, strict=True)], 1)
    near = 1e-3 if own.dtype == torch.float32 else 0.1
    found = (torch.stack(mine) - own).abs().max() <= near * own.abs().max()
    return "" if found else "its layers give different results in it"
