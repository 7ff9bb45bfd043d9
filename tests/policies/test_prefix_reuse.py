"""A long prefix that all episodes share is computed once for all groups and batches, until the weights change."""

import asyncio
from typing import Any

import pytest
import torch

from tests.model.families import make
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.slots import SlotDecoder

PREFIX = [(7 * i) % 50 + 3 for i in range(120)]


def test_a_shared_prefix_is_computed_once_while_the_weights_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    prefill = SlotDecoder._prefill

    def counted(self: SlotDecoder, ids: torch.Tensor, *rest: Any) -> Any:
        computed.append(ids.numel())
        return prefill(self, ids, *rest)

    monkeypatch.setattr(SlotDecoder, "_prefill", counted)
    engine = LocalEngine(make("Llama"), stop_ids={-1})

    def group(last: int, temperature: float) -> list[Completion]:
        async def all_at_once() -> list[Completion]:
            sampling = Sampling(temperature=temperature, max_tokens=4)
            asked = [Generation(ids=[*PREFIX, 9, last], shared=120, sampling=sampling, seed=i) for i in range(4)]
            return await asyncio.gather(*map(engine.generate, asked))

        return asyncio.run(all_at_once())

    first = group(5, 1.0)
    group(6, 1.0)
    group(7, 0.0)
    assert computed.count(len(PREFIX)) == 1, "other groups and an evaluation use the same prefix"
    again = group(5, 1.0)
    assert [one.ids for one in again] == [one.ids for one in first]
    engine.refresh()
    group(5, 1.0)
    assert computed.count(len(PREFIX)) == 2, "new weights need it again"
    assert sum(computed) <= 2 * len(PREFIX) + 5 * 4 * 2, (
        "nothing but the prefix and the ends of the prompts was computed"
    )
