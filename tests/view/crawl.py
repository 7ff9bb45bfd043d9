"""Finds the pages of a view by following its links, so that a new page is tested without being listed anywhere."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from starlette.testclient import TestClient

from verigym.view.app import View
from verigym.view.door import DoorSettings

ORIGIN = "http://127.0.0.1:8401"


class Visited(NamedTuple):
    address: str
    route: str
    """The route's path, such as `/runs/{id:path}`. Empty if no page answered."""
    status: int
    html: str
    kind: str
    headers: frozenset[str]
    """Names of the answer's headers."""


class Elements(HTMLParser):
    """The elements of a page: how often each occurs, and where links lead."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.count: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.links: list[str] = []
        self.posts: set[str] = set()
        """Where forms lead that write. They are no pages."""
        self.text: list[str] = []
        self.copied: list[str] = []
        """Texts of copy buttons."""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        if tag == "form" and dict(attrs).get("method") == "post":
            self.posts.add(dict(attrs).get("action") or "")
        for name, value in attrs:
            self.attributes[name] += 1
            if name == "data-copy" and value is not None:
                self.copied.append(value)
            if name in ("href", "src", "action", "formaction") and value is not None:
                self.links.append(value)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def open_client(home: Path, **settings: object) -> TestClient:
    view = View(home, DoorSettings(**settings))  # type: ignore[arg-type]
    app, cookies = view.app(), {"who": "Ada"}
    client = TestClient(app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False, cookies=cookies)
    client.view = view  # type: ignore[attr-defined]
    return client


def crawl(client: TestClient, *, each: int = 3, start: str = "/", limit: int = 400) -> list[Visited]:
    """Every page that links lead to, at most `each` addresses of a route and set of parameters."""
    routes = [(page.path, _pattern(page.path)) for page in client.view.pages]  # type: ignore[attr-defined]
    waiting, seen, kinds, visited = [start], {start}, Counter[str](), list[Visited]()
    while waiting and len(visited) < limit:
        address = waiting.pop(0)
        path, _, query = address.partition("#")[0].partition("?")
        names = sorted(part.partition("=")[0] for part in query.split("&") if part)
        route = next((name for name, pattern in routes if pattern.fullmatch(path)), "")
        key = f"{route or path}?{'&'.join(names)}"
        if kinds[key] >= each or "format=json" in query:
            continue
        kinds[key] += 1
        answer = client.get(address.partition("#")[0])
        kind = answer.headers.get("content-type", "").partition(";")[0]
        html = answer.text if kind == "text/html" else ""
        visited.append(Visited(address, route, answer.status_code, html, kind, frozenset(answer.headers)))
        found = Elements(html)
        links = [link for link in found.links if link not in found.posts]
        if answer.is_redirect:
            links.append(answer.headers["location"])
        for link in links:
            if link.startswith("/") and not link.startswith(("//", "/static/")) and link not in seen:
                seen.add(link)
                waiting.append(link)
    return visited


def _pattern(path: str) -> re.Pattern[str]:
    text = re.sub(r"\{\w+:path\}", ".+", path)
    return re.compile(re.sub(r"\{\w+\}", "[^/]+", text))
