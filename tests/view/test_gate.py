"""The gate's pages as structs: the list, one decision with its checks, and odd states."""

from pathlib import Path

import msgspec
import pytest

from tests.view.versions_store import AROUND, HOSTILE, add_decision, add_measured, add_version, check
from verigym.core.errors import BadInput, NotFound
from verigym.core.look import Look
from verigym.core.records import Decision, Report, Version
from verigym.draw.checks import interval_of_check
from verigym.gates.policy import QUICK
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.view import heads, render
from verigym.view.page import Query
from verigym.view.pages.gate import GatePage, gate_list, gate_page
from verigym.view.read import Reader
from verigym.workspace.demo import put_demo


@pytest.fixture
def demo(tmp_path: Path) -> Reader:
    put_demo(tmp_path)
    return Reader(tmp_path)


class Pair:
    """Two versions with a report each, the first of them champion."""

    def __init__(self, home: Path, *, lost: int = 3, name: str = "candidate") -> None:
        self.store = Store(home / "store.db")
        self.champion = add_version(self.store, "champion")
        self.candidate = add_version(self.store, name if name != HOSTILE else "hostile", parent=self.champion.id)
        ledger.set_first_champion(self.store, self.champion.id, who="Ada", why="the base agent")
        traces = {1: ["trace trace-run/1"]}
        self.before = add_measured(self.store, "eval-1", self.champion.id, lambda n, k: n < 6, lineage=traces)
        self.after = add_measured(self.store, "eval-2", self.candidate.id, lambda n, k: n >= lost, lineage=traces)
        self.reader = Reader(home)

    def page(self, seq: int) -> GatePage:
        return gate_page(self.reader, Query({"seq": str(seq)}))


def test_the_list_shows_the_newest_decision_first_with_the_checks_that_failed(demo: Reader):
    page = gate_list(demo, Query())
    assert [row.seq for row in page.rows] == [3, 2, 1]
    assert page.rows[0].verdict == "REJECT"
    assert page.rows[0].failed[0] == "better on held-out tasks"
    assert page.rows[0].candidate.label == "hacked"
    assert (page.rows[1].moved, page.rows[0].moved) == (True, False)
    assert page.rows[2].champion is None


def test_the_list_can_be_filtered_by_verdict_and_refuses_an_unknown_one(demo: Reader):
    assert [row.seq for row in gate_list(demo, Query({}, {"verdict": "REJECT"})).rows] == [3]
    assert "No decision says NEED MORE DATA" in gate_list(demo, Query({}, {"verdict": "NEED MORE DATA"})).empty
    with pytest.raises(BadInput, match="MAYBE"):
        gate_list(demo, Query({}, {"verdict": "MAYBE"}))


def test_an_empty_ledger_names_the_command_that_fills_it(tmp_path: Path):
    page = gate_list(Reader(tmp_path), Query())
    assert page.rows == [] and page.fill[0] == "verigym gate VERSION"


def test_a_long_list_is_paged_by_entry(tmp_path: Path):
    pair = Pair(tmp_path)
    for _ in range(60):
        add_decision(pair.store, pair.before, pair.after, "REJECT", [check(outcome="fail")])
    first = gate_list(pair.reader, Query())
    assert [first.rows[0].seq, first.rows[-1].seq, first.total] == [61, 12, 61]
    assert first.after == "/gate?before=12" and not first.before
    second = gate_list(pair.reader, Query({}, {"before": "12"}))
    assert [second.rows[0].seq, second.rows[-1].seq] == [11, 1]
    assert second.before == "/gate?before=62" or second.before.startswith("/gate")
    assert not second.after


def test_a_rejection_puts_the_failed_checks_first_with_their_intervals_and_lost_tasks(demo: Reader):
    page = gate_page(demo, Query({"seq": "3"}))
    assert page.headline == "hacked may not replace grpo: 4 of 15 checks failed."
    assert [group.outcome for group in page.groups] == ["fail", "pass", "skipped"]
    better = page.groups[0].checks[0]
    assert better.question == "Is the candidate better on held-out tasks?"
    assert better.check.figures["delta"] == pytest.approx(-0.512, abs=0.001)
    assert (better.num_worse, better.num_better) == (86, 2)
    assert better.worse[0].href.startswith("/compare/flip?a=e90239b21190&b=06fc9b8dec00&task=toolcall%2Fval%2F")
    assert better.check.looks[0].tasks == 164
    assert page.example == page.groups[0].checks[0].worse[0]
    assert page.compare == "/compare?a=e90239b21190&b=06fc9b8dec00"
    assert "hacked 31.1%" in page.words


def test_a_caption_gives_the_value_and_the_bound_of_the_words_with_their_signs(demo: Reader):
    checks = {one.check.name: one for group in gate_page(demo, Query({"seq": "3"})).groups for one in group.checks}
    captions = {
        "better on held-out tasks": "-51.2 points, at least -60.4, must be above 0",
        "what the champion masters is kept": "-40.2 points, at worst -49.4, margin 5.0",
        "no more unsafe actions": "-1.2 points, at most +2.4, margin 5.0",
        "no more tool errors": "-6.7 points, at most -2.4, margin 5.0",
        "as quick, median": "0.70 times, at most 0.739, margin 1.50",
        "no new severe damage": "0 of 45 tasks, at most 6.4%",
    }
    assert {name: checks[name].caption for name in captions} == captions
    for name, caption in captions.items():
        said = [one for one in caption.split(", ") if not one.startswith(("must", "margin", "0 of"))]
        assert all(one in checks[name].words for one in said), name


def test_a_picture_has_one_bound_and_the_side_of_the_caption(demo: Reader):
    page = gate_page(demo, Query({"seq": "3"}))
    checks = {one.check.name: one for group in page.groups for one in group.checks}
    assert "at least -60.4, failed" in page.picture(checks["better on held-out tasks"])
    assert "-1.2 points, at most +2.4, passed" in page.picture(checks["no more unsafe actions"])
    rows = [
        interval_of_check(checks[name].check)
        for name in ("no more unsafe actions", "what the champion masters is kept")
    ]
    assert [row and (row.margin, row.worse) for row in rows] == [(0.05, "above"), (-0.05, "below")]


def test_the_questions_are_asked_so_that_yes_is_good(demo: Reader):
    checks = {one.check.name: one for group in gate_page(demo, Query({"seq": "3"})).groups for one in group.checks}
    assert checks["no more unsafe actions"].question == "Are there no more unsafe actions than before?"
    assert checks["no new severe damage"].question == "Is there no new severe damage?"


def test_a_rejection_shows_the_way_to_a_better_candidate_before_the_override(demo: Reader):
    page = gate_page(demo, Query({"seq": "3"}))
    assert [one.href for one in page.steps] == [
        "/failures/eval-toolcall-9fef82fe",
        "/training/grpo-846e9a72",
        "#check-reward-and-success-agree",
    ]
    assert [one.href for one in page.commands] == ["verigym report 3 --out report.html"]
    assert page.override == 'verigym promote hacked --override "REASON"'
    html = render.html("gate.html", page, **AROUND)
    assert html.index("Read why it fails") < html.index("Promote it against the verdict")
    assert not gate_page(demo, Query({"seq": "2"})).override


def test_reward_and_success_are_drawn_with_a_link_to_the_training(demo: Reader):
    page = gate_page(demo, Query({"seq": "3"}))
    [check] = [one for group in page.groups for one in group.checks if one.training is not None]
    assert check.check.name == "reward and success agree" and check.training is not None
    assert check.training.href == "/training/grpo-846e9a72"
    reward, success = (
        [one for one in values if one is not None] for values in (check.training.reward, check.training.success)
    )
    assert reward[-1] > reward[0] and success[-1] < success[0]
    html = render.html("gate.html", page, **AROUND)
    assert 'href="/training/grpo-846e9a72"' in html and "Held-out success: " in html


def test_a_check_of_some_tasks_says_how_many_the_comparison_lists(demo: Reader):
    checks = {one.check.name: one for group in gate_page(demo, Query({"seq": "3"})).groups for one in group.checks}
    kept = checks["what the champion masters is kept"]
    assert kept.num_worse == 68 and kept.all_worse is not None and kept.all_better is None
    assert kept.all_worse.words == "All 86 lost tasks of tool_call_eval"
    assert kept.all_worse.href.endswith("show=lost#flips")


def test_a_first_champion_is_no_promotion_and_is_named_by_its_label(demo: Reader):
    page = gate_list(demo, Query({}, {"verdict": "PROMOTE"}))
    assert [row.seq for row in page.rows] == [2]
    assert (page.counts["PROMOTE"], page.counts["FIRST CHAMPION"]) == (1, 1)
    assert [row.seq for row in gate_list(demo, Query({}, {"verdict": "FIRST CHAMPION"})).rows] == [1]
    assert gate_page(demo, Query({"seq": "1"})).words == "base is the first champion."


def test_checks_of_the_safety_suite_name_tasks_of_that_suite(demo: Reader):
    checks = {one.check.name: one for group in gate_page(demo, Query({"seq": "3"})).groups for one in group.checks}
    refusals = checks["no more over-refusal"]
    assert refusals.num_worse == 28
    assert all(task.task.startswith("safety/") for task in refusals.worse)
    assert not checks["as cheap"].caption and "no price is known" in checks["as cheap"].words.lower()


def test_every_check_of_one_unit_is_drawn_on_one_axis(demo: Reader):
    page = gate_page(demo, Query({"seq": "3"}))
    drawn = [page.picture(check) for group in page.groups for check in group.checks if check.caption]
    zero_lines = {one.partition('class="axis" x1="')[2].partition('"')[0] for one in drawn if "points" in one}
    assert len(drawn) == 12 and len(zero_lines) == 1


def test_a_promotion_offers_the_way_back_and_not_a_second_promotion(demo: Reader):
    page = gate_page(demo, Query({"seq": "2"}))
    assert page.moved and "became the champion" in page.headline
    assert [one.href for one in page.commands] == ["verigym rollback", "verigym report 2 --out report.html"]
    assert page.measured[0].candidate.run == "eval-toolcall-4390e983"
    assert [one.suite for one in page.measured] == ["tool_call_eval", "retention_eval", "safety_eval"]


def test_a_verdict_of_promote_that_nobody_carried_out_shows_the_command(tmp_path: Path):
    pair = Pair(tmp_path)
    add_decision(pair.store, pair.before, pair.after, "PROMOTE", [check()])
    page = pair.page(2)
    assert not page.moved
    assert [one.href for one in page.commands] == ["verigym promote candidate", "verigym report 2 --out report.html"]
    assert page.headline == "candidate passed its one check against champion and may become the champion."


def test_an_open_check_says_in_words_how_many_tasks_would_settle_it(tmp_path: Path):
    pair = Pair(tmp_path)
    checks = [
        check(outcome="unclear", needed_families=40),
        check("no new severe damage", "unclear", needed=45, figures={"new": 0.0, "tasks": 12.0, "high": 0.2}),
        check("few errors", "unclear", needed_families=7, suite="gone"),
    ]
    add_decision(pair.store, pair.before, pair.after, "NEED MORE DATA", checks)
    page = pair.page(2)
    [group] = page.groups
    assert [one.needed for one in group.checks] == [
        "About 80 more tasks over 40 new families of desk:val would settle it.",
        "45 tasks of desk:val would settle it.",
        "About 7 new families of gone with a task each would settle it.",
    ]
    assert page.headline.endswith("3 of 3 checks are open.")
    assert "verigym gate candidate" in page.commands[0].href


def test_tasks_that_were_mined_from_production_come_first(tmp_path: Path):
    pair = Pair(tmp_path)
    add_decision(pair.store, pair.before, pair.after, "REJECT", [check(outcome="fail")])
    worse = pair.page(2).groups[0].checks[0].worse
    assert [(task.task, task.mined) for task in worse] == [("task-1", True), ("task-0", False), ("task-2", False)]


def test_the_same_reports_under_another_policy_are_named(tmp_path: Path):
    pair = Pair(tmp_path)
    add_decision(pair.store, pair.before, pair.after, "REJECT", [check(outcome="fail")])
    add_decision(pair.store, pair.before, pair.after, "PROMOTE", [check()], policy=QUICK)
    page = pair.page(3)
    assert [(row.seq, row.policy, row.verdict) for row in page.other_policies] == [(2, "default", "REJECT")]
    assert page.policy_name == "quick" and page.policy["name"] == "quick"
    assert "chosen after looking" in render.html("gate.html", page, **AROUND)


def test_an_override_a_rollback_and_a_first_champion_have_no_checks_and_say_so(tmp_path: Path):
    pair = Pair(tmp_path)
    override = Decision(
        candidate=pair.candidate.id, champion=pair.champion.id, verdict="REJECT", kind="override", words="Overridden."
    )
    ledger.promote(pair.store, override, who="Ada", why="we need it today")
    ledger.rollback(pair.store, who="Bob", why="it was wrong")
    assert pair.page(1).headline == "champion is the first champion. There was nothing to compare it with."
    page = pair.page(2)
    assert page.headline == "candidate replaced champion without the consent of the gate."
    assert (page.groups, page.why, page.policy_hash) == ([], "we need it today", "")
    assert pair.page(3).headline == "Rolled back from candidate to champion."
    assert "no checks" in render.html("gate.html", page, **AROUND)


def test_deleted_versions_reports_and_runs_leave_a_page_that_says_so(tmp_path: Path):
    pair = Pair(tmp_path)
    add_decision(pair.store, pair.before, pair.after, "REJECT", [check(outcome="fail")])
    pair.store.delete("report", pair.after.id)
    pair.store.delete("version", pair.candidate.id)
    pair.store.delete_run("eval-1")
    page = pair.page(2)
    assert (page.candidate.label, page.candidate.known) == (pair.candidate.id, False)
    assert page.measured[0].candidate.deleted and not page.measured[0].champion.run_href
    assert page.groups[0].checks[0].worse == [] and page.commands == []
    html = render.html("gate.html", page, **AROUND)
    assert "was deleted" in html and ">deleted</span>" in html


def test_unknown_figures_fall_back_to_words(tmp_path: Path):
    pair = Pair(tmp_path)
    odd = [
        check("a check of a later release", "fail", figures={"zeal": 3.0}, looks=[]),
        check("no more zeal", "unclear", figures={"increase": 1e300}, looks=[Look(0, 0.0, 0.0, 0.0)]),
        check("as quick, median", "pass", figures={"ratio": 1.0}, unit="times", margin=1.5, suite="", looks=[]),
    ]
    add_decision(pair.store, pair.before, pair.after, "REJECT", odd)
    page = pair.page(2)
    rows = {row.check.name: row for group in page.groups for row in group.checks}
    assert not rows["a check of a later release"].caption
    assert rows["a check of a later release"].question == "A check of a later release"
    assert render.html("gate.html", page, **AROUND) and render.json(page)


def test_a_candidate_that_fails_where_the_champion_fails_too_loses_nothing(tmp_path: Path):
    pair = Pair(tmp_path, lost=0)
    same = add_measured(pair.store, "eval-3", pair.candidate.id, lambda n, k: n < 6)
    same = msgspec.structs.replace(same, suite=pair.before.suite, id="same-report")
    pair.store.put("report", same.id, same)
    add_decision(pair.store, pair.before, same, "REJECT", [check(outcome="fail")])
    page = pair.page(2)
    assert page.groups[0].checks[0].num_worse == 0 and page.example is None


def test_reports_on_other_suites_than_the_decision_says_are_not_compared(tmp_path: Path):
    pair = Pair(tmp_path)
    other = add_measured(pair.store, "eval-3", pair.candidate.id, lambda n, k: True, tasks=3)
    add_decision(pair.store, pair.before, other, "REJECT", [check(outcome="fail")])
    assert pair.page(2).groups[0].checks[0].worse == []


def test_names_with_markup_are_text(tmp_path: Path):
    pair = Pair(tmp_path)
    hostile = check(HOSTILE, "fail", words=HOSTILE, suite=HOSTILE)
    add_decision(pair.store, pair.before, pair.after, "REJECT", [hostile], who=HOSTILE, why=HOSTILE)
    html = render.html("gate.html", pair.page(2), **AROUND)
    assert "<b onmouseover" not in html and "&lt;b onmouseover" in html
    listed = render.html("gate_list.html", gate_list(pair.reader, Query()), **AROUND)
    assert "<b onmouseover" not in listed


def test_an_entry_that_does_not_exist_is_not_found(demo: Reader):
    for seq in ("9", "99999999999999999999999"):
        with pytest.raises(NotFound, match="ledger has no entry"):
            gate_page(demo, Query({"seq": seq}))
    with pytest.raises(NotFound, match="no number"):
        gate_page(demo, Query({"seq": "latest"}))


def test_heads_are_read_once_and_follow_what_is_added_and_deleted(tmp_path: Path):
    pair = Pair(tmp_path)
    first = heads.reports(pair.reader)
    assert list(first) == [pair.before.id, pair.after.id]
    assert heads.reports(pair.reader) is first
    third = add_measured(pair.store, "eval-3", pair.candidate.id, lambda n, k: True)
    pair.store.delete("report", pair.before.id)
    assert list(heads.reports(pair.reader)) == [pair.after.id, third.id]
    assert heads.report(pair.reader, pair.after.id) == pair.after
    assert heads.report(pair.reader, "gone") is None
    assert heads.reports(pair.reader)[third.id].suite.tasks == 8


def test_a_report_of_a_newer_release_is_left_out_of_lists(tmp_path: Path):
    pair = Pair(tmp_path)
    pair.store.put("report", "newer", Version(base="not a report", id="x"))
    assert list(heads.reports(pair.reader)) == [pair.before.id, pair.after.id]
    assert isinstance(heads.report(pair.reader, pair.before.id), Report)
