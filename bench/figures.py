"""The convention of every figure: each script runs alone, prints what it measured, and exits with 1 when a goal is missed.

--quick   smaller sizes, under 45 s, no peers
--peers   measure peers in the same run; with a path, in that interpreter (a peer that needs packages of its own)
--json    one line a figure: {"figure", "value", "unit", "goal", "ok", "peer", "peer_value", "ratio", "machine"}
"""

import argparse
import os
import platform
import sys
from pathlib import Path

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


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--quick", action="store_true", help="smaller sizes, under 45 s, no peers")
    made.add_argument(
        "--peers", nargs="?", const=sys.executable, default="", metavar="PYTHON", help="measure peers in the same run"
    )
    made.add_argument("--json", action="store_true", help="one line of JSON a figure")
    return made


def figure(
    name: str, value: float, unit: str, goal: str = "", peer: str = "", peer_value: float | None = None
) -> Figure:
    """A figure measured here; a ratio over 1 is a win where the goal is `>=`, and where it is `<=` as well."""
    sign, _, limit = goal.partition(" ")
    ok = not goal or (value <= float(limit) if sign == "<=" else value >= float(limit))
    ratio = None if not peer_value else (peer_value / value if sign == "<=" else value / peer_value)
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
