"""Environments, from stored runs alone: what was measured on each, its tasks and tools, and every version task by task.

No code of an environment runs here. What only its code knows is not shown.
"""

from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import not_found
from verigym.core.records import Check, Dataset, Estimate, Toolset
from verigym.core.words import counted
from verigym.environments.load import held_out_name
from verigym.store.database import Run
from verigym.view import heads
from verigym.view.episodes import TaskHead
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.runs import RunRow, row_of
from verigym.view.read import Reader
from verigym.view.text import moment
from verigym.workspace.audit import CheckRecord, CheckResult

_CONFIG = "json_extract(CAST(config AS TEXT), '$.environment')"
_NEWEST = 8
_VERSIONS = 10
_PAGE = 200
_MOST_TASKS = 20_000


class EnvironmentRow(Struct, frozen=True, kw_only=True):
    name: str
    href: str
    runs: int
    newest: float
    versions: int
    """Versions with a report on it."""
    best: str = ""
    """The version with the highest success on its newest suite."""
    best_href: str = ""
    equal: int = 0
    """Versions with this success. The champion is named if it is one of them."""
    success: Estimate | None = None


class EnvironmentsPage(PageData, frozen=True, kw_only=True):
    rows: list[EnvironmentRow]


class VersionScore(Struct, frozen=True, kw_only=True):
    label: str
    href: str
    run_href: str
    success: Estimate


class TaskCell(Struct, frozen=True):
    kind: str
    words: str
    href: str


class TaskLine(Struct, frozen=True, kw_only=True):
    task: str
    href: str
    cells: list[TaskCell]
    """One for each version."""


class Count(Struct, frozen=True):
    name: str
    count: int


class EnvironmentPage(PageData, frozen=True, kw_only=True):
    name: str
    runs: list[RunRow]
    all_runs: str
    verifiers: list[Count]
    """Verifiers that scored its runs, with the number of runs."""
    checked: str
    """What the last check of the contract found, in words."""
    checks: list[Check]
    """The lines of that check."""
    splits: list[Count]
    tags: list[Count]
    difficulties: list[Count]
    families: int
    tasks: int
    tools: list[Any]
    datasets: list[Link]
    """Data sets that were made on it, the newest first."""
    suite: str
    versions: list[VersionScore]
    lines: list[TaskLine]
    total: int
    """Tasks of the suite that fit what is shown."""
    shows: list[Link]
    show: str
    before: str = ""
    after: str = ""


_SHOWS = {
    "all": "all tasks",
    "never": "never passed",
    "always": "always passed",
    "mixed": "passed by some versions",
    "lost": "lost by the newest version",
}


def environments_page(reader: Reader, query: Query) -> EnvironmentsPage:
    rows = reader.rows(
        f"SELECT {_CONFIG} AS name, count(*), max(created) FROM runs WHERE parent = '' AND name > '' "
        "GROUP BY name ORDER BY 3 DESC"
    )
    made = []
    for name, count, newest in rows:
        scores = _scores(reader, name)
        most = max((one.success.value for one in scores), default=0.0)
        equal = [one for one in scores if one.success.value == most]
        champion = [one for one in equal if one.href == url("/versions/", heads.champion(reader))]
        best = next(iter([*champion, *equal]), None)
        made.append(
            EnvironmentRow(
                name=name,
                href=url("/environments/", name),
                runs=count,
                newest=newest,
                versions=len(scores),
                best=best.label if best else "",
                equal=len(equal),
                best_href=best.href if best else "",
                success=best.success if best else None,
            )
        )
    return EnvironmentsPage(
        title="Environments",
        command="verigym tasks list",
        rows=made,
        empty="" if made else "No run names an environment yet.",
        fill=[] if made else ["verigym eval notes -m smollm2-135m"],
    )


def _newest_suite(reader: Reader, environment: str) -> list[heads.ReportHead]:
    """The newest report of each version on the suite that was measured last, newest version first."""
    name = held_out_name(environment)
    reports = [head for head in heads.reports(reader).values() if head.suite.environment == name and head.success]
    if not reports:
        return []
    last = reports[-1].suite.hash
    newest = {head.agent: head for head in reports if head.suite.hash == last}
    return sorted(newest.values(), key=lambda head: -head.created)


def _scores(reader: Reader, environment: str) -> list[VersionScore]:
    return [
        VersionScore(
            label=reader.label(head.agent),
            href=reader.version_link(head.agent).href,
            run_href=url("/runs/", head.run),
            success=head.success,
        )
        for head in _newest_suite(reader, environment)
        if head.success is not None
    ]


def environment_page(reader: Reader, query: Query) -> EnvironmentPage:
    name = query.path["name"]
    found = reader.rows(
        f"SELECT id FROM runs WHERE parent = '' AND {_CONFIG} = ? ORDER BY created DESC, rowid DESC LIMIT ?",
        name,
        _NEWEST,
    )
    if not found:
        known = reader.rows(f"SELECT DISTINCT {_CONFIG} AS name FROM runs WHERE name > ''")
        raise not_found(
            "environment", name, [str(one) for (one,) in known], "An environment is listed after its first run"
        )
    runs = [reader.store.run(id) for (id,) in found]
    verifiers = reader.rows(
        f"SELECT verifier, count(*) FROM runs WHERE {_CONFIG} = ? AND verifier > '' GROUP BY verifier ORDER BY max(created) DESC",
        name,
    )
    tasks = _tasks(reader, runs)
    checked, checks = _checked(reader, name)
    reports = _newest_suite(reader, name)
    show = query.choice("show", *_SHOWS)
    lines, total, before, after = _lines(reader, name, reports, query, show)
    return EnvironmentPage(
        title=name,
        command=typed("tasks", "list", name),
        crumbs=[Link("Environments", "/environments")],
        name=name,
        runs=[row_of(reader, run) for run in runs],
        all_runs=url("/runs", env=name),
        verifiers=[Count(verifier, count) for verifier, count in verifiers],
        checked=checked,
        checks=checks,
        splits=_counted(task.split for task in tasks),
        tags=_counted(tag for task in tasks for tag in task.tags),
        difficulties=_counted(task.difficulty for task in tasks if task.difficulty),
        families=len({task.family or task.id for task in tasks}),
        tasks=len(tasks),
        tools=_tools(reader, runs),
        datasets=[
            Link(f"{one.name}, {counted(one.rows, 'row')}", url("/data/", one.id))
            for one in reversed(reader.documents("dataset", Dataset))
            if one.environment == name
        ][:20],
        suite=reports[0].suite.name if reports else "",
        versions=_scores(reader, name)[:_VERSIONS],
        lines=lines,
        total=total,
        shows=[
            Link(words, url("/environments/", name, show=key if key != "all" else None))
            for key, words in _SHOWS.items()
        ],
        show=_SHOWS[show],
        before=before,
        after=after,
    )


def _tasks(reader: Reader, runs: list[Run]) -> list[TaskHead]:
    """The tasks of the newest runs, each once."""
    tasks: dict[str, TaskHead] = {}
    for run in runs:
        rows = reader.rows("SELECT body FROM tasks WHERE run = ? LIMIT ?", run.id, _MOST_TASKS)
        for head in (codec.decode(body, TaskHead) for (body,) in rows):
            tasks.setdefault(head.id, head)
        if len(tasks) >= _MOST_TASKS:
            break
    return list(tasks.values())


def _counted(names: Any) -> list[Count]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [Count(name, count) for name, count in sorted(counts.items(), key=lambda one: -one[1])][:20]


class _Offered(Struct, frozen=True):
    tools: str = ""


def _tools(reader: Reader, runs: list[Run]) -> list[Any]:
    """The tools that an episode of the newest run was offered."""
    for run in runs:
        body = reader.one("SELECT body FROM trajectories WHERE run = ? AND length(body) < 4000000 LIMIT 1", run.id)
        offered = codec.decode(body, _Offered).tools if body is not None else ""
        toolset = reader.store.get("tools", offered, Toolset) if offered else None
        if toolset is not None:
            return msgspec.to_builtins(toolset.tools)
    return []


def _checked(reader: Reader, name: str) -> tuple[str, list[Check]]:
    """The newest result of `verigym check`. An older Verigym stored only that all checks held."""
    results = [one for one in reader.documents("check", CheckResult) if one.environment == name]
    if results:
        failed = sum(check.outcome == "fail" for check in results[-1].checks)
        words = f"{counted(failed, 'check')} failed" if failed else f"{counted(len(results[-1].checks), 'check')} held"
        return f"{words}, {moment(results[-1].when)}", results[-1].checks
    records = [one for one in reader.documents("checked", CheckRecord) if one.environment == name]
    return (f"{counted(records[-1].checks, 'check')} held with {records[-1].verifier}" if records else ""), []


def _lines(
    reader: Reader, name: str, reports: list[heads.ReportHead], query: Query, show: str
) -> tuple[list[TaskLine], int, str, str]:
    """Tasks of the newest suite, each with what every version did."""
    full = [report for report in (heads.report(reader, head.id) for head in reports[:_VERSIONS]) if report is not None]
    by_task: dict[str, dict[int, Any]] = {}
    for column, report in enumerate(full):
        for result in report.results:
            by_task.setdefault(result.task, {})[column] = result

    def fits(results: dict[int, Any]) -> bool:
        rates = [one.passed for one in results.values() if not one.error]
        match show:
            case "never":
                return bool(rates) and max(rates) == 0
            case "always":
                return bool(rates) and min(rates) == 1
            case "mixed":
                return bool(rates) and min(rates) < max(rates)
            case "lost":
                before = [one.passed for column, one in results.items() if column > 0 and not one.error]
                return 0 in results and bool(before) and results[0].passed < max(before)
            case _:
                return True

    chosen = [(task, results) for task, results in sorted(by_task.items()) if fits(results)]
    page = min(query.number("page", 1, least=1), max(1, -(-len(chosen) // _PAGE)))
    lines = [
        TaskLine(
            task=task,
            href=url("/task/", task, env=name),
            cells=[_cell(results.get(column)) for column in range(len(full))],
        )
        for task, results in chosen[(page - 1) * _PAGE : page * _PAGE]
    ]
    before = url("/environments/", name, **query.with_(page=page - 1)) if page > 1 else ""
    after = url("/environments/", name, **query.with_(page=page + 1)) if page * _PAGE < len(chosen) else ""
    return lines, len(chosen), before, after


def _cell(result: Any) -> TaskCell:
    if result is None:
        return TaskCell("missing", "not measured", "")
    link = url("/t/", result.trajectory) if result.trajectory else ""
    if result.error:
        return TaskCell("error", "not scored", link)
    kind = "passed" if result.passed >= 1 else "failed" if result.passed == 0 else "partial"
    return TaskCell(kind, f"passed {result.passed:.0%} of {result.repeats}", link)


PAGES = [
    Page("/environments", environments_page, "environments.html", "environments"),
    Page("/environments/{name:path}", environment_page, "environment.html", "environments"),
]
