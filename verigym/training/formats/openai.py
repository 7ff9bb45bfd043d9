"""OpenAI's fine-tuning files: JSON Lines with chat messages, arguments as text, and weights for replies that are not learnt."""

from collections.abc import Sequence

from verigym.core.records import Example, Item, Json, Preference, ToolSpec
from verigym.training.formats.format import (
    Format,
    Prompt,
    Written,
    adapted_to_tools,
    answer_of,
    imitated,
    messages,
    written_tools,
)
from verigym.wire import chat
from verigym.wire.tools import ToolNames


def demonstration(example: Example, plain: bool) -> Written:
    """Replies that are not imitated have the weight 0. OpenAI learns every other reply."""
    row, learnt = imitated(example, lambda items: _messages(items, example.tools, plain))
    for index, message in enumerate(row):
        if message["role"] == "assistant" and index not in learnt:
            message["weight"] = 0
    return [{"messages": row, **_tools(example.tools, plain)}]


def preference(pair: Preference, plain: bool) -> Written:
    """OpenAI compares two messages of the assistant."""
    asked = _messages(pair.prompt, pair.tools, plain)
    outputs = [
        _messages([*pair.prompt, *side], pair.tools, plain)[len(asked) :] for side in (pair.chosen, pair.rejected)
    ]
    if any(len(output) != 1 for output in outputs):
        return "several messages in a reply"
    given = {"messages": asked, **_tools(pair.tools, plain)}
    return [{"input": given, "preferred_output": outputs[0], "non_preferred_output": outputs[1]}]


def prompt(one: Prompt, plain: bool) -> Written:
    """A row of reinforcement fine-tuning. A grader reads `item.reference_answer`."""
    row = {"messages": _messages(one.items, one.tools, plain), **_tools(one.tools, plain)}
    return [{**row, "reference_answer": answer_of(one), "environment": one.environment, "task": one.task.id}]


def _messages(items: Sequence[Item], tools: Sequence[ToolSpec], plain: bool) -> list[Json]:
    if plain:
        return messages(items, tools, True)
    names = ToolNames((tool.name for tool in tools), items)
    return adapted_to_tools(chat.context(items, names), tools, names)


def _tools(tools: list[ToolSpec], plain: bool) -> Json:
    return {} if plain or not tools else {"tools": written_tools(tools)}


FORMAT = Format(
    name="openai",
    label="OpenAI fine-tuning",
    file="jsonl",
    writers={"demonstrations": demonstration, "preferences": preference, "prompts": prompt},
    load={
        "demonstrations": 'client.files.create(file=open("{file}", "rb"), purpose="fine-tune"), method supervised',
        "preferences": 'client.files.create(file=open("{file}", "rb"), purpose="fine-tune"), method dpo',
        "prompts": 'client.files.create(file=open("{file}", "rb"), purpose="fine-tune"), method reinforcement',
    },
    without={
        "thumbs": "OpenAI's files have no ratings. Export demonstrations or preferences",
        "rollouts": "OpenAI's files have no rewards. Pass --rows demonstrations or --rows preferences",
    },
)
