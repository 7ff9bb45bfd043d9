"""Conversations as clients hold them: they send all of it each time, and not quite as it was answered."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from verigym.core.records import (
    Feedback,
    FunctionCall,
    FunctionCallOutput,
    InputText,
    Item,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Toolset,
    ToolSpec,
    Trajectory,
    Turn,
)
from verigym.traces.capture import Capture, Exchange
from verigym.traces.redaction import Redaction

TOOLS = [
    ToolSpec(name="look_up", description="Find a fact.", parameters={"type": "object", "required": ["what"]}),
    ToolSpec(name="send", description="Send it."),
]


class AsItIs(Redaction):
    """Rules that redact nothing."""

    def __init__(self) -> None:
        super().__init__([])

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        return trajectory

    def feedback(self, feedback: Feedback) -> Feedback:
        return feedback

    def tools(self, tools: Toolset) -> Toolset:
        return tools


def user(text: str) -> Message:
    return Message("user", text)


def said(text: str) -> Message:
    return Message("assistant", text)


def exchange(context: Sequence[Item], reply: Sequence[Item] | str, **fields: Any) -> Exchange:
    """`fields` are fields of the exchange and of its turn."""
    turn = Turn(**{name: fields.pop(name) for name in Turn.__struct_fields__ if name in fields and name != "tools"})
    items: list[Item] = [said(reply)] if isinstance(reply, str) else list(reply)
    return Exchange(context=list(context), reply=items, turn=turn, **fields)


class Chat:
    """A client with one conversation: `ask` sends what is new with all that came before."""

    def __init__(
        self, system: str = "You help.", as_parts: bool = False, drops_thoughts: bool = True, **more: Any
    ) -> None:
        self.items: list[Item] = [Message("system", system)] if system else []
        self.turns = 0
        self._as_parts, self._drops, self._more = as_parts, drops_thoughts, more

    def ask(self, new: Sequence[Item] | str, reply: Sequence[Item] | str, **more: Any) -> Exchange:
        """The exchange as the gateway sees it; the client has it in its history from now on."""
        self.items += [user(new)] if isinstance(new, str) else new
        made = exchange(list(self._sent()), reply, **{**self._more, **more})
        self.items += made.reply
        self.turns += 1
        return made

    def _sent(self) -> Iterator[Item]:
        for item in self.items:
            if isinstance(item, Reasoning) and self._drops:
                continue
            yield _other_way(item) if self._as_parts else item


def _other_way(item: Item) -> Item:
    match item:
        case Message("assistant", str(text)):
            return Message("assistant", [OutputText(text)])
        case Message(role, str(text)):
            return Message(role, [InputText(text)])
        case FunctionCall(call_id, name, arguments):
            try:
                return FunctionCall(call_id, name, json.dumps(json.loads(arguments), indent=1))
            except ValueError:
                return item
        case _:
            return item


def thought(text: str) -> Reasoning:
    return Reasoning(content=[ReasoningText(text)])


def stored(capture: Capture, id: str) -> Trajectory:
    capture.flush()
    return capture.store.trajectory(id)[1]


def is_call(item: Item) -> bool:
    return isinstance(item, FunctionCall)


def output(call_id: str, text: str) -> FunctionCallOutput:
    return FunctionCallOutput(call_id, text)
