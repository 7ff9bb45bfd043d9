"""The decoder for plain attention models: every row has a slot of keys and values, all rows share one prefix.

Shapes: B rows, K key-value heads, G query heads to each of them, S new positions, T positions of a slot, P of the prefix,
D head size. Attention reads the prefix once for all rows, as one product, instead of a copy of it for each row.

    keys of a row = prefix (1 copy, P)  +  own slot (rest of the prompt, then what it sampled)

Active rows are always slots 0..n-1: when one leaves, the last takes its place.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface

from verigym.model.logprobs import logits_of

_NAME = "verigym_slots"
_PLAIN = {"llama", "qwen2", "qwen3", "mistral", "smollm3", "granite", "phi3", "starcoder2"}
_GROW = 64


def supported(model: Any) -> bool:
    """Whether every layer is full causal attention without extras, in a model family that passes the attention on to us."""
    config = model.config
    full = all(kind == "full_attention" for kind in getattr(config, "layer_types", None) or [])
    sliding = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    return config.model_type in _PLAIN and full and not sliding


class _Pass:
    """Keys and values during one forward pass, in the shape of a transformers cache.
    `write` none: a fresh prompt, its keys are kept as they come. Else: row i's new keys go to position `write[i]` of slot i."""

    is_compileable = False

    def __init__(self, decoder: "SlotDecoder", bias: Tensor, prefix: bool, write: Tensor | None) -> None:
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []
        self.decoder = decoder
        self.bias = bias
        self.prefix = prefix
        self.write = write
        self.rows = torch.arange(0 if write is None else len(write), device=bias.device)

    def update(self, key: Tensor, value: Tensor, layer_idx: int, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        if self.write is None:
            self.keys.append(key)
            self.values.append(value)
            return key, value
        keys, values = self.decoder.slot_keys[layer_idx], self.decoder.slot_values[layer_idx]
        keys[self.rows, :, self.write] = key[:, :, 0]
        values[self.rows, :, self.write] = value[:, :, 0]
        used = self.bias.shape[-1]
        return keys[: len(self.rows), :, :used], values[: len(self.rows), :, :used]

    def get_seq_length(self, *_: Any) -> int:
        return 0


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scaling: float, slots: _Pass, **_: Any
) -> tuple[Tensor, None]:
    rows, heads, new, size = query.shape
    groups = key.shape[1]
    query_BKXD = query.reshape(rows, groups, heads // groups * new, size) * scaling
    scores = query_BKXD @ key.transpose(-1, -2)
    scores = (scores.view(rows, groups, -1, new, key.shape[2]) + slots.bias[:, None, None]).view(
        rows, groups, -1, key.shape[2]
    )
    if not slots.prefix:
        out = torch.softmax(scores.float(), -1).to(query.dtype) @ value
        return out.view(rows, heads, new, size).transpose(1, 2), None
    prefix_keys, prefix_values = (
        slots.decoder.prefix_keys[module.layer_idx],
        slots.decoder.prefix_values[module.layer_idx],
    )
    together = query_BKXD.transpose(0, 1).reshape(groups, -1, size)
    prefix_scores = (
        (together @ prefix_keys.transpose(-1, -2)).view(groups, rows, -1, prefix_keys.shape[1]).transpose(0, 1)
    )
    weights = torch.softmax(torch.cat([prefix_scores, scores], -1).float(), -1).to(query.dtype)
    prefix_weights, own_weights = weights.split([prefix_keys.shape[1], key.shape[2]], -1)
    from_prefix = prefix_weights.transpose(0, 1).reshape(groups, -1, prefix_keys.shape[1]) @ prefix_values
    out = own_weights @ value + from_prefix.view(groups, rows, -1, size).transpose(0, 1)
    return out.view(rows, heads, new, size).transpose(1, 2), None


AttentionInterface.register(_NAME, _attention)


class SlotDecoder:
    def __init__(self, model: Any, max_batch: int) -> None:
        self.model = model
        self.max_batch = max_batch
        self.device = next(model.parameters()).device
        self.prefix_ids: tuple[int, ...] = ()
        self.prefix_keys: list[Tensor] = []
        self.prefix_values: list[Tensor] = []
        self.slot_keys: list[Tensor] = []
        self.slot_values: list[Tensor] = []
        self.lengths: list[int] = []
        """Positions in use of each active slot."""

    def forget(self) -> None:
        self.prefix_ids, self.prefix_keys, self.prefix_values = (), [], []
        self.lengths = []

    def fits(self, row: Any, others: list[Any]) -> bool:
        """Rows run together when they share the same prefix."""
        return not others or _prefix(row) == _prefix(others[0])

    def begin(self, new: list[Any]) -> Tensor:
        """Prefills new rows; returns the logits of their next token."""
        self._set_prefix(_prefix(new[0]))
        tails = [tuple(row.prompt[len(self.prefix_ids) :]) for row in new]
        unique = {tail: place for place, tail in enumerate(dict.fromkeys(tails))}
        place = torch.tensor([unique[tail] for tail in tails], device=self.device)
        window = getattr(self.model.config, "max_position_embeddings", None) or 1 << 30
        room = max(
            min(len(tail) + row.request.sampling.max_tokens, window) for tail, row in zip(tails, new, strict=True)
        )
        longest = max(map(len, unique))
        self._make_room(len(self.lengths) + len(new), room, longest)

        ids = torch.zeros(len(unique), longest, dtype=torch.long, device=self.device)
        for tail, i in unique.items():
            ids[i, : len(tail)] = torch.tensor(tail)
        forward, hidden = self._prefill(ids, len(self.prefix_ids))
        start = len(self.lengths)
        for layer, (keys, values) in enumerate(zip(forward.keys, forward.values, strict=True)):
            self.slot_keys[layer][start : start + len(new), :, :longest] = keys[place]
            self.slot_values[layer][start : start + len(new), :, :longest] = values[place]
        self.lengths += [len(tail) for tail in tails]
        last = torch.tensor([len(tail) - 1 for tail in unique], device=self.device)
        last_hidden = hidden[torch.arange(len(unique), device=self.device), last]
        return logits_of(self.model, last_hidden)[place]

    def step(self, active: list[Any]) -> Tensor:
        """Feeds each active row its last token; returns the logits of the next one."""
        ids = torch.tensor([[row.ids[-1]] for row in active], device=self.device)
        write = torch.tensor(self.lengths, device=self.device)
        used = max(self.lengths) + 1
        bias = torch.zeros(len(active), 1, used, device=self.device, dtype=self._dtype)
        bias.masked_fill_(torch.arange(used, device=self.device) > write[:, None, None], -torch.inf)
        forward = _Pass(self, bias, bool(self.prefix_ids), write)
        hidden = self._forward(ids, (write + len(self.prefix_ids))[:, None], forward)
        self.lengths = [length + 1 for length in self.lengths]
        return logits_of(self.model, hidden[:, 0])

    def drop(self, index: int) -> None:
        last = len(self.lengths) - 1
        if index != last:
            for buffer in self.slot_keys + self.slot_values:
                buffer[index, :, : self.lengths[last]] = buffer[last, :, : self.lengths[last]]
            self.lengths[index] = self.lengths[last]
        self.lengths.pop()

    @property
    def _dtype(self) -> torch.dtype:
        return self.model.get_output_embeddings().weight.dtype

    def _set_prefix(self, ids: tuple[int, ...]) -> None:
        if ids == self.prefix_ids:
            return
        self.prefix_ids, self.prefix_keys, self.prefix_values = (), [], []
        if ids:
            forward, _ = self._prefill(torch.tensor([ids], device=self.device), 0)
            self.prefix_keys = [keys[0] for keys in forward.keys]
            self.prefix_values = [values[0] for values in forward.values]
            self.prefix_ids = ids

    def _prefill(self, ids: Tensor, offset: int) -> tuple[_Pass, Tensor]:
        length = ids.shape[1]
        bias = torch.zeros(1, length, length, device=self.device, dtype=self._dtype)
        bias.masked_fill_(torch.ones(length, length, device=self.device, dtype=torch.bool).triu(1), -torch.inf)
        forward = _Pass(self, bias, offset > 0, None)
        positions = torch.arange(offset, offset + length, device=self.device).expand(ids.shape[0], -1)
        return forward, self._forward(ids, positions, forward)

    def _forward(self, ids: Tensor, positions: Tensor, forward: _Pass) -> Tensor:
        """The last hidden states."""
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

    def _make_room(self, rows: int, positions: int, longest: int) -> None:
        """Slots for `rows` rows of `positions` positions; what is in use is kept."""
        have_rows, have = (self.slot_keys[0].shape[0], self.slot_keys[0].shape[2]) if self.slot_keys else (0, 0)
        if have_rows >= rows and have >= positions:
            return
        rows = max(have_rows, min(self.max_batch, -(-rows // 16) * 16))
        positions = max(have, -(-max(positions, longest) // _GROW) * _GROW)
        config = self.model.config
        heads = config.num_key_value_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        used = len(self.lengths)

        def grown(old: Tensor | None) -> Tensor:
            new = torch.zeros(rows, heads, positions, size, device=self.device, dtype=self._dtype)
            if old is not None and used:
                new[:used, :, :have] = old[:used]
            return new

        layers = range(config.num_hidden_layers)
        self.slot_keys = [grown(self.slot_keys[i] if self.slot_keys else None) for i in layers]
        self.slot_values = [grown(self.slot_values[i] if self.slot_values else None) for i in layers]


def _prefix(row: Any) -> tuple[int, ...]:
    """The ids it shares, leaving at least one of its prompt for its own slot."""
    return tuple(row.prompt[: min(row.request.shared, len(row.prompt) - 1)])
