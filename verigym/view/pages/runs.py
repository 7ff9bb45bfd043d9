"""Runs: the newest first, with what they measured and whether they are still running."""

from typing import Any

from msgspec import Struct

from verigym.store.database import Run
from verigym.view.page import Link, Page, PageData, Query, url
from verigym.view.read import Reader, run_state

_PAGE = 50


class RunRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    kind: str
    state: str
    """running, finished or interrupted"""
    href: str
    environment: str = ""
    agent: str = ""
    agent_label: str = ""
    trajectories: int = 0
    scored: int = 0
    passed: int = 0
    children: int = 0
    created: float = 0.0
    seconds: float | None = None
    verifier: str = ""

    @property
    def share(self) -> float:
        return self.passed / self.scored if self.scored else 0.0


class RunsPage(PageData, frozen=True, kw_only=True):
    rows: list[RunRow]
    total: int
    first: int
    """Number of the first row that is shown, from 1."""
    kinds: list[Link]
    kind: str
    before: str = ""
    after: str = ""


def state_of(reader: Reader, run: Run) -> str:
    """Whether a run is still being made: running, finished or interrupted."""
    return run_state(reader.home, run.id, run.finished)


def row_of(reader: Reader, run: Run, children: int = 0) -> RunRow:
    config: Any = run.config if isinstance(run.config, dict) else {}
    agent = str(config.get("agent", "") or "")
    return RunRow(
        id=run.id,
        kind=run.kind,
        state=state_of(reader, run),
        href=url("/training/" if run.kind == "train" else "/runs/", run.id),
        environment=str(config.get("environment", "") or ""),
        agent=agent,
        agent_label=reader.label(agent) if agent else "",
        trajectories=run.trajectories,
        scored=run.scored,
        passed=run.passed,
        children=children,
        created=run.created,
        seconds=run.finished - run.created if run.finished is not None else None,
        verifier=run.verifier,
    )


def runs_page(reader: Reader, query: Query) -> RunsPage:
    kind, skip = query.get("kind"), query.number("skip", 0)
    where, params = ("AND kind = ?", (kind,)) if kind else ("", ())
    kinds = reader.rows("SELECT kind, count(*) FROM runs WHERE parent = '' GROUP BY kind ORDER BY kind")
    total = sum(count for name, count in kinds if kind in ("", name))
    ids = reader.rows(
        f"SELECT id FROM runs WHERE parent = '' {where} ORDER BY created DESC, rowid DESC LIMIT ? OFFSET ?",
        *params, _PAGE, skip,
    )  # fmt: skip
    rows = [row_of(reader, reader.store.run(id), _children(reader, id)) for (id,) in ids]
    return RunsPage(
        title="Runs",
        command="verigym runs list",
        rows=rows,
        total=total,
        first=skip + 1 if rows else 0,
        kind=kind,
        kinds=[Link("all", url("/runs")), *(Link(name, url("/runs", kind=name)) for name, _ in kinds)],
        before=url("/runs", **query.with_(skip=max(0, skip - _PAGE) or None)) if skip else "",
        after=url("/runs", **query.with_(skip=skip + _PAGE)) if skip + len(rows) < total else "",
        live="runs",
        empty="" if rows else "No run is stored in this workspace yet.",
        fill=[] if rows else ["verigym quickstart", "verigym eval notes -m smollm2-135m"],
    )


def _children(reader: Reader, run: str) -> int:
    return reader.one("SELECT count(*) FROM runs WHERE parent = ?", run) or 0


PAGES = [Page("/runs", runs_page, "runs.html", "runs")]
