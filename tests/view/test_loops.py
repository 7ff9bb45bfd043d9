"""The pages of loops and optimisations as structs, from nothing stored to finished."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.view.improve import add_loop, add_optimization
from tests.view.store import Made, make_store
from verigym.core.errors import NotFound
from verigym.store.database import Store
from verigym.view import render
from verigym.view.page import Query
from verigym.view.pages.loops import LoopPage, loop_page, loops_page
from verigym.view.pages.optimize import OptimizationPage, optimization_page, optimizations_page
from verigym.view.read import Reader
from verigym.view.watch import watch_of

AROUND = {"section": "loops", "theme": "", "home": "x", "read_only": False, "as_json": "/x?format=json"}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make_store(tmp_path)


def versions(home: Path) -> list[str]:
    reader = Reader(home)
    ids = list(reader.versions())
    reader.close()
    return ids


def show_loop(home: Path, id: str) -> LoopPage:
    reader = Reader(home)
    page = loop_page(reader, Query({"id": id}))
    render.html("loop.html", page, **AROUND)
    render.json(page)
    reader.close()
    return page


def show_search(home: Path, id: str) -> OptimizationPage:
    reader = Reader(home)
    page = optimization_page(reader, Query({"id": id}))
    render.html("optimization.html", page, **AROUND)
    render.json(page)
    reader.close()
    return page


def test_pages_of_an_empty_workspace_say_what_to_run(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for build, template in ((loops_page, "loops.html"), (optimizations_page, "optimizations.html")):
        page = build(reader, Query())
        assert page.rows == [] and page.empty and page.fill
        render.html(template, page, **AROUND)
    reader.close()


def test_a_loop_shows_its_rounds_newest_first_with_links(made: Made) -> None:
    ids = versions(made.home)
    add_loop(Store(made.home / "store.db"), "loop-1", ids[:3], made.run)
    page = show_loop(made.home, "loop-1")
    assert [one.number for one in page.rounds] == [2, 1] and page.promoted == 2
    assert page.state == "finished" and page.ended == "the champion is good enough" and page.live == ""
    assert (page.seconds, page.dollars) == (1200.0, 3.0)
    links = {link.words: link.href for step in page.rounds[0].steps for link in step.links}
    assert links["its episodes"] == f"/runs/{made.run}" and links["why"] == f"/failures/{made.run}"
    assert links["compare"] == f"/compare?a={ids[1]}&b={ids[2]}"
    assert "champion" in page.picture and "candidate" in page.picture
    reader = Reader(made.home)
    row = next(one for one in loops_page(reader, Query()).rows if one.id == "loop-1")
    assert (row.rounds, row.verdicts, row.before) == (2, ["PROMOTE", "PROMOTE"], 0.4)
    assert row.after == pytest.approx(0.6)
    render.html("loops.html", loops_page(reader, Query()), **AROUND)
    reader.close()


def test_a_loop_that_runs_is_live_and_one_that_was_killed_is_interrupted(made: Made) -> None:
    ids = versions(made.home)
    add_loop(Store(made.home / "store.db"), "odd/loop <b>", ids[:2], "no such run", last_is_over=False)
    page = show_loop(made.home, "odd/loop <b>")
    assert page.state == "interrupted" and page.live == "loop:odd/loop <b>"
    assert not page.rounds[0].is_over and page.rounds[0].verdict == ""
    file = made.home / "running" / hashlib.sha256(b"loop odd/loop <b>").hexdigest()[:16]
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"pid {os.getpid()}")
    assert show_loop(made.home, "odd/loop <b>").state == "running"


def test_a_listening_page_is_told_of_a_new_step_of_its_loop(made: Made) -> None:
    reader, ids = Reader(made.home), versions(made.home)
    watch = watch_of("loop:mine")
    assert watch.snapshot(reader, "") == []
    store = Store(made.home / "store.db")
    add_loop(store, "other", ids[:2], made.run)
    assert watch.look(reader) == []
    position = watch.position
    add_loop(store, "mine", ids[:2], made.run)
    assert watch.look(reader) == [{"stale": "8 new steps of this loop"}]
    assert watch.snapshot(reader, position) == [{"stale": "8 new steps of this loop"}]
    reader.close()


def test_a_loop_that_does_not_exist_is_not_found_with_near_names(made: Made) -> None:
    add_loop(Store(made.home / "store.db"), "loop-1", versions(made.home)[:2], made.run)
    with pytest.raises(NotFound, match="loop-1"):
        show_loop(made.home, "loop-")


def test_an_optimisation_shows_candidates_and_the_command_for_the_gate(made: Made) -> None:
    ids = versions(made.home)
    add_optimization(Store(made.home / "store.db"), "optimize-1", ids[:3])
    page = show_search(made.home, "optimize-1")
    assert [one.kind for one in page.candidates] == ["best", "on the front", "first"]
    assert page.candidates[0].diff == f"/versions/diff?a={ids[0]}&b={ids[2]}"
    assert page.gate == f"verigym gate {ids[2]}" and "30% to 50%" in page.words
    assert ("Episodes", "96 of 100", "of the budget") in page.figures
    reader = Reader(made.home)
    row = next(one for one in optimizations_page(reader, Query()).rows if one.id == "optimize-1")
    assert row.improved and row.candidates == 3
    render.html("optimizations.html", optimizations_page(reader, Query()), **AROUND)
    reader.close()


def test_an_optimisation_that_runs_shows_candidates_so_far_and_is_live(made: Made) -> None:
    ids, store = versions(made.home), Store(made.home / "store.db")
    add_optimization(store, "optimize-1", ids[:2], finished=False)
    page = show_search(made.home, "optimize-1")
    assert [one.success for one in page.candidates] == [0.5, 0.25] and not page.is_final
    assert page.episodes == 8 and page.live == "optimize:optimize-1" and "interrupted" in page.words
    reader = Reader(made.home)
    watch = watch_of("optimize:optimize-1")
    assert watch.snapshot(reader, "")[0]["set"] == {"count-optimize-1": "8 of 100", "bar-optimize-1": "8"}
    store.begin_run("another candidate", "rollout", {"agent": ids[2]}, parent="optimize-1")
    assert {"stale": "1 new measurement"} in watch.look(reader)
    store.finish_run("optimize-1")
    assert {"stale": "The search is finished"} in watch.look(reader)
    reader.close()


def test_an_optimisation_without_candidates_or_settings_is_shown(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("optimize-1", "optimize", {})
    assert show_search(tmp_path, "optimize-1").empty == "No candidate is measured yet."
    store.begin_run("eval-1", "eval", {})
    with pytest.raises(NotFound, match="is a run of kind eval"):
        show_search(tmp_path, "eval-1")
