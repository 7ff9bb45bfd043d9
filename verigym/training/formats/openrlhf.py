"""OpenRLHF: JSON Lines for its SFT, reward model, DPO and prompt datasets, with `--data.apply_chat_template`.

It passes no tools to the chat template, so conversations with tools are written as plain text. SFT learns what follows a
prompt, so a demonstration of several replies is one row per reply.
"""

from verigym.core.records import Example, Json, Preference
from verigym.training.formats.format import (
    Format,
    Prompt,
    Written,
    answer_of,
    by_reply,
    messages,
    origin,
    sides,
)


def demonstration(example: Example, plain: bool) -> Written:
    rows: list[Json] = []
    for before, reply in by_reply(example):
        given, output = sides(before, reply, example.tools, plain)
        rows.append({"input": given, "output": output, **origin(example)})
    return rows


def preference(pair: Preference, plain: bool) -> Written:
    prompt, chosen = sides(pair.prompt, pair.chosen, pair.tools, plain)
    _, rejected = sides(pair.prompt, pair.rejected, pair.tools, plain)
    return [{"prompt": prompt, "chosen": chosen, "rejected": rejected, "margin": pair.margin, "task": pair.task}]


def prompt(one: Prompt, plain: bool) -> Written:
    row = {"input": messages(one.items, one.tools, plain), "label": answer_of(one), "datasource": one.environment}
    return [{**row, "task": one.task.id, "split": one.task.split}]


FORMAT = Format(
    name="openrlhf",
    label="OpenRLHF 0.11.2",
    file="jsonl",
    writers={"demonstrations": demonstration, "preferences": preference, "prompts": prompt},
    load={
        "demonstrations": "train_sft --data.dataset {file} --data.input_key input --data.output_key output "
        "--data.apply_chat_template",
        "preferences": "train_dpo --data.dataset {file} --data.prompt_key prompt --data.chosen_key chosen "
        "--data.rejected_key rejected --data.apply_chat_template",
        "prompts": "train_ppo_ray --data.prompt_dataset {file} --data.input_key input --data.label_key label "
        "--data.apply_chat_template",
    },
    without={
        "thumbs": "OpenRLHF 0.11 has no dataset of rated replies. Export preferences",
        "rollouts": "OpenRLHF has no format for rollouts with rewards. Pass --rows demonstrations or --rows preferences",
    },
    only_plain=("demonstrations", "preferences", "prompts"),
)
