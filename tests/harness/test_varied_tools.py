"""Tools that differ from task to task in training: what is shown, what is recorded, and that verifiers are not misled."""

import asyncio
from collections import Counter

import msgspec
import pytest

from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Trajectory, Turn, Verdict, Version
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.varied_tools import ToolVariation, with_varied_tools
from verigym.policies.dialects import describe, write_call
from verigym.rollout.episode import run_episode
from verigym.rollout.session import task_tools
from verigym.training.data import RunRecords, demonstrations, graded_pairs, rated
from verigym.verifiers.toolcall import tool_call_verifier
from verigym.workspace.gold import gold_examples

TOOLCALL = load_environment("toolcall")
TASKS = TOOLCALL.tasks("train")[:30]
ALL = ToolVariation(shuffle=True, hide=0.5, rename=0.5)


def shown(environment: EnvironmentSpec, at: int = 0) -> list[str]:
    return [tool.name for tool in asyncio.run(task_tools(environment, TASKS[at])).tools]


class Calls:
    """A policy that calls the shown tool whose description is that of the wanted one, or the wanted name itself."""

    max_concurrency = 1

    def __init__(self, arguments: str, wanted: str, by_name: bool = False) -> None:
        self.arguments, self.wanted, self.by_name = arguments, wanted, by_name

    async def respond(self, request: Request) -> Reply:
        says = {tool.name: tool.description for tool in TOOLCALL.tools}[self.wanted]
        [name] = [tool.name for tool in request.tools if tool.description == says]
        call = FunctionCall("c", self.wanted if self.by_name else name, self.arguments)
        return Reply(items=[call], turn=Turn())


def play(environment: EnvironmentSpec, at: int, by_name: bool = False) -> Trajectory:
    [gold] = [item for item in TOOLCALL.gold_replies(TASKS[at])[0] if isinstance(item, FunctionCall)]
    policy = Calls(gold.arguments, gold.name, by_name)
    return asyncio.run(run_episode(environment, TASKS[at], policy, agent=Version(base="m"), id="e", group="g"))


def test_without_settings_the_environment_is_the_same() -> None:
    assert with_varied_tools(TOOLCALL, ToolVariation(), 0) is TOOLCALL
    math = load_environment("math")
    assert with_varied_tools(math, ALL, 0) is math


def test_shuffled_tools_are_the_same_tools_in_an_order_of_the_task() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(shuffle=True), 0, 1)
    plain = [tool.name for tool in TOOLCALL.tools]
    assert Counter(shown(varied)) == Counter(plain) and shown(varied) != plain
    assert shown(varied) == shown(varied), "the order depends on seed and task only"
    assert shown(varied, 1) != shown(varied)
    assert shown(with_varied_tools(TOOLCALL, ToolVariation(shuffle=True), 0, 2)) != shown(varied)


def test_hidden_tools_never_include_those_of_the_solution() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(hide=0.5), 0)
    for at, task in enumerate(TASKS):
        names = shown(varied, at)
        assert len(names) == len(TOOLCALL.tools) - round(0.5 * len(TOOLCALL.tools))
        assert task.data["expected_tool"] in names


def test_without_a_solution_nothing_is_hidden() -> None:
    unknown = msgspec.structs.replace(TOOLCALL, gold=None)
    assert len(shown(with_varied_tools(unknown, ToolVariation(hide=0.5), 0))) == len(TOOLCALL.tools)


def test_a_call_by_the_shown_name_passes_and_is_recorded_under_the_own_name() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(rename=1.0), 0)
    for at, task in enumerate(TASKS):
        trajectory = play(varied, at)
        call = next(item for item in trajectory.items if isinstance(item, FunctionCall))
        assert call.name == task.data["expected_tool"]
        assert tool_call_verifier(task, trajectory).passed
        assert trajectory.marked("executed") or trajectory.marked("unsafe") or call.name == "refuse"


def test_the_own_name_of_a_renamed_tool_was_not_offered_and_fails() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(rename=1.0), 0)
    trajectory = play(varied, 0, by_name=True)
    assert trajectory.marked("unknown_tool")
    assert not tool_call_verifier(TASKS[0], trajectory).passed
    [output] = [item.output for item in trajectory.items if isinstance(item, FunctionCallOutput)]
    listed = str(output).partition("tools:")[2]
    assert listed and not any(tool.name in listed for tool in TOOLCALL.tools), "own names stay unknown"


def test_demonstrations_call_the_tools_that_they_show() -> None:
    varied = with_varied_tools(TOOLCALL, ALL, 0)
    for example, task in zip(asyncio.run(gold_examples(varied, TASKS, Version(base="m"))), TASKS, strict=True):
        [call] = [item for item in example.items if isinstance(item, FunctionCall)]
        assert call.name in {tool.name for tool in example.tools}
        [said] = [item.text for item in example.items if isinstance(item, Message) and item.role == "assistant"]
        assert said == write_call(call.name, msgspec.json.decode(call.arguments))
        described = {tool.name: tool.description for tool in example.tools}[call.name]
        assert described == {tool.name: tool.description for tool in TOOLCALL.tools}[task.data["expected_tool"]]


def test_a_solution_of_several_replies_is_played_with_own_names() -> None:
    workplace = load_environment("workplace")
    task = workplace.tasks("train")[0]
    varied = with_varied_tools(workplace, ToolVariation(rename=1.0), 0)
    [example] = asyncio.run(gold_examples(varied, [task], Version(base="m")))
    calls = [item.name for item in example.items if isinstance(item, FunctionCall)]
    assert len(calls) > 1 and set(calls) <= {tool.name for tool in example.tools}
    assert not set(calls) & {tool.name for tool in workplace.tools}


def test_descriptions_of_a_version_stay_with_their_tool() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(rename=1.0), 0)
    own = Version(base="m", tool_descriptions={"refuse": "Say no."})
    tools = asyncio.run(task_tools(varied, TASKS[0], own)).tools
    assert [tool.description for tool in tools].count("Say no.") == 1


def test_a_renamed_tool_is_described_where_tools_are_listed_by_name() -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(rename=1.0), 0)
    lines = describe(asyncio.run(task_tools(varied, TASKS[0])).tools).splitlines()
    assert len(lines) == len(TOOLCALL.tools) and all(": " in line for line in lines)


@pytest.mark.parametrize("bad", [{"hide": 1.0}, {"rename": 1.5}, {"hide": -0.1}])
def test_shares_out_of_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(bad, ToolVariation)


def test_tools_that_a_written_solution_names_are_never_hidden() -> None:
    [gold] = [item for item in TOOLCALL.gold_replies(TASKS[0])[0] if isinstance(item, FunctionCall)]
    written = msgspec.structs.replace(TOOLCALL, gold=lambda task: write_call(gold.name, {"id": 1}))
    names = shown(with_varied_tools(written, ToolVariation(hide=0.5), 0))
    assert gold.name in names and len(names) == len(TOOLCALL.tools) - round(0.5 * len(TOOLCALL.tools))


@pytest.mark.parametrize("made_by", ["demonstrations", "pairs", "thumbs"])
def test_rows_of_episodes_with_renamed_tools_call_what_they_show(made_by: str) -> None:
    varied = with_varied_tools(TOOLCALL, ToolVariation(rename=1.0), 0)
    good, bad = (play(varied, 0, by_name=by_name) for by_name in (False, True))
    episodes = [
        msgspec.structs.replace(one, id=f"e{i}", turns=[Turn(made=[index for index, item in enumerate(one.items)
                                if isinstance(item, FunctionCall)])])
        for i, one in enumerate((good, bad))
    ]  # fmt: skip
    verdicts = [
        Verdict(trajectory=one.id, verifier="v", reward=reward, passed=reward > 0)
        for one, reward in zip(episodes, (1.0, 0.0), strict=True)
    ]
    offered = asyncio.run(task_tools(varied, TASKS[0])).tools
    records = RunRecords([TASKS[0]], episodes, verdicts, lambda hash: offered)
    if made_by == "pairs":
        [row] = graded_pairs(records)[0]
        items, others = row.chosen, row.rejected
    else:
        rows = demonstrations(records)[0] if made_by == "demonstrations" else rated(records, [], [], verdicts=True)[0]
        row, items, others = rows[0], rows[0].items, rows[-1].items if len(rows) > 1 else []
    names = {tool.name for tool in row.tools}
    own = {tool.name for tool in TOOLCALL.tools}
    assert {item.name for item in items if isinstance(item, FunctionCall)} <= names and not names & own
    assert {item.name for item in others if isinstance(item, FunctionCall)} <= own, "the name that it was not offered"
    assert not any(tool.recorded_as for tool in row.tools)
