"""Optimization runs: agents that were improved without training. Candidates with what changed, their figures, and the best.

A search that still runs has no result yet. Its candidates are then counted from the episodes that are stored.
"""

import functools
from typing import Any

from msgspec import Struct

from verigym.core.words import counted, percent, points
from verigym.optimize.records import CandidateFigures, Optimization
from verigym.store.database import Run
from verigym.view.page import Link, ListPage, Page, PageData, Query, typed, url
from verigym.view.read import Reader, config_of, run_state

_PAGE = 30


class OptimizationRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    href: str
    state: str
    environment: str
    agent: str
    candidates: int
    episodes: int
    budget: int
    before: float | None = None
    after: float | None = None
    best: str = ""
    improved: bool = False
    created: float = 0.0


class OptimizationsPage(ListPage, frozen=True, kw_only=True):
    rows: list[OptimizationRow]


class CandidateRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    version: str
    label: str
    href: str
    """Empty if the version was deleted."""
    change: str
    tasks: int
    success: float
    tokens: float | None = None
    unsafe: float | None = None
    kind: str = ""
    """first, best, on the front, or empty."""
    diff: str = ""
    """The page with what changed since its parent."""
    run: str = ""
    """Its episodes."""


class OptimizationPage(PageData, frozen=True, kw_only=True):
    id: str
    state: str
    environment: str
    agent: Link
    best: Link | None
    words: str
    """What was found, in a sentence."""
    figures: list[tuple[str, str, str]]
    candidates: list[CandidateRow]
    is_final: bool
    episodes: int
    budget: int
    parts: list[str]
    notes: list[str]
    gate: str
    """The command that asks the gate about the best version."""


def optimizations_page(reader: Reader, query: Query) -> OptimizationsPage:
    where = "kind = 'optimize'"
    total = reader.one(f"SELECT count(*) FROM runs WHERE {where}") or 0
    skip, part = query.part(total, _PAGE, functools.partial(url, "/optimize"))
    rows = [_row(reader, run) for run in reader.newest_runs(where, _PAGE, skip)]
    return OptimizationsPage(
        title="Optimization",
        command=typed("runs", "list") if rows else "",
        rows=rows,
        **part,
        live="runs",
        empty=""
        if rows
        else "No agent was optimised in this workspace yet. A search tries prompts, examples, tool descriptions and settings.",
        fill=[] if rows else ["verigym optimize toolcall -m smollm2-135m --budget 200"],
    )


def optimization_page(reader: Reader, query: Query) -> OptimizationPage:
    run = reader.store.run(query.path["id"], kinds=("optimize",))
    result = reader.store.get("optimization", run.id, Optimization)
    config = config_of(run)
    measured = _measured(reader, run.id)
    state = run_state(reader.home, run.id, run.finished)
    episodes = result.episodes if result else sum(one.trajectories for one in measured.values())
    budget = result.budget if result else _whole(config.get("budget"))
    agent = result.agent if result else str(config.get("agent", "") or "")
    candidates = _final(reader, result, measured) if result else _so_far(reader, agent, measured)
    improved = result is not None and result.improved
    return OptimizationPage(
        title=f"Optimization of {reader.label(agent) or 'an agent'}",
        command=typed("runs", "show", run.id),
        crumbs=[Link("Optimization", url("/optimize"))],
        id=run.id,
        state=state,
        environment=str(config.get("environment", "") or ""),
        agent=reader.version_link(agent),
        best=reader.version_link(result.best) if improved and result else None,
        words=_words(reader, result, state),
        figures=_figures(reader, result, len(candidates), episodes, budget),
        candidates=candidates,
        is_final=result is not None,
        episodes=episodes,
        budget=budget,
        parts=[str(one) for one in config.get("parts") or []],
        notes=list(result.notes) if result else [],
        gate=typed("gate", result.best) if improved and result else "",
        live=f"optimize:{run.id}" if run.finished is None else "",
        empty="" if candidates else "No candidate is measured yet.",
    )


def _row(reader: Reader, run: Run) -> OptimizationRow:
    result = reader.store.get("optimization", run.id, Optimization)
    config = config_of(run)
    measured = {} if result else _measured(reader, run.id)
    return OptimizationRow(
        id=run.id,
        href=url("/optimize/", run.id),
        state=run_state(reader.home, run.id, run.finished),
        environment=str(config.get("environment", "") or ""),
        agent=reader.label(result.agent if result else str(config.get("agent", "") or "")),
        candidates=len(result.candidates) if result else len(measured),
        episodes=result.episodes if result else sum(one.trajectories for one in measured.values()),
        budget=result.budget if result else _whole(config.get("budget")),
        before=result.before if result else None,
        after=result.after if result else None,
        best=reader.label(result.best) if result and result.improved else "",
        improved=result is not None and result.improved,
        created=run.created,
    )


def _measured(reader: Reader, search: str) -> dict[str, Run]:
    """The runs of a search by the version that they measured. A version has one on feedback and one on selection tasks: the
    larger one counts."""
    found: dict[str, Run] = {}
    for run in reader.store.runs(search):
        agent = str(config_of(run).get("agent", "") or "")
        if agent and (agent not in found or run.trajectories > found[agent].trajectories):
            found[agent] = run
    return found


def _final(reader: Reader, result: Optimization, measured: dict[str, Run]) -> list[CandidateRow]:
    return [_candidate(reader, one, result, measured.get(one.version)) for one in result.candidates]


def _candidate(reader: Reader, one: CandidateFigures, result: Optimization, run: Run | None) -> CandidateRow:
    kind = "on the front" if one.front else ""
    kind = "first" if one.version == result.agent else "best" if one.version == result.best else kind
    known = reader.versions()
    link = reader.version_link(one.version)
    return CandidateRow(
        version=one.version,
        label=one.name or link.words,
        href=link.href,
        change=one.change,
        tasks=one.tasks,
        success=one.success,
        tokens=one.tokens,
        unsafe=one.unsafe,
        kind=kind,
        diff=url("/versions/diff", a=one.parent, b=one.version)
        if one.parent in known and one.version in known and one.parent != one.version
        else "",
        run=url("/runs/", run.id) if run else "",
    )


def _so_far(reader: Reader, agent: str, measured: dict[str, Run]) -> list[CandidateRow]:
    rows = [
        CandidateRow(
            version=version,
            label=reader.label(version),
            href=reader.version_link(version).href,
            change="",
            tasks=run.scored,
            success=run.passed / run.scored,
            kind="first" if version == agent else "",
            run=url("/runs/", run.id),
        )
        for version, run in measured.items()
        if run.scored
    ]
    return sorted(rows, key=lambda row: (-row.success, -row.tasks))


def _words(reader: Reader, result: Optimization | None, state: str) -> str:
    if result is None:
        if state == "interrupted":
            return "This search was interrupted. Repeat the command that started it to resume."
        return "The search runs. Figures of candidates with different numbers of tasks cannot be compared yet."
    tasks = counted(result.tasks, "training task")
    if not result.improved:
        return f"No candidate is better than {reader.label(result.agent)} on {tasks}."
    change = f"{percent(result.before, 0)} to {percent(result.after, 0)}"
    interval = f"{points(result.low, 0)} to {points(result.high, 0)} points"
    return (
        f"{reader.label(result.best)} raised success from {change} ({interval}) on {tasks}. It was chosen on these tasks, so "
        "expect less on held-out ones. The gate measures those."
    )


def _figures(
    reader: Reader, result: Optimization | None, candidates: int, episodes: int, budget: int
) -> list[tuple[str, str, str]]:
    figures = [("Candidates", f"{candidates:,}", "with the first version")]
    spent = f"{episodes:,} of {budget:,}" if budget else f"{episodes:,}"
    figures.append(("Episodes", spent, "of the budget" if budget else ""))
    if result is not None:
        figures.insert(0, ("Success", percent(result.after, 0), f"{percent(result.before, 0)} before"))
        tasks = f"{result.feedback_tasks:,} and {result.selection_tasks:,}"
        figures.append(("Training tasks", tasks, "to learn from, and to choose by"))
        if result.reflections:
            tokens = f"{result.reflection_tokens:,} tokens"
            figures.append(("Reflections", f"{result.reflections:,}", tokens))
    return figures


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


PAGES = [
    Page("/optimize", optimizations_page, "optimizations.html", "optimize"),
    Page("/optimize/{id:path}", optimization_page, "optimization.html", "optimize"),
]
