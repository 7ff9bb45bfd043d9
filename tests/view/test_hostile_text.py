"""Hostile text in every text of every record: no page gains an element, an attribute or an address from it, and all can be read.

`tests/browser` opens the same pages in a browser.
"""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.view.crawl import Elements, crawl, open_client
from tests.view.payloads import PAYLOADS
from tests.view.poison import Poison, poison_store
from tests.view.store import add_labels, add_mining, add_odd_run, add_run, add_traces
from verigym.core.printable import CONTROL
from verigym.store.database import Store


def small_store(home: Path) -> None:
    """A workspace with one of each record, without the demo, so that all pages can be opened for every payload."""
    store = Store(home / "store.db")
    add_run(store, "eval-desk-1", tasks=3, attempts=2)
    add_odd_run(store)
    traces = add_traces(store, count=3)
    add_mining(store, traces[0])
    add_labels(store, "eval-desk-1")
    store.close()


def test_there_are_enough_payloads() -> None:
    assert len(PAYLOADS) >= 250


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """Elements of each kind of page with plain text."""
    home = tmp_path_factory.mktemp("plain") / "home"
    small_store(home)
    poison_store(home, Poison([" plain"], 0))
    return elements(home)


def elements(home: Path) -> Counter[str]:
    """Names of elements and attributes on all pages together."""
    names: Counter[str] = Counter()
    with open_client(home) as client:
        for page in crawl(client, each=1):
            assert page.status != 500, page.address
            found = Elements(page.html)
            names += Counter({f"<{name}>": 1 for name in found.count})
            names += Counter({f"{name}=": 1 for name in found.attributes})
    return names


def rounds() -> Iterator[int]:
    yield from range(0, len(PAYLOADS), 75)


@pytest.mark.parametrize("start", rounds())
def test_no_page_gains_an_element_or_an_attribute(tmp_path: Path, harmless: Counter[str], start: int) -> None:
    small_store(tmp_path)
    poison = Poison(PAYLOADS, start)
    poison_store(tmp_path, poison)
    assert len(poison.used) >= 75
    found = elements(tmp_path)
    assert set(found) - set(harmless) == set()
    with open_client(tmp_path) as client:
        for page in crawl(client, each=1):
            links = Elements(page.html).links
            assert [link for link in links if not link.startswith(("/", "#", "?"))] == [], page.address
            assert not [link for link in links if link.startswith("//")], page.address
            text = "".join(Elements(page.html).text)
            assert not CONTROL.search(text.replace("\r", "")), page.address
            for command in Elements(page.html).copied:
                held = [payload for payload in poison.used if payload in command and payload.strip("*-1x{}[] ")]
                assert all(any(payload in word for word in shlex.split(command)) for payload in held), command
