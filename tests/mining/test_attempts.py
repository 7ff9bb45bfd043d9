"""A trace as attempts: what was asked, what was done about it, and whose workload it is."""

import pytest

from tests.mining.counter import TOOLCALL, native
from verigym.core.records import (
    FunctionCallOutput,
    Image,
    InputText,
    Item,
    Mark,
    Message,
    Reasoning,
    Stop,
    Trajectory,
    Turn,
)
from verigym.mining.attempts import Attempt, attempts_of, belongs, replies, solution, tool_names

NAMES = tool_names(TOOLCALL)
SYSTEM = Message("system", TOOLCALL.system)
CALL = native("email.send", '{"to": "Bob", "subject": "Hi"}')


def trace(*items: Item, **fields: object) -> Trajectory:
    return Trajectory(id="r/t", task="t", group="t", items=list(items), **fields)  # type: ignore[arg-type]


def attempts(*items: Item) -> list[Attempt]:
    return attempts_of(trace(*items), NAMES)


def test_one_request_is_text_and_the_system_prompt_is_left_out() -> None:
    (one,) = attempts(SYSTEM, Message("user", "mail Bob"), Message("assistant", "done"))
    assert (one.prompt, one.request, one.last) == ("mail Bob", "mail Bob", True)
    assert one.tried == [Message("assistant", "done")]


def test_a_conversation_is_cut_at_its_last_request() -> None:
    first, reply, second = Message("user", "who is Bob?"), Message("assistant", "a friend"), Message("user", "mail him")
    (one,) = attempts(SYSTEM, first, reply, second, CALL)
    assert one.prompt == [first, reply, second] and one.request == "mail him" and one.tried == [CALL]


def test_what_was_asked_again_in_the_same_words_is_two_attempts_at_one_request() -> None:
    early, late = attempts(
        SYSTEM, Message("user", "Mail Bob"), Message("assistant", "done"), Message("user", " mail  bob"), CALL
    )
    assert (early.last, late.last) == (False, True)
    assert early.prompt == late.prompt == "Mail Bob" and early.key == late.key
    assert early.tried == [Message("assistant", "done")] and late.tried == [CALL]


def test_a_request_that_was_typed_twice_before_anyone_answered_is_one_attempt() -> None:
    (one,) = attempts(Message("user", "mail Bob"), Message("user", "mail Bob"), CALL)
    assert one.last and one.prompt == "mail Bob" and one.tried == [CALL]


def turn(saw: list[tuple[int, int]], *made: int) -> Turn:
    return Turn(saw=saw, made=list(made))


ASKED, FIRST, SECOND = Message("user", "mail Bob"), Message("assistant", "no"), Message("assistant", "yes")


def test_a_call_that_was_repeated_is_two_attempts_and_neither_sees_the_other() -> None:
    made = trace(SYSTEM, ASKED, FIRST, SECOND, turns=[turn([(0, 2)], 2), turn([(0, 2)], 3)], marks=[Mark("retry", 3)])
    early, late = attempts_of(made, NAMES)
    assert (early.tried, early.last, late.tried, late.last) == ([FIRST], False, [SECOND], True)
    assert early.prompt == late.prompt == "mail Bob"


def test_a_call_repeated_after_a_tools_result_keeps_what_came_before_it() -> None:
    result = FunctionCallOutput("c1", "sent")
    turns = [turn([(0, 1)], 1), turn([(0, 3)], 3), turn([(0, 3)], 4)]
    made = trace(ASKED, CALL, result, FIRST, SECOND, turns=turns, marks=[Mark("retry", 4)])
    early, late = attempts_of(made, NAMES)
    assert (early.tried, late.tried) == ([CALL, result, FIRST], [CALL, result, SECOND])


def test_what_somebody_wrote_and_then_wrote_otherwise_is_left_out() -> None:
    other = Message("user", "mail Rob")
    turns = [turn([(0, 2)], 2), turn([(0, 1), (3, 4)], 4)]
    (one,) = attempts_of(trace(SYSTEM, other, FIRST, ASKED, CALL, FunctionCallOutput("c1", "sent"), turns=turns), NAMES)
    assert one.prompt == "mail Bob" and one.tried == [CALL, FunctionCallOutput("c1", "sent")]


def test_a_turn_that_made_nothing_leaves_an_attempt_without_a_reply() -> None:
    (one,) = attempts_of(trace(SYSTEM, ASKED, turns=[turn([(0, 2)])]), NAMES)
    assert one.prompt == "mail Bob" and one.tried == []


@pytest.mark.parametrize("items", [[], [SYSTEM], [SYSTEM, Message("assistant", "Hello!")]])
def test_where_nobody_asked_there_is_no_attempt(items: list[Item]) -> None:
    assert attempts(*items) == []


def test_a_request_without_a_reply_is_still_an_attempt() -> None:
    (one,) = attempts(Message("user", "mail Bob"))
    assert one.tried == [] and replies(one.tried) == []


def test_a_tool_that_an_api_had_to_spell_otherwise_is_known_by_its_name() -> None:
    (one,) = attempts(Message("user", "mail Bob"), native("email-send", "{}"))
    assert one.tried == [native("email.send", "{}")]


def test_a_reply_cut_off_by_its_length_counts_as_stopped_by_it() -> None:
    made = trace(Message("user", "x"), Message("assistant", "{"), turns=[Turn(finish="length", made=[1])])
    (one,) = attempts_of(made, NAMES)
    assert one.trace.stop is Stop.MAX_TOKENS and one.trace.turns == []


def test_an_image_is_seen() -> None:
    (one,) = attempts(Message("user", [InputText("what is this?"), Image("ab")]))
    assert one.has_image
    assert not attempts(Message("user", [InputText("what is this?")]))[0].has_image


def test_replies_are_what_the_agent_said_between_results() -> None:
    second = native("email.archive", "{}", "c2")
    items = [
        Reasoning(),
        CALL,
        FunctionCallOutput("c1", "sent"),
        second,
        FunctionCallOutput("c2", "x"),
        Message("assistant", "Done."),
    ]
    assert replies(items) == [[CALL], [second], "Done."]


def test_a_call_that_was_written_as_text_is_read() -> None:
    text = '{"tool": "email.send", "args": {"to": "Bob"}}'
    message, made = solution(TOOLCALL, [Message("assistant", text)])
    assert message == Message("assistant", text) and made == native("email.send", '{"to":"Bob"}', "call_0")


@pytest.mark.parametrize(
    ("items", "offered", "belonging"),
    [
        ([Message("user", "x")], ["email.send", "refuse"], True),
        ([Message("user", "x")], ["email-send", "calendar-create_event", "weather"], True),
        ([Message("user", "x")], ["email.send", "weather"], False),
        ([Message("user", "x"), CALL], ["weather", "news", "email.send"], False),
        ([Message("user", "x"), CALL], [], True),
        ([Message("user", "x"), native("weather", "{}")], [], False),
        ([SYSTEM, Message("user", "x")], [], True),
        ([Message("system", "You are a pirate."), Message("user", "x")], [], False),
        ([Message("user", "x")], [], False),
    ],
    ids=[
        "offered",
        "most offered",
        "half offered",
        "few offered",
        "called",
        "called another",
        "prompt",
        "other prompt",
        "nothing",
    ],
)
def test_a_trace_belongs_by_its_tools_or_its_system_prompt(
    items: list[Item], offered: list[str], belonging: bool
) -> None:
    assert belongs(TOOLCALL, trace(*items), offered, NAMES) is belonging
