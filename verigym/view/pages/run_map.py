"""All tasks of a run at a glance: a picture of every cell, and the same figures by family as a table.

The script draws the picture from bytes, one for each cell. The table is for everybody who cannot see it.
"""

import struct

from msgspec import Struct

from verigym.store.database import Run
from verigym.view.derived import Cells
from verigym.view.page import FileData, Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader
from verigym.view.task_grid import PAGE, TaskCount, counts_of_tasks

_MOST = 500
_CODES = {"p": 1, "f": 2, "i": 3, "u": 4, "e": 5}
_FIRST = 0x80
"""Bit of the first cell of a family."""


class FamilyRow(Struct, frozen=True, kw_only=True):
    family: str
    tasks: int
    attempts: int
    passed: int
    scored: int
    mixed: int
    """Tasks that passed in some attempts and failed in others."""
    href: str

    @property
    def share(self) -> float:
        return self.passed / self.scored if self.scored else 0.0


class RunMapPage(PageData, frozen=True, kw_only=True):
    run: str
    tasks: int
    attempts: int
    cells: str
    """The address of the bytes."""
    grid: str
    """The address of the grid. `page` chooses 200 tasks in the order of the picture."""
    per_page: int
    rows: list[FamilyRow]
    families: int


def run_map_page(reader: Reader, query: Query) -> RunMapPage:
    run = reader.store.run(query.path["id"])
    counts = counts_of_tasks(reader, run)
    if counts is not None:
        rows, tasks = _families(run, counts), len(counts)
        attempts = max((len(one.kinds) for one in counts), default=0)
    else:
        made = reader.derived.cells(run.id, run.verifier)
        if made is None:
            reader.derived.want("cells", run.id)
        rows, tasks, attempts = (_of_index(run, made), made.tasks, made.attempts) if made else ([], 0, 0)
    return RunMapPage(
        title=f"Overview of {run.id}",
        command=typed("explain", run.id),
        crumbs=[Link("Runs", "/runs"), Link(run.id, url("/runs/", run.id))],
        run=run.id,
        tasks=tasks,
        attempts=attempts,
        cells=url("/run-cells/", run.id),
        grid=url("/runs/", run.id),
        per_page=PAGE,
        rows=rows[:_MOST],
        families=len(rows),
        empty="" if tasks else "The cells of this run are being counted. Load this page again in a minute.",
    )


def _families(run: Run, counts: list[TaskCount]) -> list[FamilyRow]:
    """Hardest first."""
    of: dict[str, list[TaskCount]] = {}
    for one in counts:
        of.setdefault(one.family, []).append(one)
    rows = [
        FamilyRow(
            family=family,
            tasks=len(tasks),
            attempts=sum(len(one.kinds) for one in tasks),
            passed=sum(one.passed for one in tasks),
            scored=sum(one.scored for one in tasks),
            mixed=sum(0 < one.passed < one.scored for one in tasks),
            href=url("/runs/", run.id, family=family),
        )
        for family, tasks in of.items()
    ]
    return sorted(rows, key=lambda row: (row.share, row.family))


def _of_index(run: Run, made: Cells) -> list[FamilyRow]:
    rows = [
        FamilyRow(
            family=one.family,
            tasks=one.tasks,
            attempts=one.episodes,
            passed=one.passed,
            scored=one.scored,
            mixed=one.mixed,
            href=url("/runs/", run.id, family=one.family),
        )
        for one in made.families
    ]
    return sorted(rows, key=lambda row: (row.share, row.family))


def run_cells(reader: Reader, query: Query) -> FileData:
    """Attempts of a task as four bytes, little-endian, then one byte for each cell, by family and task."""
    run = reader.store.run(query.path["id"])
    counts = counts_of_tasks(reader, run)
    if counts is None:
        return FileData(title="cells", body=_bytes_of_index(reader.derived.cells(run.id, run.verifier)))
    counts = sorted(counts, key=lambda one: (one.family, one.id))
    widest = max((len(one.kinds) for one in counts), default=0)
    body = bytearray(struct.pack("<I", widest))
    last = None
    for one in counts:
        start = len(body)
        body += bytes(_CODES[kind] for kind in one.kinds) + bytes(widest - len(one.kinds))
        if one.family != last:
            body[start] |= _FIRST
            last = one.family
    return FileData(title="cells", body=bytes(body))


def _bytes_of_index(made: Cells | None) -> bytes:
    """The index keeps the outcome in the upper three bits and the reward below. The picture needs the outcome."""
    if made is None:
        return struct.pack("<I", 0)
    body = bytearray(made.cells.translate(bytes(byte >> 5 for byte in range(256))))
    task = 0
    for family in made.families:
        if task * made.attempts < len(body):
            body[task * made.attempts] |= _FIRST
        task += family.tasks
    return struct.pack("<I", made.attempts) + bytes(body)


PAGES = [
    Page("/run-map/{id:path}", run_map_page, "run_map.html", "runs"),
    Page("/run-cells/{id:path}", run_cells, "", "runs"),
]
