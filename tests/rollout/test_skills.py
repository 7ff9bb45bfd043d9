"""Examples, skills and harness settings of a version in an episode."""

import asyncio
from typing import Any

import msgspec
import pytest

from tests.rollout.shop import ADD, AGENT, Shop, spec
from verigym.core.protocols import Reply, Request
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Harness,
    Item,
    Mark,
    Message,
    Stop,
    Task,
    Trajectory,
    Turn,
)
from verigym.policies.scripted import ScriptedPolicy
from verigym.policies.version_texts import with_examples, without_examples
from verigym.rollout.episode import run_episode
from verigym.rollout.skills import READ_SKILL

TASK = Task(id="t", prompt="buy tea")
EXAMPLE: list[Item] = [
    Message("user", "buy milk"),
    FunctionCall("example_0_a", "add", '{"item": "milk"}'),
    FunctionCallOutput("example_0_a", "1 milk"),
    Message("assistant", "Done."),
]
SKILL = "How to buy.\nBuy two of everything."


class Watched:
    """Plays a script and keeps the requests."""

    def __init__(self, replies: list[Any]) -> None:
        self.requests: list[Request] = []
        self._policy = ScriptedPolicy(replies)

    async def respond(self, request: Request) -> Reply:
        self.requests.append(request)
        return await self._policy.respond(request)


def run(policy: Any, max_turns: int = 8, environment: type = Shop, **fields: Any) -> Trajectory:
    agent = msgspec.structs.replace(AGENT, **fields)
    return asyncio.run(run_episode(spec(environment, max_turns), TASK, policy, agent=agent, id="r/t/0", group="r/t"))


def test_examples_stand_between_the_system_prompt_and_the_task_and_are_not_part_of_the_trajectory() -> None:
    policy = Watched([ADD, "Done."])
    made = run(policy, examples=[EXAMPLE])
    first, second = policy.requests
    assert first.items == [Message("system", "You keep a shop."), *EXAMPLE, Message("user", "buy tea")]
    assert second.items[: len(first.items)] == first.items
    assert [call.arguments for call in made.calls] == ['{"item":"tea","count":2}']
    assert made.items[1] == Message("user", "buy tea")
    assert [(turn.parent, turn.made) for turn in made.turns] == [(None, [2, 3]), (0, [5])]
    assert second.turns[0].made == [6, 7], "the policy counts in the context that it sees"


def test_taking_the_examples_out_of_a_context_undoes_putting_them_in() -> None:
    items: list[Item] = [Message("system", "s"), Message("user", "u"), Message("assistant", "a")]
    shown, turns = with_examples(items, [Turn(made=[2])], [EXAMPLE, EXAMPLE])
    assert len(shown) == len(items) + 2 * len(EXAMPLE) and turns[0].made == [2 + 2 * len(EXAMPLE)]
    assert without_examples(shown, [EXAMPLE, EXAMPLE]) == items
    assert with_examples(items, [], []) == (items, [])


def test_skills_are_listed_with_their_first_line_and_a_tool_reads_them() -> None:
    policy = Watched(['{"tool": "read_skill", "args": {"name": "buying"}}', ADD, "Done."])
    made = run(policy, skills={"buying": SKILL})
    system = policy.requests[0].items[0]
    assert isinstance(system, Message)
    assert "- buying: How to buy." in system.text and "Buy two" not in system.text
    assert [tool.name for tool in policy.requests[0].tools] == ["add", "burn", READ_SKILL]
    assert FunctionCallOutput("call_0", SKILL) in made.items
    assert Mark("skill_read", item=3, detail="buying") in made.marks
    assert made.end_state == {"basket": {"tea": 2}}


@pytest.mark.parametrize("arguments", ['{"name": "selling"}', "{}", "[1]", '{"name": 3}', '"x"'])
def test_a_skill_that_cannot_be_read_is_an_error_that_the_model_sees(arguments: str) -> None:
    call = FunctionCall("c", READ_SKILL, arguments)
    made = run(ScriptedPolicy([call, "Done."]), skills={"buying": SKILL})
    [output] = [item for item in made.items if isinstance(item, FunctionCallOutput)]
    assert output.output.startswith("error: ") and made.marked("bad_arguments")


def test_an_agent_with_one_reply_gets_the_whole_skill_in_its_system_prompt() -> None:
    policy = Watched([ADD])
    run(policy, max_turns=1, skills={"buying": SKILL})
    system = policy.requests[0].items[0]
    assert isinstance(system, Message) and "Buy two of everything." in system.text
    assert [tool.name for tool in policy.requests[0].tools] == ["add", "burn"]


def test_a_version_without_skills_is_offered_the_same_tools_as_before() -> None:
    assert run(ScriptedPolicy([ADD, "Done."])).tools != run(ScriptedPolicy([ADD]), skills={"a": "b"}).tools


MALFORMED = '{"tool": "add", "args": {"item": "tea", "count": 2}'


def test_a_malformed_call_is_explained_and_may_be_written_again() -> None:
    plain = run(ScriptedPolicy([MALFORMED, ADD]), max_turns=1)
    assert plain.end_state == {"basket": {}} and plain.marked("format_error")
    made = run(ScriptedPolicy([MALFORMED, ADD]), max_turns=1, harness=Harness(format_retries=1))
    assert made.end_state == {"basket": {"tea": 2}} and made.stop is Stop.DONE
    [explained] = [item for item in made.items if isinstance(item, Message) and "cannot be read" in item.text]
    assert explained.role == "user" and "add, burn" in explained.text


@pytest.mark.parametrize("wrong", ['{"tool": "sell", "args": {}}', '{"tool": "add", "args": {"price": 3}}'])
def test_a_call_that_never_ran_does_not_use_up_a_turn_while_retries_are_left(wrong: str) -> None:
    assert run(ScriptedPolicy([wrong, ADD]), max_turns=1).end_state == {"basket": {}}
    made = run(ScriptedPolicy([wrong, ADD]), max_turns=1, harness=Harness(format_retries=2))
    assert made.end_state == {"basket": {"tea": 2}}


def test_retries_end() -> None:
    made = run(ScriptedPolicy([MALFORMED]), max_turns=2, harness=Harness(format_retries=3))
    assert sum(turn.actor == "policy" for turn in made.turns) == 4


def test_the_agents_own_limit_of_turns_replaces_the_environments() -> None:
    made = run(ScriptedPolicy([ADD]), max_turns=2, harness=Harness(turns=5))
    assert len(made.turns) == 5 and made.stop is Stop.MAX_TURNS
