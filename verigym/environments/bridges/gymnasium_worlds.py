"""The games of Gymnasium's toy_text in words: what a player reads, what a player may say, and how a planner plays.

A game gets the environment that `gymnasium.make` returned, unwrapped. Nothing here changes an environment or a reward.
"""

import functools
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

_DISCOUNT = 0.999
"""Below 1, so that the planner prefers short ways."""
_SMALL = 1e-9
_COLOURS = ("Red", "Green", "Yellow", "Blue")
_MOVES = ("left", "down", "right", "up")


class Game(msgspec.Struct, frozen=True):
    """One game of toy_text."""

    actions: tuple[str, ...]
    """Words of the actions, in the order of their numbers."""
    rules: str
    describe: Callable[[Any, Any], str]
    """`describe(env, observation)`: what the player sees."""
    start: Callable[[Any, Any], str]
    """What tells one start from another. Tasks with the same start are one family."""
    won: Callable[[Any, float], bool]
    """`won(env, reward of the last step)`, asked when the game has ended."""
    plan: Callable[[Any], Callable[[Any], int]]
    """`plan(env)` gives the action for an observation. The planner knows the rules, and not the luck of an episode."""


def _rows(desc: Any) -> list[str]:
    return [b"".join(row).decode() for row in desc]


def _marked(desc: Any, observation: int) -> str:
    """The map with the player at `*`."""
    rows = [list(row) for row in _rows(desc)]
    row, column = divmod(observation, len(rows[0]))
    rows[row][column] = "*"
    return "\n".join("".join(row) for row in rows)


# -- planning -------------------------------------------------------------------------------------------------------------


def _by_values(env: Any) -> Callable[[Any], int]:
    """Value iteration on the table of transitions that the environment shows as `P`."""
    states, actions = len(env.P), len(env.P[0])
    most = max(len(env.P[s][a]) for s in env.P for a in env.P[s])
    chance = np.zeros((states, actions, most))
    after = np.zeros((states, actions, most), dtype=int)
    reward, goes_on = np.zeros_like(chance), np.zeros_like(chance)
    for s, by_action in env.P.items():
        for a, transitions in by_action.items():
            for n, (p, to, earned, ended) in enumerate(transitions):
                chance[s, a, n], after[s, a, n], reward[s, a, n], goes_on[s, a, n] = p, to, earned, not ended
    values = np.zeros(states)
    while True:
        by_action = (chance * (reward + _DISCOUNT * goes_on * values[after])).sum(axis=2)
        better = by_action.max(axis=1)
        if np.abs(better - values).max() < _SMALL:
            best = by_action.argmax(axis=1)
            return lambda observation: int(best[observation])
        values = better


@functools.cache
def _dealer(total: int, ace: bool) -> dict[int, float]:
    """Chances of the dealer's final total (0 for more than 21)."""
    if total > 21:
        return {0: 1.0}
    if total >= 17:
        return {total: 1.0}
    chances: dict[int, float] = {}
    for card in range(1, 11):
        for final, p in _dealer(*_with(total, ace, card)).items():
            chances[final] = chances.get(final, 0.0) + p * _chance(card)
    return chances


def _chance(card: int) -> float:
    return (4 if card == 10 else 1) / 13


def _with(total: int, ace: bool, card: int) -> tuple[int, bool]:
    """A hand after one more card. `ace`: an ace counts as 11."""
    total, ace = (total + 11, True) if card == 1 and total + 11 <= 21 else (total + card, ace)
    return (total - 10, False) if total > 21 and ace else (total, ace)


@functools.cache
def _stick(total: int, shown: int) -> float:
    chances = _dealer(11, True) if shown == 1 else _dealer(shown, False)
    return sum(p * ((total > final) - (total < final)) for final, p in chances.items())


@functools.cache
def _best(total: int, ace: bool, shown: int) -> tuple[float, int]:
    """Expected reward and action (0 stick, 1 hit) of a hand."""
    if total > 21:
        return -1.0, 0
    hit = sum(_chance(card) * _best(*_with(total, ace, card), shown)[0] for card in range(1, 11))
    stick = _stick(total, shown)
    return (hit, 1) if hit > stick else (stick, 0)


def _cards(env: Any) -> Callable[[Any], int]:
    return lambda observation: _best(int(observation[0]), bool(observation[2]), int(observation[1]))[1]


# -- games ----------------------------------------------------------------------------------------------------------------


def _taxi(env: Any, observation: int) -> str:
    row, column, passenger, destination = env.decode(observation)
    places = [f"{name} (row {r}, column {c})" for name, (r, c) in zip(_COLOURS, env.locs, strict=True)]
    who = "in the taxi" if passenger == len(places) else f"at {places[passenger]}"
    useful = [word for word, counts in zip(TAXI.actions, env.action_mask(observation), strict=True) if counts]
    return (
        f"The taxi is at row {row}, column {column}. The passenger is {who}. The destination is {places[destination]}.\n"
        f"Actions that change something: {', '.join(useful)}."
    )


def _hand(env: Any, observation: Any) -> str:
    total, shown, ace = (int(each) for each in observation)
    return (
        f"Your hand counts {total}{' with an ace that counts 11' if ace else ''}. "
        f"The dealer shows {'an ace' if shown == 1 else shown}."
    )


TAXI = Game(
    actions=("south", "north", "east", "west", "pickup", "dropoff"),
    rules="""You drive a taxi on a grid of 5 rows and 5 columns. Row 0 is north and column 0 is west. Pick up the passenger and
drop the passenger off at the destination. You cannot drive through a wall (|).
+---------+
|R: | : :G|
| : | : : |
| : : : : |
| | : | : |
|Y| : |B: |
+---------+""",
    describe=_taxi,
    start=lambda env, observation: f"state-{observation}",
    won=lambda env, reward: reward > 0,
    plan=_by_values,
)
LAKE = Game(
    actions=_MOVES,
    rules="""Cross the frozen lake from S to G. F is ice, H is a hole, * is you. The game ends if you fall into a hole.""",
    describe=lambda env, observation: _marked(env.desc, observation),
    start=lambda env, observation: "/".join(_rows(env.desc)),
    won=lambda env, reward: bytes(env.desc.flat[env.s]) == b"G",
    plan=_by_values,
)
CLIFF = Game(
    actions=("up", "right", "down", "left"),
    rules="""Walk from S to G on a grid. C is a cliff: if you step on it, you begin again at S. * is you.""",
    describe=lambda env, observation: _marked(_cliff(env), observation),
    start=lambda env, observation: f"state-{observation}",
    won=lambda env, reward: True,
    plan=_by_values,
)
CARDS = Game(
    actions=("stick", "hit"),
    rules="""Play one hand of blackjack against a dealer. The higher hand wins, and a hand above 21 loses. Cards are drawn from a
deck that never ends. An ace counts 11, or 1 if the hand would be above 21. "hit" takes a card. "stick" ends your turn. Then the
dealer draws until the dealer's hand counts 17 or more.""",
    describe=_hand,
    start=lambda env, observation: "-".join(str(int(each)) for each in observation),
    won=lambda env, reward: reward > 0,
    plan=_cards,
)
GAMES = {
    "Taxi-v4": TAXI,
    "FrozenLake-v1": LAKE,
    "FrozenLake8x8-v1": LAKE,
    "CliffWalking-v1": CLIFF,
    "CliffWalkingSlippery-v1": CLIFF,
    "Blackjack-v1": CARDS,
}
"""By the id in Gymnasium's registry."""


def _cliff(env: Any) -> Any:
    grid = np.full(env.shape, b"F")
    grid[env._cliff] = b"C"
    grid.flat[env.start_state_index] = b"S"
    grid[-1, -1] = b"G"
    return grid
