"""The diff says what is missing, what is wrong and what nobody asked for; equal states have none, and any change has one."""

import copy
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import episode, verdict
from verigym.core.records import Fault, Verdict
from verigym.verifiers.state import StateDiff

OFFICE: dict[str, Any] = {
    "events": [{"who": "Kim", "day": "Monday", "time": "10:00"}, {"who": "Lee", "day": "Friday", "time": "09:00"}],
    "tasks": [{"name": name, "owner": "me", "status": "open"} for name in ("write", "read", "rest", "run")],
    "emails": {"6": {"from": "Kim", "text": "hi"}, "7": {"from": "Lee", "text": "hello"}},
    "theme": "dark",
}
MEETING = {"who": "Alex", "day": "Tuesday", "time": "14:00"}
CHANGES = [
    {"op": "add", "path": "/events/-", "value": MEETING},
    {"op": "replace", "path": "/tasks/3/status", "value": "done"},
    {"op": "remove", "path": "/emails/6"},
]


def done(**changed: Any) -> dict[str, Any]:
    state = copy.deepcopy(OFFICE)
    state["events"].append(dict(MEETING))
    state["tasks"][3]["status"] = "done"
    del state["emails"]["6"]
    return {**state, **changed}


def diff(end: dict[str, Any], *, rules: dict[str, Any] | None = None, **data: Any) -> Verdict:
    given = data or {"state": OFFICE, "expected_changes": CHANGES}
    return verdict(StateDiff(**(rules or {})), episode(end_state=end), **given)


def test_the_expected_state_passes() -> None:
    found = diff(done())
    assert (found.reward, found.passed, found.evidence) == (1.0, True, "the end state is as expected")
    assert found.parts == {"matched": 1.0, "side_effects": 0.0}


def test_doing_nothing_is_shown_as_what_is_missing() -> None:
    found = diff(OFFICE)
    assert (found.reward, found.passed) == (0.0, False)
    assert found.evidence.split("\n") == [
        "+ events: Alex, Tuesday, 14:00 (missing)",
        "~ tasks[3].status: open, expected done",
        "~ emails[6]: Kim, hi is still there, expected deleted",
    ]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"theme": "light"}, "- side effect: theme: dark became light"),
        ({"emails": {}}, "- side effect: emails[7] deleted: Lee, hello"),
        ({"notes": ["x"]}, "- side effect: notes added: x"),
        (
            {"tasks": [{**task, "owner": "you"} for task in done()["tasks"][:1]] + done()["tasks"][1:]},
            "- side effect: tasks[0].owner: me became you",
        ),
        ({"events": done()["events"][1:]}, "- side effect: events[0] deleted: Kim, Monday, 10:00"),
        ({"events": [*done()["events"], {"who": "Spam"}]}, "- side effect: events[3] added: Spam"),
        ({"events": done()["events"][::-1]}, "~ events: in another order"),
        ({"events": [*OFFICE["events"], {**MEETING, "time": "15:00"}]}, "~ events[2].time: 15:00, expected 14:00"),
        ({"tasks": OFFICE["tasks"][:3]}, "+ tasks: run, me, done (missing)"),
        ({"theme": None}, "- side effect: theme: dark became null"),
        ({"theme": ["dark"]}, "- side effect: theme: dark became dark"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_of_difference_has_its_line(changed: dict[str, Any], line: str) -> None:
    found = diff(done(**changed))
    assert not found.passed and found.evidence.split("\n") == [line]


def test_side_effects_are_counted_and_taken_from_the_reward() -> None:
    found = diff(done(theme="light", emails={}))
    assert found.parts == {"matched": 1.0, "side_effects": 2.0} and found.reward == 0.0
    assert diff(done(theme="light"), rules={"penalty": 0.1}).reward == 0.9
    assert diff(done(theme="light", emails={}), rules={"penalty": 5.0}).reward == -1.0


def test_half_of_the_work_is_half_matched() -> None:
    state = {"a": 0, "b": 0}
    found = diff({"a": 1, "b": 0}, state=state, expected_state={"a": 1, "b": 1})
    assert found.parts["matched"] == found.reward == 0.5


def test_a_row_with_one_wrong_field_is_partly_matched() -> None:
    found = diff({"events": [{**MEETING, "time": "15:00"}]}, state={"events": []}, expected_state={"events": [MEETING]})
    assert found.parts == {"matched": 2 / 3, "side_effects": 0.0}


def test_changing_the_wrong_row_is_both_missing_and_a_side_effect() -> None:
    rows = [{"id": number, "kind": "task", "status": "open"} for number in (7, 8)]
    wrong, right = copy.deepcopy(rows), copy.deepcopy(rows)
    wrong[0]["status"] = right[1]["status"] = "done"
    found = diff({"rows": wrong}, state={"rows": rows}, expected_state={"rows": right})
    assert sorted(found.evidence.split("\n")) == [
        "- side effect: rows[0].status: open became done",
        "~ rows[1].status: open, expected done",
    ]


def test_deleting_the_wrong_row_is_both_too() -> None:
    rows = [{"name": "Kim", "age": 1}, {"name": "Lee", "age": 2}]
    found = diff({"rows": rows[1:]}, state={"rows": rows}, expected_state={"rows": rows[:1]})
    assert found.evidence.split("\n") == [
        "- side effect: rows[0] deleted: Kim, 1",
        "~ rows[1]: Lee, 2 is still there, expected deleted",
    ]


def test_a_row_changed_in_another_way_is_compared_with_what_it_was() -> None:
    row = {"name": "Kim", "city": "Rome", "age": 1, "sex": "f"}
    found = diff(
        {"rows": [{**row, "city": "Oslo", "age": 2}]},
        state={"rows": [row]},
        expected_state={"rows": [{**row, "city": "Bonn"}]},
    )
    assert found.evidence.split("\n") == [
        "~ rows[0].city: Oslo, expected Bonn",
        "- side effect: rows[0].age: 1 became 2",
    ]


def test_what_is_ignored_may_differ() -> None:
    end = done(theme="light", events=[{**event, "id": number} for number, event in enumerate(done()["events"])])
    assert diff(end, rules={"ignore": ["theme", "*.id"]}).passed
    assert not diff(end, rules={"ignore": ["*.id"]}).passed
    assert diff(done(events=[]), rules={"ignore": ["events.*"]}).passed


def test_order_does_not_matter_where_told() -> None:
    assert diff(done(events=done()["events"][::-1]), rules={"unordered": ["events"]}).passed
    nested = {"rows": [{"tags": ["a", "b"]}]}
    assert diff({"rows": [{"tags": ["b", "a"]}]}, rules={"unordered": ["*.tags"]}, expected_state=nested).passed
    assert not diff({"rows": [{"tags": ["b", "a"]}]}, expected_state=nested).passed


def test_ids_of_a_table_do_not_matter_where_told() -> None:
    expected = {"rows": {"1": {"name": "Kim"}, "2": {"name": "Lee"}}}
    end = {"rows": {"9": {"name": "Lee"}, "5": {"name": "Kim"}}}
    assert diff(end, rules={"unordered": ["rows"]}, expected_state=expected).passed
    found = diff({"rows": {"9": {"name": "Lee"}}}, rules={"unordered": ["rows"]}, expected_state=expected)
    assert found.evidence == "+ rows: Kim (missing)"


@pytest.mark.parametrize(
    ("one", "other"),
    [("2023-11-30T09:00", "2023-11-30 09:00:00"), (30, "30"), ("2 PM", "14:00"), ("Kim", " kim"), (True, "true")],
)
def test_values_are_compared_in_meaning_where_told(one: Any, other: Any) -> None:
    assert diff({"x": {"y": one}}, rules={"loose": ["x.*"]}, expected_state={"x": {"y": other}}).passed
    assert not diff({"x": {"y": one}}, expected_state={"x": {"y": other}}).passed


@pytest.mark.parametrize(
    ("one", "other", "same"), [(1, 1.0, True), (True, 1, False), (0, None, False), ("1", 1, False)]
)
def test_types_are_told_apart_and_whole_floats_are_not(one: Any, other: Any, same: bool) -> None:
    assert diff({"x": one}, expected_state={"x": other}).passed == same
    assert diff({"x": [one]}, expected_state={"x": [other]}).passed == same


def test_without_a_starting_state_all_of_the_expected_counts() -> None:
    found = diff({"a": 1, "c": 3}, expected_state={"a": 1, "b": 2})
    assert found.parts == {"matched": 0.5, "side_effects": 1.0}
    assert found.evidence.split("\n") == ["+ b: 2 (missing)", "- side effect: c added: 3"]


def test_the_patch_is_the_standards() -> None:
    state = {"a/b": [1, 2, 3], "c~d": {"e": 1}}
    changes = [
        {"op": "add", "path": "/a~1b/1", "value": 9},
        {"op": "remove", "path": "/a~1b/0"},
        {"op": "add", "path": "/c~0d/f", "value": 2},
    ]
    assert diff({"a/b": [9, 2, 3], "c~d": {"e": 1, "f": 2}}, state=state, expected_changes=changes).passed
    assert state == {"a/b": [1, 2, 3], "c~d": {"e": 1}}


@pytest.mark.parametrize(
    "data",
    [
        {"x": 1},
        {"expected_changes": []},
        {"state": {}, "expected_changes": [{"op": "remove", "path": "/x"}]},
        {"state": {"x": 1}, "expected_changes": [{"op": "move", "path": "/x"}]},
        {"state": {"x": []}, "expected_changes": [{"op": "replace", "path": "/x/0", "value": 1}]},
        {"state": {"x": 1}, "expected_changes": [{"op": "add"}]},
    ],
    ids=str,
)
def test_a_task_that_does_not_say_what_to_expect_is_the_verifiers_failure(data: dict[str, Any]) -> None:
    found = diff({"x": 1}, **data)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER


def test_an_agent_that_deletes_everything_fails_and_the_evidence_names_the_other_cause() -> None:
    found = diff({}, state={"a": 1, "keep": 2}, expected_state={"b": 1, "keep": 2})
    assert (found.reward, found.passed, found.error) == (0.0, False, None)
    assert found.parts["side_effects"] == 1 and "end_state(self)" in found.evidence
    assert diff({}, state={"a": 1}, expected_state={}).passed


@pytest.mark.parametrize("rules", [{}, {"loose": ["*"]}, {"unordered": ["x"]}], ids=str)
def test_an_end_state_that_is_nested_too_deeply_fails(rules: dict[str, Any]) -> None:
    deep: list[Any] = []
    for _ in range(600):
        deep = [deep]
    limit = sys.getrecursionlimit()
    for higher in (0, 4000):  # libraries raise it
        try:
            sys.setrecursionlimit(limit + higher)
            found = diff({"x": deep}, rules=rules, state={"x": 0}, expected_state={"x": 1})
        finally:
            sys.setrecursionlimit(limit)
        assert found.error is None and found.reward is not None and found.reward < 0 and not found.passed


def test_a_large_state_is_compared_quickly_and_its_evidence_is_bounded() -> None:
    tables = {name: [{f"f{at}": f"{name} {row} {at}" * 5 for at in range(8)} for row in range(500)] for name in "abcde"}
    end = copy.deepcopy(tables)
    for row in end["a"]:
        row["f0"] = "x" * 10_000
    end["b"].reverse()
    start = time.process_time()
    found = diff(end, rules={"unordered": ["b"], "loose": ["*"]}, state=tables, expected_state=tables)
    assert time.process_time() - start < 5
    assert found.parts["side_effects"] == 1000 and len(found.evidence) < 20_000
    assert found.evidence.endswith("… and 980 more differences")


def test_half_a_surrogate_pair_is_a_value_like_any_other() -> None:
    assert diff({"x": ["\ud800"]}, expected_state={"x": ["\ud800"]}).passed
    found = diff({"x": [{"y": "\ud800", "z": 1}]}, expected_state={"x": [{"y": "b", "z": 1}]})
    assert not found.passed and found.error is None


leaves = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b", "2 PM"])
names = st.sampled_from(["a", "b", "7", "id"])
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3), max_leaves=12
)
states = st.dictionaries(names, values, min_size=1, max_size=3)


@settings(deadline=None)
@given(states, st.none() | states)
def test_equal_states_have_no_diff_whatever_the_start(state: dict[str, Any], start: dict[str, Any] | None) -> None:
    known = {} if start is None else {"state": start}
    found = diff(copy.deepcopy(state), expected_state=state, **known)
    assert (found.passed, found.reward, found.parts) == (True, 1.0, {"matched": 1.0, "side_effects": 0.0})


@settings(deadline=None)
@given(states, states, st.none() | states)
def test_different_states_have_a_diff_and_no_full_reward(
    one: dict[str, Any], other: dict[str, Any], start: Any
) -> None:
    known = {} if start is None else {"state": start}
    found = diff(one, expected_state=other, **known)
    assert found.passed == (repr(_plain(one)) == repr(_plain(other)))
    assert found.passed == (found.evidence == "the end state is as expected") == (found.reward == 1.0)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    return [_plain(each) for each in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(states, st.data())
def test_any_single_change_is_a_side_effect(state: dict[str, Any], data: st.DataObject) -> None:
    end = copy.deepcopy(state)
    holder: Any = end
    while True:
        places = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        place = data.draw(st.sampled_from(places))
        inner = holder[place]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        holder = inner
    holder[place] = {"changed": 1}
    if _plain(state) != _plain(end):
        found = diff(end, state=state, expected_state=state)
        assert not found.passed and found.parts["side_effects"] >= 1 and found.parts["matched"] == 1.0


@settings(deadline=None)
@given(st.lists(st.fixed_dictionaries({"a": leaves, "b": leaves}), max_size=6), st.randoms())
def test_an_unordered_table_in_any_order_is_the_same(rows: list[Any], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    assert diff({"rows": shuffled, "x": 1}, rules={"unordered": ["rows"]}, expected_state={"rows": rows, "x": 1}).passed
