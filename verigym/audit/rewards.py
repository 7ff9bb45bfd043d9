"""Describes a verifier's rewards on real outputs: how they are distributed, how its parts relate to passing, and how much of
the reward does not depend on passing. Plain functions of verdicts."""

import statistics
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from verigym.audit.scripted_episodes import Answer
from verigym.core.records import Verdict
from verigym.core.words import percent

_BARS = 10
_HALF = 0.5
_HIGH = 0.75
"""A part says little if its mean for failed outputs is at least this share of its mean for passed ones."""
_SAME = 0.95
"""If this share of the outputs has one reward, there is little to learn."""


class RewardPart(Struct, frozen=True):
    """One of the verifier's parts, beside `passed`."""

    name: str
    passed: float | None
    """Mean of the outputs that passed, or None if none did."""
    failed: float | None
    relation: float | None
    """Point-biserial correlation with `passed`, -1 to 1, or None if one of the two is constant."""


def histogram(rewards: Sequence[float]) -> list[tuple[str, int]]:
    """Up to ten rows of label and count: one per value, or ten ranges of equal width if there are more values."""
    counts = Counter(round(reward, 6) for reward in rewards)
    if len(counts) <= _BARS:
        return [(f"{value:.3g}", counts[value]) for value in sorted(counts)]
    low, high = min(counts), max(counts)
    width = (high - low) / _BARS
    rows = [0] * _BARS
    for reward in rewards:
        rows[min(_BARS - 1, int((reward - low) / width))] += 1
    return [(f"{low + i * width:.3g} to {low + (i + 1) * width:.3g}", count) for i, count in enumerate(rows)]


def parts_of(verdicts: Sequence[Verdict]) -> list[RewardPart]:
    names = list(dict.fromkeys(name for verdict in verdicts for name in verdict.parts))
    return [_part(name, [verdict for verdict in verdicts if name in verdict.parts]) for name in names]


def _part(name: str, verdicts: Sequence[Verdict]) -> RewardPart:
    by_outcome = [[verdict.parts[name] for verdict in verdicts if verdict.passed is passed] for passed in (True, False)]
    passed, failed = (statistics.fmean(values) if values else None for values in by_outcome)
    relation = point_biserial([verdict.parts[name] for verdict in verdicts], [verdict.passed for verdict in verdicts])
    return RewardPart(name, passed, failed, relation)


def point_biserial(values: Sequence[float], passed: Sequence[bool]) -> float | None:
    """Pearson's correlation of a value with a yes or no, or None if one of the two is constant."""
    if statistics.pstdev(values) <= 1e-12 * max(1.0, max(map(abs, values), default=0.0)) or len(set(passed)) == 1:
        return None
    return max(-1.0, min(1.0, statistics.correlation(values, [float(ok) for ok in passed])))


def rewards_differ(verdicts: Sequence[Verdict]) -> Answer:
    """Equal rewards teach nothing."""
    rewards = [verdict.reward for verdict in verdicts if verdict.reward is not None]
    if not rewards:
        return "unclear", "no output has a reward"
    value, most = Counter(rewards).most_common(1)[0]
    low, high, n = min(rewards), max(rewards), len(rewards)
    passed = sum(verdict.passed for verdict in verdicts)
    words = f"{passed} of {n} passed, most frequent reward {value:.3g} ({_percent(most, n)})"
    if low < high:
        ends = [_percent(sum(reward == end for reward in rewards), n) for end in (low, high)]
        words += f", {ends[0]} at the minimum ({low:.3g}), {ends[1]} at the maximum ({high:.3g})"
    if most >= _SAME * n:
        words += ". Nearly all rewards are equal, so there is little to learn. Audit a run with mixed results"
        return "unclear", words
    if passed in (0, n):
        return "unclear", f"{words}. This run has no {'failed' if passed else 'passed'} output to compare with"
    return "pass", words


def passing_pays(verdicts: Sequence[Verdict]) -> Answer:
    """Partial rewards (shaping) help a policy to learn. With too much of them, it need not pass."""
    scored = [(verdict.reward, verdict.passed) for verdict in verdicts if verdict.reward is not None]
    good = [reward for reward, passed in scored if passed]
    bad = [reward for reward, passed in scored if not passed]
    if not scored:
        return "unclear", "no output has a reward"
    if not good or not bad:
        return "unclear", f"all {len(scored)} outputs {'passed' if good else 'failed'}, so there is nothing to compare"
    best, poorest, floor = max(bad), min(good), min(*bad, 0.0)
    words = f"the best failed output earns {best:.3g}, the worst passed one {poorest:.3g}"
    if best >= poorest:
        many = sum(reward >= poorest for reward in bad)
        return (
            "fail",
            f"{words}. {many} of {len(bad)} failed outputs earn as much as a passed one, so passing need not pay",
        )
    relation = point_biserial([reward for reward, _ in scored], [passed for _, passed in scored]) or 0.0
    share = (statistics.median(bad) - floor) / (poorest - floor)
    shaping = 100 * (1 - relation**2)
    words += f", the median failed one {share:.2f} of that. Shaping causes {shaping:.0f}% of the reward's variance"
    if share > _HALF:
        return "unclear", f"{words}. This is too much shaping: a policy earns a high reward without passing"
    if relation**2 < _HALF:
        return "unclear", f"{words}. This is too much shaping: the reward depends more on other parts than on passing"
    return "pass", words


def parts_that_say_little(parts: Sequence[RewardPart]) -> list[str]:
    """A sentence for each part that is nearly as high for failed outputs."""
    return [
        f"{part.name} is high for failed outputs too ({part.failed:.2f}), so it says little about passing"
        for part in parts
        if part.failed is not None and part.passed is not None and part.failed >= _HIGH * part.passed > 0
    ]


def _percent(count: int, n: int) -> str:
    return percent(count / n, 0)
