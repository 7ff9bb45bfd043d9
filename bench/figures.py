"""What every benchmark shares. Each script runs alone, prints what it measured, and exits with 1 if a goal is missed.

--quick   smaller sizes, under 45 s, no peers
--peers   measure peers in the same run; with a path, in that interpreter (a peer that needs packages of its own)
--json    one line a figure: {"figure", "value", "unit", "goal", "ok", "peer", "peer_value", "ratio", "machine"}
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec


class Figure(msgspec.Struct, kw_only=True):
    figure: str
    value: float
    unit: str
    goal: str = ""
    """`<= 0.4` or `>= 10`; empty for a figure without one."""
    ok: bool = True
    peer: str = ""
    peer_value: float | None = None
    ratio: float | None = None
    """How many times better than the peer."""
    machine: str = ""


class Measurement(Figure, kw_only=True, omit_defaults=True):
    """A figure with the day on which it was measured: a row of docs/benchmarks.json."""

    date: str = ""


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--quick", action="store_true", help="smaller sizes, under 45 s, no peers")
    made.add_argument(
        "--peers", nargs="?", const=sys.executable, default="", metavar="PYTHON", help="measure peers in the same run"
    )
    made.add_argument("--json", action="store_true", help="one line of JSON a figure")
    return made


def one_row(
    asked: argparse.ArgumentParser, name: str, measure: Callable[[Any, Path], dict[str, Any]]
) -> tuple[Any, dict[str, Any]]:
    """The arguments and the row of an experiment in a workspace, which is kept with --out. Tells what the gate decided."""
    asked.add_argument("--note", default="", help="kept with the figures")
    asked.add_argument("--out", type=Path, help="add a line of JSON")
    asked.add_argument("--home", type=Path, help="keep the workspace here")
    args = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix=f"verigym-{name}-") as folder:
        row = measure(args, args.home or Path(folder))
    if args.out:
        with args.out.open("a") as file:
            file.write(json.dumps(row) + "\n")
    if row["gate"]:
        print(f"gate: {row['gate']['verdict']}. {row['gate']['words']}", file=sys.stderr)
    return args, row


def figure(
    name: str, value: float, unit: str, goal: str = "", peer: str = "", peer_value: float | None = None
) -> Figure:
    """A figure measured here; a ratio over 1 is a win where the goal is `>=`, and where it is `<=` as well."""
    sign, _, limit = goal.partition(" ")
    ok = not goal or (value <= float(limit) if sign == "<=" else value >= float(limit))
    ratio = None if not peer_value or not value else (peer_value / value if sign == "<=" else value / peer_value)
    return Figure(
        figure=name,
        value=value,
        unit=unit,
        goal=goal,
        ok=ok,
        peer=peer,
        peer_value=peer_value,
        ratio=ratio,
        machine=machine(),
    )


def machine() -> str:
    """`2 x Intel Xeon`, or the GPU's name where there is one."""
    if "torch" in sys.modules:
        import torch

        if torch.cuda.is_available():
            return torch.cuda.get_device_name()
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0].replace("(R)", "") if names else model
    return f"{os.cpu_count()} x {model}"


def finish(figures: list[Figure], args: argparse.Namespace) -> None:
    """Prints the figures and exits: 1 when a goal is missed."""
    for one in figures:
        if args.json:
            print(msgspec.json.encode(one).decode())
            continue
        goal = f"  (goal {one.goal}: {'met' if one.ok else 'MISSED'})" if one.goal else ""
        peer = f"  {one.peer}: {one.peer_value:.4g}, {one.ratio:.2f} times" if one.peer_value and one.ratio else ""
        print(f"{one.figure}: {one.value:.4g} {one.unit}{goal}{peer}")
    sys.exit(0 if all(one.ok for one in figures) else 1)


REPEATED = {
    "gold solutions: passed": "Every gold solution of an environment passes",
    "cheats: passed": "No cheat of an environment passes",
    "gold solution, verified and stored": "A gold solution is cheap to run, verify and store",
    "coverage,": "A 95% interval covers the true rate in simulations",
    "gate, no cause": "The gate rarely promotes a version that it should not promote",
    "a model call by": "A call of a model server costs little CPU",
    "rollout over HTTP": "A rollout over HTTP with 5 model calls costs little CPU",
    "call through the gateway": "The gateway adds little to a call",
    "gone after a time-out": "No process is left after a timeout",
    "asked for": "Design makes exactly the requested number of tasks",
    "kill -9 in one run": "A run survives 100 kills (kill -9): nothing is lost, repeated or left without a verdict",
    "committed": "A run survives 100 kills (kill -9): nothing is lost, repeated or left without a verdict",
    "rollouts without a verdict": "A run survives 100 kills (kill -9): nothing is lost, repeated or left without a verdict",
    "tasks without exactly": "A run survives 100 kills (kill -9): nothing is lost, repeated or left without a verdict",
    "random cases fed in": "100,000 random inputs crash no reader, and no row is lost",
    "crashes": "100,000 random inputs crash no reader, and no row is lost",
    "rows of task files lost": "100,000 random inputs crash no reader, and no row is lost",
    "last tenth against": "A run of a million rollouts stays as fast and as small as it began",
    "memory at the end against": "A run of a million rollouts stays as fast and as small as it began",
    "design, ": "Design is fast, and its tasks resemble no held-out task",
}
"""Series with a figure for each environment or setting. The page shows a series in one row. The first mark that fits counts."""

HEAD = """# Benchmarks

`make bench` runs every script in `bench/` that your machine can run. It adds the figures to
[benchmarks.json](../benchmarks.json) and renders this page from that file. Figures of other machines and days stay.
You can run one script alone, for example `python bench/startup.py --json`.
"""


def read(path: Path) -> list[Measurement]:
    return msgspec.json.decode(path.read_bytes(), type=list[Measurement]) if path.exists() else []


def write(path: Path, measurements: list[Measurement]) -> None:
    """One line a measurement, so that differences can be read."""
    lines = ",\n".join(msgspec.json.encode(one).decode() for one in measurements)
    path.write_text(f"[\n{lines}\n]\n")


def render(measurements: list[Measurement]) -> str:
    """The page: what each machine measured, comparisons with other tools, missed goals, and the other goals."""
    newest = {(one.machine, one.figure): one for one in measurements}
    shown = sorted(newest.values(), key=lambda one: (one.machine, one.figure))
    goals = [one for one in shown if one.goal]
    machines = sorted({one.machine for one in shown})
    counts = [
        [
            machine,
            max(one.date for one in shown if one.machine == machine),
            str(sum(one.machine == machine for one in shown)),
            f"{sum(one.ok for one in goals if one.machine == machine)} of {sum(one.machine == machine for one in goals)}",
        ]
        for machine in machines
    ]
    parts = [HEAD, _table(["machine", "newest", "figures", "goals met"], counts)]
    parts.append("## Compared with other tools\n\nMeasured in the same run on the same machine.\n")
    for machine in machines:
        compared = [one for one in shown if one.machine == machine and one.peer_value is not None]
        rows = [
            [
                one.figure.split(", against ")[0],
                _value(one),
                f"{_number(one.peer_value or 0)} ({one.peer})",
                f"{one.ratio or 0:.1f}",
            ]
            for one in compared
        ]
        if rows:
            parts.append(_table([machine, "Verigym", "peer", "times better"], rows))
    missed = [one for one in goals if not one.ok]
    parts.append("## Goals that were missed\n")
    parts.append(_table(["figure", "value", "goal"], [[one.figure, _value(one), one.goal] for one in missed]))
    parts.append("## Goals that were met\n\nA series has one figure for each environment or setting.\n")
    met = [one for one in goals if one.ok and one.peer_value is None]
    series: dict[str, list[Measurement]] = {}
    for one in met:
        series.setdefault(
            next((title for mark, title in REPEATED.items() if mark in one.figure), one.figure), []
        ).append(one)
    parts.append(_table(["figure", "value", "goal"], [_row(title, figures) for title, figures in series.items()]))
    return "\n".join(parts)


def _row(title: str, series: list[Measurement]) -> list[str]:
    """One figure, or a series with the range of its values. Units and goals are shown if all figures share them."""
    if len(series) == 1:
        return [title, _value(series[0]), series[0].goal]
    low, high = (_number(pick(one.value for one in series)) for pick in (min, max))
    units, goals = {one.unit for one in series}, {one.goal for one in series}
    values = low if low == high else f"{low} to {high}"
    unit = units.pop() if len(units) == 1 else ""
    shown = f": {values} {unit}".rstrip() if len(goals) == 1 else ""
    return [title, f"{len(series)} figures{shown}", goals.pop() if len(goals) == 1 else "one per figure"]


def _value(one: Figure) -> str:
    return f"{_number(one.value)} {one.unit}".strip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])
