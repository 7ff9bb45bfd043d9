"""The OpenEnv server, spoken to over plain WebSockets. `tests/third_party` uses OpenEnv's own client."""

import json
import urllib.request
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.bridges.solutions import actions
from tests.servers.serving import serving
from verigym.bridges.openenv import openenv_app
from verigym.environments.load import load_environment
from verigym.servers.environment_sessions import EnvironmentSessions, SessionLimits


def ask(client: Connection, message: Any) -> Any:
    client.send(message if isinstance(message, str) else json.dumps(message))
    return json.loads(client.recv(timeout=30))


def step(client: Connection, action: Any) -> Any:
    data = {"text": action} if isinstance(action, str) else {"tool_name": action[0], "arguments": action[1]}
    return ask(client, {"type": "step", "data": data})["data"]


@pytest.mark.parametrize("name", ["workplace", "sudoku", "support", "math"])
def test_gold_passes_and_nothing_fails_with_tools_with_steps_and_with_a_user(name: str) -> None:
    spec = load_environment(name)
    served = EnvironmentSessions(spec, "val", SessionLimits(), messages=True)
    task = spec.tasks("val")[0]
    with serving(openenv_app(served)) as url, connect(f"{url.replace('http', 'ws')}/ws") as client:
        first = ask(client, {"type": "reset", "data": {"task_id": task.id}})["data"]
        assert first["done"] is False and first["observation"]["messages"][-1]["role"] == "user"
        assert len(first["observation"]["tools"]) == len(spec.tools)
        last = [step(client, action) for action in actions(spec, task)][-1]
        assert last["done"] and last["metadata"]["passed"], last
        ask(client, {"type": "reset", "data": {"task_id": task.id}})
        nothing = step(client, "I did nothing.")
        while not nothing["done"]:
            nothing = step(client, "I did nothing.")
        assert nothing["metadata"]["passed"] is False and nothing["reward"] < last["reward"]
        assert len(served) == 0


def test_bad_messages_are_errors_that_say_what_to_do_and_the_session_goes_on() -> None:
    spec = load_environment("workplace")
    served = EnvironmentSessions(spec, "val", SessionLimits(most=1), messages=True)
    with serving(openenv_app(served)) as url, connect(f"{url.replace('http', 'ws')}/ws") as client:
        cases = {
            "{": "INVALID_JSON",
            "[]": "VALIDATION_ERROR",
            '{"type": "dance"}': "UNKNOWN_TYPE",
            '{"type": "step", "data": {"text": "x"}}': "EXECUTION_ERROR",
            '{"type": "reset", "data": {"task_id": "no such task"}}': "EXECUTION_ERROR",
            '{"type": "reset", "data": {"seed": -1}}': "VALIDATION_ERROR",
        }
        assert {message: ask(client, message)["data"]["code"] for message in cases} == cases
        assert ask(client, {"type": "reset", "data": {"seed": 3}})["data"]["done"] is False
        for action in (
            {},
            {"text": 1},
            {"tool_name": "a", "text": "b"},
            {"tool_name": "a", "arguments": []},
            {"txt": ""},
        ):
            assert ask(client, {"type": "step", "data": action})["data"]["code"] == "VALIDATION_ERROR", action
        refused = step(client, ("no_such_tool", {}))
        assert refused["observation"]["failed"] and not refused["done"]
        assert ask(client, {"type": "state"})["data"] == {
            "episode_id": ask(client, {"type": "state"})["data"]["episode_id"],
            "step_count": 1,
            "task_id": spec.tasks("val")[3].id,
            "done": False,
        }
        with connect(f"{url.replace('http', 'ws')}/ws") as second:
            assert ask(second, {"type": "reset"})["data"]["code"] == "CAPACITY_REACHED"
        client.close()
        with connect(f"{url.replace('http', 'ws')}/ws") as third:  # a client that left has released its session
            assert ask(third, {"type": "reset"})["type"] == "observation"
        for path in ("health", "metadata", "schema"):
            with urllib.request.urlopen(f"{url}/{path}") as answer:
                assert json.loads(answer.read())
