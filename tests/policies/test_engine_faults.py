"""What happens to requests when the engine's thread fails."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.policies.test_engine import GREEDY, engine
from verigym.core.generation import Completion, Generation


def test_a_request_fails_when_its_decoder_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine()
    made._decoders = []

    def broken(*given: Any) -> Any:
        raise RuntimeError("no decoder")

    monkeypatch.setattr("verigym.policies.local.engine.decoder_for", broken)

    async def ask() -> None:
        await asyncio.wait_for(made.generate(Generation(ids=[3, 4], sampling=GREEDY)), 30)

    with pytest.raises(RuntimeError, match="no decoder"):
        asyncio.run(ask())


def test_a_request_that_comes_while_others_fail_is_answered() -> None:
    made = engine()
    [decoder] = made._decoders
    advance, reset = decoder.advance, decoder.reset
    failing, clearing = [True], threading.Event()

    def broken(steps: int) -> Any:
        if failing:
            failing.clear()
            raise RuntimeError("broken")
        return advance(steps)

    def slow() -> None:
        if not failing and not clearing.is_set():
            clearing.set()
            time.sleep(0.5)
        reset()

    decoder.advance, decoder.reset = broken, slow

    async def ask() -> Completion:
        first = asyncio.ensure_future(made.generate(Generation(ids=[3, 4], sampling=GREEDY)))
        await asyncio.to_thread(clearing.wait)
        second = await asyncio.wait_for(made.generate(Generation(ids=[3, 5], sampling=GREEDY)), 30)
        with pytest.raises(RuntimeError, match="broken"):
            await first
        return second

    assert asyncio.run(ask()).ids
