"""Every format, from a small file of it to trajectories: `golden/NAME.jsonl` and what comes of it, `golden/NAME.expected.json`.

python -m tests.traces.test_formats    # writes what is made now, to be read before it is committed
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.traces.conftest import Place
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Stop, Toolset, Trajectory
from verigym.traces import FORMATS

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))


def shown(one: Trajectory) -> dict[str, Any]:
    """Without ids and paths, which differ between workspaces."""
    plain = msgspec.json.decode(msgspec.json.encode(one))
    for key in ("id", "task", "group", "redacted", "tools"):
        plain.pop(key, None)
    return {**plain, "source": one.source.rpartition("/")[2]}


@pytest.mark.parametrize("name", NAMES)
def test_a_small_file_of_each_format_makes_the_trajectories_that_it_should(name: str, place: Place) -> None:
    summary = place.take(GOLDEN / f"{name}.jsonl")
    expected = json.loads((GOLDEN / f"{name}.expected.json").read_text())
    assert [shown(one) for one in place.stored()] == expected
    assert list(summary.formats) == [name]
    assert summary.quarantined == 0 and summary.taken == summary.records


def test_every_format_has_a_small_file_and_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "traces.md").read_text()
    assert sorted(FORMATS) == NAMES
    assert [name for name in FORMATS if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_format_can_be_demanded_and_others_are_then_refused(name: str, place: Place) -> None:
    assert place.take(GOLDEN / f"{name}.jsonl", format=name).quarantined == 0
    other = "atif" if name != "atif" else "otel"
    refused = place.take(GOLDEN / f"{name}.jsonl", format=other, name="other")
    assert refused.taken == 0 and list(refused.reasons) == [f"not {FORMATS[other].TITLE}"]


def test_formats_may_be_mixed_in_one_file(place: Place) -> None:
    lines = [line for name in NAMES for line in (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()]
    summary = place.take(place.write("mixed.jsonl", *lines))
    assert set(summary.formats) == set(NAMES) and summary.quarantined == 0


def test_offered_tools_are_stored_under_their_hash(place: Place) -> None:
    place.take(GOLDEN / "chat.jsonl")
    tools = place.store.get("tools", place.stored()[0].tools, Toolset)
    assert tools is not None and [tool.name for tool in tools.tools] == ["create_event"]


def test_traces_that_differ_only_in_copied_context_are_one(place: Place) -> None:
    row = json.loads((GOLDEN / "atif.jsonl").read_text().splitlines()[0])
    other = json.loads(json.dumps(row).replace("old request", "another request"))
    changed = json.loads(json.dumps(row).replace("Book Ann", "Book Bo"))
    summary = place.take(place.write("a.jsonl", *map(json.dumps, (row, other, changed))))
    assert (summary.accepted, summary.already) == (2, 1)
    kept = place.stored()[0]
    assert all(place >= 2 for turn in kept.turns for place in turn.made)  # nothing copied is learned from
    assert [mark.item for mark in kept.marks if mark.kind == "copied_context"] == [0, 1]


def test_token_ids_go_where_redaction_changed_their_text(place: Place) -> None:
    row = (GOLDEN / "atif.jsonl").read_text().splitlines()[0].replace('"Done"', '"Done, ann@example.com"')
    place.take(place.write("a.jsonl", row))
    first, second = place.stored()[0].turns
    assert first.completion_ids == [4, 5] and first.logprobs == [-0.1, -0.2]
    assert second.completion_ids == second.context_ids == second.logprobs == []
    assert place.stored()[0].gaps == ["token ids of 1 of 2 turns: their text was redacted"]


def test_token_ids_go_where_redaction_changed_a_tool(place: Place) -> None:
    row = (GOLDEN / "atif.jsonl").read_text().splitlines()[0].replace("Book a meeting.", "Ask ann@example.com.")
    place.take(place.write("a.jsonl", row))
    assert not [turn for turn in place.stored()[0].turns if turn.completion_ids or turn.context_ids]


def test_arguments_are_kept_as_the_model_wrote_them(place: Place) -> None:
    raw = '{"who":  "Ann", "who": 1,}'
    call = {"id": "c", "function": {"name": "f", "arguments": raw}}
    place.take(place.write("a.jsonl", json.dumps({"messages": [{"role": "assistant", "tool_calls": [call]}]})))
    one = place.stored()[0]
    assert one.items == [FunctionCall("c", "f", raw)]
    assert [mark.kind for mark in one.marks] == ["bad_arguments", "unanswered_call"]


def test_calls_and_results_that_do_not_meet_are_kept_and_marked(place: Place) -> None:
    calls = [{"function": {"name": "f", "arguments": {}}}, {"id": "", "function": {"arguments": None}}]
    rows = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "x", "content": "r"},
    ]
    place.take(place.write("a.jsonl", json.dumps(rows)))
    one = place.stored()[0]
    assert one.items == [
        FunctionCall("call_0", "f", "{}"),
        FunctionCall("call_1", "", ""),
        FunctionCallOutput("x", "r"),
    ]
    assert {mark.kind: mark.item for mark in one.marks} == {"orphan_output": 2, "unanswered_call": 1}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"outcome": "success"}, "success"),
        ({"outcome": "Failed"}, "failure"),
        ({"success": False}, "failure"),
        ({"metadata": {"resolved": True}}, "success"),
        ({"outcome": "maybe"}, ""),
        ({"outcome": None, "passed": 1}, "success"),
        ({"outcome": 0.5}, ""),
        ({"metadata": {"feedback": "thumbs_down"}}, "failure"),
        ({"feedback": {"rating": -1}}, "failure"),
        ({"feedback": {"rating": "thumbs-up", "comment": "bad weather, good answer"}}, "success"),
        ({"feedback": [{"key": "user_score", "score": 1}]}, "success"),
        ({"thumbs_up": True}, "success"),
        ({"thumbs_down": True}, "failure"),
        ({"thumbs_down": 0}, ""),
        ({"metadata": {"user_rating": "negative"}}, "failure"),
        ({"liked": False}, "failure"),
        ({"rating": "\U0001f44d"}, "success"),
        ({"rating": 1}, ""),  # of five stars, or a thumb up
        ({"outcome": "success", "feedback": "thumbs_down"}, "success"),
        ({"thumbs_up": True, "feedback": {"rating": -1}}, ""),
        ({}, ""),
    ],
    ids=str,
)
def test_an_outcome_that_is_not_known_is_no_failure(said: dict[str, Any], outcome: str, place: Place) -> None:
    row = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], **said}
    place.take(place.write("a.jsonl", json.dumps(row)))
    assert place.stored()[0].outcome == outcome


def test_scores_of_a_sample_that_disagree_leave_the_outcome_open(place: Place) -> None:
    row = json.loads((GOLDEN / "inspect.jsonl").read_text().splitlines()[0])
    row["scores"] = {"a": {"value": "C"}, "b": {"value": 0}}
    place.take(place.write("a.jsonl", json.dumps(row)))
    assert place.stored()[0].outcome == "" and place.stored()[0].end_state["scores"]["b"]["value"] == 0


def test_a_reply_that_was_cut_off_and_a_server_that_failed_are_said(place: Place) -> None:
    place.take(GOLDEN / "chat.jsonl")
    stops = {one.source.rpartition(":")[2]: one.stop for one in place.stored()}
    assert stops["2"] is Stop.MAX_TOKENS and stops["8"] is Stop.ERROR
    failed = next(one for one in place.stored() if one.stop is Stop.ERROR)
    assert not failed.scorable and failed.items == [Message("user", "Hm")]


if __name__ == "__main__":
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            made = Place(Path(folder))
            made.take(GOLDEN / f"{name}.jsonl")
            text = json.dumps([shown(one) for one in made.stored()], indent=1, ensure_ascii=False)
            (GOLDEN / f"{name}.expected.json").write_text(text + "\n")
            made.store.close()
