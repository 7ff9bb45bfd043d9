"""An environment by name or by file: what is missing from it is said in words."""

import asyncio
import re
from pathlib import Path

import msgspec
import pytest

from tests.rollout.shop import AGENT
from verigym.core.errors import BadInput, NotFound
from verigym.core.protocols import Context
from verigym.core.records import FunctionCall, Message, Task, Trajectory
from verigym.environments.load import (
    base_and_added,
    environment_of,
    find_by_verifier,
    held_out_name,
    load_environment,
    name_of,
    names,
    regression_file,
    untagged,
    without_added,
)
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.tasks.load import save_tasks

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
    with pytest.raises(BadInput, match=r"desk\.py: the file does not exist\. verigym init desk writes an environment"):
        load_environment(str(tmp_path / "desk.py"))


def test_tasks_that_are_no_tasks_are_refused_in_words(tmp_path: Path) -> None:
    text = DESK.replace('[Task(id="a", prompt="book it", split=split)] if split == "train" else []', '[{"id": "a"}]')
    with pytest.raises(BadInput, match=r"tasks\('train'\) must return a list of verigym.Task"):
        load_environment(write(tmp_path, text)).tasks("train")


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert "toolcall" in names()
    with pytest.raises(NotFound, match=r'no environment "tolcall"\. Did you mean "toolcall"'):
        load_environment("tolcall")


def test_a_shipped_environment_is_found_by_the_names_it_defines() -> None:
    assert find_by_verifier("tool_call_verifier").name == find_by_verifier("tool_call_eval").name == "toolcall"
    with pytest.raises(NotFound, match='Did you mean "tool_call_verifier"'):
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


HEAD = "from verigym import Task, tool\ndef tasks(split): return []\ndef verify(task, trajectory): return 1.0\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    @tool\n    def close(self): ...", "the method close cannot be a tool"),
        ("    step: int = 0", "step must be a method, because the harness calls it, but it is 0. Rename the attribute"),
        ("    @staticmethod\n    @tool\n    def add(item: str): ...", "a static or class method"),
        ("    @classmethod\n    @tool\n    def add(cls, item: str): ...", "a static or class method"),
        (
            "    @tool('x')\n    def a(self): ...\n    @tool('x')\n    def b(self): ...",
            "the methods a and b have the same tool name 'x'",
        ),
        ("    @tool(seconds=-1)\n    def a(self): ...", "a limit of the tool a is not above 0"),
        ("    @tool\n    def a(self): ...\n    def step(self, reply): ...", "has step(reply) and tools (a)"),
        ("    max_turns = '8'", "max_turns must be a whole number"),
        ("    system = 5", "system must be text"),
    ],
    ids=["name", "attribute", "static", "class", "twice", "limit", "both", "turns", "system"],
)
def test_what_would_be_misunderstood_later_is_refused_at_once(tmp_path: Path, body: str, words: str) -> None:
    path = tmp_path / "odd.py"
    path.write_text(f"{HEAD}class Environment:\n    def open(self, task): ...\n{body}\n")
    with pytest.raises(BadInput, match=re.escape(words)):
        load_environment(str(path))


@pytest.mark.parametrize("line", ["verify = StateDiff()", "verifiers = {'state': StateDiff()}"])
def test_an_environment_without_an_end_state_cannot_have_it_compared(tmp_path: Path, line: str) -> None:
    path = tmp_path / "blind.py"
    text = f"from verigym.verifiers.state import StateDiff\n{HEAD}{line}\nclass Environment:\n    def open(self, task): ...\n"
    path.write_text(text)
    with pytest.raises(BadInput, match=re.escape("the class Environment has no end_state(self). Add it")):
        load_environment(str(path))
    path.write_text(f"{text}    def end_state(self): return {{}}\n")
    load_environment(str(path))


@pytest.mark.parametrize("where", ["the file", "tasks"])
def test_a_file_that_exits_is_an_error_and_not_the_end(tmp_path: Path, where: str) -> None:
    path = tmp_path / "leaving.py"
    exits = "import sys; sys.exit(0)"
    tasks = f"def tasks(split):\n    {exits}\n" if where == "tasks" else f"{exits}\n"
    path.write_text(f"{HEAD}{tasks}class Environment:\n    def open(self, task): ...\n")
    with pytest.raises(BadInput, match="SystemExit"):
        load_environment(str(path)).tasks("val")


def test_a_task_that_cannot_be_stored_is_named(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    text = HEAD.replace("return []", "return [Task(id='bad', prompt='p', data={'x': object()}, split=split)]")
    path.write_text(f"{text}class Environment:\n    def open(self, task): ...\n")
    with pytest.raises(BadInput, match="task bad cannot be stored"):
        load_environment(str(path)).tasks("val")


def test_a_changed_environment_has_another_version_and_a_bare_file_has_none(tmp_path: Path) -> None:
    path = tmp_path / "desk.py"
    versions = set()
    for system in ("one", "two"):
        path.write_text(f"{HEAD}class Environment:\n    system = {system!r}\n    def open(self, task): ...\n")
        versions.add(load_environment(str(path)).version)
    assert len(versions) == 2 and "" not in versions
    (tmp_path / "q.jsonl").write_text('{"prompt": "p", "answer": "a"}')
    assert load_environment(str(tmp_path / "q.jsonl")).version == ""


def test_the_environment_of_a_stored_run_of_a_file_needs_no_file() -> None:
    spec = environment_of("gone.jsonl", [Task(id="a", prompt="p", data={"answer": "1"}, split="val")])
    assert next(iter(spec.verifiers)) == "exact_match" and {"numeric", "choice", "by_data"} <= set(spec.verifiers)
    assert [task.id for task in spec.tasks("val")] == ["a"]


@pytest.mark.parametrize(
    ("found", "replies"),
    [
        (None, []),
        ("Done.", ["Done."]),
        ([Message("assistant", "a")], [[Message("assistant", "a")]]),
        ([{"type": "function_call", "name": "add", "arguments": "{}"}], [[FunctionCall("call_0", "add", "{}")]]),
        ([[FunctionCall("x", "add", "{}")], "Done."], [[FunctionCall("x", "add", "{}")], "Done."]),
    ],
    ids=["none", "text", "items", "JSON", "replies"],
)
def test_a_solution_may_be_written_in_several_ways(found: object, replies: list[object]) -> None:
    spec = msgspec.structs.replace(load_environment("toolcall"), gold=lambda task: found, cheats=lambda task: [found])
    task = Task(id="t", prompt="p")
    assert spec.gold_replies(task) == replies
    assert spec.cheat_replies(task) == [replies]


@pytest.mark.parametrize("found", [7, [{"type": "nothing"}]], ids=["a number", "no item"])
def test_a_solution_that_is_none_is_refused_in_words(found: object) -> None:
    spec = msgspec.structs.replace(load_environment("toolcall"), gold=lambda task: found, cheats=lambda task: "all")
    with pytest.raises(BadInput, match=r"gold\(task\) for task t"):
        spec.gold_replies(Task(id="t", prompt="p"))
    with pytest.raises(BadInput, match=r"cheats\(task\) for task t returned str"):
        spec.cheat_replies(Task(id="t", prompt="p"))


def test_tags_after_the_name_keep_the_tasks_that_have_all_of_them() -> None:
    small, easy = load_environment("sudoku?tags=4x4"), load_environment("sudoku?tags=4x4,easy")
    whole = load_environment("sudoku")
    for split in ("train", "val"):
        assert small.tasks(split) == [task for task in whole.tasks(split) if "4x4" in task.tags]
        assert easy.tasks(split) == [task for task in small.tasks(split) if "easy" in task.tags]
    assert easy.tasks("val") and easy.suites == whole.suites
    assert environment_of("sudoku?tags=4x4", []).tasks("val") == small.tasks("val")


OTHER_TASKS = """
from verigym import Task

def tasks(split):
    return [Task(id=f"{split}1", prompt=f"p {split}", split=split)]

def more():
    return [Task(id="m1", prompt="more", split="train")]

training_sets = {"more": more}

class Environment:
    def open(self, task): ...

def verify(task, trajectory):
    return 1.0
"""


def test_a_training_set_replaces_the_training_tasks_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "desk.py"
    file.write_text(OTHER_TASKS)
    assert [task.id for task in load_environment(f"{file}?train=more").tasks("train")] == ["m1"]
    both = load_environment(f"{file}?train=more,shipped")
    assert [task.id for task in both.tasks("train")] == ["m1", "train1"]
    assert [task.id for task in both.tasks("val")] == ["val1"]
    assert environment_of(both.name, []).tasks("train") == both.tasks("train")


def test_tasks_of_a_file_and_tags_go_with_a_training_set(tmp_path: Path) -> None:
    (tmp_path / "more.jsonl").write_text('{"id": "x", "prompt": "p", "expected_tool": "refuse", "expected_args": {}}\n')
    added = load_environment(f"toolcall?train=grammar+{tmp_path / 'more.jsonl'}")
    assert len(added.tasks("train")) == 12_001
    unsafe = load_environment("toolcall?train=grammar?tags=unsafe").tasks("train")
    assert unsafe and all(task.data["unsafe"] for task in unsafe)
    assert name_of("toolcall?train=grammar") == "toolcall"


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("toolcall", "toolcall"),
        ("toolcall?train=grammar,shipped", "toolcall"),
        ("toolcall?train=grammar?tags=easy,4x4", "toolcall?tags=easy,4x4"),
        ("toolcall?train=grammar+a/more.jsonl", "toolcall+a/more.jsonl"),
        ("a+b/desk.py?train=more", "a+b/desk.py"),
        ("bfcl:simple_python?train=x", "bfcl:simple_python?train=x"),
    ],
)
def test_the_name_of_held_out_tasks_has_no_training_set(where: str, name: str):
    assert held_out_name(where) == name


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("toolcall?train=gramar", 'no training set of toolcall "gramar". Did you mean "grammar"'),
        ("math?train=grammar", "Available: shipped"),
        ("toolcall?train=", "a training set is missing"),
        ("toolcall?tags=time12?train=grammar", r"then the tags: toolcall\?train=grammar\?tags=time12"),
        ("toolcall?train=grammar&tags=time12", r"then the tags: toolcall\?train=grammar\?tags=time12"),
        ("toolcall?train=grammar,grammar", "grammar is named twice"),
    ],
)
def test_a_training_set_that_is_not_there_is_refused(where: str, words: str) -> None:
    with pytest.raises((BadInput, NotFound), match=words):
        load_environment(where)


@pytest.mark.parametrize(
    ("sets", "words"),
    [("[]", "must be a dict"), ("{'more': 1}", "must be a dict"), ("{'shipped': list}", "Rename yours")],
)
def test_training_sets_of_a_wrong_kind_are_refused(tmp_path: Path, sets: str, words: str) -> None:
    file = tmp_path / "desk.py"
    file.write_text(OTHER_TASKS.replace('{"more": more}', sets))
    with pytest.raises(BadInput, match=words):
        load_environment(str(file))


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("sudoku?tags=5x5", 'no tag in sudoku "5x5".*tasks stats sudoku'),
        ("sudoku?tags=4x4,6x6", "no task of sudoku has all of these tags"),
        ("sudoku?tags=", "a tag is missing"),
    ],
)
def test_tags_that_leave_no_task_are_refused(where: str, words: str) -> None:
    with pytest.raises((BadInput, NotFound), match=words):
        load_environment(where)


def test_tags_belong_to_neither_the_base_nor_the_added_file(tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    save_tasks(file, [Task(id="more", prompt="one more", split="train", data={"answer": "x"}, tags=["4x4"])])
    after, before = f"sudoku+{file}?tags=4x4", f"sudoku?tags=4x4+{file}"
    for where, base, added in (
        ("sudoku?tags=4x4", "sudoku", ""),
        (after, "sudoku", str(file)),
        (before, "sudoku", str(file)),
        ("code?tags=c++", "code", ""),
    ):
        assert base_and_added(where) == (base, added)
        assert name_of(where) == base and regression_file(tmp_path, where).name == f"{base}_regressions.jsonl"
    assert without_added(after) == without_added(before) == "sudoku?tags=4x4" == without_added("sudoku?tags=4x4")
    own = len(load_environment("sudoku?tags=4x4").tasks("train"))
    for where in (after, before):
        spec = load_environment(where)
        assert spec.name == where and len(spec.tasks("train")) == own + 1
        assert len(untagged(spec).tasks("train")) == len(load_environment("sudoku").tasks("train")) + 1
    save_tasks(file, [Task(id="more", prompt="one more", split="train", data={"answer": "x"})])
    assert [len(load_environment(where).tasks("train")) for where in (after, before)] == [own, own + 1]
