"""Judges a report: the law, both parameters, an honest uncertainty, and runs within the budget.

It reads only the record. `end_state` has the runs and the report. `task.data["lab"]` has the truth.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any, TypeGuard

from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict

ENOUGH = 3
"""Minimum settings with runs: one per parameter, and one to tell the laws apart."""
_SLACK = 1 + 1e-9
"""A value exactly at a limit is within it, despite rounding."""


def science_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if all parts hold, and otherwise 0."""
    lab: Json | None = task.data.get("lab")
    if not isinstance(lab, dict):
        raise VerifierFailure(f'task {task.id}: data has no "lab", the law and its parameters; see science.Lab')
    runs: list[Any] = trajectory.end_state.get("runs", [])
    report: Json | None = trajectory.end_state.get("report")
    wrong = {"runs": list(_runs(runs)), "budget": list(_budget(runs, lab["budget"])), "reported": [], "law": []}
    given: Json = report or {"law": "", "values": {}, "plus_minus": {}}
    if report is None:
        wrong["reported"] = ["nothing was reported: the report is a call, not a sentence"]
    elif _plain(given["law"]) != lab["law"]:
        wrong["law"] = [f"law: {str(given['law'])[:60]}, expected {lab['law']}"]
    truths = dict(zip(lab["names"], (lab["a"], lab["b"]), strict=True))
    values = {name: _value(name, given["values"].get(name), true, lab["tolerance"]) for name, true in truths.items()}
    spreads = {
        name: _spread(name, given["values"].get(name), given["plus_minus"].get(name), true, lab["tolerance"])
        for name, true in truths.items()
    }
    if report is not None:
        wrong["more"] = [f"{name[:60]}: no parameter of the law" for name in given["values"] if name not in truths]
        wrong["values"] = [words for words in values.values() if words]
        wrong["uncertainty"] = [words for words in spreads.values() if words]
    lines = [line for found in wrong.values() for line in found]
    parts = {name: float(not wrong[name]) for name in ("runs", "budget", "reported", "law")}
    parts["law"] *= parts["reported"]
    parts["values"] = sum(not words for words in values.values()) / len(values)
    parts["uncertainty"] = sum(not words for words in spreads.values()) / len(spreads)
    return Verdict(
        reward=0.0 if lines else 1.0,
        passed=not lines,
        parts=parts,
        evidence="\n".join(lines[:8]) or "law, parameters and uncertainty are right, within the budget",
    )


def _plain(law: str) -> str:
    """Normalises a name: `Exponential decay` becomes `exponential_decay`."""
    return re.sub(r"[\s_-]+", "_", law.strip().casefold())


def _runs(runs: list[Any]) -> Iterator[str]:
    settings = len({x for x, _ in runs})
    if settings < ENOUGH:
        yield f"runs were made at {settings} settings; it takes {ENOUGH} to know anything"


def _budget(runs: list[Any], budget: int) -> Iterator[str]:
    if len(runs) > budget:
        yield f"{len(runs)} runs were made, the budget was {budget}"


def _finite(value: float | None) -> TypeGuard[float]:
    """Whether it is a number that a float can hold. A reply may write hundreds of digits."""
    return value is not None and -sys.float_info.max <= value <= sys.float_info.max


def _value(name: str, value: float | None, true: float, tolerance: float) -> str:
    """Describes what is wrong with a value. Empty if nothing is."""
    if not _finite(value):
        return f"{name}: not reported"
    off = abs(value - true) / abs(true)
    return f"{name}: {value:g}, expected {true:g} to within {tolerance:.0%}" if off > tolerance * _SLACK else ""


def _spread(name: str, value: float | None, plus_minus: float | None, true: float, tolerance: float) -> str:
    """Describes what is wrong with an uncertainty: it does not cover the truth, or it is too wide."""
    if not _finite(value) or not _finite(plus_minus) or plus_minus <= 0:
        return f"{name}: no uncertainty was given"
    if plus_minus > tolerance * abs(value) * _SLACK:
        return f"{name}: plus_minus {plus_minus:g} is wider than {tolerance:.0%} of {value:g}"
    if abs(value - true) > plus_minus * _SLACK:
        return f"{name}: {value:g} plus or minus {plus_minus:g} does not cover the truth"
    return ""
