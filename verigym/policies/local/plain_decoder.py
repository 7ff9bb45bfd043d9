"""The decoder for every architecture: transformers' own forward and cache, prompts of equal length together.

No padding is needed, so recurrent state, sliding windows and whatever else a model has are right by construction.
Slower than `slots`: nothing is shared, and new requests wait until the batch is done.
"""

from typing import Any

import torch
from torch import Tensor


class PlainDecoder:
    def __init__(self, model: Any, max_batch: int) -> None:
        self.model = model
        self.device = next(model.parameters()).device
        self.forget()

    def forget(self) -> None:
        self.cache: Any = None
        self.order: list[int] = []
        """Row of the cache of each active request: rows that are done stay in the cache until the batch is."""
        self.rows = 0

    def fits(self, row: Any, others: list[Any]) -> bool:
        return not others or (not others[0].ids and len(row.prompt) == len(others[0].prompt))

    def begin(self, new: list[Any]) -> Tensor:
        self.rows = len(new)
        self.order = list(range(self.rows))
        self.cache = None
        return self._forward(torch.tensor([row.prompt for row in new], device=self.device))

    def step(self, active: list[Any]) -> Tensor:
        ids = torch.zeros(self.rows, 1, dtype=torch.long, device=self.device)
        for place, row in zip(self.order, active, strict=True):
            ids[place, 0] = row.ids[-1]
        return self._forward(ids)[self.order]

    def drop(self, index: int) -> None:
        last = self.order.pop()
        if index < len(self.order):
            self.order[index] = last

    def _forward(self, ids: Tensor) -> Tensor:
        out = self.model(input_ids=ids, past_key_values=self.cache, use_cache=True)
        self.cache = getattr(out, "past_key_values", None) or getattr(out, "cache_params", None)
        return out.logits[:, -1]
