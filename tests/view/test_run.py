"""The page of a run: its head, its grid, its list, its text, and what its filters choose."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.view.store import ODD, OLD_VERIFIER, VERIFIER, Made, add_run, episode, make_store, verdict
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Mark, Message, Stop, Task
from verigym.store.database import Store
from verigym.view import filters, task_grid
from verigym.view.build import Builder
from verigym.view.page import Query
from verigym.view.pages.run import RunPage, run_page
from verigym.view.pages.run_map import run_cells, run_map_page
from verigym.view.read import Reader


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def reader(made: Made) -> Iterator[Reader]:
    reader = Reader(made.home)
    yield reader
    reader.close()


def page(reader: Reader, run: str, **given: str) -> RunPage:
    return run_page(reader, Query({"id": run}, given))


def kinds(page: RunPage) -> dict[str, list[str]]:
    """The outcomes of each task of the grid."""
    assert page.grid is not None
    return {row.task: [cell.kind for cell in row.cells] for band in page.grid.bands for row in band.rows}


def listed(page: RunPage) -> list[str]:
    assert page.list is not None
    return [row.id for row in page.list.rows]


def test_the_grid_has_a_row_for_each_task_and_a_cell_for_each_attempt(reader: Reader, made: Made) -> None:
    shown = kinds(page(reader, made.run))
    assert shown["task-0"][:3] == ["passed"] * 3 and shown["task-1"][:3] == ["failed"] * 3
    assert shown["task-2"] == ["passed", "failed", "failed", "passed"], "the tenth attempt takes the free cell"
    assert shown["task-3"][3] == "missing"


def test_families_are_bands_with_their_rate(reader: Reader, made: Made) -> None:
    grid = page(reader, made.run).grid
    assert grid is not None
    assert [(band.family, band.passed, band.scored) for band in grid.bands] == [
        ("family-0", 3, 6),
        ("family-1", 3, 7),
        ("family-2", 2, 6),
    ]


@pytest.mark.parametrize(
    ("sort", "first"), [("hardest", "task-1"), ("best", "task-0"), ("mixed", "task-2"), ("family", "task-0")]
)
def test_tasks_come_in_the_order_that_was_chosen(reader: Reader, made: Made, sort: str, first: str) -> None:
    assert next(iter(kinds(page(reader, made.run, sort=sort)))) == first


def test_a_filter_keeps_the_tasks_that_have_such_an_episode_and_fades_other_cells(reader: Reader, made: Made) -> None:
    shown = page(reader, made.run, outcome="failed")
    assert "task-0" not in kinds(shown) and shown.filters[0].words == "outcome: failed"
    assert shown.grid is not None
    [row] = [row for band in shown.grid.bands for row in band.rows if row.task == "task-3"]
    assert [cell.off for cell in row.cells if cell.href] == [True, False, False]


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"outcome": "passed"}, 8),
        ({"outcome": "failed"}, 11),
        ({"family": "family-1"}, 7),
        ({"tag": "short"}, 19),
        ({"tag": "no such tag"}, 0),
        ({"task": "task-4"}, 3),
        ({"reward": "0..<1"}, 11),
        ({"reward": "1.."}, 8),
        ({"stop": "done"}, 19),
        ({"stop": "max_turns"}, 0),
        ({"fault": "verifier"}, 0),
        ({"bucket": "wrong arguments"}, 11),
        ({"changed": OLD_VERIFIER}, 18),
        ({"q": "Please do task-3."}, 3),
        ({"outcome": "failed", "family": "family-1"}, 4),
    ],
    ids=lambda value: "&".join(f"{name}={one}" for name, one in value.items()) if isinstance(value, dict) else "",
)
def test_each_filter_chooses_its_episodes(reader: Reader, made: Made, given: dict[str, str], count: int) -> None:
    shown = page(reader, made.run, view="list", **given)
    assert len(listed(shown)) == count
    assert bool(shown.nothing) is (count == 0)


@pytest.mark.parametrize(
    "given",
    [{"reward": "low..high"}, {"reward": "3"}, {"outcome": "fine"}, {"view": "pie"}, {"stop": "never"}, {"after": "[1"},
     {"after": '[{"a": 1}, 2, 3]'}, {"fault": "mine"}],
    ids=str,
)  # fmt: skip
def test_a_filter_that_makes_no_sense_is_refused_in_words(reader: Reader, made: Made, given: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        page(reader, made.run, **{"view": "list", **given})


def test_the_head_says_what_each_verifier_found_and_links_the_verdicts_that_changed(reader: Reader, made: Made) -> None:
    shown = page(reader, made.run)
    now, earlier = shown.scorings
    assert (now.verifier, now.counts, now.passed) == (VERIFIER, True, 8)
    assert (earlier.verifier, earlier.passed, earlier.changed) == (OLD_VERIFIER, 0, 18)
    assert "changed=" in earlier.href
    assert [(one.words, one.count) for one in shown.outcomes] == [("passed", 8), ("failed", 11), ("not scored", 0)]
    assert shown.buckets[0].words == "wrong arguments" and shown.buckets[0].count == 11


def test_every_bar_of_the_histogram_is_a_filter_with_as_many_episodes(reader: Reader, made: Made) -> None:
    rewards = page(reader, made.run).rewards
    assert sum(bar.passed for bar in rewards) == 8 and sum(bar.failed for bar in rewards) == 11
    for bar in (rewards[0], rewards[-1]):
        chosen = bar.href.partition("reward=")[2].replace("%3C", "<")
        assert len(listed(page(reader, made.run, view="list", reward=chosen))) == bar.passed + bar.failed


def test_a_report_gives_figures_with_intervals(reader: Reader) -> None:
    shown = page(reader, "eval-toolcall-c05f4805")
    success = next(one for one in shown.figures if one.name == "success")
    assert success.rate and success.low < success.value < success.high and shown.report


def test_an_interrupted_run_with_hostile_names_says_so_and_shows_every_fault(reader: Reader) -> None:
    shown = page(reader, ODD)
    assert shown.run.state == "interrupted" and "Repeat the command" in shown.note
    [row] = [row for band in (shown.grid or msgspec.UNSET).bands for row in band.rows]  # type: ignore[union-attr]
    assert [cell.kind for cell in row.cells] == ["failed", "error", "error", "error", "unsafe"]
    assert {"environment", "verifier", "infrastructure"} == {
        row.fault
        for row in page(reader, ODD, view="list", outcome="error").list.rows  # type: ignore[union-attr]
    }
    assert all("%3F" in cell.href or not cell.href for cell in row.cells)


def test_a_run_of_traces_opens_as_a_list_without_verdicts(reader: Reader, made: Made) -> None:
    shown = page(reader, made.traces)
    assert shown.view == "list" and len(listed(shown)) == 12 and not shown.scorings


def test_text_is_found_with_the_words_around_it_and_where_it_stands(reader: Reader, made: Made) -> None:
    hits = page(reader, made.run, view="text", q='"Dana"').hits
    assert hits is not None and hits.read == 19 and hits.total == 19
    assert {hit.where for hit in hits.hits} >= {"call of mail.send"} and hits.hits[0].words == '"Dana"'
    assert hits.hits[0].href.endswith("#i1")
    nothing = page(reader, made.run, view="text", q="no such words").hits
    assert nothing is not None and not nothing.hits and not nothing.after


def test_an_unknown_run_names_those_that_exist(reader: Reader) -> None:
    with pytest.raises(NotFound, match="eval-desk-1"):
        page(reader, "eval-desk-2")


def test_the_list_turns_pages_in_both_directions(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=45, attempts=3)
    store.close()
    reader = Reader(tmp_path)
    for sort in ("task", "reward", "-reward"):
        seen: list[str] = []
        shown = page(reader, "r", view="list", sort=sort)
        pages = [listed(shown)]
        while shown.list is not None and shown.list.after:
            shown = page(reader, "r", **after(shown.list.after))
            pages.append(listed(shown))
        seen = [id for one in pages for id in one]
        assert [len(one) for one in pages] == [50, 50, 35] and len(set(seen)) == 135
        back = page(reader, "r", **after(shown.list.before))  # type: ignore[union-attr]
        assert listed(back) == pages[1]
    rewards = [row.reward or 0.0 for row in page(reader, "r", view="list", sort="-reward").list.rows]  # type: ignore[union-attr]
    assert rewards == sorted(rewards, reverse=True)
    reader.close()


def after(address: str) -> dict[str, str]:
    """The parameters of an address."""
    from urllib.parse import parse_qsl, urlsplit

    return dict(parse_qsl(urlsplit(address).query))


def test_a_large_run_shows_its_tasks_by_id_from_the_index(
    reader: Reader, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_grid, "MOST", 5)
    monkeypatch.setattr(task_grid, "PAGE", 4)
    first = page(reader, made.run)
    assert list(kinds(first)) == ["task-0", "task-1", "task-2", "task-3"] and first.grid and not first.grid.sorts
    assert first.grid.total == 6
    second = page(reader, made.run, **after(first.grid.after))
    assert list(kinds(second)) == ["task-4", "task-5"] and second.grid and not second.grid.after
    assert list(kinds(page(reader, made.run, **after(second.grid.before)))) == list(kinds(first))
    assert list(kinds(page(reader, made.run, outcome="failed"))) == ["task-1", "task-2", "task-3", "task-4"]


def test_the_overview_has_one_byte_a_cell_and_the_same_by_family(reader: Reader, made: Made) -> None:
    body = run_cells(reader, Query({"id": made.run})).body
    assert int.from_bytes(body[:4], "little") == 4 and len(body) == 4 + 6 * 4
    assert list(body[4:12]) == [0x81, 1, 1, 0, 2, 2, 2, 0], "a family begins with the high bit"
    shown = run_map_page(reader, Query({"id": made.run}))
    assert [(row.family, row.passed, row.mixed) for row in shown.rows] == [
        ("family-2", 2, 2),
        ("family-1", 3, 2),
        ("family-0", 3, 0),
    ]


def test_an_unsafe_mark_counts_and_the_same_words_in_an_end_state_do_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {}, [Task(id="t", prompt="x")])
    marked = episode("r", "t", 0, marks=[Mark("unsafe", 1, "mail.delete")])
    harmless = episode("r", "t", 1, end_state={"kind": "unsafe"}, stop=Stop.MAX_TURNS)
    large = episode("r", "t", 2, items=[Message("user", "x" * 5_000_000)])
    store.add("r", [marked, harmless, large], [verdict(one.id, True) for one in (marked, harmless, large)])
    store.close()
    reader = Reader(tmp_path)
    assert kinds(page(reader, "r"))["t"] == ["unsafe", "passed", "passed"]
    rows = page(reader, "r", view="list").list.rows  # type: ignore[union-attr]
    assert rows[1].stop == "max_turns" and "too large" in rows[2].reply
    assert listed(page(reader, "r", view="list", stop="max_turns")) == [harmless.id]
    assert page(reader, "r").grid is not None and page(reader, "r").run.state == "interrupted"
    reader.close()


def test_a_run_that_began_and_has_no_episode_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {"k": 2}, [Task(id="t", prompt="x")])
    store.begin_run("none", "eval", {})
    store.close()
    reader = Reader(tmp_path)
    assert kinds(page(reader, "r")) == {"t": ["missing", "missing"]}
    assert page(reader, "none").nothing == "This run has no episodes."
    reader.close()


@pytest.mark.parametrize(
    ("text", "range"),
    [("0..1", (0.0, 1.0, False)), ("-1..<0.5", (-1.0, 0.5, True)), ("..2", (None, 2.0, False)), ("1e-3..", (0.001, None, False))],
)  # fmt: skip
def test_a_range_of_rewards_is_read(text: str, range: Any) -> None:
    assert filters.reward_range(text) == range


def test_a_large_run_is_ordered_by_family_once_the_index_has_counted_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=9, attempts=2)
    store.close()
    monkeypatch.setattr(task_grid, "MOST", 5)
    monkeypatch.setattr(task_grid, "PAGE", 4)
    reader = Reader(tmp_path)
    assert run_map_page(reader, Query({"id": "r"})).empty and run_cells(reader, Query({"id": "r"})).body == bytes(4)
    Builder(tmp_path).catch_up()
    shown = page(reader, "r", page="2")
    assert list(kinds(shown)) == ["task-4", "task-5", "task-6", "task-7"] and shown.grid and shown.grid.total == 9
    assert [(band.family, band.passed, band.scored) for band in shown.grid.bands] == [
        ("family-2", 2, 4),
        ("family-3", 2, 4),
    ]
    assert shown.grid.before and shown.grid.after.endswith("page=3")
    counted = run_map_page(reader, Query({"id": "r"}))
    assert (
        counted.tasks == 9
        and counted.attempts == 2
        and {row.family for row in counted.rows} >= {"family-0", "family-4"}
    )
    body = run_cells(reader, Query({"id": "r"})).body
    assert list(body[:10]) == [2, 0, 0, 0, 0x81, 1, 2, 2, 0x81, 2], "the same bytes as those of a small run"
    reader.close()


def test_words_are_found_in_any_case_once_the_run_is_indexed(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=2, attempts=1)
    store.close()
    Builder(tmp_path).catch_up()
    reader = Reader(tmp_path)
    asked = page(reader, "r", view="text", q="PLEASE", fold="1").hits
    assert asked is not None and "being indexed" in asked.note and not asked.hits
    Builder(tmp_path).catch_up()
    hits = page(reader, "r", view="text", q="PLEASE", fold="1").hits
    assert hits is not None and not hits.note and [hit.words for hit in hits.hits] == ["Please", "Please"]
    assert hits.hits[0].href.endswith("#i0") and "fold" not in hits.switch
    exact = page(reader, "r", view="text", q="PLEASE").hits
    assert exact is not None and not exact.hits and "fold=1" in exact.switch
    reader.close()
