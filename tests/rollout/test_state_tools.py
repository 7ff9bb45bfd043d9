"""Tools that only the state of an episode knows, tools that end an episode, and rewards for single replies."""

import asyncio
from typing import Any

import pytest

from tests.rollout.shop import AGENT, Shop, spec
from tests.rollout.test_episode import run
from verigym.core.records import Fault, FunctionCall, FunctionCallOutput, Mark, Stop, Task, ToolSpec
from verigym.harness.state_tools import DeclaredTool, ToolResult
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.session import task_tools
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store

NUMBER = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "additionalProperties": False}


class Remote:
    """Offers the tools that its task names, and one of its own."""

    def open(self, task: Task) -> None:
        self.task, self.log = task, list[tuple[str, dict[str, Any]]]()

    def tools(self) -> list[Any]:
        return [ToolSpec(name="double", description="Doubles x.", parameters=NUMBER), *self.task.data.get("more", [])]

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        self.log.append((name, arguments))
        if name == "fail":
            return ToolResult(output="no such row", failed=True)
        if name == "burn":
            return ToolResult(output="burnt", unsafe=True)
        return {"value": 2 * arguments["x"]} if name == "double" else "ok"

    def end_state(self) -> dict[str, Any]:
        return {"calls": [name for name, _ in self.log]}


def call(name: str, arguments: str = "{}", call_id: str = "c0") -> list[FunctionCall]:
    return [FunctionCall(call_id, name, arguments)]


def marks(made: Any) -> list[tuple[str, int | None]]:
    return [(mark.kind, mark.item) for mark in made.marks]


def test_a_state_offers_tools_and_gets_their_calls() -> None:
    made = run([call("double", '{"x": 21}'), "Done."], Remote)
    assert made.end_state == {"calls": ["double"]}
    assert made.items[2] == FunctionCallOutput("c0", '{"value":42}')
    assert made.marks == [Mark("executed", 1, "double")]


def test_tools_differ_by_task() -> None:
    more = [{"type": "function", "function": {"name": "wipe", "description": "Wipes.", "parameters": {}}}]
    wiping = Task(id="w", prompt="p", data={"more": more})
    assert run([call("wipe"), ""], Remote, task=wiping).end_state == {"calls": ["wipe"]}
    assert marks(run([call("wipe"), ""], Remote)) == [("unknown_tool", 1)]
    one, other = (asyncio.run(task_tools(spec(Remote), task)) for task in (wiping, Task(id="t", prompt="p")))
    assert [tool.name for tool in one.tools] == ["double", "wipe"]
    assert one.hash != other.hash


@pytest.mark.parametrize("arguments", ['{"x": "two"}', "{}", '{"x": 1, "y": 2}', "[]", "{", "null", '"x"'])
def test_arguments_that_do_not_fit_the_schema_never_reach_the_state(arguments: str) -> None:
    made = run([call("double", arguments), "Done."], Remote)
    assert made.end_state == {"calls": []}
    assert marks(made) == [("bad_arguments", 1)]


def test_a_result_may_say_that_the_tool_failed_or_that_the_call_was_unsafe() -> None:
    more = [ToolSpec(name="fail"), ToolSpec(name="burn")]
    task = Task(id="t", prompt="p", data={"more": [{"name": each.name} for each in more]})
    assert marks(run([call("fail"), ""], Remote, task=task)) == [("tool_error", 1)]
    assert marks(run([call("burn"), ""], Remote, task=task)) == [("unsafe", 1), ("executed", 1)]


class Caller:
    """Has only `call`, so the row's own tools are offered."""

    def open(self, task: Task) -> None:
        self.names: list[str] = []

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        self.names.append(name)
        return "recorded"

    def end_state(self) -> dict[str, Any]:
        return {"names": self.names}


def test_a_row_brings_its_own_tools() -> None:
    row = Task(
        id="t", prompt="p", data={"tools": [{"type": "function", "name": "email_send_email", "parameters": NUMBER}]}
    )
    made = run([call("email_send_email", '{"x": 1}'), "Done."], Caller, task=row)
    assert made.end_state == {"names": ["email_send_email"]}
    assert run([call("email_send_email", '{"x": 1}'), "Done."], Caller).end_state == {"names": []}


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("deploy", "must be a list"),
        ([{"description": "d"}], 'needs a "name"'),
        ([{"name": "a"}, {"name": "a"}], 'two tools named "a"'),
        ([{"name": "a", "parameters": "x"}], "must be a JSON schema"),
        ([7], "is not a tool"),
    ],
)
def test_tools_that_cannot_be_offered_are_the_environments_fault(tools: Any, words: str) -> None:
    made = run([""], Caller, task=Task(id="t", prompt="p", data={"tools": tools}))
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT
    assert words in made.error.message


def test_a_schema_that_is_not_one_is_the_environments_fault() -> None:
    row = Task(id="t", prompt="p", data={"tools": [{"name": "a", "parameters": {"type": "dict"}}]})
    made = run([call("a"), ""], Caller, task=row)
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT
    assert 'tool "a"' in made.error.message


class Limited(Remote):
    def tools(self) -> list[Any]:
        unsafe = DeclaredTool(spec=ToolSpec(name="wipe"), calls=1, unsafe_if=lambda state, **arguments: not state.log)
        return [unsafe, DeclaredTool(spec=ToolSpec(name="slow"), seconds=0.05)]

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        self.log.append((name, arguments))
        await asyncio.sleep(900 if name == "slow" else 0)
        return "ok"


def test_the_tools_of_a_state_have_limits_and_a_safety_rule() -> None:
    made = run([call("wipe"), call("wipe"), "Done."], Limited)
    assert marks(made) == [("unsafe", 1), ("executed", 1), ("tool_limit", 3)]
    assert made.stop is Stop.MAX_CALLS
    assert run([call("slow")], Limited).stop is Stop.TOOL_TIME_OUT


class Both(Remote):
    @tool
    def wait(self) -> str:
        """Waits."""
        return "waited"


def test_a_class_may_have_tools_of_its_own_beside_those_of_the_state() -> None:
    reply = [FunctionCall("a", "wait", "{}"), FunctionCall("b", "double", '{"x": 1}')]
    made = run([reply, "Done."], Both)
    assert [item.output for item in made.items if isinstance(item, FunctionCallOutput)] == ["waited", '{"value":2}']


class Goal(Shop):
    """Ends when there is tea, and rewards each reply by what it added."""

    def open(self, task: Task) -> None:
        super().open(task)
        self.before = 0

    def done(self) -> bool:
        return "tea" in self.basket

    def step_reward(self) -> float:
        count = sum(self.basket.values())
        gained, self.before = count - self.before, count
        return float(gained)


def test_a_tool_may_end_the_episode_and_each_reply_has_a_reward() -> None:
    made = run([call("add", '{"item": "milk", "count": 3}'), call("add", '{"item": "tea"}'), "never asked"], Goal)
    assert made.stop is Stop.DONE and len(made.turns) == 2
    assert made.rewards == [3.0, 1.0]


def test_the_last_message_has_a_reward_too() -> None:
    assert run([call("add", '{"item": "milk"}'), "Done."], Goal).rewards == [1.0, 0.0]


class Wild(Goal):
    def step_reward(self) -> float:
        return float("nan")


def test_a_reward_that_is_not_a_number_is_the_environments_fault() -> None:
    made = run(["Done."], Wild)
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT and "step_reward()" in made.error.message


class Old(Shop):
    """Has attributes and a tool with the names of optional methods."""

    done = False

    def open(self, task: Task) -> None:
        super().open(task)
        self.tools = ["hammer"]

    @tool
    def call(self, number: str) -> str:
        """Calls somebody."""
        return f"ringing {number}"


def test_attributes_and_tools_of_these_names_keep_their_meaning() -> None:
    made = run([call("call", '{"number": "7"}'), "Done."], Old)
    assert [item.output for item in made.items if isinstance(item, FunctionCallOutput)] == ["ringing 7"]
    assert made.rewards == [] and made.stop is Stop.DONE


class External(Shop):
    def end_state(self) -> dict[str, Any]:
        return {"external_verdict": {"reward": 0.5, "evidence": "their server says so"}}


def test_an_external_verdict_marks_the_episode_as_not_rescorable() -> None:
    assert run(["Done."], External).marked("not_rescorable")
    assert not run(["Done."]).marked("not_rescorable")


def test_the_tools_of_each_task_are_stored(tmp_path: Any) -> None:
    store = Store(tmp_path / "store.db")
    rows = [Task(id=f"t{i}", prompt="p", data={"tools": [{"name": f"tool_{i}", "parameters": {}}]}) for i in range(3)]
    environment = spec(Caller)
    plan = RunPlan(
        run="r",
        environment=environment,
        tasks=rows,
        agent=AGENT,
        verifier=environment.verifier,
        settings=RunSettings(k=2),
    )
    store.begin_run("r", "rollout", {}, rows)
    asyncio.run(run_many(store, plan, ScriptedPolicy([""])))
    from verigym.core.records import Toolset

    hashes = {one.task: one.tools for one in store.trajectories("r")}
    stored = {hash: store.get("tools", hash, Toolset) for hash in hashes.values()}
    assert {task: [tool.name for tool in stored[hash].tools] for task, hash in hashes.items()} == {  # type: ignore[union-attr]
        "t0": ["tool_0"],
        "t1": ["tool_1"],
        "t2": ["tool_2"],
    }
