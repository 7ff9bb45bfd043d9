"""Hostile text in every text of every record: no page gains an element, an attribute or an address from it, and all can be read.

`tests/browser` opens the same pages in a browser.
"""

import shlex
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
def harmless(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of elements and attributes on all pages with plain text."""
    home = tmp_path_factory.mktemp("plain") / "home"
    small_store(home)
    poison_store(home, Poison([" plain"], 0))
    return {name for found in pages(home).values() for name in names(found)}


def pages(home: Path) -> dict[str, Elements]:
    """The elements of each kind of page, by address."""
    with open_client(home) as client:
        visited = crawl(client, each=1)
    assert [page.address for page in visited if page.status == 500] == []
    return {page.address: Elements(page.html) for page in visited}


def names(found: Elements) -> set[str]:
    """Names of elements and attributes."""
    return {f"<{name}>" for name in found.count} | {f"{name}=" for name in found.attributes}


def rounds() -> Iterator[int]:
    yield from range(0, len(PAYLOADS), 75)


@pytest.mark.parametrize("start", rounds())
def test_no_page_gains_an_element_or_an_attribute(tmp_path: Path, harmless: set[str], start: int) -> None:
    small_store(tmp_path)
    poison = Poison(PAYLOADS, start)
    poison_store(tmp_path, poison)
    assert len(poison.used) >= 75
    for address, found in pages(tmp_path).items():
        assert names(found) - harmless == set(), address
        assert [link for link in found.links if not link.startswith(("/", "#", "?"))] == [], address
        assert not [link for link in found.links if link.startswith("//")], address
        assert not CONTROL.search("".join(found.text).replace("\r", "")), address
        for command in found.copied:
            held = [payload for payload in poison.used if payload in command and payload.strip("*-1x{}[] ")]
            assert all(any(payload in word for word in shlex.split(command)) for payload in held), command
