"""A conversation as chat templates with tools take it: roles, content, `tool_calls`, and results that name their call.

Thinking stands at the start of the content, as a model writes it. `joined` and `folded` put right what some templates
refuse: a user who speaks twice in a row, and a system message. Images are left out.
"""

import itertools
import json
import re
from collections.abc import Callable, Sequence

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, Reasoning, ToolSpec
from verigym.policies.dialects import thinking
from verigym.policies.dialects.calls import from_items
from verigym.policies.dialects.plain import arguments_of
from verigym.wire.items import message_text, reasoning_text
from verigym.wire.tools import ToolNames

_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""The only ids that Mistral's templates take; the others do not write them."""


def to_messages(
    items: Sequence[Item], names: ToolNames, speak: Callable[[Sequence[Item]], str] | None = None
) -> list[Json]:
    """What the assistant did without interruption is one message. `speak` writes its calls into the content, for
    conversations whose `tool_calls` a template refuses."""
    messages: list[Json] = []
    called: dict[str, tuple[str, str]] = {}
    for own, some in itertools.groupby(items, _is_assistants):
        if own:
            messages.append(_reply(list(some), names, called, speak))
            continue
        for item in some:
            if isinstance(item, FunctionCallOutput):
                id, name = called.get(item.call_id, (item.call_id, ""))
                messages.append({"role": "tool", "tool_call_id": id, "name": name, "content": item.output})
            elif isinstance(item, Message):
                messages.append({"role": "user" if item.role == "user" else "system", "content": message_text(item)})
    return messages


def _is_assistants(item: Item) -> bool:
    return isinstance(item, Reasoning | FunctionCall) or (isinstance(item, Message) and item.role == "assistant")


def _reply(
    items: list[Item],
    names: ToolNames,
    called: dict[str, tuple[str, str]],
    speak: Callable[[Sequence[Item]], str] | None,
) -> Json:
    """One message of the assistant; its calls are noted in `called`, by their ids."""
    thoughts = [reasoning_text(item) for item in items if isinstance(item, Reasoning)]
    content = thinking.write("\n".join(thoughts)) if thoughts else ""
    said, calls = from_items(items)
    words: list[Item] = [Message("assistant", said)] if said else []
    tool_calls: list[Json] = []
    for call in calls:
        id = call.call_id if _ID.fullmatch(call.call_id) else f"call{len(called):05}"
        name, arguments = names.wire(call.name), arguments_of(call)
        called[call.call_id] = id, name
        function = {"name": name, "arguments": call.arguments if arguments is None else arguments}
        tool_calls.append({"type": "function", "id": id, "function": function})
        spelled = call.arguments if arguments is None else json.dumps(arguments, ensure_ascii=False)  # as templates do
        words.append(FunctionCall(id, name, spelled))
    if speak is not None:
        return {"role": "assistant", "content": content + speak(words)}
    return {"role": "assistant", "content": content + said} | ({"tool_calls": tool_calls} if calls else {})


def tool(spec: ToolSpec, name: str) -> Json:
    """A tool as templates take it: some read the properties of one that has none."""
    parameters = {"type": "object", "properties": {}, **spec.parameters}
    return {
        "type": "function",
        "function": {"name": name, "description": spec.description, "parameters": parameters},
    }


def joined(messages: list[Json]) -> list[Json]:
    """What a user says in several messages, in one."""
    made: list[Json] = []
    for message in messages:
        if made and made[-1]["role"] == message["role"] == "user":
            made[-1] = {**message, "content": f"{made[-1]['content']}\n{message['content']}"}
        else:
            made.append(message)
    return made


def folded(messages: list[Json]) -> list[Json]:
    """System messages at the head of the first user message."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    rest = [message for message in messages if message["role"] != "system"]
    if not system:
        return rest
    place = next((place for place, message in enumerate(rest) if message["role"] == "user"), None)
    if place is None:
        return [{"role": "user", "content": "\n\n".join(system)}, *rest]
    words = "\n\n".join([*system, rest[place]["content"]])
    return [*rest[:place], {"role": "user", "content": words}, *rest[place + 1 :]]
