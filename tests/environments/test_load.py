"""An environment by name or by file: what is missing from it is said in words."""

import asyncio
from pathlib import Path

import pytest

from tests.rollout.shop import AGENT
from verigym.core.errors import BadInput, NotFound
from verigym.core.protocols import Context
from verigym.core.records import Message, Task, Trajectory
from verigym.environments.load import find_by_verifier, load_environment, names
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode

DESK = '''
from __future__ import annotations
from typing import Literal
from verigym import Task, Trajectory, tool

def tasks(split: str) -> list[Task]:
    return [Task(id="a", prompt="book it", split=split)] if split == "train" else []

class Environment:
    system = "You keep a calendar."
    max_turns = 3

    def open(self, task: Task) -> None:
        self.events = []

    @tool("calendar.create_event")
    def create(self, who: str, day: Literal["mon", "tue"]) -> str:
        """Book a meeting."""
        self.events.append([who, day])
        return "booked"

    def end_state(self) -> dict:
        return {"events": self.events}

def verify(task: Task, trajectory: Trajectory) -> float:
    return float(trajectory.end_state["events"] == [["Ada", "mon"]])
'''
CALL = '{"tool": "calendar.create_event", "args": {"who": "Ada", "day": "mon"}}'


def write(folder: Path, text: str, name: str = "desk.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_users_file_is_an_environment_from_tasks_to_verdict(tmp_path: Path) -> None:
    desk = load_environment(write(tmp_path, DESK))
    assert (desk.system, desk.max_turns, desk.steps) == ("You keep a calendar.", 3, False)
    assert [tool.name for tool in desk.tools] == ["calendar.create_event"]
    assert desk.tools[0].parameters["properties"]["day"] == {"enum": ["mon", "tue"]}
    (task,) = desk.tasks("train")
    assert desk.tasks("val") == []

    async def play() -> float | None:
        made = await run_episode(desk, task, ScriptedPolicy([CALL, "Done."]), agent=AGENT, id="i", group="g")
        (verdict,) = await desk.verifier.verify(task, [made], Context())
        return verdict.reward

    assert asyncio.run(play()) == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DESK.replace("class Environment", "class Desk"), "needs a class Environment with open"),
        (DESK.replace("def open", "def begin"), "needs a class Environment with open"),
        (DESK.replace("def tasks", "def questions"), r"needs a function tasks\(split\)"),
        (DESK.replace("def verify", "def judge"), r"needs a function verify\(task, trajectory\)"),
        ("x = 1\ny = 1 / 0\n", r"desk\.py line 2: cannot be loaded: ZeroDivisionError: division by zero"),
        ("x = 1\ndef f(:\n", r"desk\.py line 2: cannot be loaded: SyntaxError"),
        ("import nothing_of_that_name\n", r"desk\.py line 1: cannot be loaded: ModuleNotFoundError"),
    ],
    ids=["no class", "no open", "no tasks", "no verify", "raises", "no Python", "missing import"],
)
def test_a_file_that_is_no_environment_is_refused_in_words(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=words):
        load_environment(write(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"desk\.py: no such file; verigym init desk writes an environment"):
        load_environment(str(tmp_path / "desk.py"))


def test_tasks_that_are_no_tasks_are_refused_in_words(tmp_path: Path) -> None:
    text = DESK.replace('[Task(id="a", prompt="book it", split=split)] if split == "train" else []', '[{"id": "a"}]')
    with pytest.raises(BadInput, match=r"tasks\('train'\) must return a list of verigym.Task"):
        load_environment(write(tmp_path, text)).tasks("train")


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert "toolcall" in names()
    with pytest.raises(NotFound, match='no environment "tolcall"; did you mean "toolcall"'):
        load_environment("tolcall")


def test_a_shipped_environment_is_found_by_the_names_it_defines() -> None:
    assert find_by_verifier("tool_call_verifier").name == find_by_verifier("tool_call_eval").name == "toolcall"
    with pytest.raises(NotFound, match='did you mean "tool_call_verifier"'):
        find_by_verifier("tool_call_verifer")


def test_a_bare_task_file_is_matched_with_its_answers(tmp_path: Path) -> None:
    rows = (
        '{"id": "a", "prompt": "2 + 2", "answer": "4"}\n{"id": "b", "prompt": "x", "answer": "y", "split": "train"}\n'
    )
    environment = load_environment(write(tmp_path, rows, "tasks.jsonl"))
    (task,) = environment.tasks("val")
    assert environment.gold is not None and environment.gold(task) == [Message("assistant", "4")]
    for reply, reward in (("4", 1.0), ("5", 0.0)):
        made = Trajectory(id="i", task="a", group="g", items=[Message("assistant", reply)])
        (verdict,) = asyncio.run(environment.verifier.verify(task, [made], Context()))
        assert verdict.reward == reward


def test_two_files_of_one_name_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = load_environment(write(tmp_path, DESK))
    other = load_environment(write(tmp_path / "other", DESK.replace("book it", "cancel it")))
    assert (one.tasks("train")[0].prompt, other.tasks("train")[0].prompt) == ("book it", "cancel it")
    assert one.name != other.name


def test_a_group_verifier_may_stand_in_the_place_of_verify(tmp_path: Path) -> None:
    path = tmp_path / "pair.py"
    path.write_text(
        "class Environment:\n    def open(self, task): ...\n"
        "def tasks(split): return []\n"
        "def verify_group(task, trajectories): return [float(i) for i, _ in enumerate(trajectories)]\n"
    )
    verifier = load_environment(str(path)).verifier
    assert verifier.name.startswith("pair@")
    group = [Trajectory(id=f"r/t/{i}", task="t", group="r/t") for i in range(2)]
    verdicts = asyncio.run(verifier.verify(Task(id="t", prompt="p"), group, Context()))
    assert [verdict.reward for verdict in verdicts] == [0.0, 1.0]
