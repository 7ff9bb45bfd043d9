"""TRL: conversations as JSON Lines, which `datasets.load_dataset("json")` reads without filling in missing arguments.

SFT learns what follows a prompt, so a demonstration of several replies is one row per reply. Tools are JSON text, which TRL's
trainers parse.
"""

from verigym.core.records import Example, Json, Preference, ToolSpec
from verigym.training.formats.format import (
    Format,
    Prompt,
    Rollout,
    Written,
    answer_of,
    by_reply,
    json_text,
    messages,
    origin,
    sides,
    split_at_first,
    written_tools,
)


def demonstration(example: Example, plain: bool) -> Written:
    rows: list[Json] = []
    for before, reply in by_reply(example):
        prompt, completion = sides(before, reply, example.tools, plain)
        rows.append({"prompt": prompt, "completion": completion, **_tools(example.tools, plain), **origin(example)})
    return rows


def thumb(example: Example, plain: bool) -> Written:
    prompt, completion = sides(*split_at_first(example), example.tools, plain)
    row = {"prompt": prompt, "completion": completion, "label": bool(example.good)}
    return [{**row, **_tools(example.tools, plain), **origin(example)}]


def preference(pair: Preference, plain: bool) -> Written:
    prompt, chosen = sides(pair.prompt, pair.chosen, pair.tools, plain)
    _, rejected = sides(pair.prompt, pair.rejected, pair.tools, plain)
    row = {"prompt": prompt, "chosen": chosen, "rejected": rejected, "margin": pair.margin}
    return [{**row, **_tools(pair.tools, plain), "task": pair.task, "source": pair.source}]


def prompt(one: Prompt, plain: bool) -> Written:
    """Columns beside `prompt` are keyword arguments of reward functions and of an environment's `reset`."""
    task = one.task
    row = {"prompt": messages(one.items, one.tools, plain), **_tools(one.tools, plain), "answer": answer_of(one)}
    return [{**row, "environment": one.environment, "task": task.id, "split": task.split, "data": json_text(task.data)}]


def rollout(one: Rollout, plain: bool) -> Written:
    rows = thumb(one.episode, plain)
    assert not isinstance(rows, str)
    return [{**row, "label": one.passed, "reward": one.reward, "split": one.split} for row in rows]


def _tools(tools: list[ToolSpec], plain: bool) -> Json:
    return {} if plain or not tools else {"tools": json_text(written_tools(tools))}


_LOAD = 'load_dataset("json", data_files="{file}", split="train")'
FORMAT = Format(
    name="trl",
    label="TRL 1.16",
    file="jsonl",
    writers={
        "demonstrations": demonstration,
        "thumbs": thumb,
        "preferences": preference,
        "prompts": prompt,
        "rollouts": rollout,
    },
    load={
        "demonstrations": f"SFTTrainer(train_dataset={_LOAD})",
        "thumbs": f"KTOTrainer(train_dataset={_LOAD})",
        "preferences": f"DPOTrainer(train_dataset={_LOAD})",
        "prompts": f"GRPOTrainer(train_dataset={_LOAD}, reward_funcs=...)",
        "rollouts": f"KTOTrainer(train_dataset={_LOAD}), with the column reward beside label",
    },
)
