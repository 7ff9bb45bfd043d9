"""Production conversations on their page, and feedback that people add there."""

import shutil
import time
from pathlib import Path

import pytest

from tests.traces.capture.chats import exchange, user
from tests.view.store import Made, add_mining, add_run, add_traces, episode, make_store
from tests.view.visitor import ORIGIN, Visitor
from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, Feedback, FunctionCall, Mark, Message, Task
from verigym.mining.proposals import MiningSummary, Proposal, Review
from verigym.store.database import Store
from verigym.traces.capture import Capture
from verigym.traces.redaction import Redaction
from verigym.view import traces
from verigym.view.feedback_index import feedback_index
from verigym.view.page import Query
from verigym.view.pages.traces import TracesPage, traces_page
from verigym.view.read import Reader
from verigym.view.watch import watch_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Twelve traces, two of them with feedback, and a run of another kind."""
    home = tmp_path_factory.mktemp("traces") / "home"
    home.mkdir()
    store = Store(home / "store.db")
    add_run(store, "eval-desk-1", tasks=2, attempts=1)
    ids = add_traces(store)
    add_mining(store, ids[0])
    store.close()
    return Made(home, "eval-desk-1", "", "traces-gateway", ids[0], "")


@pytest.fixture
def home(made: Made, tmp_path: Path) -> Path:
    """A copy to write to."""
    shutil.copytree(made.home, tmp_path / "home")
    return tmp_path / "home"


def page(home: Path, **given: str) -> TracesPage:
    reader = Reader(home)
    try:
        return traces_page(reader, Query({}, given, "Ada"))
    finally:
        reader.close()


def all_feedback(home: Path) -> list[Feedback]:
    store = Store(home / "store.db")
    records = store.documents("feedback", Feedback)
    store.close()
    return records


def test_traces_are_listed_newest_first_with_what_people_said(made: Made) -> None:
    data = page(made.home)
    assert (data.total, data.failed, len(data.rows)) == (12, 2, 12)
    first, last = data.rows[0], data.rows[-1]
    assert (
        first.request == "Mail [EMAIL 1] about plan 11." and first.outcome == "succeeded" and first.rules == "rules@1"
    )
    assert last.id == made.trace and last.outcome == "failed"
    assert last.feedback[0].who == "Ada" and last.feedback[0].correction == 'mail.send {"to": "Dina"}'
    assert last.task is not None and last.task.task.startswith("mined/") and last.task.words == "became a task"
    assert data.rows[-2].signals == ["a person stepped in"]


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"outcome": "failure"}, 2),
        ({"outcome": "success"}, 10),
        ({"outcome": "unknown"}, 0),
        ({"feedback": "any"}, 2),
        ({"feedback": "correction"}, 1),
        ({"feedback": "note"}, 1),
        ({"feedback": "none"}, 10),
        ({"feedback": "success"}, 0),
        ({"signal": "intervention"}, 1),
        ({"signal": "tool_error"}, 0),
        ({"version": "agent-1"}, 12),
        ({"version": "agent-2"}, 0),
        ({"q": "PLAN 7"}, 1),
        ({"q": "plan"}, 12),
        ({"q": "user"}, 0),
        ({"q": 'a "quote" \\ é'}, 0),
        ({"day": "1999-01-01"}, 0),
    ],
    ids=str,
)
def test_a_filter_keeps_only_what_fits(made: Made, given: dict[str, str], count: int) -> None:
    data = page(made.home, **given)
    assert len(data.rows) == count
    assert bool(data.empty) == (count == 0)


@pytest.mark.parametrize("given", [{"outcome": "great"}, {"feedback": "loud"}, {"signal": "smoke"}, {"said": "<b>"}])
def test_an_unknown_choice_is_refused_in_words(made: Made, given: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="Use one of"):
        page(made.home, **given)


def test_pages_of_a_long_list_have_every_trace_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for run in ("traces-served-2026-03-01", "traces-served-2026-03-02", "traces-old"):
        store.begin_run(run, "traces", {}, created=1_700_000_000)
        store.add(run, [episode(run, f"{n}", items=[Message("user", f"{run} {n}")]) for n in range(61)])
    store.close()
    data = page(tmp_path)
    assert [row.day for row in data.days] == ["2026-03-02", "2026-03-01", "2023-11-14"]
    seen = [row.id for row in data.rows]
    while data.after:
        after = dict(pair.split("=") for pair in data.after.partition("?")[2].split("&"))["after"]
        data = page(tmp_path, after=after.replace("%40", "@"))
        seen += [row.id for row in data.rows]
    assert len(seen) == len(set(seen)) == 183
    assert seen[0].startswith("traces-served-2026-03-02") and seen[-1].startswith("traces-old")
    assert len(page(tmp_path, day="2026-03-01", q="1 60").rows) == 1


def test_a_place_that_is_gone_begins_again(made: Made) -> None:
    assert len(page(made.home, after="99999@no-such-run").rows) == 12
    assert len(page(made.home, after="nonsense").rows) == 12


@pytest.mark.parametrize("place", ["²", "٣", "-1", "9" * 5000, "9" * 30, ""], ids=ascii)
def test_a_place_that_is_no_number_is_ignored(home: Path, made: Made, place: str) -> None:
    run = page(home).rows[0].id.rpartition("/")[0]
    answer = Visitor(home).client.get("/traces", params={"after": f"{place}@{run}"})
    assert answer.status_code == 200
    fields = {"trace": page(home).rows[0].id, "outcome": "failure", "back": "/traces", "seen": place}
    assert Visitor(home).post("/traces/feedback", **fields).status_code == 303


def test_a_search_that_takes_too_long_says_how_far_it_came(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_LOOK_S", -1.0)
    monkeypatch.setattr(traces, "_CHUNK", 5)
    data = page(made.home, q="plan 11")
    assert (len(data.rows), data.read) == (1, 5) and data.after
    assert "continue" in page(made.home, q="plan 0", after="").empty


@pytest.mark.parametrize(
    ("fields", "told", "standing"),
    [
        ({}, {}, "unknown"),
        ({"outcome": "success"}, {}, "success"),
        ({"outcome": "success"}, {"outcome": "failure"}, "failure"),
        ({"outcome": "success"}, {"correction": [Message("assistant", "x")]}, "failure"),
        ({"outcome": "failure"}, {"outcome": "success"}, "success"),
        ({"error": Failure(Fault.INFRASTRUCTURE, "Timeout", "slow")}, {}, "error"),
        ({"error": Failure(Fault.MODEL, "Limit", "long")}, {}, "unknown"),
        ({"interventions": ["took over"]}, {}, "failure"),
        ({"marks": [Mark("escalation")]}, {}, "failure"),
    ],
    ids=["nothing", "outcome", "told", "corrected", "told-good", "server", "model", "stepped-in", "escalated"],
)
def test_what_people_say_of_a_trace_comes_first(fields: dict, told: dict, standing: str) -> None:  # type: ignore[type-arg]
    given = [Feedback(trajectory="t", **told)] if told else []
    assert traces.TraceHead(id="t", **fields).standing(given) == standing


def test_conversations_of_the_gateway_are_counted_by_the_hour(tmp_path: Path) -> None:
    capture = Capture(tmp_path, Redaction())
    ids = [capture.add(exchange([user(f"question {n}")], "answer")) for n in range(5)]
    capture.feedback(ids[0], outcome="failure", who="Ada")
    capture.close()
    day = ids[0].partition("/")[0].removeprefix("traces-served-")
    data = page(tmp_path, day=day)
    assert sum(count for _, count, _ in data.hours) == 5 and sum(failed for _, _, failed in data.hours) == 1
    assert all(abs(row.began - time.time()) < 3600 for row in data.rows)
    assert "per hour" in data.picture


def test_an_empty_workspace_names_the_commands_that_fill_it(tmp_path: Path) -> None:
    data = page(tmp_path)
    assert data.fill == ["verigym serve champion", "verigym ingest LOGS.jsonl"] and data.rows == []
    assert "verigym serve champion" in Visitor(tmp_path).page("/traces")


def test_the_page_shows_placeholders_as_chips_that_name_their_rule(made: Made) -> None:
    text = Visitor(made.home).page("/traces")
    assert 'title="Removed by the rule email of rules@1">[EMAIL 1]<' in text
    assert Visitor(made.home).json("/traces")["total"] == 12


# -- feedback -------------------------------------------------------------------------------------------------------


def test_feedback_of_the_page_is_stored_as_the_gateway_stores_it(home: Path, made: Made) -> None:
    visitor = Visitor(home, who="")
    fields = {"trace": f"{made.traces}/trace-5/0", "note": "mail me at x@example.com", "correction": "Mailed Eve."}
    answer = visitor.post("/traces/feedback", who="Eva É", outcome="failure", back="/traces?day=2026-11-15", **fields)
    assert answer.status_code == 303 and answer.headers["location"] == "/traces?day=2026-11-15&said=stored"
    assert "who=Eva%20%C3%89" in answer.headers["set-cookie"] and "HttpOnly" in answer.headers["set-cookie"]
    [new] = [one for one in all_feedback(home) if one.who == "Eva É"]
    assert (new.outcome, new.note) == ("failure", "mail me at [EMAIL 1]")
    assert new.correction == [Message("assistant", "Mailed Eve.")] and new.when.startswith("20")
    assert page(home, feedback="failure").rows[0].feedback[0].who == "Eva É"


def test_a_double_press_stores_one_feedback_and_a_later_one_another(home: Path, made: Made) -> None:
    visitor = Visitor(home)
    fields = {"trace": f"{made.traces}/trace-5/0", "outcome": "failure", "note": "no"}
    for _ in range(3):
        visitor.sent("/traces/feedback", seen="0", **fields)
    assert len([one for one in all_feedback(home) if one.note == "no"]) == 1
    visitor.sent("/traces/feedback", seen="0", **{**fields, "outcome": "success"})
    assert len([one for one in all_feedback(home) if one.note == "no"]) == 2


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"trace": "traces-gateway/none", "outcome": "failure"}, 404, "No production conversation"),
        ({"trace": "eval-desk-1/task-0/0", "outcome": "failure"}, 404, "No production conversation"),
        ({"outcome": ""}, 400, "The feedback is empty"),
        ({"outcome": "great"}, 400, "Use one of"),
        ({"note": "x" * 20_000}, 400, "longer than"),
        ({"note": "x" * 70_000}, 413, "larger than"),
    ],
    ids=["unknown", "not-a-trace", "empty", "outcome", "long", "huge"],
)
def test_wrong_feedback_is_refused_in_words(home: Path, made: Made, fields: dict, status: int, words: str) -> None:  # type: ignore[type-arg]
    answer = Visitor(home).post("/traces/feedback", **{"trace": f"{made.traces}/trace-5/0", **fields})
    assert answer.status_code == status and words in answer.text
    assert len(all_feedback(home)) == 2


def test_feedback_without_a_name_asks_for_one(home: Path, made: Made) -> None:
    answer = Visitor(home, who="").post("/traces/feedback", trace=made.trace, outcome="failure")
    assert answer.status_code == 400 and "needs a name" in answer.text


def test_another_site_and_a_read_only_view_write_nothing(home: Path, made: Made) -> None:
    fields = {"trace": made.trace, "outcome": "success"}
    foreign = Visitor(home).post_from("http://evil.example", "/traces/feedback", fields)
    cross = Visitor(home).post_from(ORIGIN, "/traces/feedback", fields, **{"sec-fetch-site": "cross-site"})
    locked = Visitor(home, read_only=True)
    refused = locked.post("/traces/feedback", **fields)
    assert [foreign.status_code, cross.status_code, refused.status_code] == [403, 403, 403]
    assert "--read-only" in refused.text and "Add feedback" not in locked.page("/traces")
    assert len(all_feedback(home)) == 2


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "javascript:alert(1)", "/traces\r\nx: y", ""]
)
def test_the_way_back_stays_in_the_view(home: Path, made: Made, back: str) -> None:
    address = Visitor(home).sent("/traces/feedback", trace=made.trace, outcome="success", back=back)
    assert address == "/traces?said=stored"


def test_the_way_back_can_be_a_trajectory(home: Path, made: Made) -> None:
    back = "/t/traces-gateway%2Ftrace-5%2F0?tokens=1"
    address = Visitor(home).sent("/traces/feedback", trace=made.trace, outcome="success", back=back)
    assert address == "/t/traces-gateway%2Ftrace-5%2F0?tokens=1&said=stored"


def test_the_page_of_one_trace_takes_feedback_and_shows_what_was_removed(home: Path, made: Made) -> None:
    visitor = Visitor(home)
    page = "/t/traces-gateway%2Ftrace-5%2F0"
    text = visitor.page(page)
    assert "Add feedback" in text and "Removed by the rule email of rules@1" in text
    address = visitor.sent("/traces/feedback", trace="traces-gateway/trace-5/0", note="too slow", back=page)
    assert "Your feedback is stored." in visitor.page(address) and "too slow" in visitor.page(page)
    assert "Add feedback" not in Visitor(home, read_only=True).page(page)
    assert "Add feedback" not in visitor.page("/t/eval-desk-1%2Ftask-0%2F0"), "an evaluation is not a trace"


def test_a_correction_that_is_a_call_is_shown_as_one() -> None:
    assert traces.said([FunctionCall("c", "mail.send", '{"to": "x"}')]) == 'mail.send {"to": "x"}'


def test_hostile_text_of_a_trace_stays_text(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    ids = add_traces(store, count=2)
    store.close()
    bad = "<script>alert(1)</script>"
    Visitor(tmp_path, who="").sent("/traces/feedback", trace=ids[0], note=bad, who=bad, outcome="failure")
    text = Visitor(tmp_path, who="").page("/traces")
    assert bad not in text and "&lt;script&gt;" in text


def test_new_conversations_are_a_number_to_press_and_other_episodes_are_not_counted(home: Path) -> None:
    reader = Reader(home)
    channel = traces_page(reader, Query()).live
    watch = watch_of(channel)
    assert watch.snapshot(reader, "") == [] and watch.look(reader) == []
    store = Store(home / "store.db")
    store.begin_run("traces-served-2026-03-01", "traces", {})
    store.add("traces-served-2026-03-01", [episode("traces-served-2026-03-01", f"{n}") for n in range(3)])
    store.begin_run("another", "eval", {})
    store.add("another", [episode("another", "1")])
    assert watch.look(reader) == [{"stale": "3 conversations since you opened this page"}]
    assert watch.look(reader) == [], "nothing is said twice"
    store.add("traces-served-2026-03-01", [episode("traces-served-2026-03-01", "4")])
    store.close()
    assert watch.look(reader) == [{"stale": "4 conversations since you opened this page"}]
    assert watch_of(channel).snapshot(reader, "") == [{"stale": "4 conversations since you opened this page"}]
    reader.close()


def test_a_tag_says_how_far_a_proposal_came_or_which_task_stood_there_before(tmp_path: Path) -> None:
    home = make_store(tmp_path / "home").home
    store = Store(home / "store.db")
    ids = [f"traces-gateway/trace-{n}/0" for n in range(1, 5)]
    for n, (trace, answer) in enumerate(zip(ids[:2], ("open", "rejected"), strict=True)):
        task = Task(id=f"later/{n}", prompt="Mail Dina.", lineage=[trace])
        store.put(
            "proposal",
            task.id,
            Proposal(id=task.id, environment="desk", task=task, right="x", source="Ada", did="y", trajectories=[trace]),
        )
        store.put("review", f"later-{n}", Review(proposals=[task.id], answer=answer, who="Ada", when="2026-01-06"))  # type: ignore[arg-type]
    seen = {ids[2]: "task-1", ids[3]: "never played"}
    store.put("mining", "later", MiningSummary(environment="desk", counts={}, buckets={}, unverifiable=[], tasks=seen))
    store.close()
    tags = {row.id: row.task for row in page(home).rows if row.task is not None}
    assert [tags[id].words for id in ids] == [
        "proposed as a task",
        "proposal rejected",
        "tested by task-1",
        "tested by never played",
    ]
    assert tags[ids[2]].href == "/task/task-1" and tags[ids[3]].href == ""
    assert "tested by never played" in Visitor(home).page("/traces")


def test_the_page_of_a_trace_says_who_called_it_a_failure(home: Path, made: Made) -> None:
    visitor = Visitor(home)
    assert "failed, said Ada" in visitor.page(f"/t/{made.trace}")
    other = "traces-gateway/trace-5/0"
    assert "succeeded in production" in visitor.page(f"/t/{other}")
    visitor.sent("/traces/feedback", trace=other, outcome="failure", who="Mara", seen="0", back="/traces")
    assert "failed, said Mara" in visitor.page(f"/t/{other}")


def test_feedback_of_a_trace_is_found_by_its_kinds_and_read_oldest_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.put_all(
        "feedback",
        {
            "f1": Feedback(trajectory="a/1", outcome="success", when="2026-11-02"),
            "f2": Feedback(trajectory="a/1", intervention="took over", when="2026-11-01"),
            "f3": Feedback(trajectory="a/2", note="hm"),
            "f4": Feedback(trajectory="a/3", correction=[Message("assistant", "No.")]),
        },
    )
    reader = Reader(tmp_path)
    index = feedback_index(reader)
    assert index.with_kind("any") == {"a/1", "a/2", "a/3"}
    assert index.with_kind("success") == {"a/1"} and index.with_kind("note") == {"a/2"}
    assert index.with_kind("failure") == set() and index.with_kind("correction") == {"a/3"}
    assert set(index.failed()) == {"a/1", "a/3"}
    found = index.read(reader, ["a/1", "a/9"])
    assert [one.when for one in found["a/1"]] == ["2026-11-01", "2026-11-02"] and list(found) == ["a/1"]
    store.put_all("feedback", {"f5": Feedback(trajectory="a/9", outcome="failure")})
    assert feedback_index(reader).with_kind("failure") == {"a/9"}
    reader.close()
    store.close()


def test_failures_are_counted_for_the_run_that_has_the_trace(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for run in ("traces-a", "traces-a/b"):
        store.begin_run(run, "traces", {})
        store.add(run, [episode(f"{run}/1", "t")])
    store.put_all("feedback", {"f1": Feedback(trajectory="traces-a/b/1", outcome="failure")})
    store.close()
    reader = Reader(tmp_path)
    failed = traces.failed_ids(reader, traces.runs_of_traces(reader))
    assert failed == {"traces-a": frozenset(), "traces-a/b": frozenset({"traces-a/b/1"})}
    reader.close()
