"""Search: ids first (how anything begins, how tasks and episodes end), then names that contain the words, then text.

Text is searched in the newest evaluation and the newest traces at once, and in any run that is chosen.
An id or a name that only one thing has leads to its page at once. `?stay=1` shows the list instead.
"""

from msgspec import Struct

from verigym.core.records import Dataset
from verigym.view.find import matches
from verigym.view.page import FileData, Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader, TooLong
from verigym.view.run_search import Hits, hits_in

_MOST = 20
_LAST_PART_S = 0.15
"""Maximum time to look for ids that end with the words, of each kind."""
_LAST_PART = 3
"""Characters that are needed for it."""
_RUNS = 30


class Found(Struct, frozen=True, kw_only=True):
    kind: str
    links: list[Link]


class RunText(Struct, frozen=True, kw_only=True):
    run: Link
    kind: str
    hits: Hits


class SearchPage(PageData, frozen=True, kw_only=True):
    q: str
    ids: list[Found]
    names: list[Found]
    ends: list[Found]
    """Tasks and episodes whose id ends with the words."""
    runs: list[Link]
    """Runs whose text can be searched, the newest first."""
    run: str
    hits: Hits | None = None
    """Hits in the chosen run."""
    texts: list[RunText] = []
    """Hits in the newest evaluation and the newest traces, if no run is chosen."""


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
        command=typed("trajectories", "show", q) if any(one.words == q and "/t/" in one.href for one in found) else "",
        q=q,
        ids=_by_kind(found),
        names=[one for one in _names(reader, q) if one.links] if q else [],
        ends=_ends(reader, q) if len(q) >= _LAST_PART else [],
        runs=[Link(id, url("/runs/", id)) for (id,) in runs],
        run=searched.id if searched else "",
        hits=hits_in(reader, searched, query, "/search") if searched and q else None,
        texts=_texts(reader, query) if q and not searched else [],
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


def _texts(reader: Reader, query: Query) -> list[RunText]:
    """The text of the newest evaluation and of the newest traces. Each is searched for a moment."""
    texts: list[RunText] = []
    for kind in ("eval", "traces"):
        id = reader.one("SELECT id FROM runs WHERE kind = ? ORDER BY created DESC, rowid DESC LIMIT 1", kind)
        if id is not None:
            asked = Query({}, {"q": query.get("q").strip(), "run": id})
            hits = hits_in(reader, reader.store.run(id), asked, "/search")
            texts.append(RunText(run=Link(id, url("/runs/", id)), kind=kind, hits=hits))
    return texts


def _ends(reader: Reader, q: str) -> list[Found]:
    """Tasks and episodes by the last part of their id. A large store may be too large for it, and then there are none."""
    found: list[Found] = []
    for kind, table, column, path in (
        ("Tasks", "trajectories", "task", "/task/"),
        ("Episodes", "trajectories", "id", "/t/"),
    ):
        sql = f"SELECT DISTINCT {column} FROM {table} WHERE {column} > ? AND substr({column}, ?) = ? LIMIT ?"
        try:
            rows = reader.rows(sql, "", -len(q), q, _MOST, seconds=_LAST_PART_S)
        except TooLong:
            continue
        if links := [Link(id, url(path, id)) for (id,) in rows if id != q]:
            found.append(Found(kind=kind, links=links))
    return found


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
