"""Aviary with the real package: its own dummy dataset, and a dataset in a file."""

import asyncio
from pathlib import Path

import pytest

from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import FunctionCall, Stop
from verigym.environments.load import load_environment

BRIDGE = "aviary"
COUNTER = "aviary:examples/aviary_counter.py:CounterDataset"


def test_a_tool_ends_the_episode_and_its_reward_is_that_of_the_step() -> None:
    spec = load_environment("aviary:dummy?size=3")
    task = spec.tasks("val")[0]
    played = asyncio.run(play(spec, task, [*spec.gold_replies(task), "never asked"]))
    trajectory = played.trajectory
    assert trajectory.stop is Stop.DONE and len(trajectory.turns) == 1 and trajectory.rewards == [1.0]
    assert played.verdict.passed and trajectory.end_state == {"return": 1.0, "done": True}


def test_gold_passes_a_wrong_count_fails_and_words_are_answered() -> None:
    spec = load_environment(COUNTER)
    task = spec.tasks("val")[0]
    add, submit = FunctionCall("a", "add", '{"by": 999}'), FunctionCall("b", "submit", "{}")
    assert asyncio.run(play(spec, task, spec.gold_replies(task))).verdict.passed
    wrong = asyncio.run(play(spec, task, [[add], [submit]]))
    assert wrong.verdict.reward == 0.0 and wrong.trajectory.rewards == [0.0, 0.0]
    talk = asyncio.run(play(spec, task, ["I count.", [submit]]))
    assert "No tool calls received" in str(talk.trajectory.items) and talk.trajectory.stop is Stop.DONE
    after = asyncio.run(play(spec, task, [[submit, add]])).trajectory
    assert "The episode is over." in str(after.items)


def test_an_environment_whose_reset_is_random_fails_as_the_environments_fault(tmp_path: Path) -> None:
    file = tmp_path / "loose.py"
    file.write_text(
        "import random\nfrom aviary.core import Environment, Message\n"
        "class Loose(Environment[None]):\n"
        "    async def reset(self):\n        return [Message(content=str(random.random()))], []\n"
        "    async def step(self, action):\n        return [], 0.0, True, False\n"
        "    def export_frame(self): ...\n"
    )
    spec = load_environment(f"aviary:{file}:Loose")
    error = asyncio.run(play(spec, spec.tasks("val")[0], ["x"])).trajectory.error
    assert error is not None and error.fault == "environment" and "Give the environment a fixed seed" in error.message


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("dumy", NotFound, 'Did you mean "dummy"'),
        ("gsm8k", BadInput, "pip install aviary.gsm8k"),
        ("examples/aviary_counter.py:Count", NotFound, "CounterDataset"),
        ("examples/missing.py:Counter", BadInput, "does not exist"),
        ("dummy?colour=red", BadInput, "takes no arguments"),
        ("dummy?text=maybe", BadInput, "text must be step or end"),
        ("json:JSONDecoder", BadInput, "neither a TaskDataset nor an Environment"),
    ],
)
def test_a_wrong_name_says_what_is_wrong(name: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        load_environment(f"aviary:{name}")
    assert words in str(error.value)
