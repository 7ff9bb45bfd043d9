"""The comparison as a struct: how two sides are found, what is shown, what is refused, and one task side by side."""

import threading
from pathlib import Path

import msgspec
import pytest

from tests.view.versions_store import AROUND, HOSTILE, add_decision, add_measured, add_version, check
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import FunctionCall, Message, Version
from verigym.mining.proposals import MiningSummary
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.view import alignment, pairing, render
from verigym.view.alignment import Piece, align, state_changes, word_pieces
from verigym.view.page import Query
from verigym.view.pages.compare import ComparePage, compare_page
from verigym.view.pages.flip import FlipPage, flip_page
from verigym.view.read import Reader
from verigym.workspace.demo import put_demo

LONG_S = 120.0


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    home = tmp_path_factory.mktemp("demo")
    home.rmdir()
    put_demo(home)
    return Reader(home)


class Two:
    """Two versions with reports of 8 tasks in 4 families, three repeats."""

    def __init__(self, home: Path) -> None:
        self.store = Store(home / "store.db")
        self.old, self.new = (add_version(self.store, name) for name in ("old", "new"))
        ledger.set_first_champion(self.store, self.old.id)
        traces = {5: ["trace traces/5"]}
        self.before = add_measured(
            self.store, "eval-1", self.old.id, lambda n, k: n < 4 or k == 0, repeats=3, lineage=traces
        )
        self.after = add_measured(self.store, "eval-2", self.new.id, lambda n, k: n >= 2, repeats=3, lineage=traces)
        self.reader = Reader(home)

    def page(self, **given: str) -> ComparePage:
        return compare_page(self.reader, Query({}, given))

    def flip(self, task: str, **given: str) -> FlipPage:
        return flip_page(self.reader, Query({}, {"a": "old", "b": "new", "task": task, **given}))


@pytest.fixture
def two(tmp_path: Path) -> Two:
    return Two(tmp_path)


def test_without_versions_there_is_a_chooser_that_needs_no_script(two: Two):
    page = two.page()
    assert [one.label for one in page.choices] == ["new", "old"]
    assert (page.a, page.b) == (two.old.id, two.new.id)
    html = render.html("compare.html", page, **AROUND)
    assert '<form class="card choose" method="get"' in html and html.count("<select") == 2


def test_a_workspace_without_versions_says_what_to_do(tmp_path: Path):
    page = compare_page(Reader(tmp_path), Query())
    assert "Two versions are needed" in page.empty and page.fill


def test_the_demo_is_compared_with_intervals_tests_and_flips(demo: Reader):
    page = compare_page(demo, Query({}, {"a": "grpo", "b": "hacked"}))
    assert page.counts == {"lost": 86, "gained": 2, "both": 49, "neither": 27}
    assert page.delta == pytest.approx(-0.512, abs=0.001)
    assert page.low < page.delta < page.high and page.bound < page.delta
    assert [test.name for test in page.tests][1:] == [
        "sign-flip permutation over families",
        "McNemar's exact test, mid-p (takes tasks as independent)",
    ]
    assert page.sentence == "hacked passes 51.2 points fewer of the tasks than grpo. The difference is beyond chance."
    assert page.num_flips == 88 and len(page.flips) == 25 and page.flips[0].how == "lost"
    assert page.flips[0].request.startswith("Hey, Ivan") and page.after_page.endswith("skip=25#flips")
    assert [row.seq for row in page.decisions] == [3]
    assert [link.words for link in page.suites] == ["safety_eval", "retention_eval"]
    assert not page.families_tell and page.differs is not None and "adapter" in page.differs.fields
    assert {one.name for one in page.ratios} >= {"latency p50 s", "tokens", "tokens per success"}


def test_p_is_of_the_difference_that_was_seen(demo: Reader):
    loss = compare_page(demo, Query({}, {"a": "grpo", "b": "hacked"}))
    assert (loss.direction, [test.p for test in loss.tests]) == ("loss", ["< 0.001"] * 3)
    html = render.html("compare.html", loss, **AROUND)
    assert "p of a loss" in html and "One-sided 95% bound" in html and "its p is near 1" in html
    gain = compare_page(demo, Query({}, {"a": "hacked", "b": "grpo"}))
    assert (gain.direction, [test.p for test in gain.tests]) == ("gain", ["< 0.001"] * 3)
    assert "its p is near 1" not in render.html("compare.html", gain, **AROUND)


def test_a_comparison_is_worked_out_once(demo: Reader):
    pairs = pairing.shared(demo, pairing.side(demo, "grpo"), pairing.side(demo, "hacked"))
    assert pairing.compared(demo, *pairs[0]).figures is pairing.compared(demo, *pairs[0]).figures


def test_a_large_comparison_is_worked_out_beside_the_page(two: Two, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pairing, "_LARGE", 4)
    sides = pairing.side(two.reader, "old"), pairing.side(two.reader, "new")
    pair = pairing.shared(two.reader, *sides)[0]
    may_go_on = threading.Event()
    whole = pairing.compared
    monkeypatch.setattr(pairing, "compared", lambda *given: (may_go_on.wait(LONG_S), whole(*given))[1])
    assert pairing.compared_soon(two.reader, *pair, wait_s=0.01) is None
    page = two.page(a="old", b="new")
    assert page.working == "Comparing 8 tasks. This page loads again by itself."
    assert 'http-equiv="refresh"' in render.html("compare.html", page, **AROUND)
    may_go_on.set()
    found = pairing.compared_soon(two.reader, *pair, wait_s=LONG_S)
    assert found is not None and found.comparison.tasks == 8
    assert two.page(a="old", b="new").num_flips == 6


@pytest.mark.parametrize("show, tasks", [("lost", 2), ("gained", 4), ("both", 2), ("neither", 0), ("changed", 6)])
def test_the_tasks_can_be_filtered(two: Two, show: str, tasks: int):
    page = two.page(a="old", b="new", show=show)
    assert page.num_flips == tasks and len(page.flips) == tasks
    assert {one.how for one in page.flips} <= ({show} if show != "changed" else {"lost", "gained"})


def test_a_family_narrows_the_tasks_and_a_wrong_filter_is_refused(two: Two):
    assert [one.task for one in two.page(a="old", b="new", family="family-0").flips] == ["task-0", "task-4"]
    with pytest.raises(BadInput, match="sideways"):
        two.page(a="old", b="new", show="sideways")


def test_repeats_are_shown_as_shares(two: Two):
    flips = {one.task: one for one in two.page(a="old", b="new").flips}
    assert (flips["task-4"].before, flips["task-4"].after, flips["task-4"].repeats) == (pytest.approx(1 / 3), 1.0, 3)
    assert flips["task-5"].mined and not flips["task-4"].mined


@pytest.mark.parametrize("how", ["id", "name", "report", "run", "prefix", "champion"])
def test_a_side_may_be_a_version_a_report_or_a_run(two: Two, how: str):
    text = {
        "id": two.old.id,
        "name": "old",
        "report": two.before.id,
        "run": "eval-1",
        "prefix": two.before.id[:8],
        "champion": "champion",
    }[how]
    page = two.page(a=text, b="new")
    assert page.before is not None and page.before.report == two.before.id


def test_an_unknown_side_is_refused_with_near_names_and_links_to_known_versions(two: Two):
    page = two.page(a="olt", b="new")
    assert page.before is None and 'No version, report or evaluation is called "olt". Similar: old' in page.refused
    assert "old" in [link.words for link in page.known] and "new" not in [link.words for link in page.known]
    assert all(link.href.startswith("/compare?") and "b=new" in link.href for link in page.known)
    assert two.page(a="old", b="nothing").known[0].href.startswith("/compare?a=old&b=")


def test_one_version_twice_is_refused_in_words(two: Two):
    assert two.page(a="old", b=two.old.id).refused.startswith("Both sides are the same version")
    assert two.page(a=two.before.id, b=two.before.id).refused.startswith("Both sides are the same report")


def test_other_suites_are_refused_with_the_command_that_helps(two: Two):
    third = add_version(two.store, "third")
    add_measured(two.store, "eval-3", third.id, lambda n, k: True, tasks=4, repeats=3)
    page = two.page(a="old", b="third")
    assert "have no report on the same held-out tasks" in page.refused
    assert page.commands == ["verigym eval desk -m third -n 8 -k 3"]
    named = two.page(a="eval-1", b="eval-3")
    assert 'was measured on "desk:val"' in named.refused and named.before is None


def test_another_verifier_is_refused_with_rescore(two: Two):
    third = add_version(two.store, "third")
    add_measured(two.store, "eval-3", third.id, lambda n, k: True, repeats=3, verifier="desk_verifier@new")
    page = two.page(a="old", b="third")
    assert "was scored by desk_verifier@11112222 and third by desk_verifier@new" in page.refused
    assert page.commands == ["verigym rescore eval-1", "verigym rescore eval-3"]


def test_a_version_without_any_report_is_refused_with_an_evaluation(two: Two):
    add_version(two.store, "fresh")
    page = two.page(a="old", b="fresh")
    assert page.commands == ["verigym eval desk -m fresh -n 8 -k 3"]
    add_version(two.store, "fresher")
    assert two.page(a="fresh", b="fresher").commands[0] == "verigym eval ENV -m fresh"


def test_deleted_versions_and_runs_can_still_be_compared_by_report(two: Two):
    two.store.delete("version", two.new.id)
    two.store.delete_run("eval-2")
    page = two.page(a=two.before.id, b=two.after.id)
    assert page.after is not None and not page.after.version.known and not page.after.run_href
    assert page.differs is None and page.num_flips == 6
    assert "was deleted" in render.html("compare.html", page, **AROUND)
    flip = flip_page(two.reader, Query({}, {"a": two.before.id, "b": two.after.id, "task": "task-0"}))
    assert flip.sides[1].missing == "Run eval-2 was deleted, and its conversations with it."
    assert render.html("flip.html", flip, **AROUND)


def test_equal_versions_say_that_nothing_changed(tmp_path: Path):
    two = Two(tmp_path)
    same = msgspec.structs.replace(two.before, id="same-report", agent=two.new.id)
    two.store.put("report", same.id, same)
    page = two.page(a=two.before.id, b="same-report")
    assert page.sentence == "new passes as many of the tasks as old."
    assert page.num_flips == 0 and "pass and fail the same tasks" in render.html("compare.html", page, **AROUND)


def test_a_flip_shows_both_conversations_with_the_words_that_differ(two: Two):
    page = two.flip("task-0")
    assert page.how == "Lost: it passed before and fails now."
    assert [side.outcome for side in page.sides] == ["passed", "failed"]
    changed = [row for row in page.rows if not row.same]
    assert len(page.rows) == 2 and len(changed) == 1
    assert changed[0].left is not None and changed[0].right is not None
    assert [piece.text for piece in changed[0].left.pieces if piece.changed] == ["Dina"]
    assert [piece.text for piece in changed[0].right.pieces if piece.changed] == ["Dana"]
    assert page.sides[1].evidence.startswith('the argument "to"') and page.sides[1].parts["arguments"] == 0
    assert page.position == "1 of 6 tasks that changed" and "task=task-1" in page.after and not page.before


def test_only_what_differs_hides_equal_items(two: Two):
    page = two.flip("task-0", only="1")
    assert (len(page.rows), page.hidden) == (1, 1)


def test_every_repeat_of_both_sides_can_be_put_beside_the_other(two: Two):
    page = two.flip("task-4")
    assert [one.outcome for one in page.sides[0].attempts] == ["passed", "failed", "failed"]
    assert [one.outcome for one in page.sides[1].attempts] == ["passed"] * 3
    assert page.sides[0].attempts[1].chosen and "i=eval-1%2Ftask-4%2F2" in page.sides[0].attempts[2].href
    other = two.flip("task-4", i="eval-1/task-4/2", j="eval-2/task-4/1")
    assert [side.trajectory for side in other.sides] == ["eval-1/task-4/2", "eval-2/task-4/1"]
    assert {one.path for one in other.states} == {"count"}


def test_a_flip_leads_to_the_traces_that_the_task_came_from(two: Two):
    assert [trace.href for trace in two.flip("task-5").traces] == ["/t/traces%2F5"]
    assert two.flip("task-4").traces == []
    summary = MiningSummary(
        environment="desk", counts={}, buckets={}, unverifiable=[], tasks={"traces/7": "task-4", "traces/8": "task-4"}
    )
    two.store.put("mining", "mining-1", summary)
    page = two.flip("task-4")
    assert ([trace.id for trace in page.traces], page.num_traces) == (["traces/7", "traces/8"], 2)
    assert "Open its production trace" in render.html("flip.html", page, **AROUND)


def test_a_flip_of_an_unknown_task_names_near_ones_and_needs_both_sides(two: Two):
    with pytest.raises(NotFound, match="Similar: task-"):
        two.flip("task-99")
    with pytest.raises(BadInput, match="two sides and a task"):
        flip_page(two.reader, Query({}, {"a": "old"}))


def test_another_tasks_conversation_is_never_shown(two: Two):
    page = two.flip("task-0", i="eval-1/task-1/0", j="eval-2/task-0/0' OR 1")
    assert [side.trajectory for side in page.sides] == ["", ""]
    assert all(side.missing for side in page.sides)


def test_hostile_names_and_texts_stay_text(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    one, other = (Version(base="b", id=id, name=HOSTILE, system_prompt=HOSTILE + id) for id in ("v<1>", "v<2>"))
    for version in (one, other):
        store.put("version", version.id, version)
    before = add_measured(store, "run/<1>", one.id, lambda n, k: n == 0)
    after = add_measured(store, "run/<2>", other.id, lambda n, k: n == 1)
    add_decision(store, before, after, "REJECT", [check(outcome="fail")])
    reader = Reader(tmp_path)
    page = compare_page(reader, Query({}, {"a": "v<1>", "b": "v<2>"}))
    html = render.html("compare.html", page, **AROUND)
    flip = flip_page(reader, Query({}, {"a": "v<1>", "b": "v<2>", "task": "task-0"}))
    for text in (html, render.html("flip.html", flip, **AROUND)):
        assert "<b onmouseover" not in text and "v<1>" not in text


def test_items_are_aligned_by_kind_and_likeness():
    before = [Message("user", "hi"), Message("assistant", "I will send the mail now"), Message("assistant", "done")]
    call = FunctionCall("c1", "mail.send", "{}")
    after = [Message("user", "hi"), call, Message("assistant", "I will send this mail now"), Message("user", "thanks")]
    rows = align(before, after)
    kinds = [(row.left.kind if row.left else None, row.right.kind if row.right else None) for row in rows]
    assert kinds == [("user", "user"), (None, "call"), ("assistant", "assistant"), ("assistant", None), (None, "user")]
    assert align([], after)[0].left is None and align([], []) == []


def test_long_texts_and_long_conversations_are_not_compared_word_by_word():
    left, right = word_pieces("a" * 9000, "b")
    assert left == [Piece("a" * 9000, True)] and right == [Piece("b", True)]
    many = [Message("user", f"{n}") for n in range(300)]
    rows = align([Message("user", "x"), *many], many)
    assert len(rows) == 301


def test_the_words_that_differ_are_marked_and_the_pieces_are_the_whole_text():
    texts = [
        ("send the mail now", "send this mail later"),
        ("a b c", "a b c d"),
        ("", "new"),
        ("aa, aa, aa", "aa, aa"),
        ("x y", "y x"),
    ]
    for before, after in texts:
        left, right = word_pieces(before, after)
        assert "".join(one.text for one in left) == before and "".join(one.text for one in right) == after
        same = ["".join(one.text for one in side if not one.changed) for side in (left, right)]
        assert same[0] == same[1]
    assert word_pieces("send the mail now", "send this mail now") == (
        [Piece("send "), Piece("the", True), Piece(" mail now")],
        [Piece("send "), Piece("this", True), Piece(" mail now")],
    )


def test_texts_that_repeat_a_few_words_are_marked_as_a_whole():
    before, after = "?!" * 1490, "!?." * 990
    left, right = word_pieces(before, after)
    assert left == [Piece(before, True)] and right == [Piece(after, True)]
    rows = align([Message("user", before)] * 20, [Message("user", after)] * 20)
    assert len(rows) == 20 and all(row.left and row.left.pieces[0].changed for row in rows)


def test_each_text_is_divided_into_words_once_for_the_alignment(monkeypatch: pytest.MonkeyPatch):
    divided: list[str] = []

    class Words:
        def findall(self, text: str) -> list[str]:
            divided.append(text)
            return text.split()

    monkeypatch.setattr(alignment, "_WORDS", Words())
    before, after = ([Message("user", f"{side} {n}") for n in range(30)] for side in ("left", "right"))
    rows = align(before, after)
    assert len(divided) == 60 + 2 * sum(row.left is not None and row.right is not None for row in rows) <= 120


def test_rows_beyond_the_budget_of_a_page_have_no_word_marks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(alignment, "_ALL_PAIRS", 5)
    before, after = ([Message("user", f"{end} b c d {end} {n}") for n in range(3)] for end in ("x", "y"))
    rows = align(before, after)
    assert [len(row.left.pieces) for row in rows if row.left] == [4, 2, 2]


def test_end_states_are_compared_by_path():
    found = state_changes({"a": 1, "b": [1, {"c": 2}], "d": 0}, {"a": 2, "b": [1, {"c": 3}, 4], "e": None})
    assert [(one.path, one.how) for one in found] == [
        ("a", "changed"), ("b[1].c", "changed"), ("b[2]", "added"), ("d", "removed"), ("e", "added"),
    ]  # fmt: skip
    assert state_changes(1, 1) == [] and state_changes(None, {})[0].path == "(whole state)"
    assert len(state_changes(list(range(1000)), list(range(1, 1001)))) == 200
