"""The grid of a run: tasks down, attempts across, in the order that the visitor chose.

The order needs the counts of every task. Up to `MOST` episodes they are read when the page is asked for. Beyond that,
they come by family from the derived index, or by id until it has counted them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from verigym.core import codec
from verigym.store.database import Run
from verigym.view.derived import Cells
from verigym.view.episodes import WORDS, Cell, TaskHead, cells, cells_of_tasks, href
from verigym.view.filters import Chosen
from verigym.view.keyset import cursor, keyset
from verigym.view.page import Link, Query, url
from verigym.view.read import Reader, config_of

PAGE = 200
"""Tasks on one page."""
MOST = 30_000
"""Episodes of a run whose tasks are put into any order."""
_MOST_COLUMNS = 64
SORTS = {"family": "family", "hardest": "hardest first", "best": "pass rate", "mixed": "most inconsistent first"}


class TaskCount(NamedTuple):
    """What the order of tasks needs to know of one."""

    id: str
    family: str
    tags: list[str]
    passed: int
    scored: int
    kinds: str
    """The outcomes of its attempts, one letter each: p f i u e."""

    @property
    def rate(self) -> float:
        return self.passed / self.scored if self.scored else 0.0


class GridCell(Struct, frozen=True, omit_defaults=True):
    kind: str
    attempt: int
    """Counted from 1."""
    href: str = ""
    words: str = ""
    off: bool = False
    """Whether the filters leave it out."""


class GridRow(Struct, frozen=True):
    task: str
    href: str
    cells: list[GridCell]
    passed: int
    scored: int
    left_out: int = 0
    """Attempts beyond the last column."""


class Band(Struct, frozen=True, kw_only=True):
    """Tasks of one family that follow each other."""

    family: str
    rows: list[GridRow]
    href: str
    passed: int | None = None
    """Passed attempts of the whole family in this run. None if they were not counted."""
    scored: int = 0
    tasks: int = 0


class Grid(Struct, frozen=True, kw_only=True):
    bands: list[Band]
    attempts: int
    """Columns."""
    tasks: int
    """Tasks on this page."""
    total: int | None
    """Tasks that fit the filters. None if they were not counted."""
    first: int = 1
    before: str = ""
    after: str = ""
    sorts: list[Link] = []
    """Orders to choose from. Empty if the run is too large to be put into another order."""
    sort: str = ""
    by: str = "id"
    """The order if no other can be chosen."""


def counts_of_tasks(reader: Reader, run: Run) -> list[TaskCount] | None:
    """Every task of a run with its counts, in the order of ids. None if the run is too large."""
    if run.trajectories > MOST:
        return None
    state = (run.id, run.verifier, run.trajectories, run.scored, run.passed)
    return reader.kept("counts of tasks", state, lambda: _counts(reader, run))


def _counts(reader: Reader, run: Run) -> list[TaskCount]:
    heads = heads_of_tasks(reader, run.id)
    of: dict[str, list[Cell]] = {id: [] for id in heads}
    for cell in cells(reader, run):
        of.setdefault(cell.task, []).append(cell)
    return [
        TaskCount(
            id,
            heads[id].family or id if id in heads else id,
            heads[id].tags if id in heads else [],
            sum(cell.kind == "passed" for cell in attempts),
            sum(cell.kind != "error" for cell in attempts),
            "".join(_LETTERS[cell.kind] for cell in attempts),
        )
        for id, attempts in sorted(of.items())
    ]


_LETTERS = {"passed": "p", "failed": "f", "partial": "i", "unsafe": "u", "error": "e"}


def heads_of_tasks(reader: Reader, run: str, ids: Sequence[str] | None = None) -> dict[str, TaskHead]:
    """The tasks of a run without their content, or some of them."""
    where, params = "", []
    if ids is not None:
        where, params = f" AND id IN ({', '.join('?' for _ in ids)})", list(ids)
    rows = reader.rows(f"SELECT body FROM tasks WHERE run = ?{where}", run, *params)
    return {head.id: head for head in (codec.decode(body, TaskHead) for (body,) in rows)}


def grid_of(reader: Reader, run: Run, query: Query, chosen: Chosen) -> Grid:
    counts = counts_of_tasks(reader, run)
    if counts is not None:
        return _ordered(reader, run, query, chosen, counts)
    made = None if chosen or query.get("after") or query.get("before") else reader.derived.cells(run.id, run.verifier)
    return _by_id(reader, run, query, chosen) if made is None else _of_index(reader, run, query, made)


def _of_index(reader: Reader, run: Run, query: Query, made: Cells) -> Grid:
    """200 tasks of a large run by family, whose counts the derived index keeps."""
    page = min(query.number("page", 1, least=1), max(1, -(-made.tasks // PAGE)))
    first = (page - 1) * PAGE
    ids = reader.derived.cell_tasks(run.id, run.verifier, first, PAGE)
    families = {one.family: (one.passed, one.scored, one.tasks) for one in made.families}
    heads = heads_of_tasks(reader, run.id, ids)
    of = cells_of_tasks(reader, run, ids)
    shown = [(id, heads[id].family or id if id in heads else id) for id in ids]
    return Grid(
        bands=_bands(run, query, shown, of, None, families, True),
        attempts=_columns(run, of),
        tasks=len(ids),
        total=made.tasks,
        first=first + 1,
        before=_here(run, query, page=page - 1 if page > 2 else None) if page > 1 else "",
        after=_here(run, query, page=page + 1) if page * PAGE < made.tasks else "",
        by="family",
    )


def _ordered(reader: Reader, run: Run, query: Query, chosen: Chosen, counts: list[TaskCount]) -> Grid:
    sort = query.choice("sort", *SORTS)
    fits: set[str] | None = None
    if chosen:
        fits = {cell.id for cell in cells(reader, run, chosen.where, *chosen.params)}
        rows = reader.rows(
            "SELECT DISTINCT t.task FROM trajectories t LEFT JOIN verdicts v ON v.trajectory = t.id AND v.run = t.run "
            f"AND v.verifier = ? WHERE t.run = ? {chosen.where}",
            run.verifier, run.id, *chosen.params,
        )  # fmt: skip
        wanted = {task for (task,) in rows}
        counts = [one for one in counts if one.id in wanted]
    families: dict[str, tuple[int, int, int]] = {}
    for one in counts:
        passed, scored, tasks = families.get(one.family, (0, 0, 0))
        families[one.family] = passed + one.passed, scored + one.scored, tasks + 1
    if sort == "family":
        counts = sorted(counts, key=lambda one: (one.family, one.id))
    elif sort == "mixed":
        counts = sorted(counts, key=lambda one: (-one.rate * (1 - one.rate) * (one.scored > 1), one.id))
    else:
        counts = sorted(counts, key=lambda one: (one.rate if sort == "hardest" else -one.rate, one.scored == 0, one.id))
    page = min(query.number("page", 1, least=1), max(1, -(-len(counts) // PAGE)))
    shown = counts[(page - 1) * PAGE : page * PAGE]
    of = cells_of_tasks(reader, run, [one.id for one in shown])
    return Grid(
        bands=_bands(run, query, [(one.id, one.family) for one in shown], of, fits, families, sort == "family"),
        attempts=_columns(run, of),
        tasks=len(shown),
        total=len(counts),
        first=(page - 1) * PAGE + 1,
        before=_here(run, query, page=page - 1 if page > 2 else None) if page > 1 else "",
        after=_here(run, query, page=page + 1) if page * PAGE < len(counts) else "",
        sorts=[
            Link(words, _here(run, query, sort=name if name != "family" else None, page=None))
            for name, words in SORTS.items()
        ],
        sort=SORTS[sort],
    )


def _by_id(reader: Reader, run: Run, query: Query, chosen: Chosen) -> Grid:
    """200 tasks by their ids, from the index."""
    if chosen:
        page = keyset(query, ["t.task"], PAGE)
        rows = reader.rows(
            "SELECT DISTINCT t.task FROM trajectories t LEFT JOIN verdicts v ON v.trajectory = t.id AND v.run = t.run "
            f"AND v.verifier = ? WHERE t.run = ? {chosen.where} {page.where} {page.order}",
            run.verifier, run.id, *chosen.params, *page.params,
        )  # fmt: skip
    else:
        page = keyset(query, ["id"], PAGE)
        rows = reader.rows(f"SELECT id FROM tasks WHERE run = ? {page.where} {page.order}", run.id, *page.params)
    found, has_before, has_after = page.turned([row[0] for row in rows])
    heads = heads_of_tasks(reader, run.id, found)
    shown = [(id, heads[id].family or id if id in heads else id) for id in found]
    fits = None
    if chosen:
        marks = ", ".join("?" for _ in found)
        where = f"{chosen.where} AND t.task IN ({marks})"
        fits = {cell.id for cell in cells(reader, run, where, *chosen.params, *found)} if found else set()
    of = cells_of_tasks(reader, run, found)
    return Grid(
        bands=_bands(run, query, shown, of, fits, None, True),
        attempts=_columns(run, of),
        tasks=len(found),
        total=None if chosen else reader.one("SELECT count(*) FROM tasks WHERE run = ?", run.id),
        before=_here(run, query, before=cursor(found[0]), after=None) if found and has_before else "",
        after=_here(run, query, after=cursor(found[-1]), before=None) if found and has_after else "",
    )


def _columns(run: Run, of: dict[str, list[Cell]]) -> int:
    """As many as the run planned attempts, or as the longest row has, up to 64."""
    planned = config_of(run).get("k")
    seen = max((len(attempts) for attempts in of.values()), default=1)
    return min(max(seen, planned if isinstance(planned, int) else 0, 1), _MOST_COLUMNS)


def _bands(
    run: Run,
    query: Query,
    shown: Sequence[tuple[str, str]],
    of: dict[str, list[Cell]],
    fits: set[str] | None,
    families: dict[str, tuple[int, int, int]] | None,
    banded: bool,
) -> list[Band]:
    """The rows of a page in bands by family, or in one band if the order mixes families."""
    columns = _columns(run, of)
    bands: list[Band] = []
    for id, family in shown:
        name = family if banded and family != id else ""
        if not bands or bands[-1].family != name:
            passed, scored, tasks = families.get(family, (0, 0, 0)) if families and name else (None, 0, 0)
            link = _here(run, query, family=name, page=None, after=None, before=None) if name else ""
            bands.append(Band(family=name, rows=[], href=link, passed=passed, scored=scored, tasks=tasks))
        bands[-1].rows.append(_row(run, id, of[id], columns, fits))
    return bands


def _row(run: Run, task: str, attempts: list[Cell], widest: int, fits: set[str] | None) -> GridRow:
    """Attempts at their places. One whose place lies beyond the columns, or is taken, gets the first free cell."""
    free = [place for place in range(widest) if place not in {cell.place for cell in attempts}]
    row = [GridCell("missing", place + 1, "", WORDS["missing"]) for place in range(widest)]
    for cell in attempts:
        place = cell.place if cell.place < widest and not row[cell.place].href else free.pop(0) if free else None
        if place is not None:
            off = fits is not None and cell.id not in fits
            row[place] = GridCell(cell.kind, cell.place + 1, href(cell.id, run.id), cell.words, off)
    return GridRow(
        task=task,
        href=url("/task/", task, env=config_of(run).get("environment")),
        cells=row,
        left_out=sum(1 for _ in attempts) - sum(bool(cell.href) for cell in row),
        passed=sum(cell.kind == "passed" for cell in attempts),
        scored=sum(cell.kind != "error" for cell in attempts),
    )


def _here(run: Run, query: Query, **changes: object) -> str:
    return url("/runs/", run.id, **query.with_(**changes))
