"""Bridges to Gymnasium, Aviary, OpenEnv, AgentDojo, ScienceWorld and Harbor: names, options and missing packages. Their packages
are not needed here."""

from pathlib import Path

import pytest

from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Task, Trajectory
from verigym.environments.bridges.gymnasium import action_in, won_game
from verigym.environments.bridges.gymnasium_worlds import CARDS, GAMES
from verigym.environments.bridges.openenv import shown
from verigym.environments.bridges.sum_of_rewards import SumOfRewards
from verigym.environments.load import load_environment


@pytest.mark.parametrize(
    ("where", "bridge"),
    [
        ("gymnasium:Taxi-v4", "gymnasium"),
        ("aviary:dummy", "aviary"),
        ("openenv:examples/openenv_guess.py:app", "openenv"),
        ("agentdojo:banking", "agentdojo"),
        ("scienceworld:boil", "scienceworld"),
    ],
)
def test_a_missing_package_is_named_with_its_command(
    where: str, bridge: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", f"{tmp_path}/empty")
    with pytest.raises(BadInput, match=f"verigym bridges install {bridge}"):
        load_environment(where)


@pytest.mark.parametrize(
    ("where", "kind", "words"),
    [
        ("gymnasium:Taxi-v5", NotFound, 'Did you mean "Taxi-v4"'),
        ("openenv:ftp://x", BadInput, "Begin it with http://"),
        ("openenv:missing.py:app", BadInput, "the file missing.py does not exist"),
        ("openenv:nothing", BadInput, "names neither a server nor a file"),
        ("openenv:http://x#missing.jsonl", BadInput, "missing.jsonl does not exist"),
        ("harbor:missing", BadInput, "the folder missing does not exist"),
        ("openenv:http://x?colour=red", BadInput, "there is no option colour. The options are size, val"),
        ("openenv:http://x?pass=high", BadInput, "pass must be a number"),
    ],
)
def test_a_wrong_name_or_option_says_what_to_write(where: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        load_environment(where)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("hit", 1),
        ("I have 12, so I take one.\n**Hit**.", 1),
        ("stick\n", 0),
        ("", None),
        ("I would hit.", None),
        ("hit\nor stick, I cannot decide", None),
    ],
)
def test_an_action_stands_alone_on_the_last_line(reply: str, action: int | None) -> None:
    assert action_in(reply, CARDS.actions) == action


@pytest.mark.parametrize(
    ("hand", "word"),
    [((20, 10, 0), "stick"), ((11, 6, 0), "hit"), ((12, 4, 0), "stick"), ((16, 10, 0), "hit"), ((18, 10, 1), "hit")],
)
def test_the_planner_plays_blackjack_by_the_known_best_strategy(hand: tuple[int, int, int], word: str) -> None:
    assert CARDS.actions[CARDS.plan(None)(hand)] == word


def test_no_prompt_of_a_game_is_an_action() -> None:
    for game in GAMES.values():
        assert action_in(game.rules, game.actions) is None


def test_a_game_that_was_not_finished_is_not_won() -> None:
    end = {"return": -3.0, "steps": 3, "ended": False, "won": False}
    verdict = won_game(Task(id="t", prompt=""), Trajectory(id="e", task="t", group="g", end_state=end))
    assert verdict.reward == 0.0 and "not finished after 3 steps" in verdict.evidence


def test_the_sum_of_rewards_passes_from_its_limit_on() -> None:
    task = Task(id="t", prompt="")
    for total, passed in ((0.9, False), (1.0, True), (3.0, True)):
        trajectory = Trajectory(id="e", task="t", group="g", end_state={"return": total, "done": True})
        verdict = SumOfRewards(1.0)(task, trajectory)
        assert (verdict.reward, verdict.passed) == (total, passed)


@pytest.mark.parametrize(
    ("observation", "text"),
    [
        ({"hint": "no"}, "no"),
        ({"hint": "no", "metadata": {}}, "no"),
        ({"hint": "no", "left": 2}, '{"hint": "no", "left": 2}'),
        (None, ""),
    ],
)
def test_an_observation_is_its_text_or_its_fields(observation: object, text: str) -> None:
    assert shown({"observation": observation, "reward": 1.0, "done": True}) == text
