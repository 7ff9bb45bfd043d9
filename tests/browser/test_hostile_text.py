"""Hostile text in every record, in a browser: nothing runs, nothing is blocked because nothing tries, nothing is loaded."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Watched, serving
from tests.view.crawl import crawl, open_client
from tests.view.payloads import PAYLOADS
from tests.view.poison import Poison, poison_store
from tests.view.test_hostile_text import small_store

PART = 65
"""Payloads of one round: about as many as the workspace has different texts."""


@pytest.mark.parametrize("start", range(0, len(PAYLOADS), PART))
def test_no_page_runs_or_loads_anything(tmp_path: Path, chromium: Any, start: int) -> None:
    home = tmp_path / "home"
    small_store(home)
    poison = Poison(PAYLOADS, start)
    poison_store(home, poison)
    assert len(poison.used) >= PART
    with open_client(home) as client:
        pages = [page.address for page in crawl(client, each=1, limit=60) if page.kind == "text/html"]
    with serving(home) as address:
        tab = Watched(chromium, address)
        for path in pages:
            page = tab.open(path)
            page.mouse.move(200, 200)
            page.keyboard.press("Tab")
            assert page.evaluate("window.hurt === undefined && document.querySelectorAll('main').length === 1"), path
            assert tab.faults == [], path
        tab.close()
