"""One task of a comparison: both conversations side by side, what differs, the verdicts, the end states, every repeat."""

import difflib
from typing import Any

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Report, Task, TaskResult, Trajectory, Verdict
from verigym.evaluation.compare import flip_of
from verigym.view import heads, pairing
from verigym.view.alignment import AlignedRow, StateChange, align, state_changes
from verigym.view.check_tasks import represented, traces_of
from verigym.view.heads import VersionLink, version_link
from verigym.view.page import Link, Page, PageData, Query, url
from verigym.view.pages.compare import request_of, result_words
from verigym.view.read import Reader

_TRACES = 5


class Attempt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    number: int
    outcome: str
    """passed, failed, unsafe, error or missing."""
    reward: float | None = None
    href: str = ""
    """This page with this attempt."""
    chosen: bool = False


class FlipSide(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    """before or after."""
    version: VersionLink
    result: str
    trajectory: str = ""
    href: str = ""
    outcome: str = "missing"
    reward: float | None = None
    parts: dict[str, float] = {}
    evidence: str = ""
    verifier: str = ""
    stop: str = ""
    error: str = ""
    attempts: list[Attempt] = []
    missing: str = ""
    """Why there is no conversation."""


class TraceLink(Struct, frozen=True):
    id: str
    href: str


class FlipPage(PageData, frozen=True, kw_only=True):
    task: str
    family: str
    request: str
    how: str
    sides: list[FlipSide]
    rows: list[AlignedRow]
    hidden: int
    """Items that are the same on both sides and are not shown."""
    only: bool
    states: list[StateChange]
    has_states: bool
    traces: list[TraceLink]
    """Production traces that the task came from."""
    num_traces: int
    compare: str
    differing: str
    """This page with only what differs, or with everything."""
    swap: str
    before: str = ""
    after: str = ""
    position: str = ""


def flip_page(reader: Reader, query: Query) -> FlipPage:
    a, b, task = query.get("a"), query.get("b"), query.get("task")
    if not (a and b and task):
        raise BadInput("A flip needs two sides and a task. Open one from a comparison: /compare")
    before, after = pairing.side(reader, a), pairing.side(reader, b)
    pairs = pairing.shared(reader, before, after, query.get("suite"))
    if not pairs:
        raise NotFound(pairing.refusal(reader, before, after).words)
    reports = [heads.report(reader, head.id) for head in pairs[0]]
    if reports[0] is None or reports[1] is None:
        raise NotFound("One of the two reports was deleted. Choose another one")
    results = [{one.task: one for one in report.results} for report in reports if report is not None]
    if task not in results[0] or task not in results[1]:
        near = difflib.get_close_matches(task, results[0], n=3, cutoff=0.3)
        raise NotFound(
            f'There is no task "{task[:80]}" in suite {reports[0].suite.name}. Similar: {", ".join(near) or "none"}'
        )
    pair = results[0][task], results[1][task]
    flip = flip_of(pair)
    chosen = [query.get("i") or flip.champion, query.get("j") or flip.candidate]
    loaded = [_load(reader, report, id, task) for report, id in zip(reports, chosen, strict=True) if report is not None]
    sides = [
        _side(reader, query, name, report, result, one, chosen)
        for name, report, result, one in zip(("before", "after"), reports, pair, loaded, strict=True)
        if report is not None
    ]
    only = query.flag("only")
    rows = align(*(one.items if one is not None else [] for one in loaded))
    shown = [row for row in rows if not (only and row.same)]
    stored = _task(reader, reports[1].run, task) or _task(reader, reports[0].run, task)
    named = traces_of(stored) if stored is not None else []
    traces = list(dict.fromkeys(named + represented(reader).get(task, [])))
    order = _order(results[0], results[1])
    place = order.index(task) if task in order else -1
    here = query.with_(i=None, j=None)
    return FlipPage(
        title=task,
        command=f"verigym compare {heads.typed(reader, reports[0].agent)} {heads.typed(reader, reports[1].agent)} --show "
        + heads.quote(task),
        crumbs=[
            Link("Compare", "/compare"),
            Link(f"{sides[0].version.label} and {sides[1].version.label}", url("/compare", a=a, b=b)),
        ],
        task=task,
        family=pair[0].family,
        request=request_of(codec.encode(stored)) if stored is not None else "",
        how=_how(*pair),
        sides=sides,
        rows=shown,
        hidden=len(rows) - len(shown),
        only=only,
        states=_states(loaded),
        has_states=all(one is not None and one.end_state is not None for one in loaded),
        traces=[TraceLink(id, url("/t/", id)) for id in traces[:_TRACES]],
        num_traces=len(traces),
        compare=url("/compare", a=a, b=b, fragment="flips"),
        differing=url("/compare/flip", **query.with_(only=None if only else 1)),
        swap=url("/compare/flip", **{**here, "a": b, "b": a}),
        before=url("/compare/flip", **{**here, "task": order[place - 1]}) if place > 0 else "",
        after=url("/compare/flip", **{**here, "task": order[place + 1]}) if 0 <= place < len(order) - 1 else "",
        position=f"{place + 1} of {len(order)} tasks that changed" if place >= 0 else "",
    )


def _states(loaded: list[Trajectory | None]) -> list[StateChange]:
    left, right = loaded
    return state_changes(left.end_state, right.end_state) if left is not None and right is not None else []


def _order(before: dict[str, TaskResult], after: dict[str, TaskResult]) -> list[str]:
    """Tasks that changed: the lost ones first."""
    scored = [(one, after[id]) for id, one in before.items() if id in after and not (one.error or after[id].error)]
    lost = [one.task for one, other in scored if one.passed >= 0.5 > other.passed]
    gained = [one.task for one, other in scored if other.passed >= 0.5 > one.passed]
    return [*lost, *gained]


def _how(before: TaskResult, after: TaskResult) -> str:
    if before.error or after.error:
        return "One side could not be scored."
    return {
        (True, False): "Lost: it passed before and fails now.",
        (False, True): "Gained: it failed before and passes now.",
        (True, True): "Both pass.",
        (False, False): "Both fail.",
    }[before.passed >= 0.5, after.passed >= 0.5]


def _load(reader: Reader, report: Report, id: str, task: str) -> Trajectory | None:
    """The trajectory, if it is stored and belongs to this task and run."""
    if not id or reader.one("SELECT 1 FROM trajectories WHERE id = ? AND run = ?", id, report.run) is None:
        return None
    for one in reader.store.each_trajectory(report.run, task):
        if one.id == id:
            return one
    return None


def _side(
    reader: Reader,
    query: Query,
    name: str,
    report: Report,
    result: TaskResult,
    trajectory: Trajectory | None,
    chosen: list[str],
) -> FlipSide:
    found = _verdict(reader, report, trajectory.id) if trajectory is not None else None
    mine = chosen[name == "after"]
    missing = "" if trajectory is not None else _missing(reader, report, result)
    return FlipSide(
        name=name,
        version=version_link(reader, report.agent),
        result=result_words(result),
        trajectory=trajectory.id if trajectory is not None else "",
        href=url("/t/", trajectory.id, run=report.run) if trajectory is not None else "",
        outcome=_outcome(found),
        reward=found.reward if found is not None else None,
        parts=found.parts if found is not None else {},
        evidence=found.evidence if found is not None else "",
        verifier=found.verifier if found is not None else "",
        stop=str(trajectory.stop or "") if trajectory is not None else "",
        error=f"{trajectory.error.kind}: {trajectory.error.message}" if trajectory and trajectory.error else "",
        attempts=_attempts(reader, query, name, report, result.task, mine, chosen),
        missing=missing,
    )


def _missing(reader: Reader, report: Report, result: TaskResult) -> str:
    if not heads.run_exists(reader, report.run):
        return f"Run {report.run} was deleted, and its conversations with it."
    if result.error:
        return "No attempt could be scored. See the run for the reason."
    return "This conversation is not stored."


def _verdict(reader: Reader, report: Report, id: str) -> Verdict | None:
    """The verdict that the report counts."""
    verdicts = reader.store.verdicts_on(report.run, id)
    return next((one for one in verdicts if one.verifier == report.suite.verifier), next(iter(verdicts), None))


def _outcome(verdict: Verdict | None) -> str:
    if verdict is None:
        return "missing"
    if verdict.reward is None:
        return "error"
    return "unsafe" if verdict.unsafe else "passed" if verdict.passed else "failed"


def _attempts(
    reader: Reader, query: Query, name: str, report: Report, task: str, mine: str, chosen: list[str]
) -> list[Attempt]:
    """Every attempt at the task, each a link that shows it beside the chosen one of the other side."""
    sql = (
        "SELECT t.id, t.place, t.fault, v.passed, v.reward FROM trajectories t LEFT JOIN verdicts v "
        "ON v.trajectory = t.id AND v.run = t.run AND v.verifier = ? WHERE t.run = ? AND t.task = ? ORDER BY t.place"
    )
    rows = reader.rows(sql, report.suite.verifier, report.run, task)
    found: list[Attempt] = []
    for id, place, fault, passed, reward in rows:
        outcome = "error" if fault or reward is None else "passed" if passed else "failed"
        picked: dict[str, Any] = {"i": chosen[0], "j": chosen[1], ("i" if name == "before" else "j"): id}
        href = url("/compare/flip", **{**query.with_(), **picked})
        found.append(Attempt(id=id, number=place + 1, outcome=outcome, reward=reward, href=href, chosen=id == mine))
    return found


def _task(reader: Reader, run: str, task: str) -> Task | None:
    body = reader.one("SELECT body FROM tasks WHERE run = ? AND id = ?", run, task)
    try:
        return codec.decode(body, Task) if body is not None else None
    except BadInput:
        return None


PAGES = [Page("/compare/flip", flip_page, "flip.html", "compare")]
