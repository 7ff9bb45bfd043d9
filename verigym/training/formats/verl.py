"""verl: Parquet for its `RLHFDataset` (prompts with a ground truth) and its `MultiTurnSFTDataset` (whole conversations).

A column of Parquet gives every call the arguments of every other call, as nulls, and verl passes them to the chat template. So
demonstrations with tools are written as plain text. Prompts bring no tools: verl's tool agent takes them from its tool file.
"""

from verigym.core.records import Example
from verigym.training.formats.format import (
    Format,
    Kind,
    Prompt,
    Written,
    answer_of,
    imitated,
    json_text,
    messages,
    origin,
)

_MESSAGES = "list<role: string, content: string>"
_REWARD = "struct<style: string, ground_truth: string>"
_EXTRA = "struct<index: int64, split: string, environment: string, task: string, family: string, data: string>"


def demonstration(example: Example, plain: bool) -> Written:
    """verl learns every message of the assistant."""
    whole, learnt = imitated(example, lambda items: messages(items, example.tools, plain))
    if any(message["role"] == "assistant" and index not in learnt for index, message in enumerate(whole)):
        return "replies that are not imitated"
    return [{"messages": whole, **origin(example)}]


def prompt(one: Prompt, plain: bool) -> Written:
    task = one.task
    return [
        {
            "data_source": f"verigym/{one.environment}",
            "prompt": messages(one.items, one.tools, plain),
            "agent_name": "tool_agent" if one.tools and not plain else "single_turn_agent",
            "ability": one.environment.partition("?")[0],
            "reward_model": {"style": "rule", "ground_truth": answer_of(one)},
            "extra_info": {
                "index": one.number,
                "split": task.split,
                "environment": one.environment,
                "task": task.id,
                "family": task.family or task.id,
                "data": json_text(task.data),
            },
        }
    ]


def _columns(kind: Kind) -> dict[str, str]:
    if kind == "prompts":
        columns = {"data_source": "string", "prompt": _MESSAGES, "agent_name": "string", "ability": "string"}
        return {**columns, "reward_model": _REWARD, "extra_info": _EXTRA}
    return {"messages": _MESSAGES, "task": "string", "family": "string", "source": "string"}


FORMAT = Format(
    name="verl",
    label="verl 0.9.1",
    file="parquet",
    writers={"demonstrations": demonstration, "prompts": prompt},
    load={
        "demonstrations": "data.train_files={file} data.messages_key=messages, with verl.trainer.sft_trainer",
        "prompts": "data.train_files={file} data.prompt_key=prompt, with verl.trainer.main_ppo",
    },
    without={
        "thumbs": "verl has no dataset of rated replies. Export demonstrations",
        "preferences": "verl has no trainer for preferences. Export demonstrations, or use --as trl or --as openrlhf",
        "rollouts": "verl has no format for rollouts with rewards. Pass --rows demonstrations",
    },
    only_plain=("demonstrations",),
    columns=_columns,
)
