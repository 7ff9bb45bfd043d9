"""Advantages: how much better an episode was than the others of its group. G episodes of a group, R rewards of an episode.

An episode without a reward (its verifier or the infrastructure failed) gets advantage 0 and counts in no mean.
"""

import itertools
import math
from collections.abc import Hashable, Sequence

import msgspec
from msgspec import Struct

from verigym.training.recipe_groups import Advantage

TOLERANCE = 1e-6
"""Rewards closer than this count as equal, so their group has no signal."""
_EPS = 1e-4

Rewards = Sequence[float | None]


class KlShare(Struct, frozen=True, kw_only=True):
    """What the divergence from the reference took off the rewards of a step (`loss.kl_in: reward`). The weights of the step
    are needed to compute it, so it is stored."""

    run: str
    step: int
    taken: dict[str, float]
    """Trajectory id to the amount that was subtracted from its reward."""


def advantages(groups: Sequence[Rewards], settings: Advantage = Advantage()) -> list[list[float]]:
    """The advantage of every episode of every group of a batch."""
    centred = [_centred(group, settings.baseline) for group in groups]
    if settings.scale == "none":
        return [[value or 0.0 for value in group] for group in centred]
    if settings.scale == "batch":
        overall = _of_batch(groups, centred, settings)
        return [[(value or 0.0) / (overall + _EPS) for value in values] for values in centred]
    return [
        [(value or 0.0) / (_deviation(group) + _EPS) for value in values]
        for group, values in zip(groups, centred, strict=True)
    ]


def _of_batch(groups: Sequence[Rewards], centred: Sequence[Rewards], settings: Advantage) -> float:
    """The deviation of the batch. That of the centred rewards of groups with signal measures how much episodes of one task
    differ. That of all rewards also counts how much tasks differ from each other, and groups that teach nothing."""
    if settings.scale_from != "advantages":
        return _deviation([reward for group in groups for reward in group])
    return _deviation(
        [value for group, values in zip(groups, centred, strict=True) if differ(group) for value in values]
    )


def advantages_of_each(
    groups: Sequence[Sequence[Sequence[float] | None]], weights_R: Sequence[float]
) -> list[list[float]]:
    """Advantages from several rewards: each is compared within its group, then summed by weight and scaled over the batch
    (gdpo)."""
    summed: list[list[float | None]] = []
    for group in groups:
        total = [None if row is None else 0.0 for row in group]
        for index, weight in enumerate(weights_R):
            [values] = advantages([[None if row is None else row[index] for row in group]])
            total = [None if sum is None else sum + weight * value for sum, value in zip(total, values, strict=True)]
        summed.append(total)
    scored = [value for group in summed for value in group if value is not None]
    mean, deviation = math.fsum(scored) / max(len(scored), 1), _deviation(scored)
    return [[0.0 if value is None else (value - mean) / (deviation + _EPS) for value in group] for group in summed]


def step_advantages(groups: Sequence[Sequence[Sequence[float] | None]], settings: Advantage) -> list[list[list[float]]]:
    """The advantage of every turn: its discounted return compared with that of the same turn in the group's other episodes."""
    numbers = [[None if rewards is None else [*range(len(rewards))] for rewards in group] for group in groups]
    return _turn_advantages(groups, numbers, settings)


def state_advantages(
    groups: Sequence[Sequence[Sequence[float] | None]],
    states: Sequence[Sequence[Sequence[Hashable] | None]],
    settings: Advantage,
) -> list[list[list[float]]]:
    """The advantage of every turn among the turns of its group that began in the same state, whenever that was: its discounted
    return compared with theirs (GiGPO). 0 for a state that only one turn began in."""
    return _turn_advantages(groups, states, settings)


def _turn_advantages(
    groups: Sequence[Sequence[Sequence[float] | None]],
    names: Sequence[Sequence[Sequence[Hashable] | None]],
    settings: Advantage,
) -> list[list[list[float]]]:
    """Compares the returns of turns of the same name within each group."""
    by_turn: list[list[list[float]]] = [[[0.0] * len(row or ()) for row in group] for group in groups]
    sets: dict[tuple[int, Hashable], list[tuple[int, int, float]]] = {}
    for number, (group, rows) in enumerate(zip(groups, names, strict=True)):
        for episode, (rewards, named) in enumerate(zip(group, rows, strict=True)):
            if rewards is not None:
                returns = _returns(rewards, 1.0 if settings.discount is None else settings.discount)
                for turn, (name, value) in enumerate(zip(named or (), returns, strict=True)):
                    sets.setdefault((number, name), []).append((episode, turn, value))
    for (number, _), members, values in zip(
        sets, sets.values(), _compared([*sets], [*sets.values()], settings), strict=True
    ):
        for (episode, turn, _), value in zip(members, values, strict=True):
            by_turn[number][episode][turn] = value
    return by_turn


def _compared(
    names: Sequence[tuple[int, Hashable]], sets: Sequence[Sequence[tuple[int, int, float]]], settings: Advantage
) -> list[list[float]]:
    """The advantages within sets of turns. A set of few has no deviation worth the name: two of them would always be 0.7 apart
    from their mean. It is compared with the others in it and not divided by its own deviation."""
    returns = [[value for *_, value in members] for members in sets]
    few = [len(members) < (settings.min_scaled or 0) for members in sets]
    others = msgspec.structs.replace(settings, baseline="others")
    if settings.scale != "batch":
        alone = msgspec.structs.replace(others, scale="none")
        return [advantages([one], alone if small else settings)[0] for one, small in zip(returns, few, strict=True)]
    centred = [_centred(one, "others" if small else settings.baseline) for one, small in zip(returns, few, strict=True)]
    if settings.scale_from == "advantages":
        overall = [_of_batch(returns, centred, settings)] * len(sets)
    else:  # turn by turn, as runs before this setting had it
        turns: dict[Hashable, list[float]] = {}
        for (_, name), one in zip(names, returns, strict=True):
            turns.setdefault(name, []).extend(one)
        overall = [_deviation(turns[name]) for _, name in names]
    return [
        [(value or 0.0) / (deviation + _EPS) for value in values]
        for values, deviation in zip(centred, overall, strict=True)
    ]


def differ(rewards_G: Rewards) -> bool:
    scored = _scored(rewards_G)
    return len(scored) > 1 and max(scored) - min(scored) > TOLERANCE


def overlong(tokens: int, max_tokens: int, buffer: int, penalty: float) -> float:
    """The penalty of a reply of `tokens` tokens: 0 before the buffer, then rising linearly to `penalty` at max_tokens."""
    return penalty * max(0, tokens - (max_tokens - buffer)) / buffer if buffer else 0.0


def success_penalties(
    passed_G: Sequence[bool],
    tokens_G: Sequence[int],
    turns_G: Sequence[int],
    length_penalty: float,
    turn_penalty: float,
) -> list[float]:
    """What length and turns take off the rewards of a group. A failed episode loses nothing: the model must not learn to fail
    quickly."""
    passing = [tokens for passed, tokens in zip(passed_G, tokens_G, strict=True) if passed]
    shortest, longest = (min(passing), max(passing)) if passing else (0, 0)
    return [
        length_penalty * ((tokens - shortest) / max(longest - shortest, 1)) + turn_penalty * max(turns - 1, 0)
        if passed
        else 0.0
        for passed, tokens, turns in zip(passed_G, tokens_G, turns_G, strict=True)
    ]


def _returns(rewards: Sequence[float], discount: float) -> list[float]:
    returns = itertools.accumulate(reversed(rewards), lambda later, reward: reward + discount * later)
    return [*returns][::-1]


def _centred(rewards_G: Rewards, baseline: str | None) -> list[float | None]:
    """Each reward less the mean of its group, or of the others in it. None for a group with fewer than two rewards."""
    scored = _scored(rewards_G)
    if len(scored) < 2:
        return [None] * len(rewards_G)
    total, others = math.fsum(scored), len(scored) - 1
    if baseline == "others":
        return [None if reward is None else reward - (total - reward) / others for reward in rewards_G]
    return [None if reward is None else reward - total / len(scored) for reward in rewards_G]


def _deviation(rewards: Rewards) -> float:
    """The sample standard deviation (n - 1). 0 for fewer than two rewards."""
    scored = _scored(rewards)
    if len(scored) < 2:
        return 0.0
    mean = math.fsum(scored) / len(scored)
    return math.sqrt(math.fsum((reward - mean) ** 2 for reward in scored) / (len(scored) - 1))


def _scored(rewards: Rewards) -> list[float]:
    scored = [reward for reward in rewards if reward is not None]
    assert all(map(math.isfinite, scored)), "a reward must be finite"
    return scored
