"""Text in the episodes of a run: 50 hits a page with the words around them, from a cursor, for at most 300 ms.

The needle is searched as it is written in the stored JSON, in the order of the index. Upper and lower case differ. With
`fold=1`, whole words are searched in any case, from an index that is made for the run when it is first asked for.
"""

import time
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.store.database import Run
from verigym.view.episodes import href
from verigym.view.filters import as_stored
from verigym.view.keyset import cursor, values_of
from verigym.view.page import Query, url
from verigym.view.read import Reader

_SECONDS = 0.3
_MOST = 50
_STEP = 1_000
"""Episodes that are searched between two looks at the clock."""
_AROUND = 80


class Hit(Struct, frozen=True):
    id: str
    task: str
    attempt: int
    href: str
    where: str
    """Where the words are: the role of a message, a call, a result, the end state."""
    before: str
    words: str
    after: str


class Hits(Struct, frozen=True, kw_only=True):
    q: str
    hits: list[Hit]
    read: int
    """Episodes that this page searched."""
    total: int
    after: str = ""
    """The address that continues behind what was searched. Empty at the end of the run."""
    switch: str = ""
    """The same search with upper and lower case alike, or as it is written."""
    folded: bool = False
    note: str = ""


class _Body(Struct, frozen=True):
    items: list[msgspec.Raw] = []


def hits_in(reader: Reader, run: Run, query: Query, path: str = "/runs/") -> Hits:
    """`path` is the page that shows them, for the link that continues."""
    q = query.get("q")
    if not q:
        return Hits(q="", hits=[], read=0, total=run.trajectories)
    switch = url(
        path, run.id if path == "/runs/" else "", **query.with_(fold=None if query.flag("fold") else 1, after=None)
    )
    if query.flag("fold"):
        return _folded(reader, run, query, path, switch)
    needle, read, hits = as_stored(q), 0, list[Hit]()
    place: list[Any] = values_of(query.get("after"), 3) if query.get("after") else ["", -1, ""]
    deadline, at_end = time.monotonic() + _SECONDS, False
    while not at_end and len(hits) < _MOST and time.monotonic() < deadline:
        rows = reader.rows(
            "SELECT id, task, place, instr(body, ?) FROM trajectories WHERE run = ? AND (task, place, id) > (?, ?, ?) "
            "ORDER BY task, place, id LIMIT ?",
            needle, run.id, *place, _STEP,
        )  # fmt: skip
        at_end = len(rows) < _STEP
        for id, task, number, found in rows:
            place, read = [task, number, id], read + 1
            if found:
                body = reader.one("SELECT body FROM trajectories WHERE id = ? AND run = ?", id, run.id)
                hits.append(_hit(run.id, id, task, number, body, q, needle))
                if len(hits) >= _MOST:
                    at_end = at_end and id == rows[-1][0]
                    break
    after = url(path, run.id if path == "/runs/" else "", **query.with_(after=cursor(*place))) if not at_end else ""
    return Hits(q=q, hits=hits, read=read, total=run.trajectories, after=after, switch=switch)


def _folded(reader: Reader, run: Run, query: Query, path: str, switch: str) -> Hits:
    """Whole words, upper and lower case alike, from an index of this run. The first search asks for the index."""
    q, place = query.get("q"), query.number("after", 0)
    found, note = reader.derived.search_text(run.id, q, place, _MOST), ""
    read = found.read if found else 0
    if found is None or found.read < found.total:
        reader.derived.want("text", run.id)
        note = f"The words of this run are being indexed: {read:,} of {run.trajectories:,} episodes. Load again in a moment."
    hits = []
    for row in found.rows if found else []:
        stored = reader.rows("SELECT id, task, place, body FROM trajectories WHERE rowid = ? AND run = ?", row, run.id)
        hits += [_hit(run.id, id, task, number, body, q, b"", fold=True) for id, task, number, body in stored]
    after = ""
    if found and found.after:
        after = url(path, run.id if path == "/runs/" else "", **query.with_(after=found.after))
    return Hits(q=q, hits=hits, read=read, total=run.trajectories, after=after, switch=switch, folded=True, note=note)


def _hit(run: str, id: str, task: str, number: int, body: bytes, q: str, needle: bytes, fold: bool = False) -> Hit:
    word = q.split()[0] if fold and q.split() else q
    index, where, text, at = -1, "end state or record", "", -1
    for place, raw in enumerate(codec.decode(body, _Body).items):
        if fold or needle in bytes(raw):
            where, text = _text_of(msgspec.json.decode(raw))
            at = text.lower().find(word.lower()) if fold else text.find(q)
            if at >= 0 or not fold:
                index = place
                break
    if index < 0:
        at = max(0, body.find(needle))
        text, where = body[max(0, at - 4 * _AROUND) : at + 4 * _AROUND].decode(errors="replace"), "end state or record"
        at = text.find(q)
    at = max(at, 0)
    end = at + len(word)
    return Hit(
        id=id,
        task=task,
        attempt=number + 1,
        href=href(id, run, fragment=f"i{index}" if index >= 0 else None),
        where=where,
        before=("…" if at > _AROUND else "") + text[max(0, at - _AROUND) : at],
        words=text[at:end],
        after=text[end : end + _AROUND] + ("…" if len(text) > end + _AROUND else ""),
    )


def _text_of(item: Any) -> tuple[str, str]:
    """What an item is, and its text."""
    kind = item.get("type")
    if kind == "function_call":
        return f"call of {item.get('name', '')}", f"{item.get('name', '')} {item.get('arguments', '')}"
    if kind == "function_call_output":
        return "result", str(item.get("output", ""))
    texts = [item.get("content"), item.get("summary")]
    flat = "\n".join(
        one if isinstance(one, str) else "\n".join(str(part.get("text", "")) for part in one if isinstance(part, dict))
        for one in texts
        if one
    )
    return str(item.get("role") or kind), flat
