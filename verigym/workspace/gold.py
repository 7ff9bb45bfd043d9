"""Gold solutions as demonstrations, under the agent's own prompt.

A solution of one reply is used as it is. A solution of several replies needs tool results between them, so it is played in the
environment and used only if it completes without an error.
"""

import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from verigym.agents.run import scripted_runner
from verigym.core.errors import Refused
from verigym.core.printable import warn
from verigym.core.records import Example, FunctionCall, Item, Message, Sample, Task, Version
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.harness.tools import ToolBox
from verigym.harness.varied_tools import with_varied_tools
from verigym.policies.dialects import read_call, write_call
from verigym.policies.scripted import ScriptedPolicy
from verigym.policies.version_texts import with_examples
from verigym.rollout.replies import cut, unfit
from verigym.rollout.session import first_items, task_toolbox
from verigym.rollout.skills import offered
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe


async def gold_examples(environment: EnvironmentSpec, tasks: Sequence[Task], agent: Version) -> list[Example]:
    return [await _example(environment, task, agent) for task in tasks]


def check_gold(recipe: Recipe, environments: Sequence[TrainingEnvironment]) -> None:
    """Refuses `episodes.gold_when_all_fail` if no task has a gold solution."""
    if not recipe.episodes.gold_when_all_fail:
        return
    for each in environments:
        if not any(each.environment.gold_replies(task) for task in each.tasks):
            raise Refused(
                f"episodes.gold_when_all_fail: no task of {each.name} has a gold solution. Add gold(task) to the environment, or "
                "remove the setting"
            )


def gold_source(
    environments: Sequence[TrainingEnvironment], recipe: Recipe, agent: Version, render: Any
) -> "Callable[[str, Task, int], Awaitable[list[Sample]]]":
    """A function from environment, task and step to the samples of the gold solution, with the tools that the step offers. A
    task without a gold solution has no samples, and neither has one whose solution does not complete. The step counts both
    (`gold_missing`), and a warning names the first that does not complete."""
    warned = False
    by_name = {each.name: each.environment for each in environments}

    async def gold_of(source: str, task: Task, step: int) -> list[Sample]:
        from verigym.training.samples import example_samples

        environment = with_varied_tools(by_name[source], recipe.tools, recipe.seed, step)
        nonlocal warned
        replies = environment.gold_replies(task)
        if not replies or not replies[0]:
            return []
        try:
            return example_samples(render, await _example(environment, task, agent))
        except Refused as error:
            if not warned:
                warn(f"episodes.gold_when_all_fail: {error}")
            warned = True
            return []

    return gold_of


async def _example(environment: EnvironmentSpec, task: Task, agent: Version) -> Example:
    replies = environment.gold_replies(task)
    if not replies or not replies[0]:
        raise Refused(
            f'Task "{task.id}" has no gold solution. Add "expected_tool" or "answer" to it, or gold(task) to the environment'
        )
    if len(replies) == 1:
        [reply], context = replies, first_items(environment, task, agent)
        items = [*context, *([Message("assistant", reply)] if isinstance(reply, str) else reply)]
        made = [(len(context), len(items))]
    else:
        items, made = await _played(environment, task, agent, replies)
    items, made = _after_examples(items, made, agent)
    toolbox = await task_toolbox(environment, task)
    tools = offered(toolbox, environment, agent).tools
    return Example(task=task.id, family=family_of(task), items=_as_shown(toolbox, items), made=made, tools=tools)


def _as_shown(toolbox: ToolBox, items: list[Item]) -> list[Item]:
    """The items with the names that the tools are shown with. A message that writes out its call is written again."""
    shown = toolbox.shown(items)
    for i, (message, call) in enumerate(itertools.pairwise(shown)):
        if not isinstance(message, Message) or not isinstance(call, FunctionCall) or call == items[i + 1]:
            continue
        if (written := read_call(message.text)) is not None:
            shown[i] = msgspec.structs.replace(message, content=write_call(call.name, written[1]))
    return shown


def _after_examples(
    items: list[Item], made: list[tuple[int, int]], agent: Version
) -> tuple[list[Item], list[tuple[int, int]]]:
    """The conversation as the agent sees it: after its examples."""
    shown, _ = with_examples(items, [], agent.examples)
    moved = len(shown) - len(items)
    return shown, [(start + moved, end + moved) for start, end in made]


async def _played(
    environment: EnvironmentSpec, task: Task, agent: Version, replies: Sequence[Reply]
) -> tuple[list[Item], list[tuple[int, int]]]:
    """The conversation with its tool results, and the ranges of its replies."""
    if environment.needs_user:
        raise Refused(
            f'Task "{task.id}": its gold solution needs a user that a model simulates. Use passed episodes instead: '
            "verigym rollout, then verigym data demos RUN"
        )
    plain = msgspec.structs.replace(agent, constraints="", sampling=None)
    environment = msgspec.structs.replace(environment, toolbox=environment.toolbox.plain)  # a solution has own names
    policy = ScriptedPolicy(list(replies))
    async with scripted_runner(environment) as run:
        episode = await run(environment, task, policy, agent=plain, id=f"gold/{task.id}", group="gold")
    parts, wrong = cut(episode), unfit(episode)
    if wrong or parts is None:
        why = f"{episode.error.kind}: {episode.error.message}" if episode.error else wrong
        raise Refused(
            f'Task "{task.id}": its gold solution does not complete in the environment ({why}). '
            f"Find the cause: verigym check {environment.name}"
        )
    return parts.prompt + parts.rest, parts.replies
