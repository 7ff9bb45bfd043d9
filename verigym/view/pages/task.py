"""One task: what it asks, where it came from, and every attempt at it by every version."""

from typing import Any

from msgspec import Struct, structs

from verigym.core import codec
from verigym.core.errors import not_found
from verigym.core.items import FunctionCall, FunctionCallOutput, Message
from verigym.core.records import Task
from verigym.evaluation.failures import reason_of, unscored
from verigym.store.database import Run
from verigym.view.episode_list import EpisodeRow, row_of
from verigym.view.episodes import Cell, cells
from verigym.view.keyset import cursor, keyset
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader, config_of
from verigym.view.way import Way, way_of

_PAGE = 50
_MOST_RUNS = 400
_LARGE = 1_000_000
"""An attempt with more bytes is not explained while a page waits."""
_CONFIG = "json_extract(CAST(runs.config AS TEXT), '$."


class AttemptRow(EpisodeRow, frozen=True, kw_only=True, omit_defaults=True):
    run: str
    run_href: str
    agent: str = ""


class VersionRate(Struct, frozen=True, kw_only=True):
    label: str
    href: str
    passed: int
    scored: int
    runs: int

    @property
    def share(self) -> float:
        return self.passed / self.scored if self.scored else 0.0


class TaskPage(PageData, frozen=True, kw_only=True):
    id: str
    environment: str
    prompt: list[tuple[str, str]]
    """Role and text."""
    family: str
    split: str
    tags: list[str]
    difficulty: str
    lineage: list[Link]
    data: dict
    versions: list[VersionRate]
    rows: list[AttemptRow]
    total: int
    way: Way
    before: str = ""
    after: str = ""


def task_page(reader: Reader, query: Query) -> TaskPage:
    id, environment = query.path["id"], query.get("env")
    where, params = "t.task = ?", [id]
    if environment:
        where, params = f"{where} AND {_CONFIG}environment') = ?", [id, environment]
    joined = f"FROM trajectories t JOIN runs ON runs.id = t.run WHERE {where}"
    page = keyset(query, ["runs.created", "t.run", "t.place", "t.id"], _PAGE, descending=True)
    found = reader.rows(
        f"SELECT runs.created, t.run, t.place, t.id, length(t.body) {joined} {page.where} {page.order}",
        *params,
        *page.params,
    )
    shown, has_before, has_after = page.turned(found)
    task = _task(reader, id, environment)
    if task is None and not shown:
        some = [one for (one,) in reader.rows("SELECT id FROM tasks LIMIT 5")]
        raise not_found("task", id, some, "The page of an environment lists its tasks")

    def here(**changes: object) -> str:
        return url("/task/", id, **query.with_(**changes))

    return TaskPage(
        title=id,
        command=typed("tasks", "show", environment or _environment(reader, shown) or "ENV", id),
        crumbs=[
            Link("Environments", "/environments"),
            *([Link(environment, url("/environments/", environment))] if environment else []),
        ],
        id=id,
        environment=environment,
        prompt=_prompt(task) if task else [],
        family=task.family if task else "",
        split=task.split if task else "",
        tags=task.tags if task else [],
        difficulty=task.difficulty if task else "",
        lineage=_lineage(reader, task) if task else [],
        data=task.data if task else {},
        versions=_versions(reader, id, environment),
        rows=[_row(reader, run, id_, size, task) for _, run, _, id_, size in shown],
        total=reader.one(f"SELECT count(*) {joined}", *params) or 0,
        way=way_of(reader, "", task, id, environment),
        before=here(before=cursor(*shown[0][:4]), after=None) if shown and has_before else "",
        after=here(after=cursor(*shown[-1][:4]), before=None) if shown and has_after else "",
    )


def _task(reader: Reader, id: str, environment: str) -> Task | None:
    """The task as the newest run stored it."""
    more, params = (f" AND {_CONFIG}environment') = ?", [environment]) if environment else ("", [])
    runs = reader.rows(
        f"SELECT DISTINCT t.run FROM trajectories t JOIN runs ON runs.id = t.run WHERE t.task = ?{more} LIMIT ?",
        id, *params, _MOST_RUNS,
    )  # fmt: skip
    for (run,) in reversed(runs):
        body = reader.one("SELECT body FROM tasks WHERE run = ? AND id = ?", run, id)
        if body is not None:
            return codec.decode(body, Task)
    return None


def _environment(reader: Reader, shown: list[Any]) -> str:
    """The environment of the newest attempt."""
    return str(config_of(reader.store.run(shown[0][1])).get("environment") or "") if shown else ""


def _prompt(task: Task) -> list[tuple[str, str]]:
    if isinstance(task.prompt, str):
        return [("user", task.prompt)]
    made = []
    for item in task.prompt:
        match item:
            case Message():
                made.append((item.role, item.text))
            case FunctionCall():
                made.append((f"calls {item.name}", item.arguments))
            case FunctionCallOutput():
                made.append(("result", item.output))
            case _:
                made.append(("reasoning", "\n".join(part.text for part in item.summary)))
    return made


def _lineage(reader: Reader, task: Task) -> list[Link]:
    known = reader.store.known_trajectories(task.lineage[:20])
    return [Link(one, url("/t/", one) if one in known else "") for one in task.lineage[:20]]


def _versions(reader: Reader, task: str, environment: str) -> list[VersionRate]:
    """Attempts by version, with the verdicts that count in each run."""
    more, params = (f" AND {_CONFIG}environment') = ?", [environment]) if environment else ("", [])
    rows = reader.rows(
        f"SELECT {_CONFIG}agent') AS agent, sum(v.passed), count(v.reward), count(DISTINCT t.run), max(runs.created) "
        "FROM trajectories t JOIN runs ON runs.id = t.run LEFT JOIN verdicts v ON v.trajectory = t.id AND v.run = t.run "
        f"AND v.verifier = runs.verifier WHERE t.task = ?{more} GROUP BY agent ORDER BY 5 DESC",
        task, *params,
    )  # fmt: skip
    known = reader.versions()
    return [
        VersionRate(
            label=reader.label(agent) if agent else "unknown",
            href=url("/versions/", agent) if agent in known else "",
            passed=passed or 0,
            scored=scored,
            runs=runs,
        )
        for agent, passed, scored, runs, _ in rows
    ]


def _bucket(reader: Reader, run: Run, cell: Cell, task: Task | None) -> str:
    """The bucket of a failed attempt by the general rules."""
    if task is None or cell.kind == "passed" or run.kind == "traces":
        return ""
    episode = reader.store.trajectory_in(run.id, cell.id)
    if episode is None:
        return ""
    judged = next((one for one in reader.store.verdicts_on(run.id, cell.id) if one.verifier == run.verifier), None)
    return reason_of(task, episode, judged or unscored(episode)).bucket


def _row(reader: Reader, run_id: str, id: str, size: int, task: Task | None) -> AttemptRow:
    run = reader.store.run(run_id)
    [cell] = cells(reader, run, "AND t.id = ?", id)
    agent = str(config_of(run).get("agent", "") or "")
    row = row_of(reader, run, cell, size, None)
    return AttemptRow(
        **{name: getattr(row, name) for name in structs.asdict(row) if name != "bucket"},
        bucket=_bucket(reader, run, cell, task) if size <= _LARGE else "",
        run=run.id,
        run_href=url("/runs/", run.id),
        agent=reader.label(agent) if agent else "",
    )


PAGES = [Page("/task/{id:path}", task_page, "task.html", "environments")]
