"""Episodes that somebody else drives: opened, acted in at their own address, ended, verified and stored once."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import verigym
from verigym.core.errors import BadInput
from verigym.core.records import Stop, Toolset
from verigym.environments.load import load_environment

DESK = '''
from verigym import Task, tool

def tasks(split):
    made = [Task(id=f"{split}/{i}", prompt=f"Book room {i}.", data={"room": i}, split=split) for i in range(3)]
    return made

class Environment:
    system = "You book rooms."

    def open(self, task):
        if task.data.get("broken"):
            raise OSError("the calendar is down")
        self.booked = []

    @tool("rooms.book")
    def book(self, room: int) -> str:
        """Books a room."""
        self.booked.append(room)
        return f"booked {room}"

    def end_state(self):
        return {"booked": self.booked}

def verify(task, trajectory):
    return float(trajectory.end_state["booked"] == [task.data["room"]])
'''


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    place = tmp_path_factory.mktemp("served")
    desk = place / "desk.py"
    desk.write_text(DESK)
    from tests.workspace.desk import save_tiny

    model = save_tiny(place / "tiny")
    with verigym.Workspace(place / "home") as ws, ws.serve(str(model), port=0, environments=[str(desk)]) as server:
        yield server.url.removesuffix("/v1"), str(desk), ws


def post(url: str, body: Any) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def opened(served: Any, task: Any = "val/1", **more: Any) -> Any:
    url, desk, _ = served
    status, answer = post(f"{url}/v1/episodes", {"environment": desk, "task": task, **more})
    assert status == 200, answer
    return answer


def test_an_agent_drives_an_episode_from_opening_to_verdict(served: Any) -> None:
    url, _, ws = served
    episode = opened(served)
    assert episode["prompt"] == "Book room 1." and episode["system"] == "You book rooms."
    assert [tool["name"] for tool in episode["tools"]] == ["rooms-book"] or "rooms" in episode["tools"][0]["name"]
    asked = {"model": "x", "messages": [{"role": "user", "content": episode["prompt"]}], "max_tokens": 4}
    assert post(f"{episode['base_url']}/chat/completions", asked)[0] == 200
    status, result = post(f"{episode['tools_url']}/{episode['tools'][0]['name']}", {"room": 1})
    assert (status, result) == (200, {"output": "booked 1", "failed": False})
    status, ended = post(f"{url}/v1/episodes/{episode['id']}/end", {})
    assert status == 200 and ended["passed"] and ended["reward"] == 1.0 and ended["turns"] == 1, ended
    trajectory = ws.folder.store.trajectory(ended["trajectory"])[1]
    assert trajectory.end_state == {"booked": [1]} and trajectory.turns[0].completion_ids
    assert ws.folder.store.get("tools", trajectory.tools, Toolset) is not None or not trajectory.tools
    assert [verdict.passed for verdict in ws.folder.store.verdicts_on(ended["run"], trajectory.id)] == [True]
    assert post(f"{url}/v1/episodes/{episode['id']}/end", {})[0] == 404, "an episode ends once"
    assert post(f"{episode['base_url']}/chat/completions", asked)[0] == 404


def test_the_tools_are_an_mcp_server(served: Any) -> None:
    episode = opened(served)
    status, answer = post(episode["mcp_url"], {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    [tool] = answer["result"]["tools"]
    assert status == 200 and tool["inputSchema"]["properties"]["room"]["type"] == "integer"
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": tool["name"], "arguments": {"room": 1}},
    }
    _, answer = post(episode["mcp_url"], call)
    assert answer["result"] == {"content": [{"type": "text", "text": "booked 1"}], "isError": False}
    call["params"]["arguments"] = {"room": "many"}  # type: ignore[index]
    assert post(episode["mcp_url"], call)[1]["result"]["isError"]
    url, _, _ = served
    assert post(f"{url}/v1/episodes/{episode['id']}/end", {})[1]["passed"]


def test_the_same_task_again_is_another_episode(served: Any) -> None:
    url, _, _ = served
    one, two = opened(served, "val/2"), opened(served, "val/2")
    ends = [post(f"{url}/v1/episodes/{each['id']}/end", {})[1] for each in (one, two)]
    assert len({end["trajectory"] for end in ends}) == 2 and not any(end["passed"] for end in ends)


def test_a_task_of_your_own_can_be_given(served: Any) -> None:
    url, _, _ = served
    episode = opened(served, {"id": "own/1", "prompt": "Book 7.", "data": {"room": 7}})
    post(f"{episode['tools_url']}/rooms.book", {"room": 7})
    assert post(f"{url}/v1/episodes/{episode['id']}/end", {})[1]["passed"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"environment": "nowhere", "task": "x"}, "There is no environment"),
        ({"environment": "/etc/passwd.py", "task": "x"}, "--env"),
        ({"task": "x"}, "environment"),
        ({"environment": "toolcall", "task": "x"}, "There is no task"),
        ({"environment": "toolcall", "task": 3}, "task"),
        ({"environment": "toolcall", "task": "x", "limit": {}}, "limit"),
    ],
)
def test_a_request_that_cannot_be_met_says_what_is_wrong(served: Any, body: Any, words: str) -> None:
    status, answer = post(f"{served[0]}/v1/episodes", body)
    assert status in (400, 404) and words in answer["error"]["message"], answer


def test_an_environment_that_does_not_open_is_reported_and_recorded(served: Any) -> None:
    url, desk, _ = served
    broken = {"id": "own/broken", "prompt": "p", "data": {"broken": True}}
    status, answer = post(f"{url}/v1/episodes", {"environment": desk, "task": broken})
    assert status == 502 and "the calendar is down" in answer["error"]["message"]


def test_an_episode_that_nobody_ends_is_ended_at_its_time_limit(served: Any) -> None:
    _, _, ws = served
    episode = opened(served, "train/1", limits={"seconds": 0.5})
    import time

    until = time.monotonic() + 60
    while not ws.folder.store.known_trajectories([episode["trajectory"]]) and time.monotonic() < until:
        time.sleep(0.1)
    assert ws.folder.store.trajectory(episode["trajectory"])[1].stop is Stop.TIME_OUT


def test_an_environment_that_cannot_be_loaded_is_refused_before_the_server_starts(tmp_path: Path) -> None:
    with verigym.Workspace(tmp_path) as ws, pytest.raises(BadInput, match="--env"):
        ws.serve("smollm2-135m", environments=["no_such_file.py"])


def test_a_shipped_environment_needs_no_option(served: Any) -> None:
    task = load_environment("toolcall").tasks("val")[0]
    url, _, _ = served
    status, episode = post(f"{url}/v1/episodes", {"environment": "toolcall", "task": task.id})
    assert status == 200
    assert post(f"{url}/v1/episodes/{episode['id']}/end", {"reply": "no"})[1]["passed"] is False
