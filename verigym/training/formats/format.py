"""What every format shares: the records that are written, the `Format` that writes them, and conversations as messages.

A format maps a record to rows. The same demonstration is one row for a trainer that learns every reply of a conversation, and
one row per reply for a trainer that learns what follows a prompt. A record that the format cannot hold is left out and counted.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.records import Example, FunctionCall, Item, Json, Message, Preference, Sample, Task, ToolSpec
from verigym.harness.environment import Reply
from verigym.policies.dialects import plain
from verigym.policies.dialects.instructions import adapted, in_words
from verigym.policies.dialects.markup import from_items
from verigym.policies.template import to_messages
from verigym.wire.tools import ToolNames

Kind = Literal["demonstrations", "thumbs", "preferences", "prompts", "rollouts"]
KINDS: tuple[Kind, ...] = ("demonstrations", "thumbs", "preferences", "prompts", "rollouts")
ROW_OF: dict[Kind, str] = {
    "demonstrations": "demonstration",
    "thumbs": "rated episode",
    "preferences": "preference",
    "prompts": "prompt",
    "rollouts": "rollout",
}


class Prompt(Struct, frozen=True, kw_only=True):
    """A task as an episode begins with it, for reinforcement learning."""

    task: Task
    environment: str
    number: int
    """Position among the exported tasks."""
    items: list[Item]
    tools: list[ToolSpec] = []
    gold: list[Reply] = []
    """The replies of the gold solution. Empty if the environment has none."""


class Rollout(Struct, frozen=True, kw_only=True):
    """An episode with its reward."""

    episode: Example
    """Its conversation. `source` is the trajectory."""
    environment: str
    split: str
    reward: float
    passed: bool
    parts: dict[str, float] = {}
    agent: str = ""
    """The version that replied."""
    samples: list[Sample] = []
    """The token ids as they were sampled, the mask and the logprobs, one for each path of turns. Empty if they are not known."""


Record = Example | Preference | Prompt | Rollout
Written = list[Json] | str
"""The rows of a record, or why it is left out, in a few words."""


class Format(Struct, frozen=True, kw_only=True):
    name: str
    label: str
    """Name of the trainer and the version that the tests run."""
    file: Literal["jsonl", "parquet", "folder"]
    writers: dict[Kind, Callable[[Any, bool], Written]]
    """Kind of record to the function that makes its rows. The second argument is `plain`: tools are in the system prompt and
    calls are text."""
    load: dict[Kind, str]
    """How the trainer reads the file, in one line. `{file}` is its path."""
    without: dict[Kind, str] = {}
    """Why a kind is missing, and what to do."""
    only_plain: tuple[Kind, ...] = ()
    """Kinds whose records need `plain` if they have tools, because the trainer does not pass tools to the chat template."""
    columns: Callable[[Kind], dict[str, str]] | None = None
    """Column to type of a Parquet file, as `tables.arrow_type` reads it."""


def has_tools(record: Record) -> bool:
    """Whether a conversation offers or calls tools."""
    if isinstance(record, Rollout):
        return has_tools(record.episode)
    is_pair = isinstance(record, Preference)
    items = [*record.prompt, *record.chosen, *record.rejected] if is_pair else record.items
    return bool(record.tools) or any(isinstance(item, FunctionCall) for item in items)


def messages(items: Sequence[Item], tools: Sequence[ToolSpec], as_text: bool) -> list[Json]:
    """A conversation as chat templates take it. With `as_text`, role and content only."""
    if as_text:
        return [dict(message) for message in plain.to_messages(items, list(tools), reasoning=True)]
    return adapted_to_tools(to_messages(items, names := ToolNames((tool.name for tool in tools), items)), tools, names)


def adapted_to_tools(written: list[Json], tools: Sequence[ToolSpec], names: ToolNames) -> list[Json]:
    """Messages whose system prompts do not ask for calls as text, because the chat template asks for its own form."""
    if not tools:
        return written
    return [
        {**message, "content": adapted(message["content"], names, in_words)} if message["role"] == "system" else message
        for message in written
    ]


def sides(before: Sequence[Item], after: Sequence[Item], tools: Sequence[ToolSpec], as_text: bool) -> list[list[Json]]:
    """What comes before a reply and what follows, as messages. Both are written together, so that calls keep their ids."""
    every = messages([*before, *after], tools, as_text)
    first = len(messages(before, tools, as_text))
    return [every[:first], every[first:]]


def written_tools(tools: Sequence[ToolSpec]) -> list[Json]:
    names = ToolNames(tool.name for tool in tools)
    return [
        {
            "type": "function",
            "function": {
                "name": names.wire(tool.name),
                "description": tool.description,
                "parameters": tool.parameters or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    ]


def by_reply(example: Example) -> Iterator[tuple[list[Item], list[Item]]]:
    """Each reply to imitate, with all that comes before it."""
    for start, end in example.made:
        yield example.items[:start], example.items[start:end]


def split_at_first(example: Example) -> tuple[list[Item], list[Item]]:
    """The prompt, and everything from the first reply to imitate to the last."""
    first, last = example.made[0][0], example.made[-1][1]
    return example.items[:first], example.items[first:last]


def imitated(example: Example, write: Callable[[Sequence[Item]], list[Json]]) -> tuple[list[Json], set[int]]:
    """The conversation up to its last reply, written by `write`, and the indices of the messages to imitate."""
    learnt: set[int] = set()
    for start, end in example.made:
        learnt |= set(range(len(write(example.items[:start])), len(write(example.items[:end]))))
    return write(example.items[: example.made[-1][1]]), learnt


def origin(example: Example) -> Json:
    return {"task": example.task, "family": example.family or example.task, "source": example.source}


def answer_of(prompt: Prompt) -> str:
    """The ground truth as text: the task's answer, or the gold solution, or all that the verifier knows."""
    answer = prompt.task.data.get("answer")
    if isinstance(answer, str | int | float) and not isinstance(answer, bool):
        return str(answer)
    if prompt.gold:
        return gold_text(prompt.gold)
    return json_text(prompt.task.data)


def gold_text(gold: Sequence[Reply]) -> str:
    """The text of a gold solution of one message, or its calls and messages as JSON."""
    if len(gold) == 1 and isinstance(gold[0], str):
        return gold[0]
    written: list[Any] = []
    for reply in gold:
        said, calls = from_items([Message("assistant", reply)] if isinstance(reply, str) else reply)
        written += [said] if said else []
        for call in calls:
            arguments = plain.arguments_of(call)
            written.append({"name": call.name, "arguments": call.arguments if arguments is None else arguments})
    return written[0] if len(written) == 1 and isinstance(written[0], str) else json_text(written)


def json_text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
