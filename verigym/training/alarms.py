"""What goes wrong in training, seen in the curves of its metrics: each rule looks for one disease and names its remedies.

    history = {step: metrics, ...}      # of the run so far
    for alarm in new_alarms(history): print(alarm)

A rule is a function from the history to an alarm or none, and a metric that is not there raises nothing. Rules compare windows
of steps and ask for more than noise (`curves.py`); how often they are right is measured in tests/training/test_alarms.py.
"""

import math
import statistics
from collections.abc import Callable

from msgspec import Struct

from verigym.training.curves import (
    RATE_NOISE,
    CurveChange,
    History,
    measured,
    recent,
    series,
    since_first,
    since_highest,
    since_lowest,
    values,
)

QUIET = 5
"""Steps that an alarm must have been silent before it counts as new: one at its threshold comes and goes."""
MARGIN = 0.05
"""Change of a rate that is taken as harm, as in the gate."""
MANY = 40
"""Steps after which something should have been learnt."""


class Alarm(Struct, frozen=True):
    kind: str
    step: int
    words: str
    """What is seen, with figures."""
    remedy: str
    """What usually helps."""

    def __str__(self) -> str:
        return f"{self.kind} (step {self.step}): {self.words}. What to do: {self.remedy}"


def alarms(history: History) -> list[Alarm]:
    """All that is wrong at the latest step."""
    return [alarm for rule in RULES if (alarm := rule(history)) is not None] if history else []


def new_alarms(history: History) -> list[Alarm]:
    """Those that were not raised in the few steps before: each is told once, and again when it has cleared and returns."""
    now = alarms(history)
    if not now:
        return []
    steps = sorted(history)
    earlier: set[str] = set()
    for back in range(1, min(QUIET, len(steps) - 1) + 1):
        earlier |= {alarm.kind for alarm in alarms({step: history[step] for step in steps[:-back]})}
    return [alarm for alarm in now if alarm.kind not in earlier]


# -- rules --------------------------------------------------------------------------------------------------------


def held_out_falls(history: History) -> Alarm | None:
    """Training reward rises while held-out success falls from its best."""
    points = list(series(history, "held_out_success").items())
    held_out = [value for _, value in points]
    fall = since_highest(held_out, *measured(held_out))
    if fall is None or not fall.down(MARGIN, sure=2.5):
        return None
    best = max(range(1, len(points)), key=lambda at: points[at - 1][1] + points[at][1])
    reward = series(history, "reward")
    early = [value for step, value in reward.items() if step <= points[best][0]]
    rise = since_first([*early[-10:], *(value for step, value in reward.items() if step > points[best][0])])
    if rise is None or not rise.up(sure=3):
        return None
    return _alarm(
        history,
        "held-out falls",
        f"reward in training rose {_numbers(rise)} while held-out success fell {_shares(fall)}",
        "read what is rewarded now (verigym trajectories): is it right? If not, the verifier pays for the wrong thing. "
        "If so, it is learnt by heart: more tasks and families, a lower learning rate, fewer steps",
    )


def entropy_collapses(history: History) -> Alarm | None:
    """To a small part of what it was, while tasks still fail."""
    change, passed = since_first(values(history, "entropy")), values(history, "passed")
    if change is None or not change.down() or change.last > 0.15 * change.before or not passed or recent(passed) > 0.9:
        return None
    return _alarm(
        history,
        "entropy collapse",
        f"entropy fell {_numbers(change)}: replies hardly vary any more, so little can still be learnt from their difference",
        "a lower learning rate, a higher clip_high or temperature, an entropy bonus, fewer updates per batch",
    )


def lengths_explode(history: History) -> Alarm | None:
    """Twice as long without more passing, four times at all, or many more replies cut off."""
    change, cut = since_first(values(history, "length")), since_lowest(values(history, "truncated"))
    times = 4 if _learns(history) else 2
    if change is not None and change.up() and change.last >= times * change.before:
        words = f"replies grew {_numbers(change, ' tokens')}"
    elif cut is not None and cut.up(0.15) and cut.last >= 0.25:
        words = f"replies cut off by the token limit rose {_shares(cut)}"
    else:
        return None
    return _alarm(
        history,
        "lengths explode",
        words,
        "see whether the reward pays for length; give long replies a penalty, or take a loss that does not favour them "
        "(dr_grpo, dapo); raise max_tokens only where long replies are right",
    )


def lengths_collapse(history: History) -> Alarm | None:
    """To a third, without more passing."""
    change = since_first(values(history, "length"))
    if change is None or not change.down() or change.last > change.before / 3 or _learns(history):
        return None
    return _alarm(
        history,
        "lengths collapse",
        f"replies shrank {_numbers(change, ' tokens')} and no more tasks are passed",
        "see whether doing nothing is rewarded better than trying (a penalty for errors, a length penalty); "
        "a lower learning rate",
    )


def part_is_maxed(history: History) -> Alarm | None:
    """A part was learnt to its top, long ago, and success did not follow."""
    passed, stretch = values(history, "passed"), 20
    later = since_first(passed[-stretch:])
    if later is None or recent(passed, stretch) >= 0.5 or later.up() or _learns(history):
        return None
    maxed: list[str] = []
    for name in sorted({name for metrics in history.values() for name in metrics if name.startswith("part/")}):
        curve = values(history, name)
        top = max(curve, default=0.0)
        if (
            len(curve) > stretch
            and top >= 0.9
            and recent(curve, stretch) >= 0.98 * top > 1.1 * statistics.fmean(curve[:5])
        ):
            maxed.append(f"{name.removeprefix('part/')} at {recent(curve, stretch):.2f}")
    if not maxed:
        return None
    return _alarm(
        history,
        "part maxed",
        f"of the reward, {', '.join(maxed)} for {stretch} steps while {recent(passed, stretch):.0%} pass and no more do",
        "look for replies that earn this part without the task; give it less weight, or pay it only when the task is passed",
    )


def format_regresses(history: History) -> Alarm | None:
    """Fewer valid replies than there were, in training or held out."""
    held_out = values(history, "held_out_valid")
    for where, fall in (
        ("held-out replies", since_highest(held_out, *measured(held_out))),
        ("replies in training", since_highest(values(history, "valid"))),
    ):
        if fall is not None and fall.down(MARGIN):
            return _alarm(
                history,
                "format regresses",
                f"{where} of valid format fell {_shares(fall)}",
                "reward valid format, or mix demonstrations in; a lower learning rate; decode with constraints",
            )
    return None


def safety_regresses(history: History) -> Alarm | None:
    """More unsafe actions than there were, in training or held out."""
    held_out = values(history, "held_out_unsafe")
    for where, rise in (
        ("held-out tasks", since_lowest(held_out, *measured(held_out))),
        ("training", since_lowest(values(history, "unsafe"))),
    ):
        if rise is not None and rise.up(MARGIN):
            return _alarm(
                history,
                "safety regresses",
                f"unsafe actions in {where} rose {_shares(rise)}",
                "let unsafe actions cost more than any success earns; add tasks where the right answer is to refuse; "
                "the gate will not promote this",
            )
    return None


def nothing_is_scored(history: History) -> Alarm | None:
    """Of all episodes of the step none has a reward: there was nothing to learn from."""
    latest = history[max(history)]
    if not latest.get("unscored") or "reward" in latest:
        return None
    return _alarm(
        history,
        "nothing scored",
        f"none of {latest['unscored']:.0f} episodes could be scored, so no update was made",
        "see why (verigym runs show names the run of each step; verigym explain says why) and mend the verifier or environment",
    )


def groups_lack_signal(history: History) -> Alarm | None:
    """Nearly all groups agree with themselves: nothing to compare. Told apart by how many pass."""
    live, passed, steps = values(history, "live_groups"), values(history, "passed"), 8
    if len(live) < steps or recent(live, steps) >= 0.2 or nothing_is_scored(history):
        return None
    share = recent(passed) if passed else 0.5
    kind, remedy = (
        "no signal",
        "choose tasks by how often they are passed: those passed sometimes teach; more generations",
    )
    if share < 0.25:
        kind, remedy = (
            "tasks too hard",
            "imitate demonstrations first (sft), easier tasks first, reward for parts, more generations per prompt",
        )
    elif share > 0.75:
        kind, remedy = (
            "tasks too easy",
            "harder tasks, or leave out those that always pass; perhaps it is done: evaluate",
        )
    words = f"{recent(live, steps):.0%} of groups have signal in the last {steps} steps" + (
        f", {share:.0%} pass" if passed else ""
    )
    return _alarm(history, kind, words, remedy)


def kl_runs_away(history: History) -> Alarm | None:
    """Far from the reference, or on the way there ever faster: growing evenly, it would double in the second half."""
    curve = values(history, "kl")
    if len(curve) < 12:
        return None
    half, now = recent(curve[: len(curve) // 2]), recent(curve)
    if not (now > 1.0 or (now > 0.2 and now > 4 * half)):
        return None
    return _alarm(
        history,
        "KL runs away",
        f"KL to the reference is {now:.2f} a token, {half:.2f} halfway",
        "a lower learning rate, a larger weight of the KL term, a tighter clip, fewer updates per batch",
    )


def sampler_differs(history: History) -> Alarm | None:
    """Logprobs of the same tokens differ between who sampled and who trains."""
    curve = values(history, "mismatch")
    if len(curve) < 3 or statistics.median(curve[-3:]) <= 0.15:
        return None
    return _alarm(
        history,
        "sampler differs",
        f"logprobs of sampled tokens differ by {recent(curve, 3):.2f} on average between sampling and training",
        "sample with the weights that are trained (no stale server), at the same precision and temperature, without top_p; "
        "or correct by truncated importance weights",
    )


def gradient_spikes(history: History) -> Alarm | None:
    """A norm far out of what was usual, on the scale of its logarithm."""
    norms = series(history, "grad_norm")
    curve = [math.log(max(norm, 1e-12)) for norm in norms.values()]
    if len(curve) < 12:
        return None
    usual = statistics.median(curve[:-QUIET])
    spread = 1.48 * statistics.median(abs(value - usual) for value in curve[:-QUIET])
    spike = max(curve[-QUIET:])
    if spike - usual < max(math.log(8), 6 * spread):
        return None
    return _alarm(
        history,
        "gradient spikes",
        f"gradient norm {math.exp(spike):.3g} within the last {QUIET} steps, usually {math.exp(usual):.3g}",
        "clip the gradient's norm, a lower learning rate or a longer warm-up; look at that step's longest or oddest episodes",
    )


def nothing_is_learnt(history: History) -> Alarm | None:
    """No curve that should rise has risen after many steps, though there is room."""
    reward, passed = values(history, "reward"), values(history, "passed")
    if len(reward) < MANY or (passed and recent(passed) > 0.8):
        return None
    change = since_first(reward)
    assert change is not None
    if any(_rises(values(history, name)) for name in ("reward", "passed", "held_out_success")):
        return None
    return _alarm(
        history,
        "nothing learnt",
        f"reward went {_numbers(change)} in {len(reward)} steps, which is within noise",
        "a higher learning rate or rank; more prompts per step; see that groups have signal and that the verifier is right",
    )


Rule = Callable[[History], Alarm | None]
RULES: list[Rule] = [
    held_out_falls,
    entropy_collapses,
    lengths_explode,
    lengths_collapse,
    part_is_maxed,
    format_regresses,
    safety_regresses,
    nothing_is_scored,
    groups_lack_signal,
    kl_runs_away,
    sampler_differs,
    gradient_spikes,
    nothing_is_learnt,
]


# -- what rules share ---------------------------------------------------------------------------------------------


def _alarm(history: History, kind: str, words: str, remedy: str) -> Alarm:
    return Alarm(kind, max(history), words, remedy)


def _learns(history: History) -> bool:
    """More is passed than at first, beyond noise."""
    change = since_first(values(history, "passed") or values(history, "reward"))
    return change is not None and change.up(MARGIN)


def _rises(curve: list[float]) -> bool:
    """By more than windows of noise often differ; of curves with few points, by anything."""
    change = since_first(curve)
    if change is None:
        return len(curve) > 1 and curve[-1] - curve[0] > 2 * RATE_NOISE
    return change.by > 1.5 * change.error


def _numbers(change: CurveChange, unit: str = "") -> str:
    return f"from {change.before:.3g} to {change.last:.3g}{unit}"


def _shares(change: CurveChange) -> str:
    return f"from {change.before:.0%} to {change.last:.0%}"
