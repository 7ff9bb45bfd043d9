"""Whole replies from outside, and the record of an episode that goes on."""

import asyncio

from tests.rollout.test_live import ARGUMENTS, opened
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Stop, Turn


def test_a_reply_with_several_calls_is_one_turn_with_its_ids() -> None:
    async def drive() -> None:
        live = await opened()
        calls = [FunctionCall("a", "add", ARGUMENTS), FunctionCall("b", "add", ARGUMENTS)]
        assert await live.reply(Turn(completion_ids=[1, 2]), [Message("assistant", "Two."), *calls]) is False
        assert [item.output for item in live.items if isinstance(item, FunctionCallOutput)] == ["2 tea", "2 tea"]
        assert await live.reply(Turn(completion_ids=[3]), [Message("assistant", "Done.")]) is True
        made = await live.end()
        assert [turn.completion_ids for turn in made.turns] == [[1, 2], [3]] and made.stop is Stop.DONE
        assert [len(turn.made) for turn in made.turns] == [3, 1]
        assert await live.reply(Turn(), [Message("assistant", "More.")]) is True and len(live.items) == len(made.items)

    asyncio.run(drive())


def test_a_snapshot_has_the_end_state_of_now_and_the_episode_goes_on() -> None:
    async def drive() -> None:
        live = await opened()
        await live.call("add", ARGUMENTS)
        early = await live.snapshot()
        await live.call("add", ARGUMENTS)
        late = await live.end()
        assert early is not None and len(early.items) < len(late.items) and len(early.marks) == 1

    asyncio.run(drive())
