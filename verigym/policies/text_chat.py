"""A conversation in the plain dialect: role and content, nothing else, so that any chat template can write it.

Calls are written as the assistant's text, their results as the user's, and the tools stand in the system message.
Images are left out, and reasoning where it is not asked for. Reading a reply back is `dialects`.
"""

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, ToolSpec
from verigym.policies import dialects
from verigym.policies.dialects import thinking
from verigym.policies.dialects.plain import call_text, is_text_of
from verigym.wire.items import message_text, reasoning_text

__all__ = ["call_text", "to_messages"]


def to_messages(items: list[Item], tools: list[ToolSpec], *, reasoning: bool = False) -> list[dict[str, str]]:
    """The items as `{"role", "content"}`; what the assistant did without interruption is one message.

    `dialects.parse` makes a message and a call of one text: such a call is not written a second time.
    """
    messages: list[dict[str, str]] = []
    before: Item | None = None
    for item in items:
        if isinstance(item, Message):
            _say(messages, "system" if item.role == "developer" else item.role, message_text(item))
        elif isinstance(item, FunctionCallOutput):
            _say(messages, "user", item.output)
        elif isinstance(item, FunctionCall) and not is_text_of(before, item):
            _say(messages, "assistant", call_text(item))
        elif isinstance(item, Reasoning) and reasoning:
            _say(messages, "assistant", thinking.write(reasoning_text(item)).removesuffix("\n"))
        before = item
    return _with_tools(messages, tools) if tools else messages


def _say(messages: list[dict[str, str]], role: str, content: str) -> None:
    if role == "assistant" and messages and messages[-1]["role"] == "assistant":
        messages[-1]["content"] += f"\n{content}"
    else:
        messages.append({"role": role, "content": content})


def _with_tools(messages: list[dict[str, str]], tools: list[ToolSpec]) -> list[dict[str, str]]:
    shown = f"Tools:\n{dialects.describe(tools)}"
    for message in messages:
        if message["role"] == "system":
            message["content"] = f"{message['content']}\n\n{shown}" if message["content"] else shown
            return messages
    return [{"role": "system", "content": shown}, *messages]
