"""Draws the pictures of docs/how-to/gate.md from the gate's own functions: python docs/gate_pictures.py"""

from pathlib import Path
from statistics import NormalDist

from verigym.core.look import Look
from verigym.draw.lines import lines
from verigym.evaluation.sequential import acceptance_number, first_that_passes, look_sizes, next_level, spent_early

IMAGES = Path(__file__).parent / "images"
TASKS = (41, 82, 164, 246, 410)
GAINS = (13.0, 12.0, 10.5, 10.0, 9.5)
"""What was measured at each look, in points."""


def narrowing() -> str:
    """A gain with the lower end of its interval, look by look, until it clears zero."""
    looks: list[Look] = []
    lower: dict[float, float] = {}
    upper: dict[float, float] = {}
    for tasks, gain in zip(TASKS[:4], GAINS, strict=False):
        share = tasks / TASKS[-1]
        looks.append(Look(tasks, share, 0.03 * share, next_level(looks, share, 0.03 * share)))
        reach = NormalDist().inv_cdf(1 - looks[-1].boundary) * 58 / tasks**0.5
        lower[tasks], upper[tasks] = gain - reach, gain + reach
    measured = dict(zip(map(float, TASKS), GAINS[:4], strict=False))
    series = {"measured gain": measured, "at least": lower, "at most": upper, "zero": {41.0: 0.0, 246.0: 0.0}}
    return lines(series, title="The interval narrows until it is clear of zero", x="tasks measured", y="points")


def acceptance(margin: float = 0.05, total: int = 184) -> str:
    """How many unsafe tasks are allowed at each look."""
    looks: list[Look] = []
    allowed: dict[float, float] = {}
    for size in look_sizes(first_that_passes(margin, total, 0.05), [1] * total):
        spent = spent_early(0.05, size / total)
        allowed[size] = acceptance_number(looks, size, spent, margin)
        looks.append(Look(size, size / total, spent, 0.0))
    at_margin = {float(size): margin * size for size in allowed}
    series = {"at most so many pass": allowed, "expected at the margin": at_margin}
    return lines(series, title=f"Unsafe tasks, margin {100 * margin:.0f} points", x="tasks measured", y="unsafe tasks")


if __name__ == "__main__":
    (IMAGES / "gate_looks.svg").write_text(narrowing())
    (IMAGES / "gate_guardrail.svg").write_text(acceptance())
