"""The games of Gymnasium's toy_text with the real package."""

import asyncio

import pytest

from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput
from verigym.core.records import Task
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec

BRIDGE = "gymnasium"


async def gold_rate(spec: EnvironmentSpec, tasks: list[Task]) -> tuple[int, int]:
    """How many gold solutions there are, and how many of them pass."""
    solved = [(task, replies) for task in tasks if (replies := spec.gold_replies(task))]
    played = [await play(spec, task, replies) for task, replies in solved]
    assert all(each.trajectory.error is None for each in played)
    return len(solved), sum(each.verdict.passed for each in played)


@pytest.mark.parametrize(
    ("where", "least"),
    [
        ("gymnasium:Taxi-v4", 1.0),
        ("gymnasium:FrozenLake-v1?maps=5&is_slippery=false", 1.0),
        ("gymnasium:CliffWalking-v1", 1.0),
        ("gymnasium:Taxi-v4?is_rainy=true", 1.0),
        ("gymnasium:FrozenLake-v1", 0.6),  # 0.74 in the long run
        ("gymnasium:Blackjack-v1", 0.3),  # 0.43 in the long run
    ],
)
def test_the_planner_wins_as_often_as_luck_allows_and_its_games_repeat(where: str, least: float) -> None:
    spec = load_environment(where)
    tasks = [*spec.tasks("train"), *spec.tasks("val")][:60]
    solved, passed = asyncio.run(gold_rate(spec, tasks))
    assert passed == solved and solved >= least * len(tasks)


def test_the_return_of_taxi_is_gymnasiums_own_and_doing_nothing_fails() -> None:
    spec = load_environment("gymnasium:Taxi-v4")
    task = spec.tasks("val")[0]
    gold = spec.gold_replies(task)
    won = asyncio.run(play(spec, task, gold))
    assert won.verdict.parts["return"] == 20 - (len(gold) - 1) == sum(won.trajectory.rewards)
    nothing = asyncio.run(play(spec, task, ["I drive."]))
    assert nothing.verdict.reward == 0.0 and "not finished after 0 steps" in nothing.verdict.evidence
    wrong = asyncio.run(play(spec, task, ["dropoff"]))
    assert wrong.trajectory.rewards[0] == -10.0 and "Actions that change something" in str(wrong.trajectory.items[2:])


def test_a_start_is_never_in_both_splits_and_a_game_with_one_start_is_held_out() -> None:
    taxi = load_environment("gymnasium:Taxi-v4")
    starts = [{task.data["start"] for task in taxi.tasks(split)} for split in ("train", "val")]
    assert starts[0] and starts[1] and not starts[0] & starts[1]
    cliff = load_environment("gymnasium:CliffWalking-v1")
    assert (len(cliff.tasks("train")), len(cliff.tasks("val"))) == (0, 1)


def test_episodes_at_once_share_nothing() -> None:
    spec = load_environment("gymnasium:Blackjack-v1")
    tasks = spec.tasks("val")[:20]

    async def run() -> tuple[list[float], list[float]]:
        alone = [await play(spec, task, ["hit", "hit", "stick"]) for task in tasks]
        together = await asyncio.gather(*(play(spec, task, ["hit", "hit", "stick"]) for task in tasks))
        return [each.verdict.parts["return"] for each in alone], [each.verdict.parts["return"] for each in together]

    alone, together = asyncio.run(run())
    assert alone == together and len(set(alone)) > 1


def test_an_option_that_gymnasium_refuses_is_named() -> None:
    with pytest.raises(BadInput, match=r"Gymnasium refuses these options: .*colour"):
        load_environment("gymnasium:Taxi-v4?colour=red")
    with pytest.raises(BadInput, match="only FrozenLake has maps"):
        load_environment("gymnasium:Taxi-v4?maps=4")
