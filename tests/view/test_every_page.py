"""Every page that links lead to: it answers, it is well formed, its JSON can be read, and nothing on it breaks the rules."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from tests.view.crawl import Elements, Visited, crawl, open_client
from tests.view.store import Made, make_store
from verigym.view.app import View
from verigym.view.door import HEADERS, DoorSettings
from verigym.view.page import NAVIGATION

VIEW = Path(__file__).parents[2] / "verigym" / "view"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("every") / "home")


@pytest.fixture(scope="module")
def client(made: Made) -> Iterator[TestClient]:
    with open_client(made.home) as one:
        yield one


@pytest.fixture(scope="module")
def unread(made: Made) -> bytes:
    """The store before anybody read it."""
    return (made.home / "store.db").read_bytes()


@pytest.fixture(scope="module")
def pages(client: TestClient, unread: bytes) -> list[Visited]:
    return crawl(client)


def test_every_link_leads_to_a_page(pages: list[Visited]) -> None:
    assert len(pages) > 30
    assert {page.address: page.status for page in pages if page.status not in (200, 303, 307)} == {}


def test_every_route_is_reached_by_links(client: TestClient, pages: list[Visited]) -> None:
    routes = {page.path for page in client.view.pages}  # type: ignore[attr-defined]
    assert routes - {page.route for page in pages} - {"/search", "/blob/{sha}", "/run-cells/{id:path}"} == set()


def test_every_entry_of_the_navigation_has_a_page(pages: list[Visited]) -> None:
    reached = {page.address for page in pages}
    assert {entry.path for _, entries in NAVIGATION for entry in entries} <= reached


def test_every_page_has_one_heading_a_title_and_no_inline_code(pages: list[Visited]) -> None:
    for page in pages:
        if not page.html:
            continue
        found = Elements(page.html)
        assert (found.count["h1"], found.count["main"], found.count["title"] >= 1) == (1, 1, True), page.address
        assert found.attributes["style"] == 0 and found.count["style"] == 0, page.address
        assert not [name for name in found.attributes if name.startswith("on")], page.address
        foreign = [link for link in found.links if re.match(r"(?i)\s*(\w+:|//)", link)]
        assert foreign == [], page.address


def test_no_two_elements_of_a_page_share_an_id(pages: list[Visited]) -> None:
    for page in pages:
        ids = re.findall(r'\sid="([^"]*)"', page.html)
        assert len(ids) == len(set(ids)), (page.address, sorted(one for one in ids if ids.count(one) > 1)[:5])


def test_the_same_key_does_not_do_two_things(pages: list[Visited]) -> None:
    for page in pages:
        keys = [key for keys in re.findall(r'data-key="([^"]*)"', page.html) for key in keys.split(",")]
        twice = {key for key in keys if keys.count(key) > 1}
        assert twice == set(), page.address


def test_every_page_answers_its_struct_as_json(client: TestClient, pages: list[Visited]) -> None:
    for page in pages:
        if page.kind != "text/html" or page.status != 200:
            continue
        plain = page.address.partition("#")[0]
        answer = client.get(plain + ("&" if "?" in plain else "?") + "format=json")
        assert answer.status_code == 200 and answer.headers["content-type"] == "application/json", plain
        assert msgspec.json.decode(answer.content)["title"], plain


def test_every_answer_has_the_headers(pages: list[Visited]) -> None:
    for page in pages:
        assert {name.decode() for name, _ in HEADERS} <= page.headers, page.address


def test_reading_changes_nothing(made: Made, unread: bytes, pages: list[Visited]) -> None:
    assert (made.home / "store.db").read_bytes() == unread


def test_every_page_of_an_empty_workspace_says_what_to_do(tmp_path: Path) -> None:
    with open_client(tmp_path / "empty") as client:
        for page in crawl(client):
            assert page.status in (200, 303), page.address
            if page.address in {entry.path for _, entries in NAVIGATION for entry in entries}:
                assert "verigym " in page.html.partition("<footer")[0].partition("<h1")[2], page.address


@pytest.mark.parametrize("file", sorted(VIEW.glob("templates/*")), ids=lambda file: file.name)
def test_a_template_escapes_everything(file: Path) -> None:
    text = file.read_text()
    assert not re.search(r"\|\s*safe|autoescape|Markup|javascript:|\sstyle=|\son\w+=|https?://", text)
    assert not re.search(r"=\{\{", text), "an attribute is not quoted"


@pytest.mark.parametrize("file", sorted(VIEW.glob("static/*.js")), ids=lambda file: file.name)
def test_a_script_makes_no_html_of_text(file: Path) -> None:
    wrong = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|https?://"
    assert not re.search(wrong, file.read_text())


def test_our_scripts_are_small() -> None:
    assert sum(file.stat().st_size for file in VIEW.glob("static/*.js")) <= 40_000


def test_no_page_marks_text_as_html() -> None:
    for file in VIEW.rglob("*.py"):
        assert "Markup(" not in file.read_text(), file


def test_a_page_that_fails_is_an_error_page_with_a_number(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    view = View(made.home, DoorSettings())
    view.pages[:] = [view.pages[0]._replace(path="/", build=lambda reader, query: 1 / 0)]  # type: ignore[arg-type]
    answer = TestClient(view.app(), base_url="http://127.0.0.1:8401").get("/")
    assert answer.status_code == 500 and "error 1" in answer.text and "ZeroDivisionError" not in answer.text
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_error_page_leads_to_the_list_of_its_section(client: TestClient) -> None:
    for address, listed in [("/runs/nothing", "/runs"), ("/t/nothing", "/runs"), ("/task/nothing", "/environments")]:
        answer = client.get(address)
        main = answer.text.partition("<main")[2]
        assert answer.status_code == 404 and f'href="{listed}"' in main and 'href="/"' in main
    assert "Show the list" not in client.get("/nothing/at/all").text
