"""Advantages: how much better an episode was than the others of its group."""

import math
from collections.abc import Sequence

TOLERANCE = 1e-6
"""Rewards closer than this are equal: their group says nothing."""


def group_advantages(rewards_G: Sequence[float | None]) -> list[float]:
    """(reward - mean) / (standard deviation + 1e-4) within the group, Bessel's deviation.
    An episode without a reward (its verifier or the infrastructure failed) takes no part: advantage 0."""
    known = [reward for reward in rewards_G if reward is not None]
    assert all(map(math.isfinite, known)), "a reward must be finite"
    if len(known) < 2:
        return [0.0] * len(rewards_G)
    mean = math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((reward - mean) ** 2 for reward in known) / (len(known) - 1))
    return [0.0 if reward is None else (reward - mean) / (deviation + 1e-4) for reward in rewards_G]


def has_signal(rewards_G: Sequence[float | None]) -> bool:
    known = [reward for reward in rewards_G if reward is not None]
    return len(known) > 1 and max(known) - min(known) > TOLERANCE
