"""Gold solutions to imitate: what a task says is right, under the agent's own prompt.

A solution of one reply is written down as it is. One of several replies has results of tools between them, which nobody has
seen yet: it is played in the environment, and imitated only if nothing goes wrong.
"""

from collections.abc import Sequence

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Example, Item, Message, Task, Version
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import first_items, run_episode
from verigym.rollout.replies import cut, unfit


async def gold_examples(environment: EnvironmentSpec, tasks: Sequence[Task], agent: Version) -> list[Example]:
    return [await _example(environment, task, agent) for task in tasks]


async def _example(environment: EnvironmentSpec, task: Task, agent: Version) -> Example:
    replies = environment.gold_replies(task)
    if not replies or not replies[0]:
        raise Refused(
            f'task "{task.id}" has no gold reply to imitate: give it "expected_tool" or "answer", or the environment a gold(task)'
        )
    if len(replies) == 1:
        context, items = first_items(environment, task, agent), _items(replies[0])
        made = [(len(context), len(context) + len(items))]
        items = context + items
    else:
        items, made = await _played(environment, task, agent, replies)
    tools = environment.toolbox.offer(agent.tool_descriptions).tools
    return Example(task=task.id, family=family_of(task), items=items, made=made, tools=tools)


async def _played(
    environment: EnvironmentSpec, task: Task, agent: Version, replies: Sequence[Reply]
) -> tuple[list[Item], list[tuple[int, int]]]:
    """The conversation with its results, and which of it are replies."""
    if environment.needs_user:
        raise Refused(
            f'task "{task.id}": its gold solution is one side of a conversation with a user whom a model plays; roll it out '
            "and imitate what passes: verigym rollout, then verigym data demos RUN"
        )
    plain = msgspec.structs.replace(agent, constraints="", sampling=None)
    policy = ScriptedPolicy(list(replies))
    episode = await run_episode(environment, task, policy, agent=plain, id=f"gold/{task.id}", group="gold")
    found, wrong = cut(episode), unfit(episode)
    if wrong or found is None:
        why = f"{episode.error.kind}: {episode.error.message}" if episode.error else wrong
        raise Refused(
            f'task "{task.id}": its gold solution cannot be imitated, as it does not play to its end ({why}); '
            f"see what is wrong with it: verigym check {environment.name}"
        )
    return found.prompt + found.rest, found.made


def _items(reply: Reply) -> list[Item]:
    return [Message("assistant", reply)] if isinstance(reply, str) else list(reply)
