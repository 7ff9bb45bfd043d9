"""Episodes as pages list them: outcome, reward and place, read from columns and indices, with bodies only where they are shown.

An episode has one outcome: passed, failed, partial (failed with some reward), unsafe, error (not scored) or missing.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from verigym.core import codec
from verigym.core.records import Mark, Task
from verigym.store.database import Run
from verigym.view import heads
from verigym.view.heads import ReportHead
from verigym.view.page import url
from verigym.view.read import Reader

OUTCOMES = ("passed", "failed", "partial", "unsafe", "error")
WORDS = {"error": "not scored", "partial": "failed", "missing": "not played yet"}
"""Outcomes whose name alone says too little."""
UNSAFE = (b'"unsafe":true', b'"kind":"unsafe"')
"""How a verdict and a mark say that an episode was unsafe. The first parameters of `COLUMNS`."""
COLUMNS = (  # marks of an episode with more than 4 MB are not read for a list
    "t.id, t.task, t.place, t.fault, v.reward, v.passed, v.fault, "
    "coalesce(instr(v.body, ?), 0), CASE WHEN length(t.body) < 4000000 THEN instr(t.body, ?) ELSE 0 END, v.trajectory IS NOT NULL"
)
JOINED = "FROM trajectories t LEFT JOIN verdicts v ON v.trajectory = t.id AND v.run = t.run AND v.verifier = ? WHERE t.run = ?"


class Cell(NamedTuple):
    """One episode of a run, without its content."""

    id: str
    task: str
    place: int
    kind: str
    """Its outcome."""
    reward: float | None
    fault: str
    """Whose fault it is that it was not scored. Empty if it was."""

    @property
    def words(self) -> str:
        """`failed, reward 0.30`"""
        said = WORDS.get(self.kind, self.kind)
        return f"{said}, reward {self.reward:.2f}" if self.reward is not None else said


class _Marks(Struct, frozen=True):
    marks: list[Mark] = []


class TaskHead(Struct, frozen=True):
    """A task without its content."""

    id: str
    family: str = ""
    tags: list[str] = []
    split: str = "train"
    difficulty: str = ""


def outcome_of(
    fault: str, judged: bool, reward: float | None, passed: bool, verdict_fault: str, unsafe: bool
) -> tuple[str, str]:
    """The outcome of an episode, and whose fault it is if it was not scored."""
    if fault not in ("", "model"):
        return "error", fault
    if not judged or reward is None:
        return "error", verdict_fault or ("" if judged else "unscored")
    if unsafe:
        return "unsafe", ""
    if passed:
        return "passed", ""
    return ("partial" if reward > 0 else "failed"), ""


def cells(reader: Reader, run: Run, more: str = "", *params: object, tail: str = "") -> list[Cell]:
    """Episodes of a run by SQL: `more` adds conditions, `tail` an order or a limit."""
    order = tail or "ORDER BY t.task, t.place"
    sql = f"SELECT {COLUMNS} {JOINED} {more} {order}"
    rows = reader.rows(sql, *UNSAFE, run.verifier, run.id, *params)
    return [cell_of(reader, run.id, row) for row in rows]


def cell_of(reader: Reader, run: str, row: Any) -> Cell:
    """A cell from a row of `COLUMNS`."""
    id, task, place, fault, reward, passed, verdict_fault, unsafe, marked, judged = row
    if marked and not unsafe:  # the text can also stand in an end state, so the marks decide
        body = reader.one("SELECT body FROM trajectories WHERE id = ? AND run = ?", id, run)
        unsafe = any(mark.kind == "unsafe" for mark in codec.decode(body, _Marks).marks)
    kind, owner = outcome_of(fault, bool(judged), reward, bool(passed), verdict_fault or "", bool(unsafe))
    return Cell(id, task, place, kind, reward, owner)


def cells_of_tasks(reader: Reader, run: Run, tasks: Sequence[str]) -> dict[str, list[Cell]]:
    """The episodes of some tasks, in the order of the tasks."""
    listed: dict[str, list[Cell]] = {task: [] for task in tasks}
    marks = ", ".join("?" for _ in tasks)
    if tasks:
        for cell in cells(reader, run, f"AND t.task IN ({marks})", *tasks):
            listed[cell.task].append(cell)
    return listed


def siblings(reader: Reader, run: Run, task: str) -> list[Cell]:
    """All attempts at one task of a run, in order."""
    return cells(reader, run, "AND t.task = ?", task)


def report_of(reader: Reader, run: str) -> ReportHead | None:
    """The newest report of a run."""
    return next((head for head in reversed(heads.reports(reader).values()) if head.run == run), None)


def task_of(reader: Reader, run: str, task: str) -> Task | None:
    """The task as the run stored it. None if it did not."""
    body = reader.one("SELECT body FROM tasks WHERE run = ? AND id = ?", run, task)
    return None if body is None else codec.decode(body, Task)


def href(id: str, run: str = "", **params: object) -> str:
    """The page of an episode. The run is named only if the id alone does not begin with it."""
    return url("/t/", id, run=None if id.startswith(f"{run}/") else run or None, **params)
