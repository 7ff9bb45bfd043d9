"""How records look: paragraphs, tables and pictures. `as_text` writes them for a terminal, `as_html` for a notebook.

Each record is taken apart by one function below. A record without a function shows its fields.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from verigym.core.printable import Printable, visible
from verigym.core.records import (
    Check,
    Decision,
    Finding,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Reasoning,
    Report,
    Trajectory,
    Version,
)
from verigym.core.words import counted, figure, is_number
from verigym.draw.bars import bars
from verigym.draw.checks import interval_of_check
from verigym.draw.intervals import Interval, intervals
from verigym.draw.lineage import Node, lineage
from verigym.draw.lines import Mark, lines
from verigym.draw.looks import looks
from verigym.draw.svg import Drawing, escape

T = TypeVar("T")
_WIDTH = 110
_OUTCOMES = {"pass": "ok", "fail": "FAIL", "unclear": "?", "skipped": "-"}
_CURVES = ("reward", "held_out_success", "loss", "entropy", "kl")
"""Metrics that a picture of a training run shows, if it has them."""


class Table(NamedTuple):
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Picture(NamedTuple):
    svg: str


Block = str | Table | Picture


class RecordList(list[T], Printable):
    """A list of records that prints as a table."""

    __str__ = Printable.__str__


class VersionList(RecordList[Version]):
    """Versions. A notebook also shows them as a tree."""

    nodes: Sequence[Node] = ()


class Metrics(dict[int, dict[str, float]], Printable):
    """The metrics of a training run by step. It prints as a table, and a notebook shows the curves."""

    __str__ = Printable.__str__
    alarms: Sequence[tuple[int, str, str]] = ()
    """Step, kind and metric of each alarm that the run raised."""

    @property
    def curves(self) -> dict[str, dict[float, float]]:
        """Metric to its value by step."""
        names = dict.fromkeys(name for metrics in self.values() for name in metrics)
        return {name: {step: one[name] for step, one in self.items() if name in one} for name in names}


def as_text(record: Any) -> str:
    return visible("\n".join(_text(block) for block in blocks(record) if not isinstance(block, Picture)))


def as_html(record: Any) -> str:
    return "<div>" + "".join(block_html(block) for block in blocks(record)) + "</div>"


def blocks(record: Any) -> Iterable[Block]:
    """What a record shows, from top to bottom."""
    show = _SHOWN.get(type(record).__name__)
    return show(record) if show is not None else _fields(record)


def _text(block: Block) -> str:
    if isinstance(block, str):
        return textwrap.fill(block, _WIDTH, subsequent_indent="  ")
    assert isinstance(block, Table)
    cells = [[str(cell) for cell in row] for row in [block.header, *block.rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(block.header))]
    right = [all(is_number(row[i]) for row in cells[1:]) for i in range(len(block.header))]
    return "\n".join(_row(row, widths, right) for row in cells)


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    """One line, or several if the last column is long."""
    columns = zip(row, widths, right, strict=True)
    line = "  ".join(cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in columns).rstrip()
    indent = min(sum(widths[:-1]) + 2 * len(widths[:-1]), _WIDTH // 2)
    return line if len(line) <= _WIDTH else textwrap.fill(line, _WIDTH, subsequent_indent=" " * indent)


def block_html(block: Block) -> str:
    if isinstance(block, Picture):
        return block.svg
    if isinstance(block, str):
        return f"<p>{escape(block)}</p>"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in block.header)
    rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in block.rows]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _clip(text: str, width: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def _report(report: Report) -> Iterable[Block]:
    suite = report.suite
    yield (
        f"{report.agent} on {suite.name}: {counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}, "
        f"run {report.run}"
    )
    yield Table(
        ("figure", "value", "95% interval"), [(name, *figure(name, one)) for name, one in report.metrics.items()]
    )
    if report.errors:
        yield f"{counted(report.errors, 'episode')} could not be scored. No figure counts them."
    rates = {name: one for name, one in report.metrics.items() if figure(name, one)[0].endswith("%")}
    rows = [Interval(name, one.value, one.low, one.high, unit="share") for name, one in rates.items()]
    yield Picture(intervals(rows, title=f"{report.agent} on {suite.name}"))
    if report.buckets:
        yield Table(("failure", "episodes"), list(report.buckets.items()))


def _decision(decision: Decision) -> Iterable[Block]:
    yield f"{decision.verdict}: {decision.candidate} against {decision.champion or 'no champion'}"
    rows = [row for row in map(interval_of_check, decision.checks) if row is not None]
    if rows:
        yield Picture(intervals(rows, title="Each check against its margin"))
    for one in decision.checks:
        if len(one.looks) > 1 and any(look.boundary > 0 for look in one.looks):
            yield Picture(looks(one.looks, p=one.figures.get("p"), title=one.name))
    yield from _checks(decision.checks)
    if decision.words:
        yield decision.words


def _checks(checks: Sequence[Check]) -> Iterable[Block]:
    if checks:
        yield Table(("", "check", "result"), [(_OUTCOMES[one.outcome], one.name, one.words) for one in checks])


def _findings(findings: Sequence[Finding]) -> Iterable[Block]:
    if findings:
        rows = [
            (one.bucket, one.count, f"{100 * one.share:.0f}%", _clip(one.evidence[0] if one.evidence else ""))
            for one in findings
        ]
        yield Table(("failure", "episodes", "share", "most frequent reason"), rows)


def _explanation(explanation: Any) -> Iterable[Block]:
    missing = explanation.trajectories - explanation.scored
    more = f", {missing} not scored" if missing else ""
    yield f"{counted(explanation.trajectories, 'trajectory')}, {explanation.passed} passed{more}"
    yield from _findings(explanation.findings)
    shares = {one.bucket: (one.share, one.share, one.share) for one in explanation.findings}
    if shares:
        yield Picture(bars(shares, title="Failures by bucket", label=lambda share: f"{100 * share:.0f}%"))
    if explanation.groups:
        yield f"Inconsistent: {len(explanation.inconsistent)} of {counted(explanation.groups, 'task')} pass only sometimes."


def _advice(report: Any) -> Iterable[Block]:
    advised = [one for one in report.advice if one.advised]
    for number, one in enumerate(advised, start=1):
        yield f"{number}. {one.fix}: {' '.join(one.reasons)}"
        if one.command:
            yield f"   {one.command}"
    if not advised:
        yield "No fix is advised. Read some of the failures."
    rows = [(one.fix, _clip(one.reasons[0] if one.reasons else "")) for one in report.advice if not one.advised]
    if rows:
        yield Table(("not now", "why"), rows)
    yield from report.notes


def _comparison(comparison: Any) -> Iterable[Block]:
    it = comparison
    yield f"{counted(it.tasks, 'task')} of {counted(it.families, 'family')}, paired by task (suite {it.suite})"
    sides = {it.champion: it.champion_success, it.candidate: it.candidate_success}
    yield Table(
        ("version", "success", "95% interval"), [(name, *figure("success", one)) for name, one in sides.items()]
    )
    delta = it.success
    yield (
        f"Difference {100 * delta.value:+.1f} points, at least {100 * delta.low:+.1f} with {100 * delta.level:.0f}% confidence "
        f"(p = {delta.p:.2g}, {delta.method})"
    )
    yield f"Tasks gained {len(it.gained)}, lost {len(it.lost)}. Unsafe {it.unsafe.champion} before, {it.unsafe.candidate} after."
    rows = [Interval(name, one.value, one.low, one.high, unit="share") for name, one in sides.items()]
    change = Interval("difference", delta.value, delta.low, delta.high, delta.low, 0.0, "", "points")
    yield Picture(intervals([*rows, change], title="Success"))
    if it.buckets:
        yield Table(("failure", "before", "after"), [(name, *counts) for name, counts in it.buckets.items()])


def _audit(audit: Any) -> Iterable[Block]:
    yield f"{audit.verifier} on {counted(audit.n, 'output')} of {audit.run}"
    yield from _checks(audit.checks)
    if audit.trust:
        yield "No fault was found. You can trust this verifier as far as it was tested."
    for number, fix in enumerate(audit.fix, start=1):
        yield f"{number}. Fix: {fix}"


def _trajectory(trajectory: Trajectory) -> Iterable[Block]:
    yield f"Trajectory {trajectory.id}: {trajectory.stop}, {trajectory.seconds:.2f} s"
    yield Table(("", "text"), [_item(item) for item in trajectory.items])
    if trajectory.error is not None:
        yield f"Error ({trajectory.error.fault}): {trajectory.error.kind}: {trajectory.error.message}"


def _item(item: Item) -> tuple[str, str]:
    match item:
        case Message():
            return item.role, _clip(item.text, 90) or "(empty)"
        case FunctionCall():
            return f"call {item.name}", _clip(item.arguments, 90)
        case FunctionCallOutput():
            return "result", _clip(item.output, 90)
        case Reasoning():
            return "reasoning", _clip(" ".join(part.text for part in item.content or item.summary), 90)


def _metrics(metrics: Metrics) -> Iterable[Block]:
    curves = metrics.curves
    names = [name for name in _CURVES if name in curves] or list(curves)[:4]
    yield Table(
        ("step", *names),
        [(step, *(f"{one[name]:.4g}" if name in one else "" for name in names)) for step, one in metrics.items()],
    )
    if "reward" in curves and "held_out_success" in curves:
        yield Picture(_reward_and_success(metrics))
        names = [name for name in names if name not in ("reward", "held_out_success")]
    for name in names:
        if any(math.isfinite(value) for value in curves[name].values()):
            marks = [Mark(float(step), kind, name) for step, kind, metric in metrics.alarms if metric == name]
            title = name.replace("_", " ")
            yield Picture(lines({name: curves[name]}, title=title, x="step", width=380, height=220, marks=marks))


def _reward_and_success(metrics: Metrics) -> Drawing:
    """Both in one picture, because their difference shows reward hacking. Alarms about either are marked."""
    curves = metrics.curves
    about = ("reward", "held_out_success")
    marks = [Mark(float(step), kind, "reward") for step, kind, metric in metrics.alarms if metric in about]
    bands = {"held-out success": {step: (one, one, one) for step, one in curves["held_out_success"].items()}}
    return lines(
        {"reward": curves["reward"]},
        title="Reward and held-out success",
        x="step",
        y="reward",
        marks=marks,
        bands=bands,
        bands_y="success",
    )


def _records(records: Sequence[Any]) -> Iterable[Block]:
    if not records:
        yield "(none)"
    elif isinstance(records[0], Check):
        yield from _checks(records)
    elif isinstance(records[0], Finding):
        yield from _findings(records)
    else:
        if isinstance(records, VersionList) and records.nodes:
            yield Picture(lineage(records.nodes, title="Versions"))
        header = _COLUMNS.get(type(records[0]).__name__) or tuple(msgspec.structs.asdict(records[0]))[:5]
        yield Table(header, [[_cell(getattr(one, name)) for name in header] for one in records])


def _fields(record: Any) -> Iterable[Block]:
    """Every field that is not empty."""
    values = record._asdict() if hasattr(record, "_asdict") else msgspec.structs.asdict(record)
    yield Table(
        (type(record).__name__, ""), [(name, _cell(value)) for name, value in values.items() if value not in (None, "")]
    )


def _cell(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple):
        return _clip(
            ", ".join(f"{name} {one}" for name, one in value.items())
            if isinstance(value, Mapping)
            else ", ".join(map(str, value)),
            60,
        )
    return f"{value:.6g}" if isinstance(value, float) else _clip(str(value), 60)


_COLUMNS = {
    "Run": ("id", "kind", "trajectories", "passed", "scored", "verifier"),
    "Version": ("id", "name", "base", "parent", "made"),
    "Dataset": ("name", "kind", "rows", "tasks", "source"),
    "Trajectory": ("id", "stop", "seconds", "cost"),
    "LedgerEntry": ("seq", "when", "who", "champion_before", "champion_after", "why"),
    "Report": ("id", "agent", "run", "errors"),
    "HeldOutSet": ("title", "uses", "seen_by"),
    "Proposal": ("id", "bucket", "did", "right", "source"),
    "IntegrityCheck": ("what", "id", "sound", "words"),
    "Task": ("id", "family", "split", "prompt"),
}
_SHOWN: dict[str, Callable[[Any], Iterable[Block]]] = {
    "Report": _report,
    "Decision": _decision,
    "Explanation": _explanation,
    "AdviceReport": _advice,
    "Comparison": _comparison,
    "Audit": _audit,
    "Trajectory": _trajectory,
    "Metrics": _metrics,
    "RecordList": _records,
    "VersionList": _records,
}
"""By name of the record, so that printing one loads no package of the others."""
