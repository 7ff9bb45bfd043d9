"""The class that TRL reads tools from, and the reward function. `tests/third_party` trains a step with TRL."""

import asyncio
from typing import Any

import pytest
from transformers.utils.chat_template_utils import get_json_schema

from tests.bridges.solutions import actions
from verigym.bridges.episodes import TASK
from verigym.bridges.trl import TrlEnvironment
from verigym.core.errors import BadInput


def test_gold_calls_of_the_class_score_1_and_nothing_does_not() -> None:
    gym = TrlEnvironment("workplace", "val")
    [row] = gym.rows(1)
    task = gym.peer.task(row[TASK])
    assert gym.factory is not None and row["prompt"][-1]["content"] == task.prompt

    async def play(calls: list[Any]) -> float | None:
        environment: Any = gym.factory()  # type: ignore[misc]
        environment.reset(**row)
        for name, arguments in calls:
            await getattr(environment, name.replace("-", "_").replace(".", "_"))(**arguments)
        end = [[{"role": "assistant", "content": "Done."}]]
        [reward] = await gym.reward(end, environments=[environment], **{TASK: [task.id]})
        return reward

    gold = [action for action in actions(gym.peer.spec, task) if not isinstance(action, str)]
    assert asyncio.run(play(gold)) == 1.0 and asyncio.run(play([])) != 1.0
    assert len(gym.peer.sessions) == 0


def test_transformers_makes_the_schema_of_each_tool_again_from_its_method() -> None:
    gym = TrlEnvironment("toolcall", "val")
    assert gym.factory is not None
    for tool in gym.peer.spec.tools:
        made = get_json_schema(getattr(gym.factory(), tool.name.replace(".", "_")))["function"]
        for name, schema in tool.parameters["properties"].items():
            again = made["parameters"]["properties"][name]
            assert {key: again.get(key) for key in schema if key in ("type", "enum")} == {
                key: schema[key] for key in schema if key in ("type", "enum")
            }, (tool.name, name)
        assert sorted(made["parameters"].get("required", [])) == sorted(tool.parameters.get("required", []))


def test_an_environment_without_tools_needs_only_the_reward_function() -> None:
    gym = TrlEnvironment("math", "val")
    assert gym.factory is None
    task = gym.peer.tasks[0]
    [gold] = gym.peer.spec.gold_replies(task)
    text = gold if isinstance(gold, str) else gold[0].text  # type: ignore[union-attr]
    said = [[{"role": "assistant", "content": each}] for each in (text, "I do not know.")]
    rewards = asyncio.run(gym.reward(said, **{TASK: [task.id] * 2}))
    assert rewards[0] == 1.0 and rewards[1] is not None and rewards[1] < 1.0


@pytest.mark.parametrize(("name", "why"), [("sudoku", "answers the agent's messages"), ("functions", "other tools")])
def test_environments_that_trl_cannot_drive_are_refused(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        TrlEnvironment(name)


def test_rows_without_the_column_are_refused() -> None:
    with pytest.raises(BadInput, match="verigym_task"):
        asyncio.run(TrlEnvironment("math", "val").reward(["x"]))
