"""Requests are admitted while the device computes, and none is lost if it runs out of memory meanwhile."""

import asyncio
import threading
import time
from typing import Any

import pytest
import torch

from tests.tiny import tiny
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens

LOADED = tiny()


class Device:
    """A decoder that counts, in place of a GPU. In its first steps it waits until another request has arrived."""

    concurrent = True
    version: str | None = None
    weights = ""

    def __init__(self, arrived: threading.Event) -> None:
        self.arrived = arrived
        self.fails = 0
        self.admitted: list[int] = []
        """Admitted requests that had not begun when the tokens were read, for each read."""
        self.engine: Any = None
        self.reset()

    def reset(self) -> None:
        self.rows: list[Row] = []

    @property
    def everyone(self) -> list[Row]:
        return self.rows

    def use_adapter(self, adapter: Any) -> None: ...

    def release(self, small: bool = False) -> None: ...

    def prompts(self) -> None: ...

    def make_room(self, steps: int) -> None: ...

    def fits(self, row: Row, new: list[Row]) -> bool:
        return True

    def begin(self, new: list[Row]) -> SampledTokens:
        self.rows += new
        return self._tokens(new)

    def launch(self, steps: int) -> None:
        assert self.arrived.wait(10)

    def advance(self, steps: int) -> SampledTokens:
        self.admitted.append(sum(len(new) for _, new in self.engine._taken))
        if self.fails:
            self.fails -= 1
            raise torch.OutOfMemoryError("the device is full")
        return self._tokens(self.rows)

    def drop(self, row: Row) -> None:
        self.rows.remove(row)

    def _tokens(self, rows: list[Row]) -> SampledTokens:
        return SampledTokens([[row.seed + len(row.ids)] for row in rows], [[-1.0]] * len(rows), None)


def sampled(device: Device, late: int) -> list[Completion]:
    """A request, and others that come while the device computes its tokens."""
    engine = LocalEngine(LOADED.model, stop_ids={-1})
    engine._decoders, device.engine = [device], engine  # type: ignore[list-item]

    def asked(seed: int) -> Generation:
        return Generation(ids=[1, 2, 3], sampling=Sampling(max_tokens=4), seed=seed)

    async def run() -> list[Completion]:
        tasks = [asyncio.create_task(engine.generate(asked(0)))]
        while not device.rows:
            assert not tasks[0].done(), "the request has not begun"
            await asyncio.sleep(0.001)
        tasks += [asyncio.create_task(engine.generate(asked(100 * number))) for number in range(1, late + 1)]
        await asyncio.sleep(0)
        device.arrived.set()
        return await asyncio.gather(*tasks)

    return asyncio.run(run())


def test_a_request_is_admitted_while_the_tokens_of_others_are_computed() -> None:
    device = Device(threading.Event())
    found = sampled(device, 3)
    assert device.admitted[0] == 3, "before the tokens are read"
    assert [one.ids for one in found] == [[seed, seed + 1, seed + 2, seed + 3] for seed in (0, 100, 200, 300)]


def test_no_request_is_lost_if_memory_runs_out_after_it_was_admitted() -> None:
    device = Device(threading.Event())
    device.fails = 1
    found = sampled(device, 3)
    assert device.admitted[0] == 3
    assert [one.ids for one in found] == [[seed, seed + 1, seed + 2, seed + 3] for seed in (0, 100, 200, 300)]


def test_a_request_whose_batch_ends_as_it_is_admitted_still_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(threading.Event())
    advance = device.advance

    def last(steps: int) -> SampledTokens:
        while len(device.rows[0].ids) < 3 and device.rows[0].seed == 0:
            device.rows[0].ids.append(0)
        return advance(steps)

    monkeypatch.setattr(device, "advance", last)
    began = time.monotonic()
    assert sampled(device, 1)[1].ids == [100, 101, 102, 103] and time.monotonic() - began < 10


def test_no_request_joins_the_rows_of_a_version_that_was_forgotten() -> None:
    """The requests of that version were cancelled after they were admitted."""
    engine, old = LocalEngine(LOADED.model, stop_ids={-1}), Device(threading.Event())

    def row() -> Row:
        return Row(Generation(ids=[1, 2, 3]), asyncio.get_running_loop().create_future())

    async def admitted() -> list[list[Row]]:
        engine._decoders, engine._taken = [old], [(old, [row()])]  # type: ignore[list-item]
        engine._waiting.append(row())
        engine._admit()
        return [new for _, new in engine._taken]

    assert [len(new) for new in asyncio.run(admitted())] == [1, 1]
    assert engine._taken[0][0] is old and engine._taken[1][0] is not old
