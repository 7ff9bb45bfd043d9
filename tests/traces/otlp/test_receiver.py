"""Spans in any order, in several batches, twice, late or before a kill are one trajectory. No secret is on disk."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.traces.otlp.spans import AGENT, agent_spans, document, span, text, trace_id
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Feedback, FunctionCall, FunctionCallOutput, Message, Trajectory
from verigym.store.database import Store
from verigym.traces.otlp import SpanReceiver, receiver
from verigym.traces.redaction import Redaction

ONE = trace_id(1)
ITEMS = [
    Message("user", "Weather in Bern?"),
    FunctionCall("c1", "weather", '{"city":"Bern"}'),
    FunctionCallOutput("c1", "rain"),
    Message("assistant", "It rains."),
]


@contextlib.contextmanager
def receiving(home: Path, **options: Any) -> Iterator[SpanReceiver]:
    """It joins at once what has its root, and never what has none, unless a test says otherwise."""
    open = SpanReceiver(home, Redaction.load(), **{"quiet_s": 0.0, "idle_s": 1e6, **options})
    try:
        yield open
    finally:
        open.close()


def stored(home: Path) -> list[Trajectory]:
    with contextlib.closing(Store(home / "store.db")) as store:
        return [one for run in store.runs() if run.kind == "traces" for one in store.trajectories(run.id)]


def until(is_so: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it did not become so in time"
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]], ids=str)
def test_spans_in_any_order_and_batch_are_one_trajectory(order: list[int], tmp_path: Path) -> None:
    spans = agent_spans(ONE)
    with receiving(tmp_path) as open:
        for index in order:
            assert open.accept(document(spans[index]), "").rejected == 0
        open.flush()
    [one] = stored(tmp_path)
    assert one.items == ITEMS and [turn.made for turn in one.turns] == [[1], [3]]
    assert one.source == f"otlp:{ONE}" and one.redacted and one.id.startswith("traces-otlp-20")


def test_a_trace_with_its_root_is_joined_by_itself(tmp_path: Path) -> None:
    with receiving(tmp_path) as open:
        open.accept(document(*agent_spans(ONE)), "")
        until(lambda: open.counts.get("joined"))
        assert stored(tmp_path)[0].items == ITEMS


def test_a_trace_without_its_root_is_joined_when_it_is_idle(tmp_path: Path) -> None:
    with receiving(tmp_path, idle_s=0.0) as open:
        open.accept(document(*agent_spans(ONE)[1:]), "")
        until(lambda: open.counts.get("joined"))
        assert stored(tmp_path)[0].items == ITEMS


def test_late_spans_replace_the_trajectory_and_spans_that_come_twice_change_nothing(tmp_path: Path) -> None:
    spans = agent_spans(ONE)
    with receiving(tmp_path) as open:
        open.accept(document(*spans[:2]), "")
        until(lambda: open.counts.get("joined") == 1)
        [early] = stored(tmp_path)
        open.accept(document(*spans[2:]), "")
        until(lambda: open.counts.get("joined") == 2)
        [late] = stored(tmp_path)
        open.accept(document(*spans), "")
        assert open.counts["duplicate"] == 4
        open.flush()
        assert open.counts["joined"] == 2
    assert early.id == late.id and early.items == ITEMS[:2] and late.items == ITEMS
    assert stored(tmp_path) == [late]


def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from tests.traces.otlp.spans import agent_spans, document
from verigym.traces.otlp import SpanReceiver
from verigym.traces.redaction import Redaction
open = SpanReceiver(Path({str(tmp_path)!r}), Redaction.load(), quiet_s=1e6, idle_s=1e6)
for span in agent_spans({ONE!r})[:3]:
    open.accept(document(span), "")
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, timeout=300)
    assert done.returncode == -signal.SIGKILL and not stored(tmp_path)
    with receiving(tmp_path) as open:
        until(lambda: open.counts.get("joined"))
        open.accept(document(agent_spans(ONE)[3]), "")
    assert [one.items for one in stored(tmp_path)] == [ITEMS]


def test_traces_of_one_conversation_are_one_trajectory(tmp_path: Path) -> None:
    about = {"gen_ai.conversation.id": "k7"}
    with receiving(tmp_path) as open:
        for number, question in enumerate(["One?", "Two?", "Three?"], start=1):
            open.accept(document(*agent_spans(trace_id(number), question, **about)), "")
            until(lambda number=number: open.counts.get("joined") == number)
        open.accept(document(*agent_spans(trace_id(9), "Other?")), "")
    conversation, other = sorted(stored(tmp_path), key=lambda one: -len(one.items))
    asked = [item.text for item in conversation.items if isinstance(item, Message) and item.role == "user"]
    assert asked == ["One?", "Two?", "Three?"] and len(other.items) == 4


def test_the_same_trace_of_two_owners_is_two_trajectories(tmp_path: Path) -> None:
    with receiving(tmp_path) as open:
        for owner in ("key a", "key b"):
            open.accept(document(*agent_spans(ONE)), owner)
    assert len({one.id for one in stored(tmp_path)}) == 2


def test_nothing_secret_is_on_disk_and_a_value_keeps_its_placeholder_over_batches(tmp_path: Path) -> None:
    asked = "I am ann@example.com, not bob@example.com"
    first, second = agent_spans(ONE, asked)[1], agent_spans(ONE, asked.replace("ann", "eve"))[3]
    with receiving(tmp_path) as open:
        open.accept(document(first), "")
        open.accept(document(second), "")
        for file in tmp_path.iterdir():
            assert not file.is_file() or b"example.com" not in file.read_bytes(), file
        open.flush()
        for file in tmp_path.iterdir():
            assert not file.is_file() or b"example.com" not in file.read_bytes(), file
    said = [item.text for item in stored(tmp_path)[0].items if isinstance(item, Message) and item.role == "user"]
    assert said == ["I am [EMAIL 1], not [EMAIL 2]", "I am [EMAIL 3], not [EMAIL 2]"]


def test_a_placeholder_that_the_sender_wrote_keeps_its_number(tmp_path: Path) -> None:
    with receiving(tmp_path) as open:
        open.accept(document(*agent_spans(ONE, "[EMAIL 1] and ann@example.com")), "")
    assert stored(tmp_path)[0].items[0] == Message("user", "[EMAIL 1] and [EMAIL 2]")


def test_spans_about_other_things_are_taken_and_make_no_trajectory(tmp_path: Path) -> None:
    http = span(ONE, AGENT, 1, {"http.request.method": "GET", "user.email": "ann@example.com"}, parent="")
    with receiving(tmp_path) as open:
        assert open.accept(document(http), "").rejected == 0
        assert b"GET" not in (tmp_path / "spans.db").read_bytes()
        open.flush()
    assert not stored(tmp_path)


def test_a_web_request_above_the_agent_is_the_root(tmp_path: Path) -> None:
    inside = [{**each, "parentSpanId": each["parentSpanId"] or "e" * 16} for each in agent_spans(ONE)]
    http = span(ONE, "e" * 16, 0, {"http.request.method": "GET"}, parent="")
    with receiving(tmp_path) as open:
        open.accept(document(*inside), "")
        time.sleep(0.6)
        assert not stored(tmp_path)
        open.accept(document(http), "")
        until(lambda: open.counts.get("joined"))
    assert stored(tmp_path)[0].items == ITEMS


@pytest.mark.parametrize(
    "change",
    [{"traceId": "0" * 32}, {"traceId": "xyz"}, {"spanId": ""}, {"spanId": "0" * 16}, {"traceId": None}],
    ids=str,
)
def test_a_span_with_a_bad_id_is_rejected_and_the_others_are_stored(change: dict[str, Any], tmp_path: Path) -> None:
    bad = {**agent_spans(ONE)[0], **change}
    with receiving(tmp_path) as open:
        receipt = open.accept(document(bad, *agent_spans(ONE)[1:]), "")
        assert receipt.rejected == 1 and "1 not stored: a trace id must have 32" in receipt.message
    assert stored(tmp_path)[0].items == ITEMS


def test_a_trace_that_grows_without_end_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver, "_MOST_SPANS", 3)
    with receiving(tmp_path) as open:
        assert open.accept(document(*agent_spans(ONE)), "").rejected == 1
        assert open.accept(document(agent_spans(trace_id(2))[1]), "").rejected == 0
        again = open.accept(document(span(ONE, "f" * 16, 9, {"gen_ai.operation.name": "chat"})), "")
        assert again.rejected == 1 and "a trace may have" in again.message


def test_spans_without_messages_are_reported_with_what_to_switch_on(tmp_path: Path) -> None:
    said: list[str] = []
    with receiving(tmp_path, say=said.append) as open:
        open.accept(document(span(ONE, AGENT, 1, {"gen_ai.operation.name": "chat"}, parent="")), "")
        until(lambda: open.counts.get("unreadable"))
    assert not stored(tmp_path) and "Enable the capture of message content" in said[0]


def evaluated(score: dict[str, str]) -> dict[str, Any]:
    attributes = [{"key": f"gen_ai.evaluation.{key}", "value": {"stringValue": value}} for key, value in score.items()]
    about = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [text("user", "Hi")]}
    return span(
        ONE, AGENT, 1, about, parent="", events=[{"name": "gen_ai.evaluation.result", "attributes": attributes}]
    )


def test_evaluations_give_the_outcome_and_a_score_without_a_scale_needs_a_rule(tmp_path: Path) -> None:
    said: list[str] = []
    quality = document(evaluated({"name": "quality", "score.value": "3"}))
    with receiving(tmp_path / "a", say=said.append) as open:
        open.accept(document(evaluated({"name": "user_feedback", "score.label": "thumbs_down"})), "")
    with receiving(tmp_path / "b", say=said.append) as open:
        open.accept(quality, "")
    with receiving(tmp_path / "c", feedback=["evaluations.quality>=4"]) as open:
        open.accept(quality, "")
    assert [stored(tmp_path / name)[0].outcome for name in "abc"] == ["failure", "", "failure"]
    assert "--feedback 'evaluations.quality>=NUMBER'" in said[-1]
    with contextlib.closing(Store(tmp_path / "a" / "store.db")) as store:
        assert store.documents("feedback", Feedback) == []  # an evaluator is not a person


def test_two_servers_with_one_workspace_take_spans_and_one_of_them_joins(tmp_path: Path) -> None:
    with receiving(tmp_path) as one, receiving(tmp_path) as two:
        spans = agent_spans(ONE)
        one.accept(document(*spans[:2]), "")
        two.accept(document(*spans[2:]), "")
        until(lambda: stored(tmp_path) and stored(tmp_path)[0].items == ITEMS)
        assert min(one.counts.get("joined", 0), two.counts.get("joined", 0)) == 0


def test_a_disk_that_fails_is_said_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    with receiving(tmp_path, idle_s=1e6) as open:
        open._database._database.execute("DROP TABLE spans")
        with pytest.raises(InfrastructureFailure, match="could not be stored"):
            open.accept(document(*agent_spans(ONE)), "")
        open._database._database.execute("DELETE FROM traces")


def test_old_runs_are_deleted_after_the_days_that_were_asked_for(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "store.db")) as store:
        for day in ("2020-01-01", "2999-01-01"):
            store.begin_run(f"traces-otlp-{day}", "traces", {})
    with receiving(tmp_path, keep_days=3):
        until(lambda: [run for run in _runs(tmp_path) if "2020" in run] == [])
    assert _runs(tmp_path) == ["traces-otlp-2999-01-01"]


def _runs(home: Path) -> list[str]:
    with contextlib.closing(Store(home / "store.db")) as store:
        return [run.id for run in store.runs()]
