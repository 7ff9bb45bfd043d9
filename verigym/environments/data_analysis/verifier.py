"""Judges an answer and a chart: compares their values with those of the task, not how the values are written.

    answer 41.2, expected 42.5
    chart: a bar chart, a line chart was asked for
    chart: point 3 is 2025-03, 17; expected 2025-03, 19

Numbers must agree in the requested decimals. Texts are compared without case and white space. The order of a list counts
unless the question leaves it open. The order of points counts except in a scatter chart. Only `end_state` is read.
"""

import math
import re
from typing import Any

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict

_CUT = 120
_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?(e[-+]?\d+)?", re.IGNORECASE)


def data_analysis_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the answer and a requested chart are right, and otherwise 0. Parts: valid, answer, chart."""
    if "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "answer"')
    places, ordered = task.data.get("places", 0), task.data.get("ordered", True)
    said, expected = trajectory.end_state.get("answer"), task.data["answer"]
    lines: list[str] = []
    parts = {"valid": float(said is not None), "answer": float(same(said, expected, places, ordered))}
    if said is None:
        lines.append("nothing was answered: call answer")
    elif not parts["answer"]:
        lines.append(f"answer {_short(said)}, expected {_short(expected)}")
    if (wanted := task.data.get("chart")) is not None:
        wrong = chart_difference(trajectory.end_state.get("chart"), wanted, places)
        parts["chart"] = float(not wrong)
        lines += [f"chart: {wrong}"] if wrong else []
    return Verdict(reward=float(not lines), passed=not lines, parts=parts, evidence="\n".join(lines))


def same(said: Any, expected: Any, places: int = 0, ordered: bool = True) -> bool:
    if isinstance(said, str) and said.lstrip()[:1] in ("[", '"'):
        said = _from_json(said)
    if isinstance(expected, list):
        values = said.split(",") if isinstance(said, str) else said if isinstance(said, list) else [said]
        if len(values) != len(expected):
            return False
        if ordered:
            return all(same(one, other, places) for one, other in zip(values, expected, strict=True))
        left = list(values)
        for wanted in expected:
            found = next((place for place, one in enumerate(left) if same(one, wanted, places)), None)
            if found is None:
                return False
            del left[found]
        return True
    if isinstance(said, list):
        return len(said) == 1 and same(said[0], expected, places)
    if isinstance(expected, str):
        return isinstance(said, str) and _plain(said) == _plain(expected)
    number = _number(said)
    within = 0.5 * 10**-places * 1.0001 if places else 1e-6
    return number is not None and abs(number - expected) <= within


def chart_difference(chart: Json | None, wanted: Json, places: int) -> str:
    """Describes what is wrong with a chart. Empty if it is right."""
    if chart is None:
        return f"there is none, a {wanted['kind']} chart was asked for"
    if chart["kind"] != wanted["kind"]:
        return f"a {chart['kind']} chart, a {wanted['kind']} chart was asked for"
    points, expected = chart["points"], wanted["points"]
    if wanted["kind"] == "scatter":
        points, expected = sorted(points, key=_by_number), sorted(expected, key=_by_number)
    if len(points) != len(expected):
        return f"{len(points)} points, expected {len(expected)}"
    for place, (point, right) in enumerate(zip(points, expected, strict=True), 1):
        if not (same(point[0], right[0], places) and same(point[1], right[1], places)):
            return f"point {place} is {_short(point[0])}, {_short(point[1])}; expected {right[0]}, {right[1]}"
    return ""


def _by_number(point: list[Any]) -> tuple[float, float]:
    return tuple(-math.inf if (number := _number(each)) is None else round(number, 6) for each in point)  # type: ignore[return-value]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _from_json(said: str) -> Any:
    """Reads a text or list that a model wrote as JSON inside a text."""
    try:
        return msgspec.json.decode(said, type=str | list[str | int | float])
    except (msgspec.DecodeError, UnicodeError):
        return said


def _number(said: Any) -> float | None:
    """Reads a number or a text such as `1,234.50` or `12.5 %`. A comma separates thousands only: `1,2` is two numbers."""
    if isinstance(said, str):
        said = said.replace("\N{MINUS SIGN}", "-").strip().rstrip("% ")
        said = said.replace(",", "") if _NUMBER.fullmatch(said) else None
    if isinstance(said, bool):
        return None
    try:
        value = float(said)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _CUT else f"{text[:_CUT]}..."
