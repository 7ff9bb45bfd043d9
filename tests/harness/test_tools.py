"""Tools from plain methods: the schema that the model is shown, and what comes of any call it may write."""

import asyncio
import dataclasses
import enum
import json
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verigym.core.records import Mark
from verigym.harness.tools import Result, ToolBox, tool


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclasses.dataclass
class Place:
    street: str
    number: int = 1


class Desk:
    """Written in an order that is not alphabetical."""

    def __init__(self) -> None:
        self.booked: list[dict[str, Any]] = []

    @tool("calendar.create_event")
    def create(
        self,
        who: str,
        day: Literal["mon", "tue"],
        hour: int = 9,
        guests: list[str] = [],  # noqa: B006 (the point of a test)
        note: str | None = None,
    ) -> str:
        """Book a meeting."""
        guests.append("me")
        self.booked.append({"who": who, "day": day, "hour": hour, "guests": guests, "note": note})
        return "booked"

    @tool
    def ship(self, size: Size, place: Place) -> dict[str, Any]:
        return {"size": size, "street": place.street, "number": place.number + 1}

    @tool(unsafe_if=lambda self, path: path.startswith("/"))
    def delete(self, path: str) -> str:
        """Delete a file."""
        return f"deleted {path}"

    @tool
    async def ask(self, question: str) -> str:
        await asyncio.sleep(0)
        return question.upper()

    @tool
    def break_down(self) -> str:
        raise KeyError("no such thing")

    @tool
    def answer_oddly(self, how: str) -> Any:
        return {"object": object(), "surrogate": "\ud800", "none": None, "number": 2.5}[how]

    def helper(self) -> None:
        """Not a tool."""


BOX = ToolBox(Desk)
SPECS = {spec.name: spec for spec in BOX.specs}


def call(name: str, arguments: object = "", desk: Desk | None = None) -> Result:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return asyncio.run(BOX.call(desk or Desk(), name, text))


def kinds(result: Result) -> list[str]:
    return [mark.kind for mark in result.marks]


def test_tools_stand_in_the_order_in_which_they_are_written() -> None:
    assert list(SPECS) == ["calendar.create_event", "ship", "delete", "ask", "break_down", "answer_oddly"]


def test_tools_of_a_parent_class_come_first() -> None:
    class Bigger(Desk):
        @tool
        def a_new_one(self) -> str:
            return ""

    names = [spec.name for spec in ToolBox(Bigger).specs]
    assert names[-1] == "a_new_one"
    assert sorted(names[:-1]) == sorted(SPECS)


def test_a_class_without_tools_has_an_empty_box() -> None:
    assert ToolBox(int).specs == []


def test_the_docstring_is_the_description() -> None:
    assert (SPECS["calendar.create_event"].description, SPECS["ship"].description) == ("Book a meeting.", "")


def test_the_signature_is_the_schema() -> None:
    schema = SPECS["calendar.create_event"].parameters
    assert schema["type"] == "object"
    assert schema["required"] == ["who", "day"]
    assert schema["additionalProperties"] is False
    assert schema["properties"] == {
        "who": {"type": "string"},
        "day": {"enum": ["mon", "tue"]},
        "hour": {"type": "integer", "default": 9},
        "guests": {"type": "array", "items": {"type": "string"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    }


def test_enums_and_dataclasses_are_spelled_out_beside_the_arguments() -> None:
    schema = SPECS["ship"].parameters
    assert schema["required"] == ["size", "place"]
    assert schema["$defs"]["Size"]["enum"] == ["large", "small"]
    assert schema["$defs"]["Place"]["properties"] == {
        "street": {"type": "string"},
        "number": {"type": "integer", "default": 1},
    }


def test_a_call_runs_the_method_on_the_episodes_own_state() -> None:
    desk = Desk()
    result = call("calendar.create_event", {"who": "Ada", "day": "tue"}, desk)
    assert result == Result("booked", [Mark("executed", detail="calendar.create_event")])
    assert desk.booked == [{"who": "Ada", "day": "tue", "hour": 9, "guests": ["me"], "note": None}]


def test_a_default_list_is_not_shared_between_calls() -> None:
    desk = Desk()
    for _ in range(2):
        call("calendar.create_event", {"who": "Ada", "day": "mon"}, desk)
    assert [event["guests"] for event in desk.booked] == [["me"], ["me"]]


def test_a_number_written_as_text_is_read_as_a_number() -> None:
    desk = Desk()
    call("calendar.create_event", {"who": "Ada", "day": "mon", "hour": "3"}, desk)
    assert desk.booked[0]["hour"] == 3


def test_enums_and_dataclasses_arrive_as_themselves() -> None:
    result = call("ship", {"size": "large", "place": {"street": "Elm", "number": "4"}})
    assert json.loads(result.output) == {"size": "large", "street": "Elm", "number": 5}


def test_no_arguments_may_be_written_as_nothing() -> None:
    assert kinds(call("break_down", "")) == kinds(call("break_down", "{}")) == ["tool_error"]


def test_an_async_tool_is_awaited() -> None:
    assert call("ask", {"question": "why"}).output == "WHY"


def test_an_unknown_tool_lists_the_known_ones() -> None:
    result = call("calendar.create", "{}")
    assert result.output.startswith('error: no tool "calendar.create"; tools: calendar.create_event, ship')
    assert result.marks == [Mark("unknown_tool", detail="calendar.create")]


def test_a_method_that_is_not_marked_cannot_be_called() -> None:
    assert kinds(call("helper")) == ["unknown_tool"]
    assert kinds(call("__init__")) == ["unknown_tool"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{broken", "malformed"),
        ({"day": "mon"}, "who"),
        ({"who": "Ada", "day": "fri"}, "fri"),
        ({"who": "Ada", "day": "mon", "hour": "noon"}, "hour"),
        ({"who": 3, "day": "mon"}, "who"),
        ({"who": "Ada", "day": "mon", "colour": "red"}, "colour"),
        ([], "object"),
        ("null", "object"),
        ("[" * 200_000, "recursion"),
        ('{"who": "\ud800"}', "surrogate"),
    ],
    ids=[
        "bad JSON",
        "missing",
        "not a choice",
        "not a number",
        "wrong type",
        "extra",
        "list",
        "null",
        "deep",
        "surrogate",
    ],
)
def test_bad_arguments_are_told_to_the_model_and_marked(arguments: object, words: str) -> None:
    desk = Desk()
    result = call("calendar.create_event", arguments, desk)
    assert kinds(result) == ["bad_arguments"]
    assert result.output.startswith("error: calendar.create_event: ")
    assert words in result.output
    assert desk.booked == []


def test_a_tool_that_raises_is_told_to_the_model_and_marked() -> None:
    result = call("break_down")
    assert result.output == "error: 'no such thing'"
    assert result.marks == [Mark("tool_error", detail="KeyError: 'no such thing'")]


def test_an_unsafe_call_is_marked_and_executed() -> None:
    result = call("delete", {"path": "/etc"})
    assert result.output == "deleted /etc"
    assert result.marks == [Mark("unsafe", detail='delete {"path": "/etc"}'), Mark("executed", detail="delete")]
    assert kinds(call("delete", {"path": "notes"})) == ["executed"]


@pytest.mark.parametrize(
    ("how", "output"), [("none", "null"), ("number", "2.5"), ("surrogate", "?")], ids=["none", "number", "surrogate"]
)
def test_what_a_tool_returns_becomes_text_that_can_be_stored(how: str, output: str) -> None:
    result = call("answer_oddly", {"how": how})
    assert (result.output, kinds(result)) == (output, ["executed"])


def test_a_tool_that_returns_what_no_json_can_say_has_failed() -> None:
    assert kinds(call("answer_oddly", {"how": "object"})) == ["tool_error"]


def test_a_cancelled_tool_is_cancelled() -> None:
    class Slow:
        @tool
        async def wait(self) -> str:
            await asyncio.sleep(60)
            return ""

    async def cancel() -> None:
        running = asyncio.create_task(ToolBox(Slow).call(Slow(), "wait", "{}"))
        await asyncio.sleep(0)
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["who", "day", "size", "x"]), inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([*SPECS, "nothing"]), st.text(max_size=30) | json_values.map(json.dumps))
@example("calendar.create_event", '{"who":"a","day":"mon","hour":' + "1" * 5000 + "}")
@example("calendar.create_event", '{"who":"a","day":"mon","hour":"' + "1" * 5000 + '"}')
@example("calendar.create_event", '{"who":"a","day":"mon","hour":1e999}')
def test_no_text_whatever_makes_a_call_raise(name: str, arguments: str) -> None:
    result = call(name, arguments)
    known = {"executed", "unknown_tool", "bad_arguments", "tool_error", "unsafe"}
    assert isinstance(result.output, str)
    assert result.marks and set(kinds(result)) <= known
