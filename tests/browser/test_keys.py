"""Journeys by keyboard alone, from the first page, and what happens to a page while the workspace changes."""

import time
from pathlib import Path
from typing import Any

from tests.browser.conftest import Watched, serving
from tests.view.store import episode, make_store, verdict
from verigym.core.records import Label, Task
from verigym.store.database import Store


def press(page: Any, *keys: str) -> None:
    """Presses keys one after the other. A key that opens a page is followed by the page."""
    for key in keys:
        page.keyboard.press(key)


def follow(page: Any, *keys: str) -> str:
    """Presses keys and waits for the page that the last one opens."""
    with page.expect_navigation():
        press(page, *keys)
    return page.url.partition("://")[2].partition("/")[2]


def test_from_home_to_the_trace_behind_a_rejected_candidate(tab: Watched) -> None:
    """The newcomer's way: why was it rejected, one conversation that shows it, the trace that it came from."""
    page = tab.open("/")
    page.get_by_role("link", name="See why hacked was rejected").focus()
    assert follow(page, "Enter") == "gate/3"
    assert page.get_by_text("REJECT").first.is_visible()
    page.get_by_role("link", name="See a conversation that shows it").focus()
    assert follow(page, "Enter").startswith(("t/", "compare/flip"))
    assert "refuse" in page.inner_text("main")
    trace = page.locator("main a[href*='traces-served']").first
    trace.focus()
    assert "traces-served" in follow(page, "Enter")
    assert page.locator("h1").count() == 1


def test_keys_open_every_page_of_the_navigation(tab: Watched) -> None:
    page = tab.open("/")
    for entry in page.eval_on_selector_all(
        "nav.side a", "all => all.map((a) => [a.dataset.key, a.getAttribute('href')])"
    ):
        key, path = entry
        assert f"/{follow(page, *key.split(' '))}" == path


def test_rows_are_walked_and_opened(tab: Watched) -> None:
    page = tab.open("/runs")
    press(page, "j", "j", "k")
    first = page.locator("tr.here a").first.get_attribute("href")
    assert f"/{follow(page, 'Enter')}" == first
    page.go_back()
    assert page.url.endswith("/runs")


def test_all_keys_are_shown_and_do_nothing_in_a_field(tab: Watched) -> None:
    page = tab.open("/runs")
    press(page, "?")
    assert page.locator("dialog[open] dt").count() > 15
    press(page, "Escape", "/")
    page.keyboard.type("jkg?")
    assert page.input_value("input[name=q]") == "jkg?"


def test_the_theme_is_kept(tab: Watched) -> None:
    page = tab.open("/runs")
    press(page, "t")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert tab.open("/gate").get_attribute("html", "data-theme") == "dark"


def test_a_run_fills_while_it_is_looked_at(tmp_path: Path, chromium: Any) -> None:
    made = make_store(tmp_path / "home")
    store = Store(made.home / "store.db")
    tasks = [Task(id=f"t{n}", prompt="x", split="val") for n in range(4)]
    store.begin_run("eval-live", "eval", {"environment": "desk", "agent": "agent-1"}, tasks)
    store.add("eval-live", [episode("eval-live", "t0")], [verdict("eval-live/t0/0", True)])
    with store.claim("eval-live"), serving(made.home) as address:
        tabs = [Watched(chromium, address) for _ in range(7)]
        pages = [tab.open("/runs/eval-live") for tab in tabs]
        for page in pages[:1]:
            page.wait_for_selector("body[data-connected=yes]")
        before = pages[0].inner_text("main")
        began = time.monotonic()
        store.add("eval-live", [episode("eval-live", "t1")], [verdict("eval-live/t1/0", False)])
        pages[0].wait_for_function("text => document.querySelector('main').innerText !== text", arg=before)
        assert time.monotonic() - began < 30  # within a second on an idle machine
        for tab in tabs:
            assert tab.faults == []
            tab.close()
    store.close()


def test_a_server_that_comes_back_is_listened_to_again(tmp_path: Path, chromium: Any) -> None:
    made = make_store(tmp_path / "home")
    with serving(made.home) as address:
        tab = Watched(chromium, address)
        page = tab.open("/runs")
        page.wait_for_selector("body[data-connected=yes]")
    page.wait_for_selector("body[data-connected=no]")
    with serving(made.home, port=int(address.rsplit(":", 1)[1])):
        page.wait_for_selector("body[data-connected=yes]")
        assert page.locator("tr", has_text=made.run).count() == 1  # the page is the same, nothing was loaded again
    tab.close()


def test_twenty_outputs_are_labelled_by_keys(tmp_path: Path, chromium: Any) -> None:
    made = make_store(tmp_path / "home")
    store = Store(made.home / "store.db")
    before = len(store.documents("label", Label))
    with serving(made.home) as address:
        tab = Watched(chromium, address)
        page = tab.open("/label")
        page.goto(f"{address}/label/eval-toolcall-4390e983?kind=single&n=20")
        if page.locator("input[name=who]").count():
            page.fill("input[name=who]", "Ada")
            follow(page, "Enter")
        for number in range(20):
            follow(page, "g" if number % 3 else "b")
        assert len(store.documents("label", Label)) == before + 20
        assert tab.faults == []
        tab.close()
    store.close()
