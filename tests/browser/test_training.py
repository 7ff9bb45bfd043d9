"""Curves in a browser: drawn by the script, zoomed by keys, and continued while the run goes on."""

import time
from pathlib import Path
from typing import Any

from tests.browser.conftest import Watched, serving
from verigym.store.database import Store
from verigym.training.alarms import Alarm, stored_alarm

LIMIT_S = 120.0


def wait_for(page: Any, selector: str, words: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while words not in (page.text_content(selector) or ""):
        assert time.monotonic() < deadline, page.text_content(selector)
        page.wait_for_timeout(50)


def test_curves_are_zoomed_by_keys_and_go_on_by_themselves(chromium: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("grpo-1", "train", {"recipe": {"algorithm": "grpo", "steps": 60}})
    for step in range(1, 51):
        store.add_metrics("grpo-1", step, {"reward": step / 50, "entropy": 1 / step, "held_out_success": 0.5})
    alarm = stored_alarm(
        "grpo-1", Alarm("entropy collapse", "entropy fell", "use a lower learning rate", 30, "entropy")
    )
    store.put("alarm", alarm.id, alarm)
    with serving(tmp_path) as address:
        tab = Watched(chromium, address)
        page = tab.open("/training/grpo-1")
        page.locator("[data-panel=entropy] canvas").wait_for()
        page.keyboard.press("a")
        wait_for(page, "#curves-range", "Steps 18 to 42 of 50")
        assert "from=18" in page.url
        page.keyboard.press("0")
        wait_for(page, "#curves-range", "Steps 1 to 50")
        page.keyboard.press("+")
        wait_for(page, "#curves-range", "of 50")
        page.keyboard.press("0")
        wait_for(page, "#curves-range", "Steps 1 to 50")
        page.check("#median")
        store.add_metrics("grpo-1", 51, {"reward": 0.987, "entropy": 0.01})
        wait_for(page, "#curves-range", "Steps 1 to 51")
        wait_for(page, "[data-panel=reward] .legend", "0.987")
        wait_for(page, "#step-grpo-1", "51 of 60")
        assert tab.faults == []
        tab.close()
    store.close()


def test_curves_are_there_without_scripts(chromium: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("grpo-1", "train", {"recipe": {"algorithm": "grpo", "steps": 60}})
    for step in range(1, 11):
        store.add_metrics("grpo-1", step, {"reward": step / 50})
    store.close()
    with serving(tmp_path) as address:
        tab = Watched(chromium, address, java_script_enabled=False)
        page = tab.open("/training/grpo-1?from=3&to=8")
        assert page.locator("[data-panel=reward] svg path").first.is_visible()
        assert not page.locator("#zoom-in").is_visible()
        page.click("#all-steps")
        assert page.url.endswith("/training/grpo-1")
        tab.close()
