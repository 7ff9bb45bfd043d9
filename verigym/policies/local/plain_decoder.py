"""The decoder for every architecture: uses the forward pass and cache of transformers on prompts of equal length.

It needs no padding, so recurrent states and sliding windows are correct by construction. It is slower than `slots`, because
prefixes are not shared and new requests wait until the batch is done.
"""

from typing import Any

import torch
from torch import Tensor

from verigym.model import lora
from verigym.policies.local import sampling
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens


class PlainDecoder:
    concurrent = False
    version: str | None = None

    def __init__(self, model: Any) -> None:
        self.model = model
        self.device = next(model.parameters()).device
        self.reset()

    def use_adapter(self, adapter: lora.LoraAdapter | None) -> None:
        lora.use(self.model, adapter)

    def reset(self) -> None:
        self.cache: Any = None
        self.rows: list[Row] = []
        self.places: dict[Row, int] = {}
        """The cache row of each request. Finished rows stay in the cache until the batch is done."""

    def fits(self, row: Row, new: list[Row]) -> bool:
        return not self.rows and (not new or len(row.context) == len(new[0].context))

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
        out = self.model(input_ids=ids, past_key_values=self.cache, use_cache=True)
        self.cache = getattr(out, "past_key_values", None) or getattr(out, "cache_params", None)
        return out.logits[:, -1]
