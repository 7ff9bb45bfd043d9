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


TOOLS = [(11 * i) % 50 + 3 for i in range(1600)]


class Counted:
    """An engine that counts the prompt tokens it computes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.computed: list[int] = []
        self.engine = LocalEngine(make("Llama", max_position_embeddings=4096), stop_ids={-1})
        prefill = SlotDecoder._prefill

        def counted(decoder: SlotDecoder, ids: torch.Tensor, *rest: Any) -> Any:
            self.computed.append(ids.numel())
            return prefill(decoder, ids, *rest)

        monkeypatch.setattr(SlotDecoder, "_prefill", counted)

    def ask(self, *prefixes: list[int]) -> list[Completion]:
        """A group of four requests behind each prefix, all at once."""

        async def all_at_once() -> list[Completion]:
            sampling = Sampling(temperature=1.0, max_tokens=3)
            asked = [
                Generation(ids=[*prefix, 9, group], shared=len(prefix), sampling=sampling, seed=group + i)
                for group, prefix in enumerate(prefixes)
                for i in range(4)
            ]
            return await asyncio.gather(*map(self.engine.generate, asked))

        return asyncio.run(all_at_once())


def others(count: int) -> list[list[int]]:
    return [[number + 3, *PREFIX] for number in range(count)]


def test_a_tool_prompt_of_1600_tokens_is_computed_once_for_all_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counted(monkeypatch)
    first = asked.ask(TOOLS)
    for other in others(12):
        assert asked.ask(TOOLS, other)[:4] == first
    assert asked.computed.count(1600) == 1, "a prefix that is used stays, however many others come and go"
    assert asked.computed.count(121) == 12
    assert sum(asked.computed) <= 1600 + 12 * 121 + (1 + 2 * 12) * 4 * 2, (
        "prefixes once, and at most the two last tokens of each request, if they come one by one"
    )


def test_a_prefix_that_was_evicted_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counted(monkeypatch)
    first = asked.ask(TOOLS)
    for other in others(7):
        asked.ask(other)
    assert asked.ask(TOOLS) == first
    assert asked.computed.count(1600) == 1, "eight prefixes are kept"
    for other in others(9):
        asked.ask(other)
    assert asked.ask(TOOLS) == first
    assert asked.computed.count(1600) == 2


def test_prefixes_in_use_are_never_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counted(monkeypatch)
    alone = [asked.ask(other)[0].ids for other in others(1)]
    together = asked.ask(*others(12))
    assert together[0].ids == alone[0]
    assert asked.computed.count(121) == 12, "the first was kept, and the others computed once"
