"""Reports in a browser, opened from disk: nothing is loaded or blocked, nothing is wider than the window, no fault of
accessibility."""

from pathlib import Path
from typing import Any

import pytest

import verigym
from tests.browser.conftest import SHOTS, Watched
from tests.browser.test_pages import LOOKS, axe

NAMES = {"decision": [], "comparison": ["base", "grpo"], "run": ["eval-toolcall-9fef82fe"], "version": ["base"]}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    with verigym.Workspace.demo(folder / "demo") as ws:
        return {name: ws.write_report(*about, file=folder / f"{name}.html") for name, about in NAMES.items()}


@pytest.mark.parametrize(("theme", "width"), LOOKS, ids=[f"{theme}-{width}" for theme, width in LOOKS])
def test_a_report_is_sound_and_accessible(chromium: Any, reports: dict[str, Path], theme: str, width: int) -> None:
    tab = Watched(chromium, "file://", theme=theme, width=width)
    SHOTS.mkdir(parents=True, exist_ok=True)
    for name, path in reports.items():
        page = tab.open(path.as_uri())
        page.screenshot(path=SHOTS / f"report-{name}-{theme}-{width}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert (wide, axe(tab, page)) == (0, []), name
    assert tab.faults == []
    tab.close()


def test_a_printed_report_has_its_folded_sections(chromium: Any, reports: dict[str, Path]) -> None:
    tab = Watched(chromium, "file://")
    page = tab.open(reports["decision"].as_uri())
    folded = page.locator("details").first.locator("p, table, .task").first
    assert not folded.is_visible()
    page.emulate_media(media="print")
    assert folded.is_visible() and folded.bounding_box()["height"] > 5
    tab.close()
