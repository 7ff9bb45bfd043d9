"""What a page is: a function from a reader and a query to a struct, and the template that shows the struct.

Pages live in `verigym/view/pages`, one file each. The struct holds everything that the page shows, so `?format=json` answers it
as it is and tests need no browser. Nothing here makes HTML.
"""

import shlex
import urllib.parse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from verigym.core.errors import BadInput

if TYPE_CHECKING:
    from verigym.view.read import Reader


class Link(Struct, frozen=True):
    words: str
    href: str = ""
    """Empty for a step that is not a page."""


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something to do next, with its reason and the command or page for it."""

    words: str
    why: str = ""
    command: str = ""
    href: str = ""


class PageData(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every page has. A page's own struct extends it."""

    title: str
    command: str = ""
    """The command that prints the same in a terminal."""
    crumbs: list[Link] = []
    """The way here, from the section down. The page itself is not in it."""
    empty: str = ""
    """Why there is nothing to show, in words. Empty if there is something."""
    fill: list[str] = []
    """Commands that put something onto an empty page."""
    section: str = ""
    """The entry of the navigation that it belongs to, if not that of its route."""
    live: str = ""
    """The channel of `/events` that this page listens to. Empty for a page that does not change."""


class ListPage(PageData, frozen=True, kw_only=True):
    """A list by pages. The rows are a field of the page's own struct."""

    total: int = 0
    first: int = 0
    """The place of the first row that is shown, from 1. 0 without rows."""
    before: str = ""
    after: str = ""


class FileData(PageData, frozen=True, kw_only=True):
    """Bytes instead of a page: a file to download, data for a script, or a way to another page."""

    body: bytes
    kind: str = "application/octet-stream"
    headers: dict[str, str] = {}
    status: int = 200


class Query:
    """The parameters of a request: those of the path, and those after the question mark. `who` is the name that the person gave
    once, which a cookie keeps."""

    def __init__(
        self, path: Mapping[str, str] | None = None, given: Mapping[str, str] | None = None, who: str = ""
    ) -> None:
        self.path = dict(path or {})
        self.given = dict(given or {})
        self.who = who

    def get(self, name: str, default: str = "") -> str:
        return self.given.get(name, default)

    def choice(self, name: str, *allowed: str) -> str:
        """One of the allowed values. The first is the default."""
        value = self.get(name) or allowed[0]
        if value not in allowed:
            raise BadInput(
                f'"{name}" cannot be "{value}". Use one of: {", ".join(one or "(empty)" for one in allowed)}'
            )
        return value

    def number(self, name: str, default: int, *, least: int = 0, most: int = 10**9) -> int:
        value = self.get(name)
        if not value:
            return default
        try:
            number = int(value)
        except ValueError:
            raise BadInput(f'"{name}" must be a whole number, and is "{value}"') from None
        return min(max(number, least), most)

    def flag(self, name: str) -> bool:
        return self.get(name) not in ("", "0", "no", "false")

    def part(self, total: int, size: int, here: Callable[..., str]) -> tuple[int, dict[str, Any]]:
        """How many rows of a list come before the page, and the fields of its `ListPage`. `here(skip=...)` is its address."""
        skip = min(self.number("skip", 0), total)
        before = here(skip=max(0, skip - size) or None) if skip else ""
        after = here(skip=skip + size) if skip + size < total else ""
        return skip, {"total": total, "first": skip + 1 if skip < total else 0, "before": before, "after": after}

    def with_(self, **changes: object) -> dict[str, str]:
        """The parameters after the question mark with changes, for a link to the same page. None or "" removes one."""
        merged: dict[str, object] = {**self.given, **changes}
        return {name: str(value) for name, value in merged.items() if value not in (None, "") and name != "format"}


class Page(NamedTuple):
    path: str
    """Starlette's path, such as `/runs/{id:path}`. Ids contain slashes, so they are the last part of a path."""
    build: "Callable[[Reader, Query], PageData]"
    template: str
    section: str
    """The entry of the navigation that it belongs to."""


class Entry(NamedTuple):
    """One entry of the navigation."""

    section: str
    words: str
    path: str
    key: str
    """The key that opens it after `g`."""


NAVIGATION: list[tuple[str, list[Entry]]] = [
    ("", [Entry("home", "Home", "/", "h")]),
    (
        "Measure",
        [
            Entry("runs", "Runs", "/runs", "r"),
            Entry("failures", "Failures", "/failures", "f"),
            Entry("compare", "Compare", "/compare", "c"),
            Entry("environments", "Environments", "/environments", "e"),
            Entry("suites", "Suites", "/suites", "s"),
        ],
    ),
    (
        "Improve",
        [
            Entry("training", "Training", "/training", "t"),
            Entry("optimize", "Optimization", "/optimize", "o"),
            Entry("loops", "Loops", "/loops", "p"),
        ],
    ),
    (
        "Decide",
        [
            Entry("gate", "Gate", "/gate", "d"),
            Entry("versions", "Versions", "/versions", "v"),
            Entry("ledger", "Ledger", "/ledger", "l"),
        ],
    ),
    ("Trust", [Entry("label", "Label", "/label", "b"), Entry("audit", "Audit", "/audit", "a")]),
    ("Production", [Entry("traces", "Traces", "/traces", "x"), Entry("mined", "Mined tasks", "/mined", "m")]),
]


def url(path: str, id: str = "", **params: object) -> str:
    """An address of this view. The id is percent-encoded, slashes too, and parameters that are None or empty are left out.

    `url("/runs/", "eval/notes@1", view="list")` is `/runs/eval%2Fnotes%401?view=list`."""
    assert path.startswith("/") and not path.startswith("//"), path
    given = {name: value for name, value in params.items() if value not in (None, "")}
    fragment = str(given.pop("fragment", ""))
    address = path + urllib.parse.quote(id, safe="", errors="surrogatepass")
    if given:
        address += "?" + urllib.parse.urlencode(given, quote_via=_quote, errors="surrogatepass")
    return f"{address}#{urllib.parse.quote(fragment, safe='')}" if fragment else address


def typed(*words: str) -> str:
    """A command as somebody types it. Words are quoted where a shell needs it, so that no id is run as a command of its own."""
    return shlex.join(["verigym", *words])


def _quote(text: Any, safe: Any = "", encoding: Any = None, errors: Any = None) -> str:
    return urllib.parse.quote(text, safe="", encoding=encoding, errors=errors)
