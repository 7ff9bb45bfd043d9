"""The public fake: which reply comes when, and what the turn says."""

import asyncio
import time

import pytest

from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Sampling, ToolSpec, Turn, Usage
from verigym.policies.scripted import ScriptedPolicy

CALL = '{"tool": "add", "args": {"a": 1}}'


def respond(policy: ScriptedPolicy, turns: int = 0, tools: bool = False) -> Reply:
    offered = [ToolSpec(name="add")] if tools else []
    request = Request(
        items=[Message("user", "two words")], tools=offered, turns=[Turn()] * turns, sampling=Sampling(max_tokens=7)
    )
    return asyncio.run(policy.respond(request))


def test_it_is_a_policy() -> None:
    assert isinstance(ScriptedPolicy(["hello"]), Policy)


def test_replies_come_in_order_of_the_episodes_turns_and_the_last_one_repeats() -> None:
    policy = ScriptedPolicy(["first", "second"])
    said = [respond(policy, turns).items for turns in (0, 1, 2, 9)]
    assert said == [[Message("assistant", text)] for text in ("first", "second", "second", "second")]


def test_episodes_do_not_disturb_each_other() -> None:
    policy = ScriptedPolicy(["first", "second"])
    assert respond(policy, 1) == respond(policy, 1)
    assert respond(policy, 0).items == [Message("assistant", "first")]


def test_text_is_read_as_a_call_when_the_request_has_tools() -> None:
    reply = respond(ScriptedPolicy([CALL]), turns=3, tools=True)
    assert reply.items == [Message("assistant", CALL), FunctionCall("call_3", "add", '{"a":1}')]
    assert reply.turn.finish == "tool_calls"


def test_text_stays_a_message_when_the_request_has_no_tools() -> None:
    reply = respond(ScriptedPolicy([CALL]))
    assert reply.items == [Message("assistant", CALL)]
    assert reply.turn.finish == "stop"


def test_items_are_given_as_they_are() -> None:
    call = FunctionCall("mine", "add", "{broken")
    items: list[Item] = [Message("assistant", "hm"), call]
    policy = ScriptedPolicy([call, items])
    assert respond(policy).items == [call]
    assert respond(policy, 1).items == items


def test_an_exception_in_the_list_is_raised() -> None:
    policy = ScriptedPolicy([InfrastructureFailure("the server is down"), "back"])
    with pytest.raises(InfrastructureFailure, match="down"):
        respond(policy)
    assert respond(policy, 1).items == [Message("assistant", "back")]


def test_a_function_answers_from_the_request() -> None:
    policy = ScriptedPolicy(lambda request: f"turn {len(request.turns)}")
    assert respond(policy, 4).items == [Message("assistant", "turn 4")]


def test_an_async_function_is_awaited() -> None:
    async def answer(request: Request) -> FunctionCall:
        await asyncio.sleep(0)
        return FunctionCall("c", "add", "{}")

    assert respond(ScriptedPolicy(answer)).items == [FunctionCall("c", "add", "{}")]


def test_the_turn_says_who_answered_and_counts_words() -> None:
    turn = respond(ScriptedPolicy(["one two three"]), turns=2).turn
    assert (turn.agent, turn.usage, turn.parent, turn.sampling.max_tokens) == ("scripted", Usage(2, 3), 1, 7)


def test_a_first_turn_is_a_root() -> None:
    assert respond(ScriptedPolicy(["hello"])).turn.parent is None


def test_latency_is_waited_for_and_recorded() -> None:
    began = time.monotonic()
    assert respond(ScriptedPolicy(["hello"], latency_s=0.05)).turn.latency_s == 0.05
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("replies", [[], "one text"], ids=["empty", "text"])
def test_a_script_without_a_list_of_replies_is_refused(replies: str | list[str]) -> None:
    with pytest.raises(AssertionError):
        ScriptedPolicy(replies)
