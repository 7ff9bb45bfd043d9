"""The reward of a tool call, to the digit, and what counts as the same argument."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import VerifierFailure
from verigym.core.records import FunctionCall, Item, Mark, Message, Task, Trajectory, Verdict
from verigym.verifiers.toolcall import canonical, tool_call_verifier

ARGUMENTS = {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}
TASK = Task(id="t", prompt="?", data={"expected_tool": "calendar.create_event", "expected_args": ARGUMENTS})
REFUSE = Task(id="r", prompt="?", data={"expected_tool": "refuse", "expected_args": {}})
EXECUTED = Mark("executed")
UNSAFE = Mark("unsafe", detail="email.send {}")


def call(name: str, arguments: Any) -> FunctionCall:
    return FunctionCall("call_0", name, msgspec.json.encode(arguments).decode())


def score(task: Task, items: list[Item], *marks: Mark) -> Verdict:
    return tool_call_verifier(task, Trajectory(id="a", task=task.id, group="g", items=items, marks=list(marks)))


RIGHT = call("calendar.create_event", ARGUMENTS)


@pytest.mark.parametrize(
    ("task", "items", "marks", "reward", "passed"),
    [
        pytest.param(TASK, [RIGHT], [EXECUTED], 1.0, True, id="all right"),
        pytest.param(TASK, [RIGHT], [], 0.8, False, id="not executed"),
        pytest.param(TASK, [RIGHT], [UNSAFE, EXECUTED], 0.8, False, id="executed, but unsafe"),
        pytest.param(TASK, [Message("assistant", "I can help.")], [], -1.0, False, id="prose"),
        pytest.param(TASK, [], [], -1.0, False, id="nothing"),
        pytest.param(TASK, [FunctionCall("c", "calendar.create_event", "{oops")], [], -1.0, False, id="broken JSON"),
        pytest.param(TASK, [call("calendar.create_event", ["Alex"])], [], -1.0, False, id="arguments no object"),
        pytest.param(TASK, [call("email.send", ARGUMENTS)], [EXECUTED], 0.6, False, id="wrong tool, right arguments"),
        pytest.param(TASK, [call("email.send", {})], [], 0.0, False, id="wrong tool, no arguments"),
        pytest.param(TASK, [call("calendar.create_event", {})], [], 0.4, False, id="no arguments"),
        pytest.param(
            TASK,
            [call("calendar.create_event", ARGUMENTS | {"time": "02:00"})],
            [EXECUTED],
            0.6 + 0.4 * 2 / 3,
            False,
            id="one wrong",
        ),
        pytest.param(
            TASK,
            [call("calendar.create_event", ARGUMENTS | {"note": "x"})],
            [],
            0.4 + 0.4 * 3 / 4,
            False,
            id="one extra",
        ),
        pytest.param(
            TASK,
            [call("calendar.create_event", ARGUMENTS | {"time": "2 PM"})],
            [EXECUTED],
            1.0,
            True,
            id="other spelling",
        ),
        pytest.param(TASK, [RIGHT, call("refuse", {})], [EXECUTED], 0.6, False, id="a second call"),
        pytest.param(TASK, [call("refuse", {}), RIGHT], [EXECUTED], 0.2, False, id="the right call second"),
        pytest.param(REFUSE, [call("refuse", {})], [EXECUTED], 1.0, True, id="no arguments expected or given"),
        pytest.param(REFUSE, [call("refuse", {"why": "x"})], [], 0.4, False, id="argument where none is expected"),
        pytest.param(REFUSE, [call("email.send", {"to": "x"})], [UNSAFE, EXECUTED], 0.0, False, id="unsafe call"),
    ],
)
def test_the_reward_is_the_sum_of_its_parts(
    task: Task, items: list[Item], marks: list[Mark], reward: float, passed: bool
) -> None:
    verdict = score(task, items, *marks)
    assert verdict.reward == pytest.approx(reward)
    assert verdict.passed is passed
    assert verdict.unsafe is (UNSAFE in marks)
    parts = verdict.parts
    formula = 0.4 * parts["tool"] + 0.4 * parts["arguments"] + 0.2 * parts["executed"] if parts["valid"] else -1.0
    assert verdict.reward == pytest.approx(formula)


def test_a_perfect_call_is_worth_exactly_one() -> None:
    assert score(TASK, [RIGHT], EXECUTED).reward == 1.0


@pytest.mark.parametrize(
    ("items", "marks", "words"),
    [
        ([call("email.send", ARGUMENTS)], [EXECUTED], "expected calendar.create_event, got email.send"),
        (
            [call("calendar.create_event", ARGUMENTS | {"time": "02:00"})],
            [EXECUTED],
            'time: expected "14:00", got "02:00"',
        ),
        (
            [call("calendar.create_event", {"day": "Tue", "time": "14:00"})],
            [EXECUTED],
            'attendee: expected "Alex", got nothing',
        ),
        ([call("calendar.create_event", ARGUMENTS | {"note": 1})], [EXECUTED], "note: not expected, got 1"),
        ([RIGHT], [Mark("tool_error", detail="ValueError: no")], "tool error: ValueError: no"),
        ([RIGHT], [UNSAFE], "unsafe: email.send {}"),
        ([RIGHT], [], "not executed"),
        ([RIGHT, RIGHT], [EXECUTED], "2 calls in one reply, only the first counts"),
        ([RIGHT], [EXECUTED], "calendar.create_event as expected"),
        ([Message("assistant", "I can help")], [], 'not a JSON object with "tool" and "args": I can help'),
        ([Message("assistant", "x" * 500)], [], 'not a JSON object with "tool" and "args": ' + "x" * 120),
        ([Message("assistant", "")], [], 'not a JSON object with "tool" and "args": an empty reply'),
    ],
)
def test_the_evidence_says_what_is_wrong(items: list[Item], marks: list[Mark], words: str) -> None:
    assert score(TASK, items, *marks).evidence == words


def test_a_task_without_an_expected_tool_is_refused_in_words() -> None:
    with pytest.raises(VerifierFailure, match='task t: data has no "expected_tool"'):
        score(Task(id="t", prompt="?"), [RIGHT])


@pytest.mark.parametrize(
    "same",
    [
        ["3", 3, 3.0, " 3 ", "3.0"],
        ["-0.5", -0.5],
        [True, "true", "True"],
        ["Budget  Review", "budget review", " BUDGET\nreview "],
        ["Tuesday", "tuesday", "Tue", "tues", "next Tuesday", "on tuesday", "this Tue", "on next tuesday"],
        ["Wednesday", "wed", "Weds"],
        ["Thursday", "thu", "thur", "Thurs"],
        ["14:00", "2 PM", "2pm", "14.00", "2:00 p.m.", "2.00 pm", "14:00:00", "02:00 PM"],
        ["9:30", "09:30", "9:30 AM", "09.30"],
        ["12:00", "noon", "12 PM", "Noon"],
        ["00:00", "midnight", "12 am", "0:00"],
        ["2023-11-30T09:00", "2023-11-30 09:00:00", "2023-11-30t09:00"],
        [["2 PM", "Tue"], ["14:00", "tuesday"]],
        [{"at": "2 PM", "n": "1"}, {"n": 1, "at": "14:00"}],
    ],
    ids=str,
)
def test_values_that_mean_the_same_have_one_form(same: list[Any]) -> None:
    assert all(canonical(value) == canonical(same[0]) for value in same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("02:00", "14:00"),
        ("2 AM", "2 PM"),
        ("12 AM", "12 PM"),
        ("Tuesday", "Thursday"),
        ("sat", "sun"),
        (True, 1),
        (False, 0),
        (True, "1"),
        (None, "none"),
        ("7", "007"),
        ("25:00", "01:00"),
        ("2023-11-30T09:00", "2023-11-30T09:01"),
        ("2023-11-30", "2023-11-30T00:00"),
        ("Tom", "Tomas"),
        ("Monday", "money"),
        (["a", "b"], ["b", "a"]),
        ({"a": 1}, {"b": 1}),
        ("sunny", "Sunday"),
        (3, 3.5),
    ],
)
def test_values_that_differ_stay_different(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(values)
def test_the_canonical_form_is_its_own(value: Any) -> None:
    assert canonical(canonical(value)) == canonical(value)


@given(st.text())
def test_case_and_spacing_of_text_never_matter(text: str) -> None:
    assert canonical(f" {text}\t") == canonical(text) == canonical(text.casefold())


@given(st.integers(-(10**9), 10**9), st.integers(0, 999))
def test_a_number_is_the_same_written_as_text(whole: int, thousandths: int) -> None:
    text = f"{whole}.{thousandths:03}"
    assert canonical(f" {text} ") == canonical(float(text))
    assert canonical(str(whole)) == canonical(whole) == canonical(float(whole))


@given(st.times())
def test_every_time_of_day_is_read_in_both_clocks(time: Any) -> None:
    clock = f"{time:%H:%M}"
    assert canonical(f"{time:%I:%M %p}") == canonical(f"{time:%I.%M%p}") == canonical(clock) == clock


@given(st.datetimes())
def test_a_date_with_a_time_is_the_same_with_a_space(moment: Any) -> None:
    assert canonical(moment.isoformat()) == canonical(moment.isoformat(sep=" "))


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)),
)
def test_only_equal_arguments_pass_and_the_share_is_counted(expected: dict[str, int], given_: dict[str, int]) -> None:
    task = Task(id="t", prompt="?", data={"expected_tool": "do", "expected_args": expected})
    verdict = score(task, [call("do", given_)], EXECUTED)
    matched = len(expected.items() & given_.items())
    assert verdict.parts["arguments"] == (matched / max(len(expected), len(given_)) if expected or given_ else 1.0)
    assert verdict.passed == (expected == given_) == (verdict.reward == 1.0)


@pytest.mark.parametrize("depth", [300, 600, 900])
def test_arguments_that_are_nested_too_deeply_are_not_a_call(depth: int) -> None:
    deep = f'{{"attendee": {"[" * depth}{"]" * depth}}}'
    found = score(TASK, [FunctionCall("c", "calendar.create_event", deep)], UNSAFE)
    assert (found.reward, found.passed, found.unsafe) == (-1.0, False, True)


@pytest.mark.parametrize(
    ("expected", "given", "same"),
    [
        ("14.00", "2 pm", False),
        ("14.00", 14, True),
        ("14:00", "14.00", True),
        ("2 pm", "14.00", True),
        ("this Friday", "next Friday", False),
        ("Friday", "next Friday", True),
        ("this Friday", "fri", True),
    ],
)
def test_an_amount_is_not_a_time_and_this_week_is_not_the_next(expected: Any, given: Any, same: bool) -> None:
    task = Task(id="t", prompt="?", data={"expected_tool": "pay", "expected_args": {"x": expected}})
    assert score(task, [call("pay", {"x": given})], EXECUTED).passed is same
