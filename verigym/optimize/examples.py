"""Few-shot examples for an agent: its own passing episodes on feedback tasks, and gold solutions if it has too few.

An example is a conversation without the system prompt. It is shown before the task, as earlier messages.
"""

from collections.abc import Sequence

import msgspec

from verigym.agents.run import scripted_runner
from verigym.core import event_loop
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Task, Trajectory, Version
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.optimize.records import Situation
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.replies import unfit

LONGEST = 4000
"""Maximum characters of one example."""
_DONE = "Done."
LOOKED_AT = 24
"""Number of feedback tasks whose gold solution is considered."""


class Demonstration(msgspec.Struct, frozen=True):
    task: Task
    items: list[Item]
    own: bool
    """Whether the agent did it itself."""


def demonstrations(situation: Situation, n: int) -> list[Demonstration]:
    """Up to n short solutions of different families and kinds, the agent's own first."""
    found = [
        Demonstration(one.task, conversation(one.episode.trajectory), own=True)
        for one in situation.evidence
        if one.episode.verdict.passed and not one.failed and not unfit(one.episode.trajectory)
    ]
    if situation.settings.gold and len(_chosen(found, n)) < n:
        found += _gold(situation)
    return _chosen(found, n)


def _chosen(found: Sequence[Demonstration], n: int) -> list[Demonstration]:
    """One of each kind and family first, then others of different families."""
    fitting = [one for one in found if one.items and _size(one.items) <= LONGEST]
    chosen: list[Demonstration] = []
    for unlike in (lambda one, other: _kind(one) != _kind(other), lambda one, other: True):
        for one in fitting:
            new = all(family_of(one.task) != family_of(other.task) and unlike(one, other) for other in chosen)
            if new and len(chosen) < n:
                chosen.append(one)
    return chosen


def conversation(trajectory: Trajectory) -> list[Item]:
    """An episode as an example: without system prompt and reasoning, up to the last reply and its tool results."""
    items: list[Item] = []
    for item in trajectory.items:
        if isinstance(item, Message) and item.role not in ("system", "developer"):
            items.append(Message(item.role, item.text))
        elif isinstance(item, FunctionCall | FunctionCallOutput):
            items.append(item)
    while items and isinstance(items[-1], Message) and items[-1].role == "user":
        items.pop()
    if items and isinstance(
        items[-1], FunctionCallOutput
    ):  # the next message is a user's, and a reply stands before it
        items.append(Message("assistant", _DONE))
    return items


def numbered(examples: Sequence[Sequence[Item]]) -> list[list[Item]]:
    """The examples with call ids that no other example and no episode has."""
    return [
        [
            msgspec.structs.replace(item, call_id=f"example_{number}_{item.call_id}".replace(" ", "_"))
            if isinstance(item, FunctionCall | FunctionCallOutput)
            else item
            for item in items
        ]
        for number, items in enumerate(examples)
    ]


def _gold(situation: Situation) -> list[Demonstration]:
    """Gold solutions of feedback tasks, played in the environment, so that tool results are real."""
    environment, agent = situation.environment, situation.parent
    found: list[Demonstration] = []
    if environment.needs_user:
        return found
    for task in situation.tasks[:LOOKED_AT]:
        replies = environment.gold_replies(task) if isinstance(task.prompt, str) else []
        if replies and len(task.prompt) + sum(len(str(reply)) for reply in replies) <= LONGEST:
            episode = event_loop.run(_played(environment, task, agent, replies))
            if not unfit(episode):
                found.append(Demonstration(task, conversation(episode), own=False))
    return found


async def _played(environment: EnvironmentSpec, task: Task, agent: Version, replies: Sequence[Reply]) -> Trajectory:
    plain = Version(base=agent.base, id=agent.id)
    policy = ScriptedPolicy(list(replies))
    async with scripted_runner(environment) as run:
        return await run(environment, task, policy, agent=plain, id=f"gold/{task.id}", group="gold")


def _kind(one: Demonstration) -> str:
    """The kind of a solution: the tools that it calls, or the text of its answer."""
    calls = [item.name for item in one.items if isinstance(item, FunctionCall)]
    texts = [item.text for item in one.items if isinstance(item, Message) and item.role == "assistant"]
    return " ".join(calls) or " ".join(texts)


def _size(items: Sequence[Item]) -> int:
    return sum(len(str(item)) for item in items)
