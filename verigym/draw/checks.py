"""A check of the gate as a question, a caption and an interval. Pages, reports and notebooks show the same.

The words of a check give a value and the bound that decides. The caption and the picture show these two and nothing else, with
the signs of the words: the other end that a check stores may be at another level.
"""

import math

from verigym.core.records import Check
from verigym.draw.intervals import Interval
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


def interval_of_check(check: Check) -> Interval | None:
    """The value with the bound that decides, and the margin. None if the check has no figures that can be drawn."""
    row = _interval(check, check.figures)
    return row._replace(caption=_caption(check, row)) if row is not None else None


def caption_of(check: Check) -> str:
    """`-1.2 points, at most +2.4, margin 5.0`. Empty if nothing can be drawn."""
    row = interval_of_check(check)
    if row is None or row.margin is None or not finite(row.value):
        return row.caption if row is not None else ""
    if "delta" in check.figures:
        return f"{row.caption}, must be above 0"
    return (
        f"{row.caption}, margin {row.margin:.2f}"
        if row.unit == "times"
        else f"{row.caption}, margin {100 * abs(row.margin):.1f}"
    )


def _interval(check: Check, figures: dict[str, float]) -> Interval | None:
    name, kind, low, high = check.name, check.outcome, figures.get("low", math.nan), figures.get("high", math.nan)
    margin = check.margin or figures.get("margin")
    if "delta" in figures and "low" in figures:
        unit = "points" if check.unit in ("points", "") else ""
        return Interval(name, figures["delta"], low, math.nan, low, 0.0, kind, unit)
    if "increase" in figures:
        worse, lost = figures["increase"], margin or 0.0
        if _is_harm(check):
            return Interval(name, worse, math.nan, high, high, lost, kind, worse="above")
        return Interval(name, -worse, -high, math.nan, -high, -lost, kind)
    if "ratio" in figures:
        return Interval(name, figures["ratio"], math.nan, high, high, margin, kind, "times", worse="above")
    if "kappa" in figures:
        return Interval(name, figures["kappa"], low, math.nan, outcome=kind, unit="")
    if "new" in figures and "tasks" in figures:
        of = int(figures["tasks"]) if finite(figures["tasks"]) else 0
        most = high * of if finite(high) and high <= 1 else high
        bound = most if finite(most) else None
        new = figures["new"]
        return Interval(name, new, new, new if bound is None else bound, bound, None, kind, "tasks", of)
    return None


def _caption(check: Check, row: Interval) -> str:
    """`-1.2 points, at most +2.4`"""
    if not finite(row.value):
        return "not measured"
    if row.unit == "tasks":
        share = check.figures.get("high", math.nan)
        most = f", at most {100 * share:.1f}%" if finite(share) and share <= 1 else ""
        return f"{row.value:.0f} of {row.of:,} tasks{most}"
    bound = row.high if row.worse == "above" else row.low
    if row.unit == "times":
        most = f", at most {bound:.3g}" if finite(bound) else ""
        return f"{row.value:.2f} times{most}"
    change = "increase" in check.figures
    side = ("at most" if row.worse == "above" else "at worst") if change else "at least"
    unit = " points" if row.unit == "points" else ""
    return f"{_signed(row, row.value)}{unit}" + (f", {side} {_signed(row, bound)}" if finite(bound) else "")


def _is_harm(check: Check) -> bool:
    """Whether the words count harm, so that more is worse: `at most +2.4`. Others count success: `at worst -2.4`."""
    return "at most" in check.words and "at worst" not in check.words


def _signed(row: Interval, value: float) -> str:
    return f"{100 * value + 0.0:+.1f}" if row.unit == "points" else f"{value:+.3g}"
