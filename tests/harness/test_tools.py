"""Tools from plain methods: the schema that the model is shown, and what comes of any call it may write."""

import asyncio
import dataclasses
import enum
import json
import threading
import time
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verigym.core.errors import EnvironmentFailure, InfrastructureFailure
from verigym.core.records import Mark, Stop
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor
from verigym.harness.tools import CallOutcome, ToolBox, tool


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


def call(name: str, arguments: object = "", desk: Desk | None = None) -> CallOutcome:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return asyncio.run(BOX.call(desk or Desk(), name, text))


def kinds(result: CallOutcome) -> list[str]:
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
    assert result == CallOutcome("booked", [Mark("executed", detail="calendar.create_event")])
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


@dataclasses.dataclass
class Choosy:
    """A type with checks of its own."""

    number: int

    def __post_init__(self) -> None:
        if self.number > 2:
            raise {3: ValueError, 4: KeyError, 5: ZeroDivisionError}[self.number]("not that one")


@pytest.mark.parametrize("number", [3, 4, 5], ids=["ValueError", "KeyError", "ZeroDivisionError"])
def test_what_a_type_of_the_tools_own_refuses_is_a_bad_argument(number: int) -> None:
    class Picky:
        @tool
        def pick(self, choice: Choosy) -> str:
            return str(choice.number)

    box = ToolBox(Picky)
    assert asyncio.run(box.call(Picky(), "pick", '{"choice": {"number": 2}}')).output == "2"
    result = asyncio.run(box.call(Picky(), "pick", json.dumps({"choice": {"number": number}})))
    assert kinds(result) == ["bad_arguments"] and "not that one" in result.output


def test_a_default_of_several_levels_is_not_shared_between_calls() -> None:
    class Desk2:
        @tool
        def note(self, lines: list[list[str]] = [[]], place: Place = Place("Elm")) -> str:  # noqa: B006
            lines[0].append("x")
            place.number += 1
            return f"{lines} {place.number}"

    box = ToolBox(Desk2)
    assert [asyncio.run(box.call(Desk2(), "note", "{}")).output for _ in range(2)] == ["[['x']] 2"] * 2


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


# -- limits -----------------------------------------------------------------------------------------------------------


RELEASE = threading.Event()


@pytest.fixture(autouse=True)
def release_left_behind() -> Iterator[None]:
    RELEASE.clear()
    yield
    RELEASE.set()


class Limited:
    def __init__(self) -> None:
        self.now, self.most, self.order = 0, 0, list[str]()

    def busy(self, name: str) -> str:
        self.now += 1
        self.most = max(self.most, self.now)
        time.sleep(0.2)
        self.now -= 1
        self.order.append(name)
        return name

    @tool(seconds=1.5)
    def slow(self, wait_s: float = 600.0) -> str:
        RELEASE.wait(wait_s)
        return "whole"

    @tool(seconds=1.5)
    async def slow_async(self, wait_s: float = 600.0) -> str:
        await asyncio.sleep(wait_s)
        return "whole"

    @tool(seconds=1.5, parallel=True)
    def slow_beside(self, wait_s: float = 600.0) -> str:
        RELEASE.wait(wait_s)
        return "whole"

    @tool(seconds=1.5, unsafe_if=lambda self, **_: RELEASE.wait(600))
    def slow_to_check(self) -> str:
        return "whole"

    @tool("once", calls=1)
    def at_most_once(self) -> str:
        return "did it"

    @tool(parallel=True)
    def beside(self, name: str) -> str:
        return self.busy(name)

    @tool
    def in_order(self, name: str) -> str:
        return self.busy(name)

    @tool
    async def async_one(self, name: str) -> str:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.2)
        self.now -= 1
        return name


LIMITED = ToolBox(Limited)


async def limited(name: str, arguments: str = "{}", before: int = 0) -> CallOutcome:
    place = EpisodeExecutor(AdaptiveExecutor(), own_thread=True)
    try:
        return await LIMITED.call(Limited(), name, arguments, place, before)
    finally:
        place.finish()


@pytest.mark.parametrize("name", ["slow", "slow_async", "slow_beside", "slow_to_check"])
def test_a_call_that_takes_longer_than_its_tool_may_ends_the_episode(name: str) -> None:
    began = time.monotonic()
    result = asyncio.run(limited(name))
    assert time.monotonic() - began < 300
    assert result == CallOutcome(
        f"error: {name} took more than 1.5 s",
        [Mark("tool_time_out", detail=f"{name} took more than 1.5 s")],
        Stop.TOOL_TIME_OUT,
    )


@pytest.mark.parametrize("name", ["slow", "slow_async", "slow_beside"])
def test_a_call_in_time_is_like_any_other(name: str) -> None:
    result = asyncio.run(limited(name, '{"wait_s": 0}'))
    assert result == CallOutcome("whole", [Mark("executed", detail=name)])


def test_a_call_more_than_there_may_be_is_not_executed_and_ends_the_episode() -> None:
    assert asyncio.run(limited("once", before=0)) == CallOutcome("did it", [Mark("executed", detail="once")])
    words = "once may be called 1 times in an episode"
    assert asyncio.run(limited("once", before=1)) == CallOutcome(
        f"error: {words}", [Mark("tool_limit", detail=words)], Stop.MAX_CALLS
    )


@pytest.mark.parametrize(
    ("name", "parallel"), [("beside", True), ("async_one", True), ("in_order", False), ("nobody", False)]
)
def test_async_tools_and_those_that_say_so_may_run_at_the_same_time(name: str, parallel: bool) -> None:
    assert LIMITED.parallel(name) is parallel


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


class Talkative:
    @tool
    def read(self, letters: int) -> str:
        """Read a lot."""
        return "a" * letters

    @tool
    def break_it(self) -> str:
        """The backend is gone."""
        raise InfrastructureFailure("no backend")

    @tool(unsafe_if=lambda self, misspelt: True)
    def send(self, to: str) -> str:
        """Send it."""
        return "sent"


def test_a_result_that_is_too_long_is_cut_and_marked() -> None:
    result = asyncio.run(ToolBox(Talkative).call(Talkative(), "read", '{"letters": 1000007}'))
    assert len(result.output) < 1_000_100 and result.output.endswith("... (7 characters more)")
    assert [mark.kind for mark in result.marks] == ["executed", "output_cut"]


def test_a_tool_may_say_that_it_is_not_the_models_doing() -> None:
    with pytest.raises(InfrastructureFailure, match="no backend"):
        asyncio.run(ToolBox(Talkative).call(Talkative(), "break_it", "{}"))


def test_a_rule_of_safety_that_cannot_be_asked_is_the_environments_failure() -> None:
    with pytest.raises(EnvironmentFailure, match="unsafe_if of send raised TypeError"):
        asyncio.run(ToolBox(Talkative).call(Talkative(), "send", '{"to": "x"}'))
