"""NeMo RL: JSON Lines for its `OpenAIFormatDataset`, `PreferenceDataset` and `NemoGymDataset`.

Prompts and rollouts are rows of NeMo Gym. `verigym serve-env ENV --as nemogym` serves the environment that such a row names.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from verigym.core.records import Example, FunctionCall, FunctionCallOutput, Item, Json, Message, Preference, ToolSpec
from verigym.training.formats.format import (
    Format,
    Prompt,
    Rollout,
    Written,
    imitated,
    messages,
    origin,
    sides,
    split_at_first,
    written_tools,
)
from verigym.wire.responses import context
from verigym.wire.tools import ToolNames


def demonstration(example: Example, plain: bool) -> Written:
    """NeMo RL learns every message of the assistant, and the last message must be one."""
    whole, learnt = imitated(example, lambda items: messages(items, example.tools, plain))
    if any(message["role"] == "assistant" and index not in learnt for index, message in enumerate(whole)):
        return "replies that are not imitated"
    tools = {} if plain or not example.tools else {"tools": written_tools(example.tools)}
    return [{"messages": whole, **tools, **origin(example)}]


def preference(pair: Preference, plain: bool) -> Written:
    prompt, chosen = sides(pair.prompt, pair.chosen, pair.tools, plain)
    _, rejected = sides(pair.prompt, pair.rejected, pair.tools, plain)
    ranked = [{"rank": rank, "completion": side} for rank, side in enumerate((chosen, rejected))]
    return [{"context": prompt, "completions": ranked}]


def prompt(one: Prompt, plain: bool) -> Written:
    return [gym_row(one.items, one.tools, one.task.id)]


def gym_row(items: Sequence[Item], tools: Sequence[ToolSpec], task: str) -> Json:
    """A task as a row of NeMo Gym."""
    names = ToolNames((tool.name for tool in tools), items)
    said = [Message(item.role, item.text) if isinstance(item, Message) else item for item in items]
    params = {
        "input": msgspec.to_builtins(context(said, names)),
        "tools": [
            {
                "type": "function",
                "name": names.wire(tool.name),
                "description": tool.description,
                "parameters": tool.parameters or {"type": "object", "properties": {}},
                "strict": False,
            }
            for tool in tools
        ],
        "parallel_tool_calls": False,
    }
    return {"responses_create_params": params, "verigym_task": task, "agent_ref": {"name": "simple_agent"}}


def rollout(one: Rollout, plain: bool) -> Written:
    """What NeMo Gym collects: the row, the response and its reward. Each turn brings the ids that were sampled."""
    before, after = split_at_first(one.episode)
    row = gym_row(before, one.episode.tools, one.episode.task)
    names = ToolNames((tool.name for tool in one.episode.tools), one.episode.items)
    response = {
        "id": f"resp_{one.episode.source}",
        "created_at": 0.0,
        "model": one.agent or "verigym",
        "object": "response",
        "output": [output for number, item in enumerate(after) for output in _output(item, number, names)],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": row["responses_create_params"]["tools"],
    }
    return [{**row, "response": response, "reward": one.reward, "passed": one.passed, "parts": one.parts}]


def _output(item: Any, number: int, names: ToolNames) -> list[Json]:
    match item:
        case Message(role="assistant"):
            part = {"type": "output_text", "text": item.text, "annotations": []}
            head = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
            return [{**head, "content": [part]}]
        case FunctionCall():
            call = {"call_id": item.call_id, "name": names.wire(item.name), "arguments": item.arguments}
            return [{"type": "function_call", "id": f"fc_{number}", **call, "status": "completed"}]
        case FunctionCallOutput():
            return [{"type": "function_call_output", "call_id": item.call_id, "output": item.output}]
        case _:
            return []


FORMAT = Format(
    name="nemo-rl",
    label="NeMo RL",
    file="jsonl",
    writers={"demonstrations": demonstration, "preferences": preference, "prompts": prompt, "rollouts": rollout},
    load={
        "demonstrations": "dataset_name: openai_format, data_path: {file}, use_preserving_dataset: true",
        "preferences": "dataset_name: PreferenceDataset, data_path: {file}",
        "prompts": "dataset_name: NemoGymDataset, data_path: {file}. Serve the environment: "
        "verigym serve-env ENV --as nemogym",
        "rollouts": "NeMo Gym's rollout files: one line is a row with response and reward",
    },
    without={"thumbs": "NeMo RL has no dataset of rated replies. Export preferences"},
)
