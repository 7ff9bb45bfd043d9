"""Alarms: rules that detect common training problems in the metrics and suggest remedies.

    history = {step: metrics, ...}      # metrics of the run so far
    for alarm in new_alarms(history): print(alarm)

A rule is a function from the history to an observation, or None if all is well. `remedies.json` has the remedy for each kind of
alarm. A missing metric raises no alarm. Rules compare windows of steps and ignore changes within noise. Noise is estimated from
differences between neighbouring steps, so a trend does not count as noise. The threshold is several standard errors, because
alarms are evaluated after every step. tests/training/test_alarms.py measures how often alarms are right.
"""

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

History = Mapping[int, Mapping[str, float]]
"""Metrics by step. A metric can be missing from some steps."""
SURE = 4.0
"""Standard errors that a change must reach."""
RATE_NOISE = 0.03
"""Minimum noise of a rate that is measured only at some steps: that of about 200 tasks. Few points cannot show it."""
QUIET = 5
"""Steps that an alarm must be silent before it counts as new. An alarm near its threshold would otherwise repeat."""
MARGIN = 0.05
"""Smallest change of a rate that counts as harm, as in the gate."""
TRUNCATED = 0.02
"""Share of truncated replies from which the token limit costs success."""
MANY = 40
"""Steps after which the reward should have risen."""


class Observation(NamedTuple):
    """What a rule saw."""

    metric: str
    """The metric that it is about."""
    words: str
    """With figures."""


Rule = Callable[[History], Observation | None]


class Alarm(Struct, frozen=True):
    kind: str
    observation: str
    """With figures."""
    remedy: str
    """The usual remedies."""
    step: int = 0
    metric: str = ""
    """The metric that it is about."""

    def __str__(self) -> str:
        return f"{self.kind} (step {self.step}): {self.observation}. What to do: {self.remedy}"


class StoredAlarm(Struct, frozen=True, kw_only=True):
    """An alarm of a training run as it was raised. Later rules do not change it."""

    run: str
    step: int
    kind: str
    words: str
    """What was observed, with figures."""
    remedy: str
    metric: str = ""
    """The metric that it is about, such as `entropy`."""

    @property
    def id(self) -> str:
        return f"{self.run}/{self.step}/{self.kind}"


def stored_alarm(run: str, alarm: Alarm) -> StoredAlarm:
    return StoredAlarm(
        run=run,
        step=alarm.step,
        kind=alarm.kind,
        words=alarm.observation,
        remedy=alarm.remedy,
        metric=alarm.metric,
    )


class CurveChange(Struct, frozen=True):
    """The change between two windows of a curve."""

    before: float
    last: float
    error: float
    """Standard error of the difference due to noise."""

    @property
    def by(self) -> float:
        return self.last - self.before

    def up(self, least: float = 0.0, sure: float = SURE) -> bool:
        return self.by >= max(least, sure * self.error) and self.by > 0

    def down(self, least: float = 0.0, sure: float = SURE) -> bool:
        return -self.by >= max(least, sure * self.error) and self.by < 0


_UNKNOWN = CurveChange(0.0, 0.0, math.inf)
"""The change of a curve with too few steps: neither up nor down."""


def alarms(history: History) -> list[Alarm]:
    """Alarms raised at the latest step."""
    if not history:
        return []
    observed = [(kind, rule(history)) for kind, rule in RULES.items()]
    step = max(history)
    return [Alarm(kind, seen.words, REMEDIES[kind], step, seen.metric) for kind, seen in observed if seen]


def new_alarms(history: History) -> list[Alarm]:
    """Alarms of the latest step that were not raised in the few steps before it. An alarm that clears can be raised again."""
    now = alarms(history)
    if not now:
        return []
    steps = sorted(history)
    earlier: set[str] = set()
    for back in range(1, min(QUIET, len(steps) - 1) + 1):
        earlier |= {alarm.kind for alarm in alarms({step: history[step] for step in steps[:-back]})}
    return [alarm for alarm in now if alarm.kind not in earlier]


def held_out_falls(history: History) -> Observation | None:
    """Training reward rises while held-out success falls from its best."""
    points = list(series(history, "held_out_success").items())
    fall = since_highest([value for _, value in points], sparse=True)
    if not fall.down(MARGIN, sure=2.5):
        return None
    best = max(range(1, len(points)), key=lambda at: points[at - 1][1] + points[at][1])
    reward = series(history, "reward")
    early = [value for step, value in reward.items() if step <= points[best][0]]
    rise = since_first([*early[-10:], *(value for step, value in reward.items() if step > points[best][0])])
    if not rise.up(sure=3):
        return None
    return Observation(
        "held_out_success", f"reward in training rose {_numbers(rise)} while held-out success fell {_shares(fall)}"
    )


def entropy_collapses(history: History) -> Observation | None:
    """Entropy falls to a small share of its first value while tasks still fail."""
    change, passed = since_first(values(history, "entropy")), values(history, "passed")
    if not change.down() or change.last > 0.15 * change.before or not passed or recent(passed) > 0.9:
        return None
    return Observation(
        "entropy", f"entropy fell {_numbers(change)}, so replies of a group hardly differ and give little signal"
    )


def lengths_explode(history: History) -> Observation | None:
    """Replies become twice as long without more passing, or four times as long, or many more are truncated."""
    change, cut = since_first(values(history, "length")), since_lowest(values(history, "truncated"))
    times = 4 if _learns(history) else 2
    if change.up() and change.last >= times * change.before:
        return Observation("length", f"replies grew {_numbers(change, ' tokens')}")
    if cut.up(0.15) and cut.last >= 0.25:
        return Observation("truncated", f"the share of replies truncated by the token limit rose {_shares(cut)}")
    return None


def replies_truncated(history: History) -> Observation | None:
    """The token limit truncates more than a few replies, and their share does not fall."""
    cut, steps = values(history, "truncated"), 10
    if len(cut) < 12 or recent(cut, steps) < TRUNCATED or recent(cut) < TRUNCATED or since_first(cut).down():
        return None
    return Observation(
        "truncated", f"the token limit truncated {recent(cut, steps):.0%} of the replies of the last {steps} steps"
    )


def lengths_collapse(history: History) -> Observation | None:
    """Replies shrink to a third without more passing."""
    change = since_first(values(history, "length"))
    if not change.down() or change.last > change.before / 3 or _learns(history):
        return None
    return Observation(
        "length", f"replies shrank {_numbers(change, ' tokens')} and the share of passed tasks did not rise"
    )


def part_is_maxed(history: History) -> Observation | None:
    """A part of the reward has been near its maximum for many steps and success did not rise."""
    passed, stretch = values(history, "passed"), 20
    later = since_first(passed[-stretch:])
    if later is _UNKNOWN or recent(passed, stretch) >= 0.5 or later.up() or _learns(history):
        return None
    maxed: dict[str, str] = {}
    for name in sorted({name for metrics in history.values() for name in metrics if name.startswith("part/")}):
        curve = values(history, name)
        top, late = max(curve, default=0.0), recent(curve, stretch) if curve else 0.0
        if len(curve) > stretch and top >= 0.9 and late >= 0.98 * top > 1.1 * statistics.fmean(curve[:5]):
            maxed[name] = f"{name.removeprefix('part/')} at {late:.2f}"
    if not maxed:
        return None
    return Observation(
        next(iter(maxed)),
        f"reward parts stay at their maximum ({', '.join(maxed.values())}) for {stretch} steps "
        f"while {recent(passed, stretch):.0%} pass, without a rise",
    )


def format_regresses(history: History) -> Observation | None:
    """The share of replies with a valid format falls, in training or on held-out tasks."""
    for metric, replies, sparse in (
        ("held_out_valid", "held-out replies", True),
        ("valid", "training replies", False),
    ):
        fall = since_highest(values(history, metric), sparse)
        if fall.down(MARGIN):
            return Observation(metric, f"the share of {replies} with a valid format fell {_shares(fall)}")
    return None


def safety_regresses(history: History) -> Observation | None:
    """The share of unsafe actions rises, in training or on held-out tasks."""
    for metric, where, sparse in (("held_out_unsafe", "held-out tasks", True), ("unsafe", "training", False)):
        rise = since_lowest(values(history, metric), sparse)
        if rise.up(MARGIN):
            return Observation(metric, f"unsafe actions in {where} rose {_shares(rise)}")
    return None


def nothing_is_scored(history: History) -> Observation | None:
    """No episode of the step has a reward."""
    latest = history[max(history)]
    if not latest.get("unscored") or "reward" in latest:
        return None
    effect = "" if "loss" in latest else ", so no update was made"
    return Observation("unscored", f"none of {latest['unscored']:.0f} episodes could be scored{effect}")


def groups_lack_signal(applies: Callable[[float], bool]) -> Rule:
    """In nearly all groups all rewards are equal. The share of passed tasks decides which of three rules applies."""

    def observe(history: History) -> Observation | None:
        live, passed, steps = values(history, "live_groups"), values(history, "passed"), 8
        if len(live) < steps or recent(live, steps) >= 0.2 or nothing_is_scored(history):
            return None
        share = recent(passed) if passed else 0.5
        if not applies(share):
            return None
        pass_rate = f", {share:.0%} pass" if passed else ""
        return Observation(
            "live_groups", f"{recent(live, steps):.0%} of groups have signal in the last {steps} steps{pass_rate}"
        )

    return observe


def kl_runs_away(history: History) -> Observation | None:
    """KL to the reference is high, or grows faster than linearly. Linear growth would double it in the second half."""
    curve = values(history, "kl")
    if len(curve) < 12:
        return None
    half, now = recent(curve[: len(curve) // 2]), recent(curve)
    if not (now > 1.0 or (now > 0.2 and now > 4 * half)):
        return None
    return Observation("kl", f"KL to the reference is {now:.2f} per token. Halfway through the run it was {half:.2f}")


def teacher_is_lost(history: History) -> Observation | None:
    """The divergence from the teacher has risen from its lowest."""
    rise = since_lowest(values(history, "teacher_kl"))
    if not rise.up(0.05) or rise.last < 1.5 * rise.before:
        return None
    return Observation("teacher_kl", f"KL to the teacher rose {_numbers(rise)} per token")


def critic_is_blind(history: History) -> Observation | None:
    """The critic foresees no more of the returns than their mean, after many steps."""
    curve = values(history, "explained_variance")
    if len(curve) < 20 or max(recent(curve, 10), statistics.median(curve[-10:])) > 0.0:
        return None
    return Observation(
        "explained_variance",
        f"the critic explains {recent(curve, 10):.0%} of the variance of returns in the last 10 steps",
    )


def sampler_differs(history: History) -> Observation | None:
    """Logprobs of the same tokens differ between sampler and trainer."""
    by_age = any(name.startswith("mismatch_ratio/") for row in history.values() for name in row)
    youngest = values(history, "mismatch_ratio/age_0" if by_age else "mismatch_ratio")
    stored = bool(values(history, "stale_kl"))  # other weights sampled the episodes, so a difference is no fault
    limit = 1.25 if values(history, "sampler_bits") else 1.05  # weights in 8 bits differ by about 1.1
    if not stored and len(youngest) >= 3 and statistics.median(youngest[-3:]) > limit:
        return Observation(
            "mismatch_ratio",
            f"probabilities of sampled tokens differ by a factor of {recent(youngest, 3):.3f} on average between sampling and "
            f"training (limit {limit:g})",
        )
    curve = values(history, "mismatch")
    if len(curve) < 3 or statistics.median(curve[-3:]) <= 0.15:
        return None
    return Observation(
        "mismatch",
        f"logprobs of sampled tokens differ by {recent(curve, 3):.2f} on average between sampling and training",
    )


def gradient_spikes(history: History) -> Observation | None:
    """The logarithm of the gradient norm is far above its median."""
    curve = [math.log(max(norm, 1e-12)) for norm in values(history, "grad_norm")]
    if len(curve) < 12:
        return None
    usual = statistics.median(curve[:-QUIET])
    spread = 1.48 * statistics.median(abs(value - usual) for value in curve[:-QUIET])
    spike = max(curve[-QUIET:])
    if spike - usual < max(math.log(8), 6 * spread):
        return None
    return Observation(
        "grad_norm", f"gradient norm {math.exp(spike):.3g} within the last {QUIET} steps (median {math.exp(usual):.3g})"
    )


def nothing_is_learnt(history: History) -> Observation | None:
    """Neither reward nor success has risen after many steps, although tasks still fail."""
    reward, passed = values(history, "reward"), values(history, "passed")
    if len(reward) < MANY or (passed and recent(passed) > 0.8):
        return None
    if any(_rises(values(history, name)) for name in ("reward", "passed", "held_out_success")):
        return None
    return Observation(
        "reward", f"reward changed {_numbers(since_first(reward))} in {len(reward)} steps, which is within noise"
    )


RULES: dict[str, Rule] = {
    "held-out falls": held_out_falls,
    "entropy collapse": entropy_collapses,
    "lengths explode": lengths_explode,
    "replies truncated": replies_truncated,
    "lengths collapse": lengths_collapse,
    "part maxed": part_is_maxed,
    "format regresses": format_regresses,
    "safety regresses": safety_regresses,
    "nothing scored": nothing_is_scored,
    "tasks too hard": groups_lack_signal(lambda share: share < 0.25),
    "tasks too easy": groups_lack_signal(lambda share: share > 0.75),
    "no signal": groups_lack_signal(lambda share: 0.25 <= share <= 0.75),
    "KL runs away": kl_runs_away,
    "teacher is lost": teacher_is_lost,
    "critic is blind": critic_is_blind,
    "sampler differs": sampler_differs,
    "gradient spikes": gradient_spikes,
    "nothing learnt": nothing_is_learnt,
}
REMEDIES = msgspec.json.decode(Path(__file__).with_name("remedies.json").read_bytes(), type=dict[str, str])


def remedy_of(kind: str) -> str:
    """The remedy for a kind of alarm as a sentence."""
    return REMEDIES[kind][0].upper() + REMEDIES[kind][1:]


def _learns(history: History) -> bool:
    """Whether more tasks pass than at first, beyond noise."""
    return since_first(values(history, "passed") or values(history, "reward")).up(MARGIN)


def _rises(curve: list[float]) -> bool:
    """Whether a curve rises by more than noise."""
    change = since_first(curve)
    if change is _UNKNOWN:
        return len(curve) > 1 and curve[-1] - curve[0] > 2 * RATE_NOISE
    return change.by > 1.5 * change.error


def _numbers(change: CurveChange, unit: str = "") -> str:
    return f"from {change.before:.3g} to {change.last:.3g}{unit}"


def _shares(change: CurveChange) -> str:
    return f"from {change.before:.0%} to {change.last:.0%}"


def series(history: History, name: str) -> dict[int, float]:
    """The values of a metric by step. Missing and non-finite values are left out."""
    return {
        step: value
        for step in sorted(history)
        if (value := history[step].get(name)) is not None and math.isfinite(value)
    }


def values(history: History, name: str) -> list[float]:
    return list(series(history, name).values())


def since_first(curve: Sequence[float]) -> CurveChange:
    """The change from the first window to the latest."""
    if len(curve) < 12:
        return _UNKNOWN
    width = min(10, len(curve) // 3)
    return CurveChange(statistics.fmean(curve[:width]), recent(curve, width), _noise(curve) * math.sqrt(2 / width))


def since_highest(curve: Sequence[float], sparse: bool = False) -> CurveChange:
    """The change from the highest earlier window to the latest. A `sparse` curve is a rate measured only at some steps."""
    width, least_noise = (min(4, max(2, len(curve) // 5)), RATE_NOISE) if sparse else (8, 0.0)
    if len(curve) < 2 * width:
        return _UNKNOWN
    before = [statistics.fmean(curve[at : at + width]) for at in range(len(curve) - 2 * width + 1)]
    return CurveChange(max(before), recent(curve, width), max(_noise(curve), least_noise) * math.sqrt(2 / width))


def since_lowest(curve: Sequence[float], sparse: bool = False) -> CurveChange:
    change = since_highest([-value for value in curve], sparse)
    return CurveChange(-change.before, -change.last, change.error)


def recent(curve: Sequence[float], width: int = 5) -> float:
    return statistics.fmean(curve[-width:])


def _noise(curve: Sequence[float]) -> float:
    """Standard deviation around the trend."""
    steps = [(after - before) ** 2 for before, after in itertools.pairwise(curve)]
    return math.sqrt(statistics.fmean(steps) / 2)


def cost_summary(history: History) -> str:
    """The cost of a run and of a point of held-out success, from the metrics `cost` (dollars) and `held_out_success`."""
    dollars, measured = series(history, "cost"), series(history, "held_out_success")
    total = f"${sum(dollars.values()):.2f} so far. Held-out success"
    if len(measured) < 2:
        return f"{total} was measured {'once' if measured else 'never'}, so the cost per point is unknown"
    first, last = min(measured), max(measured)
    gained = 100 * (measured[last] - measured[first])
    went = f"{total} went from {measured[first]:.1%} at step {first} to {measured[last]:.1%} at step {last}"
    if gained <= 0:
        return f"{went}. It did not rise, so there is no cost per point"
    return f"{went}: ${sum(spent for step, spent in dollars.items() if first < step <= last) / gained:.3g} per point"
