"""Records print as tables in a terminal and as HTML in a notebook. What is stored and `repr` stay as they are."""

from pathlib import Path

import msgspec

import verigym
from verigym.core.look import Look
from verigym.core.records import Check, Estimate, Suite
from verigym.present import Metrics, RecordList

SUITE = Suite(name="desk_eval", environment="desk", tasks=["a", "b"], families=["f"], verifier="v@1", hash="h")
REPORT = verigym.Report(
    id="r",
    run="eval-1",
    agent="tiny",
    suite=SUITE,
    metrics={"success": Estimate(0.5, 0.1, 0.9, 2), "tokens": Estimate(8, 6, 10, 2)},
    results=[],
    buckets={"<wrong> answer": 1},
)
CHECK = Check(name="better", outcome="pass", words="success +10 points")
DECISION = verigym.Decision(candidate="new", champion="old", verdict="PROMOTE", checks=[CHECK], words="Ship it.")


def test_a_report_is_a_table_with_intervals() -> None:
    lines = str(REPORT).splitlines()
    assert lines[0] == "tiny on desk_eval: 2 tasks of 1 family, run eval-1"
    assert lines[1].split() == ["figure", "value", "95%", "interval"]
    assert lines[2].split() == ["success", "50.0%", "10.0%", "to", "90.0%"]


def test_a_report_in_a_notebook_has_a_picture_and_escapes_text() -> None:
    page = REPORT._repr_html_()
    assert "<svg" in page and "<table>" in page and "&lt;wrong&gt; answer" in page


def test_a_decision_shows_its_checks() -> None:
    assert str(DECISION).splitlines() == [
        "PROMOTE: new against old",
        "    check   result",
        "ok  better  success +10 points",
        "Ship it.",
    ]
    assert DECISION.promote


def test_repr_and_stored_bytes_are_the_fields() -> None:
    assert repr(CHECK) == str(CHECK) and repr(DECISION).startswith("Decision(candidate='new'")
    assert msgspec.json.decode(msgspec.json.encode(DECISION), type=verigym.Decision) == DECISION
    assert set(msgspec.json.decode(msgspec.json.encode(DECISION))) == {
        "candidate",
        "champion",
        "verdict",
        "checks",
        "words",
    }


def test_a_list_prints_as_a_table_and_metrics_as_curves() -> None:
    assert str(RecordList([])) == "(none)"
    assert "better" in str(RecordList([CHECK]))
    metrics = Metrics({1: {"reward": 0.25}, 2: {"reward": 0.5, "loss": 1.0}})
    assert str(metrics).splitlines()[-1].split() == ["2", "0.5", "1"]
    assert metrics._repr_html_().count("<svg") == 2
    assert metrics.curves["loss"] == {2: 1.0}


def test_a_decision_in_a_notebook_shows_its_checks_against_their_margins() -> None:
    looks = [Look(40, 0.1, 0.003, 0.003), Look(80, 0.2, 0.006, 0.004)]
    figures = {"delta": 0.1, "low": 0.02, "high": 0.2, "p": 0.001}
    check = Check(name="better", outcome="pass", words="yes", figures=figures, unit="points", looks=looks)
    drawn = verigym.Decision(candidate="new", champion="old", verdict="PROMOTE", checks=[check])._repr_html_()
    assert drawn.count("<svg") == 2 and "better: +10.0 points, at least +2.0, passed" in drawn
    assert "look 2 after 80 tasks needed p at most 0.004" in drawn


def test_reward_and_held_out_success_are_one_picture_with_alarms() -> None:
    metrics = Metrics({step: {"reward": step / 9, "held_out_success": 0.5, "entropy": 1.0} for step in range(9)})
    metrics.alarms = [(4, "held-out falls", "held_out_success"), (5, "entropy collapsed", "entropy")]
    text, page = str(metrics), metrics._repr_html_()
    assert page.count("<svg") == 2 and "held-out falls at step 4" in page and "entropy collapsed at step 5" in page
    metrics.alarms = []
    assert str(metrics) == text


def test_versions_in_a_notebook_are_a_tree(tmp_path: Path) -> None:
    with verigym.Workspace.demo(tmp_path / "demo") as ws:
        versions = ws.models()
        page = versions._repr_html_()  # pyright: ignore[reportAttributeAccessIssue]
        assert "The champion is grpo" in page and "hacked: weights, rejected" in page
        assert str(versions).splitlines()[0].split()[:2] == ["id", "name"]
        for record in (
            ws.compare("base", "grpo"),
            ws.reports()[0],
            ws.ledger()[-1].decision,
            ws.metrics(ws.agent("hacked")),
        ):
            drawn = record._repr_html_()
            assert "<svg" in drawn and "style=" not in drawn
