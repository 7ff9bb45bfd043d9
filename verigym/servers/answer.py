"""One request answered by a policy: what the version adds to it, and the reply as the client sees it.

A version answers as it was measured: its system prompt takes the place of the client's, its tool descriptions that of theirs.
What the client says about sampling holds; the version's settings are for what it leaves open.
"""

import random
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from msgspec.structs import replace

from verigym.core.errors import ContextFull
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Sampling, ToolSpec, Version
from verigym.policies.dialects.plain import is_text_of
from verigym.policies.openai.names import ToolNames
from verigym.servers.ask import Answered, Ask
from verigym.servers.errors import HttpError

DEFAULT = Sampling(max_tokens=1024)
"""Where neither the client nor the version says anything."""
_REMEMBERED = 10_000
_REMEMBERED_ITEMS = 200_000


@runtime_checkable
class Streams(Protocol):
    """A policy that is heard while it speaks."""

    async def stream(self, request: Request, said: Callable[[str], None]) -> Reply: ...


def request_of(ask: Ask, version: Version, before: Sequence[Item] = ()) -> Request:
    """What the policy is asked; `before` is what was said before the client's own items."""
    sampling = replace(version.sampling or DEFAULT, **ask.sampling)
    constrain = ask.constrain or version.constraints
    return Request(
        items=with_system([*instructions(ask), *before, *ask.items], version.system_prompt),
        tools=described(ask.tools, version.tool_descriptions),
        sampling=replace(sampling, constrain=constrain) if constrain else sampling,
        seed=random.getrandbits(63) if ask.seed is None else ask.seed,
    )


def instructions(ask: Ask) -> list[Item]:
    return [] if ask.instructions is None else [Message("system", ask.instructions)]


def with_system(items: list[Item], prompt: str | None) -> list[Item]:
    """The version's system prompt in place of the client's; an empty one takes it away."""
    if prompt is None:
        return items
    rest = [item for item in items if not (isinstance(item, Message) and item.role in ("system", "developer"))]
    return [Message("system", prompt), *rest] if prompt else rest


def described(tools: list[ToolSpec], descriptions: dict[str, str]) -> list[ToolSpec]:
    """The tools with the version's own descriptions, by their names as they are or as the APIs allow them."""
    if not descriptions:
        return tools
    names = ToolNames(descriptions)
    own = {**{names.wire(name): text for name, text in descriptions.items()}, **descriptions}
    return [replace(tool, description=own[tool.name], own=True) if tool.name in own else tool for tool in tools]


def answered(reply: Reply, head: Answered) -> Answered:
    """The reply as the client sees it, under the id that was given to it before."""
    finish = reply.turn.finish
    if finish == "context_full":
        raise ContextFull("the conversation does not fit the model's window")
    items = as_sent(reply.items)
    called = any(isinstance(item, FunctionCall) for item in items)
    how = "length" if finish == "length" else "tool_calls" if called else "stop"
    return replace(head, items=items, usage=reply.turn.usage, finish=how)


def as_sent(items: Sequence[Item]) -> list[Item]:
    """The reply without the words that only write its call, and with ids of calls that no other reply has."""
    made: list[Item] = []
    for item, behind in zip(items, [*items[1:], None], strict=False):
        if isinstance(item, FunctionCall):
            made.append(replace(item, call_id=f"call_{uuid.uuid4().hex[:24]}"))
        elif not (isinstance(behind, FunctionCall) and is_text_of(item, behind)):
            made.append(item)
    return made


class Remembered:
    """The latest responses with all that was said before them but instructions, so that a request may go on from one. They
    are held in memory only."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, list[Item]] = OrderedDict()
        self._items = 0

    def keep(self, id: str, items: list[Item]) -> None:
        self._kept[id] = items
        self._items += len(items)
        while len(self._kept) > _REMEMBERED or (self._items > _REMEMBERED_ITEMS and len(self._kept) > 1):
            self._items -= len(self._kept.popitem(last=False)[1])

    def known(self, id: str) -> list[Item]:
        return self._kept.get(id, [])

    def before(self, id: str) -> list[Item]:
        """The conversation that a request goes on with."""
        if id not in self._kept:
            words = f'no response "{id}": only the latest are remembered, until the server ends; send the whole conversation'
            raise HttpError(404, words, code="previous_response_not_found", param="previous_response_id")
        return self._kept[id]


def first_words(items: Sequence[Item]) -> str:
    """What the user said first, by which a conversation is known that has no id."""
    return next((item.text for item in items if isinstance(item, Message) and item.role == "user"), "")
