"""Hostile text in every text of every record: no report gains an element, a mention or a command from it, in any format."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import verigym
from tests.report.test_ci_formats import TAGS, rendered
from tests.view.crawl import Elements
from tests.view.payloads import PAYLOADS
from tests.view.poison import Poison, poison_store
from tests.view.store import add_traces
from verigym.core.printable import CONTROL
from verigym.registry import ledger
from verigym.report.annotations import annotations
from verigym.report.document import Document
from verigym.report.html import as_html
from verigym.report.junit import as_junit
from verigym.report.markdown import as_markdown
from verigym.report.write import make_document
from verigym.store.database import Store


def documents(home: Path, poison: Poison) -> Iterator[Document]:
    """A report of each kind, from a workspace whose texts are all poisoned."""
    verigym.Workspace.demo(home).close()
    store = Store(home / "store.db")
    add_traces(store, count=3)
    store.close()
    poison_store(home, poison)
    with verigym.Workspace(home) as ws:
        after, before = ledger.entries(ws.folder.store)[-1].decision.reports
        runs = {run.kind: run.id for run in ws.runs() if run.trajectories}
        for names in ([], ["gate/2"], [before, after], *([run] for run in runs.values())):
            yield make_document(ws.folder, names)


def elements(page: bytes) -> Counter[str]:
    found = Elements(page.decode())
    assert not CONTROL.search("".join(found.text)) and found.links == []
    return Counter({f"<{name}>": 1 for name in found.count}) + Counter({f"{name}=": 1 for name in found.attributes})


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> list[Counter[str]]:
    home = tmp_path_factory.mktemp("plain") / "home"
    return [elements(as_html(one)) for one in documents(home, Poison([" plain"], 0))]


@pytest.mark.parametrize("start", [0, 101])
def test_no_format_makes_anything_of_foreign_text(tmp_path: Path, harmless: list[Counter[str]], start: int) -> None:
    poison = Poison(PAYLOADS, start)
    for plain, document in zip(harmless, documents(tmp_path / "home", poison), strict=True):
        assert set(elements(as_html(document))) - set(plain) == set()
        comment = rendered(as_markdown(document).decode()).replace("&#8203;", "\u200b")
        assert set(re.findall(r"<([a-z][a-z0-9]*)", comment)) <= TAGS | {"ol"}
        outside = re.sub(r"<(code|pre)[ >].*?</\1>", "", comment, flags=re.DOTALL)
        assert not re.search(r"(?<!&)[@#]\w|https?:|www\.", outside)
        assert {one.tag for one in ET.fromstring(as_junit(document)).iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"
        }  # fmt: skip
        for line in annotations(document):
            assert re.fullmatch(r"::(error|warning|notice) (file=[^:,]*,)?title=[^:,\n\r]*::[^\n\r]*", line)
    assert len(poison.used) == len(PAYLOADS)
