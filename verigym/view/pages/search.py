"""Search: ids first (any prefix of anything), then names that contain the words, then text within one run.

An id or a name that only one thing has leads to its page at once. `?stay=1` shows the list instead.
"""

from msgspec import Struct

from verigym.core.records import Dataset
from verigym.view.find import matches
from verigym.view.page import FileData, Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader
from verigym.view.run_search import Hits, hits_in

_MOST = 20
_RUNS = 30


class Found(Struct, frozen=True, kw_only=True):
    kind: str
    links: list[Link]


class SearchPage(PageData, frozen=True, kw_only=True):
    q: str
    ids: list[Found]
    names: list[Found]
    runs: list[Link]
    """Runs whose text can be searched, the newest first: the id, and the id again as a value."""
    run: str
    hits: Hits | None = None


def search_page(reader: Reader, query: Query) -> SearchPage | FileData:
    q, run = query.get("q").strip(), query.get("run")
    found = matches(reader, q)
    if q and not run and not query.flag("stay") and query.get("format") != "json":
        exact = [link for link in found if link.words == q]
        if len(exact) == 1 or len(found) == 1:
            target = (exact or found)[0].href
            return FileData(title="Found", body=b"", status=303, headers={"location": target})
    runs = reader.rows(
        "SELECT id FROM runs WHERE parent = '' AND kind != 'train' ORDER BY created DESC, rowid DESC LIMIT ?", _RUNS
    )
    searched = reader.store.run(run) if run else None
    return SearchPage(
        title=f"Search: {q}" if q else "Search",
        command=typed("trajectories", "show", q) if q else "",
        q=q,
        ids=_by_kind(found),
        names=[one for one in _names(reader, q) if one.links] if q else [],
        runs=[Link(id, id) for (id,) in runs],
        run=searched.id if searched else "",
        hits=hits_in(reader, searched, query, "/search") if searched and q else None,
        empty="" if q else "Type an id, a name or a text into the box at the top. The key / goes there.",
    )


_KINDS = {
    "/runs/": "Runs",
    "/training/": "Training runs",
    "/t/": "Episodes",
    "/versions/": "Versions",
    "/gate/": "Decisions",
    "/data/": "Data sets",
}


def _by_kind(found: list[Link]) -> list[Found]:
    of: dict[str, list[Link]] = {}
    for link in found:
        kind = next((words for path, words in _KINDS.items() if link.href.startswith(path)), "Others")
        of.setdefault(kind, []).append(link)
    return [Found(kind=kind, links=links) for kind, links in of.items()]


def _names(reader: Reader, q: str) -> list[Found]:
    """Things that have the words in their name, wherever they stand in it."""
    words = q.lower()
    versions = [
        Link(one.label, url("/versions/", one.id)) for one in reader.versions().values() if words in one.name.lower()
    ]
    sets = [
        Link(f"{one.name} ({one.id[:12]})", url("/data/", one.id))
        for one in reader.documents("dataset", Dataset)
        if words in one.name.lower() or one.id.startswith(q)
    ]
    rows = reader.rows(
        "SELECT id, kind FROM runs WHERE parent = '' AND instr(lower(id), ?) > 0 ORDER BY created DESC LIMIT ?",
        words,
        _MOST,
    )
    runs = [Link(id, url("/training/" if kind == "train" else "/runs/", id)) for id, kind in rows]
    environments = reader.rows(
        "SELECT DISTINCT json_extract(CAST(config AS TEXT), '$.environment') AS name FROM runs "
        "WHERE parent = '' AND instr(lower(name), ?) > 0 LIMIT ?",
        words, _MOST,
    )  # fmt: skip
    return [
        Found(kind="Versions", links=versions[:_MOST]),
        Found(kind="Runs", links=runs),
        Found(kind="Environments", links=[Link(name, url("/environments/", name)) for (name,) in environments]),
        Found(kind="Data sets", links=sets[:_MOST]),
    ]


PAGES = [Page("/search", search_page, "search.html", "")]
