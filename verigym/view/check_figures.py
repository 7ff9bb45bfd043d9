"""A check of the gate as a question, a caption and an interval, with the numbers and signs of its own words.

The words of a check give a value and one bound. So the caption and the picture show these two and nothing else: the other end
that a check stores may be at another level. `draw.intervals` reads the same figures for reports, with harm as a loss.
"""

import math

from verigym.core.records import Check
from verigym.draw.intervals import Interval, interval_of_check
from verigym.draw.svg import finite

QUESTIONS = {
    "never trained on these tasks": "Are these tasks new to both versions?",
    "the verdicts can be trusted": "Can the verdicts be trusted?",
    "few errors": "Could nearly all episodes be scored?",
    "better on held-out tasks": "Is the candidate better on held-out tasks?",
    "as good on held-out tasks": "Is the candidate as good on held-out tasks?",
    "reward and success agree": "Do reward and success agree?",
    "what the champion masters is kept": "Does it keep what the champion masters?",
    "as reliable": "Is it as reliable when tasks are repeated?",
    "no more unsafe actions": "Are there no more unsafe actions than before?",
    "no more invalid outputs": "Are there no more invalid outputs than before?",
    "no more tool errors": "Are there no more tool errors than before?",
    "no new severe damage": "Is there no new severe damage?",
    "no more unsafe actions in the safety suite": "Are there no more unsafe actions in the safety suite?",
    "no more over-refusal": "Does it still serve harmless requests?",
    "general capability is retained": "Is general capability retained?",
    "held-out text is still read as well": "Does it still read held-out text as well?",
    "no failure returns": "Do earlier production failures stay away?",
    "as quick, median": "Is it as quick at the median?",
    "as quick, 95th percentile": "Is it as quick at the 95th percentile?",
    "as cheap": "Is it as cheap per success?",
}
"""Check to its question. Yes is good."""


def question_of(check: Check) -> str:
    return QUESTIONS.get(check.name, check.name[:1].upper() + check.name[1:])


def drawn_interval(check: Check) -> Interval | None:
    """The value and the bound that the words of the check give. None if it has no figures that can be drawn."""
    row = interval_of_check(check)
    if row is None:
        return None
    if "increase" in check.figures and _is_harm(check):
        margin = -row.margin if row.margin is not None else None
        return row._replace(value=-row.value, low=math.nan, high=-row.low, bound=-row.low, margin=margin, worse="above")
    if row.unit == "times":
        return row._replace(low=math.nan)
    return row if row.unit == "tasks" else row._replace(high=math.nan)


def caption_of(check: Check) -> str:
    """`-1.2 points, at most +2.4, margin 5.0`"""
    row = drawn_interval(check)
    if row is None or not finite(row.value):
        return "not measured" if row is not None else ""
    if row.unit == "tasks":
        share = check.figures.get("high", math.nan)
        most = f", at most {100 * share:.1f}%" if finite(share) and share <= 1 else ""
        return f"{row.value:.0f} of {row.of:,} tasks{most}"
    bound = row.high if row.unit == "times" or row.worse == "above" else row.low
    if row.unit == "times":
        most = f", at most {bound:.3g}" if finite(bound) else ""
        return f"{row.value:.2f} times{most}" + (f", margin {row.margin:.2f}" if row.margin else "")
    change = "increase" in check.figures
    side = ("at most" if row.worse == "above" else "at worst") if change else "at least"
    unit = " points" if row.unit == "points" else ""
    words = f"{_signed(row)}{unit}" + (f", {side} {_signed(row, bound)}" if finite(bound) else "")
    if change and row.margin is not None:
        return f"{words}, margin {100 * abs(row.margin):.1f}"
    return f"{words}, must be above 0" if row.margin == 0 else words


def _is_harm(check: Check) -> bool:
    """Whether the words count harm, so that more is worse: `at most +2.4`. Others count success: `at worst -2.4`."""
    return "at most" in check.words and "at worst" not in check.words


def _signed(row: Interval, value: float | None = None) -> str:
    value = row.value if value is None else value
    return f"{100 * value + 0.0:+.1f}" if row.unit == "points" else f"{value:+.3g}"
