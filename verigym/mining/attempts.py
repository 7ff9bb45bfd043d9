"""Reads production traces as attempts: what the user asked, and what the agent did.

A conversation is cut at its last request. If the same request came earlier in the conversation, each time is a separate attempt:
a repeated request suggests that the earlier attempt failed. This module also decides which traces belong to an environment.
`signals` decides whether an attempt failed.
"""

from collections.abc import Iterator, Mapping, Sequence

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
        """Equal for equal requests, ignoring spaces and capitals."""
        if isinstance(self.prompt, str):
            return near.plain(self.prompt)
        return content_hash(wording(self.prompt))

    @property
    def has_image(self) -> bool:
        return any(_has_image(item) for item in self.prompt if not isinstance(item, str))


def attempts_of(trajectory: Trajectory, names: Mapping[str, str]) -> list[Attempt]:
    """None if the trace holds no request. `names` maps tool names as an API may spell them."""
    slim = msgspec.structs.replace(trajectory, turns=[], stop=_stop(trajectory))
    lines = [[named(item, names) for item in line if not _is_system(item)] for line in _lines(trajectory)]
    found: list[Attempt] = []
    for line in lines:
        users = [place for place, item in enumerate(line) if isinstance(item, Message) and item.role == "user"]
        if not users:
            continue
        words = near.plain(_user_text(line[users[-1]]))
        asked = [place for place in users if near.plain(_user_text(line[place])) == words]
        prompt, ends = _prompt(line[: asked[0] + 1]), dict(zip(users, [*users[1:], len(line)], strict=True))
        for place in asked:
            tried, last = line[place + 1 : ends[place]], line is lines[-1] and place == asked[-1]
            if tried or last:
                found.append(Attempt(trace=slim, prompt=prompt, tried=tried, last=last))
    return found


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
    return [*(_said(items, turn) for turn in earlier), [*_said(items, last), *items[end:]]]


def _said(items: Sequence[Item], turn: Turn) -> list[Item]:
    seen = [items[place] for start, end in turn.saw for place in range(start, end)]
    return [*seen, *(items[place] for place in turn.made)]


def replies(items: Sequence[Item]) -> list[Reply]:
    """The agent's text and calls, reply by reply, for a scripted policy to repeat. A call written as text, as models without a
    tool channel write it, is parsed during play."""
    found: list[list[Item]] = [[]]
    for item in items:
        if isinstance(item, FunctionCallOutput) or (isinstance(item, Message) and item.role != "assistant"):
            found.append([])
        elif isinstance(item, FunctionCall | Message):
            found[-1].append(item)
    return [_reply(each) for each in found if each]


def solution(environment: EnvironmentSpec, items: Sequence[Item]) -> list[Item]:
    """The calls and text of the agent, including calls written as text."""
    return [item for reply in replies(items) for item in _read(reply, bool(environment.tools))]


def tool_names(environment: EnvironmentSpec) -> dict[str, str]:
    """Maps each tool's name, also as an API may spell it, to the environment's own name: `calendar-create_event`."""
    own = [tool.name for tool in environment.tools]
    wire = ToolNames(own)
    return {spelt: name for name in own for spelt in (wire.wire(name), name)}


def named(item: Item, names: Mapping[str, str]) -> Item:
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


def _read(reply: Reply, has_tools: bool) -> Iterator[Item]:
    if isinstance(reply, str):
        yield from dialects.parse(reply) if has_tools else [Message("assistant", reply)]
    else:
        yield from reply
