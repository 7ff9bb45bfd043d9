"""Reads production traces as attempts: what the user asked, and what the agent did.

A conversation is cut at its last request. If the same request came earlier in the conversation, each time is a separate attempt:
a repeated request suggests that the earlier attempt failed. This module also decides which traces belong to an environment.
`signals` decides whether an attempt failed.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Image,
    Item,
    Message,
    Stop,
    Trajectory,
    Turn,
    content_hash,
)
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies import dialects
from verigym.rollout.replies import wording
from verigym.tasks import near_duplicates as near
from verigym.wire.tools import ToolNames


class Attempt(Struct, frozen=True, kw_only=True):
    trace: Trajectory
    """The trace without its turns."""
    prompt: str | list[Item]
    """The request without the system prompt, because the environment has its own."""
    tried: list[Item]
    """What followed, up to the user's next message."""
    last: bool = True
    """False if the user asked the same again."""

    @property
    def request(self) -> str:
        """The user's text."""
        return self.prompt if isinstance(self.prompt, str) else _user_text(self.prompt[-1])

    @property
    def key(self) -> str:
        return request_key(self.prompt)

    @property
    def has_image(self) -> bool:
        return any(_has_image(item) for item in self.prompt if not isinstance(item, str))


def request_key(prompt: str | list[Item]) -> str:
    """Equal for equal requests, ignoring spaces and capitals."""
    return near.plain(prompt) if isinstance(prompt, str) else content_hash(wording(prompt))


def attempts_of(trajectory: Trajectory, names: Mapping[str, str], dialogue: bool = False) -> list[Attempt]:
    """None if the trace holds no request. `names` maps tool names as an API may spell them. In a `dialogue` the user answers the
    agent, so the whole conversation is one attempt at its first message."""
    slim = msgspec.structs.replace(trajectory, turns=[], stop=_stop(trajectory))
    lines = [[with_tool_name(item, names) for item in line if not _is_system(item)] for line in _lines(trajectory)]
    attempts: list[Attempt] = []
    for line in lines:
        users = [index for index, item in enumerate(line) if isinstance(item, Message) and item.role == "user"]
        if not users:
            continue
        if dialogue:
            first = users[0]
            attempt = Attempt(
                trace=slim, prompt=_prompt([line[first]]), tried=line[first + 1 :], last=line is lines[-1]
            )
            attempts += [attempt] if attempt.last else []
            continue
        text = near.plain(_user_text(line[users[-1]]))
        requests = [index for index in users if near.plain(_user_text(line[index])) == text]
        prompt, ends = _prompt(line[: requests[0] + 1]), dict(zip(users, [*users[1:], len(line)], strict=True))
        for index in requests:
            tried, last = line[index + 1 : ends[index]], line is lines[-1] and index == requests[-1]
            if tried or last:
                attempts.append(Attempt(trace=slim, prompt=prompt, tried=tried, last=last))
    return attempts


def _lines(trajectory: Trajectory) -> list[list[Item]]:
    """The conversation as its last turn saw it, preceded by earlier turns that repeated the same request. Other branches, such as
    edited messages, are left out."""
    items = trajectory.items
    turns = [turn for turn in trajectory.turns if turn.actor not in ("user", "judge")]
    if not turns or not turns[-1].saw:  # what it saw was not recorded
        return [items]
    retried = {mark.item for mark in trajectory.marks if mark.kind == "retry"}
    again = [turn.saw for turn in turns if not retried.isdisjoint(turn.made)]
    earlier = [turn for turn in turns[:-1] if turn.saw in again and retried.isdisjoint(turn.made)]
    last = turns[-1]
    end = max([*last.made, *(end - 1 for _, end in last.saw)]) + 1
    return [*(_turn_items(items, turn) for turn in earlier), [*_turn_items(items, last), *items[end:]]]


def _turn_items(items: Sequence[Item], turn: Turn) -> list[Item]:
    return [*(item for start, end in turn.saw for item in items[start:end]), *(items[index] for index in turn.made)]


def replies(items: Sequence[Item]) -> list[Reply]:
    """The agent's text and calls, reply by reply, for a scripted policy to repeat. A call written as text, as models without a
    tool channel write it, is parsed during play."""
    groups: list[list[Item]] = [[]]
    for item in items:
        if isinstance(item, FunctionCallOutput) or (isinstance(item, Message) and item.role != "assistant"):
            groups.append([])
        elif isinstance(item, FunctionCall | Message):
            groups[-1].append(item)
    return [_reply(group) for group in groups if group]


def solution(environment: EnvironmentSpec, items: Sequence[Item]) -> list[Item]:
    """The calls and text of the agent, including calls written as text."""
    parsed: list[Item] = []
    for reply in replies(items):
        if not isinstance(reply, str):
            parsed += reply
        else:
            parsed += dialects.parse(reply) if environment.has_tools else [Message("assistant", reply)]
    return parsed


def tool_names(environment: EnvironmentSpec) -> dict[str, str]:
    """Maps each tool's name, also as an API may spell it, to the environment's own name: `calendar-create_event`."""
    names = [tool.name for tool in environment.tools]
    wire = ToolNames(names)
    return {spelling: name for name in names for spelling in (wire.wire(name), name)}


def with_tool_name(item: Item, names: Mapping[str, str]) -> Item:
    """A call with the environment's name for the tool."""
    if isinstance(item, FunctionCall) and names.get(item.name, item.name) != item.name:
        return msgspec.structs.replace(item, name=names[item.name])
    return item


def belongs(
    environment: EnvironmentSpec, trajectory: Trajectory, offered: Sequence[str], names: Mapping[str, str]
) -> bool:
    """Whether a trace belongs to the environment: most of the offered tools are the environment's, or, if the offer is unknown, a
    called tool is. A matching system prompt also counts."""
    if offered and names:
        return 2 * sum(name in names for name in offered) > len(offered)
    if any(call.name in names for call in trajectory.calls):
        return True
    first = next((item for item in trajectory.items if _is_system(item)), None)
    return bool(environment.system) and isinstance(first, Message) and first.text.strip() == environment.system.strip()


def _is_system(item: Item) -> bool:
    return isinstance(item, Message) and item.role in ("system", "developer")


def _user_text(item: Item) -> str:
    return item.text if isinstance(item, Message) else ""


def _prompt(items: list[Item]) -> str | list[Item]:
    match items:
        case [Message(role="user") as only] if not _has_image(only):
            return only.text
    return items


def _has_image(item: Item) -> bool:
    parts = item.content if isinstance(item, Message) and isinstance(item.content, list) else []
    return any(isinstance(part, Image) for part in parts)


def _stop(trajectory: Trajectory) -> Stop:
    finishes = [turn.finish for turn in trajectory.turns if turn.actor not in ("user", "judge")]
    return Stop.MAX_TOKENS if finishes[-1:] == ["length"] else trajectory.stop


def _reply(items: list[Item]) -> Reply:
    if any(isinstance(item, FunctionCall) for item in items):
        return items
    return "\n".join(item.text for item in items if isinstance(item, Message))
