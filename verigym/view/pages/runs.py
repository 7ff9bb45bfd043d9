"""Runs: the newest first, with what they measured and whether they are still running."""

from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import Estimate, Version
from verigym.store.database import Run
from verigym.view import heads
from verigym.view.keyset import cursor, keyset
from verigym.view.page import Link, Page, PageData, Query, url
from verigym.view.read import Reader, config_of, run_state

_PAGE = 50
_STATES = ("running", "finished", "interrupted")
_MOST_OPEN = 500
_CONFIG = "json_extract(CAST(config AS TEXT), '$"


class RunRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    kind: str
    state: str
    """running, finished or interrupted"""
    href: str
    environment: str = ""
    agent: str = ""
    agent_label: str = ""
    agent_href: str = ""
    """Empty if the agent is no version, or was deleted."""
    trajectories: int = 0
    scored: int = 0
    passed: int = 0
    children: int = 0
    created: float = 0.0
    seconds: float | None = None
    verifier: str = ""
    made: Link | None = None
    """The version that a training run made."""
    low: float | None = None
    high: float | None = None
    """Interval of the success, if there is a report."""

    @property
    def share(self) -> float:
        return self.passed / self.scored if self.scored else 0.0


class RunsPage(PageData, frozen=True, kw_only=True):
    rows: list[RunRow]
    total: int
    """Runs that fit the filters."""
    kinds: list[Link]
    kind: str
    states: list[Link]
    state: str
    environments: list[str]
    environment: str
    agents: list[Link]
    """Agents to choose from: the label, and the id in place of an address."""
    agent: str
    before: str = ""
    after: str = ""


def state_of(reader: Reader, run: Run) -> str:
    """Whether a run is still being made: running, finished or interrupted."""
    return run_state(reader.home, run.id, run.finished)


def row_of(reader: Reader, run: Run, children: int = 0) -> RunRow:
    config = config_of(run)
    agent = str(config.get("agent", "") or "")
    trained = reader.store.get("trained", run.id, Version) if run.kind == "train" else None
    success = successes(reader).get(run.id)
    return RunRow(
        id=run.id,
        kind=run.kind,
        state=state_of(reader, run),
        href=url("/training/" if run.kind == "train" else "/runs/", run.id),
        environment=_environment(config),
        agent=agent,
        agent_label=reader.label(agent) if agent else "",
        agent_href=reader.version_link(agent).href,
        trajectories=run.trajectories,
        scored=run.scored,
        passed=run.passed,
        children=children,
        created=run.created,
        seconds=run.finished - run.created if run.finished is not None else None,
        verifier=run.verifier,
        made=reader.version_link(trained.id) if trained is not None else None,
        low=success.low if success else None,
        high=success.high if success else None,
    )


def _environment(config: dict[str, Any]) -> str:
    """That of the run, or the one that its recipe trains on."""
    recipe = config.get("recipe")
    return str(config.get("environment") or (recipe.get("environment") if isinstance(recipe, dict) else "") or "")


def successes(reader: Reader) -> dict[str, Estimate]:
    """Run to the success of its newest report."""
    found = heads.reports(reader)
    state = (len(found), next(reversed(found), ""))
    return reader.kept(
        "successes", state, lambda: {head.run: head.success for head in found.values() if head.success is not None}
    )


def runs_page(reader: Reader, query: Query) -> RunsPage:
    kind, environment, agent = query.get("kind"), query.get("env"), query.get("agent")
    state = query.choice("state", "", *_STATES)
    parent = query.get("parent")
    where, params = "WHERE parent = ?", list[object]([parent])
    for column, value in (("kind", kind), (f"{_CONFIG}.environment')", environment), (f"{_CONFIG}.agent')", agent)):
        if value:
            where, params = f"{where} AND {column} = ?", [*params, value]
    if state:
        where += f" AND finished IS {'NOT ' if state == 'finished' else ''}NULL"
    if state in ("running", "interrupted"):  # only a look at the process tells them apart
        open_runs = reader.rows(f"SELECT id FROM runs {where} ORDER BY rowid DESC LIMIT ?", *params, _MOST_OPEN)
        ids = [id for (id,) in open_runs if run_state(reader.home, id, None) == state]
        where, params = "WHERE id IN (SELECT value FROM json_each(?))", [msgspec.json.encode(ids).decode()]
    page = keyset(query, ["created", "rowid"], _PAGE, descending=True)
    found = reader.rows(f"SELECT id, created, rowid FROM runs {where} {page.where} {page.order}", *params, *page.params)
    shown, has_before, has_after = page.turned(found)
    kinds = reader.rows("SELECT kind, count(*) FROM runs WHERE parent = '' GROUP BY kind ORDER BY kind")
    environments, agents = _choices(reader, sum(count for _, count in kinds))
    rows = [row_of(reader, reader.store.run(id), _children(reader, id)) for id, _, _ in shown]

    def link(**changes: object) -> str:
        return url("/runs", **query.with_(**{"after": None, "before": None, **changes}))

    return RunsPage(
        title=f"Child runs of {parent}" if parent else "Runs",
        crumbs=[Link("Runs", "/runs"), Link(parent, url("/training/", parent))] if parent else [],
        command="verigym runs list",
        rows=rows,
        total=reader.one(f"SELECT count(*) FROM runs {where}", *params) or 0,
        kind=kind,
        kinds=[Link("all", link(kind=None)), *(Link(name, link(kind=name)) for name, _ in kinds)],
        state=state,
        states=[Link("all", link(state=None)), *(Link(name, link(state=name)) for name in _STATES)],
        environments=environments,
        environment=environment,
        agents=[Link(reader.label(id), id) for id in agents],
        agent=agent,
        before=link(before=cursor(*shown[0][1:])) if shown and has_before else "",
        after=link(after=cursor(*shown[-1][1:])) if shown and has_after else "",
        live="runs",
        empty="" if rows or kinds else "No run is stored in this workspace yet.",
        fill=[] if rows or kinds else ["verigym quickstart", "verigym eval notes -m smollm2-135m"],
    )


def _choices(reader: Reader, count: int) -> tuple[list[str], list[str]]:
    """Environments and agents of all runs without a parent."""

    def read() -> tuple[list[str], list[str]]:
        names = []
        for name in ("environment", "agent"):
            column = f"{_CONFIG}.{name}')"
            rows = reader.rows(
                f"SELECT DISTINCT {column} FROM runs WHERE parent = '' AND {column} > '' LIMIT ?", _MOST_OPEN
            )
            names.append(sorted(str(value) for (value,) in rows))
        return names[0], names[1]

    return reader.kept("choices of runs", count, read)


def _children(reader: Reader, run: str) -> int:
    return reader.one("SELECT count(*) FROM runs WHERE parent = ?", run) or 0


PAGES = [Page("/runs", runs_page, "runs.html", "runs")]
