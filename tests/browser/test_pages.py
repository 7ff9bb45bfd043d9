"""Every page in a browser: no error, nothing blocked, nothing loaded from elsewhere, no fault of accessibility, a screenshot."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import SHOTS, Watched
from tests.view.crawl import crawl, open_client
from tests.view.store import Made, make_store

AXE = Path(__file__).parents[2] / "build" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
VARIANTS = 4
"""Addresses of one route that are opened, those with few parameters first."""
LOOKS = [("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400)]


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """One or two addresses of each page, with the name of their picture."""
    made = make_store(tmp_path_factory.mktemp("addresses") / "home")
    with open_client(made.home) as client:
        pages = [page for page in crawl(client, each=1) if page.kind == "text/html" and page.status == 200]
    named: dict[str, str] = {}
    variants: Counter[str] = Counter()
    for page in sorted(pages, key=lambda page: len(page.address.partition("?")[2])):
        variants[page.route] += 1
        if variants[page.route] > VARIANTS:
            continue
        words = (page.route or page.address).split("?")[0].replace("/", " ").split()
        name = "-".join(word.strip("{}").partition(":")[0] for word in words) or "home"
        query = page.address.partition("#")[0].partition("?")[2]
        names = "-".join(part.partition("=")[0] for part in query.split("&") if part)
        named.setdefault(f"{name}-{names}" if names else name, page.address.partition("#")[0])
    return [(name, address) for name, address in named.items()]


@pytest.mark.parametrize(("theme", "width"), LOOKS, ids=[f"{theme}-{width}" for theme, width in LOOKS])
def test_every_page_is_sound_and_accessible(
    chromium: Any, address: str, addresses: list[tuple[str, str]], theme: str, width: int
) -> None:
    assert AXE.is_file(), "axe-core is missing. Run: make test-view"
    tab = Watched(chromium, address, theme=theme, width=width, bypass_csp=False)
    wrong: dict[str, Any] = {}
    SHOTS.mkdir(parents=True, exist_ok=True)
    for name, path in addresses:
        page = tab.open(path)
        if "-" not in name or theme == "light":
            page.screenshot(path=SHOTS / f"{name}-{theme}-{width}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults = [*tab.faults, *([f"the page is {wide} px wider than the window"] if wide > 0 else [])]
        tab.faults.clear()
        faults += axe(tab, page)
        if faults:
            wrong[path] = faults
    tab.close()
    assert wrong == {}


def axe(tab: Watched, page: Any) -> list[str]:
    """Violations of WCAG. axe runs through the debugger, which the policy of the page does not concern."""
    session = tab.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE.read_text()})
    run = f"axe.run({{runOnly: {{type: 'tag', values: {RULES}}}, resultTypes: ['violations']}})"
    told = "v.id + ': ' + v.nodes[0].target + ' (' + v.nodes.length + ')'"
    report = f"{run}.then((r) => JSON.stringify(r.violations.map((v) => {told})))"
    answer = session.send("Runtime.evaluate", {"expression": report, "awaitPromise": True, "returnByValue": True})
    session.detach()
    return json.loads(answer["result"]["value"])


def test_reading_works_without_scripts(chromium: Any, address: str, made: Made) -> None:
    tab = Watched(chromium, address, java_script_enabled=False)
    page = tab.open("/")
    page.click("nav >> text=Runs")
    page.click(f"text={made.run}")
    page.click("main a[href^='/t/']")
    assert "It is done." in page.inner_text("main")
    tab.close()
