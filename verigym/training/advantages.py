"""Advantages: how much better an episode was than the others of its group. G episodes of a group, R rewards of an episode.

An episode without a reward (its verifier or the infrastructure failed) gets advantage 0 and counts in no mean.
"""

import math
from collections.abc import Sequence

from verigym.training.recipe import Advantage

TOLERANCE = 1e-6
"""Rewards closer than this count as equal, so their group has no signal."""
_EPS = 1e-4

Rewards = Sequence[float | None]


def advantages(groups: Sequence[Rewards], settings: Advantage = Advantage()) -> list[list[float]]:
    """The advantage of every episode of every group of a batch."""
    centred = [_less_others(group) if settings.baseline == "others" else _less_mean(group) for group in groups]
    if settings.scale == "none":
        return [[value or 0.0 for value in group] for group in centred]
    overall = _deviation([reward for group in groups for reward in group])
    return [
        [(value or 0.0) / ((_deviation(group) if settings.scale == "group" else overall) + _EPS) for value in values]
        for group, values in zip(groups, centred, strict=True)
    ]


def advantages_of_each(
    groups: Sequence[Sequence[Sequence[float] | None]], weights_R: Sequence[float]
) -> list[list[float]]:
    """Advantages from several rewards: each is compared within its group, then summed by weight and scaled over the batch
    (gdpo)."""
    summed: list[list[float | None]] = []
    for group in groups:
        total = [None if row is None else 0.0 for row in group]
        for place, weight in enumerate(weights_R):
            [own] = advantages([[None if row is None else row[place] for row in group]])
            total = [None if now is None else now + weight * one for now, one in zip(total, own, strict=True)]
        summed.append(total)
    known = [value for group in summed for value in group if value is not None]
    mean, deviation = math.fsum(known) / max(len(known), 1), _deviation(known)
    return [[0.0 if value is None else (value - mean) / (deviation + _EPS) for value in group] for group in summed]


def step_advantages(groups: Sequence[Sequence[Sequence[float] | None]], settings: Advantage) -> list[list[list[float]]]:
    """The advantage of every turn: its discounted return compared with that of the same turn in the group's other episodes."""
    returns = [
        [None if rewards is None else _returns(rewards, settings.discount) for rewards in group] for group in groups
    ]
    longest = max((len(row) for group in returns for row in group if row is not None), default=0)
    made: list[list[list[float]]] = [[[] for _ in group] for group in groups]
    for turn in range(longest):
        at_turn = [[row[turn] if row is not None and turn < len(row) else None for row in group] for group in returns]
        for group, values, into in zip(returns, advantages(at_turn, settings), made, strict=True):
            for row, value, place in zip(group, values, into, strict=True):
                if row is not None and turn < len(row):
                    place.append(value)
    return made


def differ(rewards_G: Rewards) -> bool:
    known = _known(rewards_G)
    return len(known) > 1 and max(known) - min(known) > TOLERANCE


def overlong(tokens: int, max_tokens: int, buffer: int, penalty: float) -> float:
    """The penalty of a reply of `tokens` tokens: 0 before the buffer, then rising linearly to `penalty` at max_tokens."""
    return penalty * max(0, tokens - (max_tokens - buffer)) / buffer if buffer else 0.0


def _returns(rewards: Sequence[float], discount: float) -> list[float]:
    found: list[float] = []
    for reward in reversed(rewards):
        found.append(reward + discount * (found[-1] if found else 0.0))
    return found[::-1]


def _less_mean(rewards_G: Rewards) -> list[float | None]:
    known = _known(rewards_G)
    mean = math.fsum(known) / max(len(known), 1)
    return [None if reward is None or len(known) < 2 else reward - mean for reward in rewards_G]


def _less_others(rewards_G: Rewards) -> list[float | None]:
    known = _known(rewards_G)
    total, others = math.fsum(known), len(known) - 1
    return [None if reward is None or others < 1 else reward - (total - reward) / others for reward in rewards_G]


def _deviation(rewards: Rewards) -> float:
    """The sample standard deviation (n - 1). 0 for fewer than two rewards."""
    known = _known(rewards)
    if len(known) < 2:
        return 0.0
    mean = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((reward - mean) ** 2 for reward in known) / (len(known) - 1))


def _known(rewards: Rewards) -> list[float]:
    known = [reward for reward in rewards if reward is not None]
    assert all(map(math.isfinite, known)), "a reward must be finite"
    return known
