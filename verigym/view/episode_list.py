"""Rows of episodes: the list view of a run, and the attempts at one task. 50 a page, by keyset.

A row shows what a person chooses by: outcome, reward with its parts, bucket, end, length, and how the reply begins.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.records import Failure, Usage, Verdict
from verigym.store.database import Run
from verigym.view.buckets import Buckets
from verigym.view.episodes import COLUMNS, JOINED, UNSAFE, Cell, cell_of, href
from verigym.view.filters import Chosen
from verigym.view.keyset import cursor, keyset
from verigym.view.page import Link, Query, url
from verigym.view.read import Reader
from verigym.view.text import clip

PAGE = 50
SORTS = {"task": "task", "reward": "lowest reward first", "-reward": "highest reward first"}
_LARGE = 4_000_000
"""A body with more bytes is not decoded for a row of a list."""


class Part(Struct, frozen=True):
    name: str
    value: float


class EpisodeRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    href: str
    task: str
    attempt: int
    """Counted from 1."""
    kind: str
    words: str
    reward: float | None = None
    parts: list[Part] = []
    bucket: str = ""
    fault: str = ""
    stop: str = ""
    turns: int = 0
    tokens: int = 0
    """Tokens that the policy sampled."""
    seconds: float = 0.0
    reply: str = ""
    """How the last message begins."""
    error: str = ""


class _Turn(Struct, frozen=True):
    actor: str = "policy"
    made: list[int] = []
    usage: Usage = Usage()


class _Body(Struct, frozen=True):
    """What a row shows of a trajectory. Items are decoded only if they are shown."""

    items: list[msgspec.Raw] = []
    turns: list[_Turn] = []
    stop: str = "done"
    error: Failure | None = None
    seconds: float = 0.0


class _Message(Struct, frozen=True):
    type: Literal["message"]
    role: str
    content: Any


class EpisodeList(Struct, frozen=True, kw_only=True):
    rows: list[EpisodeRow]
    before: str = ""
    after: str = ""
    sorts: list[Link] = []
    sort: str = ""


def episode_list(reader: Reader, run: Run, query: Query, chosen: Chosen, buckets: Buckets | None) -> EpisodeList:
    sort = query.choice("sort", *SORTS) if query.get("sort") in SORTS else "task"
    columns = ["t.task", "t.place", "t.id"]
    joined, more, descending = JOINED, "", False
    if sort != "task":  # by the verdicts' index: failed before passed, by reward within each
        columns, descending = ["v.passed", "v.reward", "v.rowid"], sort == "-reward"
        joined = (
            "FROM verdicts v CROSS JOIN trajectories t ON t.id = v.trajectory AND t.run = v.run "
            "WHERE v.verifier = ? AND v.run = ? AND v.reward IS NOT NULL"
        )
    page = keyset(query, columns, PAGE, descending=descending)
    rows = reader.rows(
        f"SELECT {COLUMNS}, {', '.join(columns)}, length(t.body) {joined} {more} {chosen.where} {page.where} {page.order}",
        *UNSAFE, run.verifier, run.id, *chosen.params, *page.params,
    )  # fmt: skip
    shown, has_before, has_after = page.turned(rows)

    def place(row: Any) -> str:
        return cursor(*row[-4:-1])

    return EpisodeList(
        rows=[row_of(reader, run, cell_of(reader, run.id, row[:10]), row[-1], buckets) for row in shown],
        before=_here(run, query, before=place(shown[0]), after=None) if shown and has_before else "",
        after=_here(run, query, after=place(shown[-1]), before=None) if shown and has_after else "",
        sorts=[
            Link(words, _here(run, query, sort=name if name != "task" else None, after=None, before=None))
            for name, words in SORTS.items()
        ],
        sort=SORTS[sort],
    )


def row_of(reader: Reader, run: Run, cell: Cell, size: int, buckets: Buckets | None) -> EpisodeRow:
    body, reply = _Body(), "The episode is too large to be shown in a list."
    if size <= _LARGE:
        stored = reader.one("SELECT body FROM trajectories WHERE id = ? AND run = ?", cell.id, run.id)
        body = codec.decode(stored, _Body)
        reply = _reply(body)
    parts: list[Part] = []
    judged = reader.one(
        "SELECT body FROM verdicts WHERE trajectory = ? AND verifier = ? AND run = ?", cell.id, run.verifier, run.id
    )
    if judged is not None:
        parts = [Part(name, value) for name, value in codec.decode(judged, Verdict).parts.items()]
    policy = [turn for turn in body.turns if turn.actor == "policy"]
    return EpisodeRow(
        id=cell.id,
        href=href(cell.id, run.id),
        task=cell.task,
        attempt=cell.place + 1,
        kind=cell.kind,
        words=cell.words,
        reward=cell.reward,
        parts=parts[:6],
        bucket=buckets.of.get(cell.id, "") if buckets else "",
        fault=cell.fault,
        stop=body.stop,
        turns=len(policy),
        tokens=sum(turn.usage.completion_tokens for turn in policy),
        seconds=body.seconds,
        reply=reply,
        error=clip(f"{body.error.kind}: {body.error.message}", 160) if body.error else "",
    )


def _reply(body: _Body) -> str:
    """How the last message of the policy begins."""
    others = {index for turn in body.turns if turn.actor != "policy" for index in turn.made}
    for index in range(len(body.items) - 1, -1, -1):
        try:
            item = msgspec.json.decode(body.items[index], type=_Message)
        except msgspec.ValidationError:
            continue
        if item.role == "assistant" and index not in others:
            content = item.content
            if isinstance(content, list):
                content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
            return clip(content, 100)
    return ""


def _here(run: Run, query: Query, **changes: object) -> str:
    return url("/runs/", run.id, **query.with_(**changes))
