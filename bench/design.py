"""The designer: exactly as many rows as asked for, however rare they are, and how long the shipped specs take.

    python bench/design.py

A constraint that three rows of four meet, one that one of a hundred meets, one that none meets (which has to fail by its name),
tasks of workplace with their gold solutions played, and Python problems whose tests are written in the sandbox. Whether a task is
near a held-out one is asked again here, of `verigym.tasks.leaks`, over all held-out sets of workplace.
"""

import asyncio
import time
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.core.errors import Refused
from verigym.design.make import DesignResult, make
from verigym.design.spec import make_design, read_design
from verigym.design.steps import StepResources
from verigym.environments.load import load_environment
from verigym.tasks.leaks import find_leaks

ROOT = Path(__file__).parents[1]
LOW_HIGH = {"low": {"kind": "uniform", "low": 0, "high": 50}, "high": {"kind": "uniform", "low": 0, "high": 100}}


def ranges(*constraints: str) -> Any:
    return make_design({"columns": LOW_HIGH, "constraints": list(constraints)}, Path())


def timed(design: Any, n: int, kit: StepResources = StepResources()) -> tuple[DesignResult, float, float]:
    """The rows, seconds by the clock, and seconds of this process' CPU: the difference is what others had of it."""
    began, cpu = time.perf_counter(), time.process_time()
    made = asyncio.run(make(design, n, 0, kit))
    return made, time.perf_counter() - began, time.process_time() - cpu


def main() -> None:
    args = parser(__doc__).parse_args()
    found: list[Figure] = []
    for name, constraint in (
        ("low < high, 76% accepted", "low < high"),
        ("low + high > 140, 1% accepted", "low + high > 140"),
    ):
        made, seconds, _ = timed(ranges(constraint), 2000)
        found.append(figure(f"design, 2,000 rows asked for, {name}: rows", len(made.rows), "", ">= 2000"))
        found.append(figure(f"design, the same: time, {made.drawn:,} draws", seconds, "s", "<= 10"))
    began = time.perf_counter()
    try:
        asyncio.run(make(ranges("low < high", "low + high > 151"), 2000))
        named = False
    except Refused as error:
        named = '"low + high > 151" cannot be met' in str(error)
    found.append(
        figure("design, an impossible constraint: time until it fails", time.perf_counter() - began, "s", "<= 10")
    )
    found.append(figure("design, an impossible constraint is named", float(named), "", ">= 1"))

    workplace = load_environment("workplace")
    count = 1000 if args.quick else 10_000
    made, seconds, cpu = timed(
        read_design(ROOT / "authoring/workplace/workplace.yaml"), count, StepResources(environment=workplace)
    )
    found.append(figure(f"design, {count:,} workplace tasks, gold played: time", seconds, "s", "<= 120"))
    found.append(figure(f"design, {count:,} workplace tasks, gold played: CPU", cpu, "CPU-s"))
    found.append(figure(f"design, {count:,} workplace tasks asked for: tasks", len(made.tasks), "", f">= {count}"))
    leaks = find_leaks({"made": made.tasks, "val": workplace.tasks("val")})
    crossing = [one for one in [*leaks.families, *leaks.prompts, *leaks.near] if one.sides == ("made", "val")]
    found.append(figure(f"design, {count:,} workplace tasks: near a held-out one", len(crossing), "", "<= 0"))

    count = 250 if args.quick else 5000
    made, seconds, cpu = timed(read_design(ROOT / "recipes/design/python_problems.yaml"), count)
    found.append(figure(f"design, {count:,} Python problems, tests written in the sandbox: time", seconds, "s"))
    found.append(figure(f"design, {count:,} Python problems, without the sandbox's processes: CPU", cpu, "CPU-s"))
    found.append(figure(f"design, {count:,} Python problems asked for: tasks", len(made.tasks), "", f">= {count}"))
    finish(found, args)


if __name__ == "__main__":
    main()
