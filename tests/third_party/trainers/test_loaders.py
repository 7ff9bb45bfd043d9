"""Exported training data in the loaders of other trainers: they read it, and learn what should be learnt."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_data import RUN, Shell
from tests.third_party.install import installed, variables_of
from tests.tiny import tiny

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "third_party" / "programs" / "read_exports.py"
TEMPLATE = (
    "{% if tools %}<|system|>{{ tools | tojson }}<|end|>\n{% endif %}"
    "{% for message in messages %}{{ '<|' + ('user' if message['role'] == 'tool' else message['role']) + '|>' }}"
    "{{ message['content'] }}{% for call in message.tool_calls or [] %}"
    "<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}{{ '<|end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
"""A template with tools, which writes arguments as JSON: text or added nulls would be seen."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    made = Shell(tmp_path_factory.mktemp("home"))
    made("data", "demos", RUN, "--name", "demonstrations")
    made("data", "pairs", RUN, "--name", "preferences")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny model of which every trainer can read the tokenizer."""
    made = tiny(window=8192, hidden=16, layers=1, text=TEMPLATE * 3 + PROGRAM.read_text() * 3)
    made.tokenizer.chat_template = TEMPLATE
    made.model.save_pretrained(tmp_path / "model")
    made.tokenizer.save_pretrained(tmp_path / "model")
    return tmp_path


def export(shell: Shell, folder: Path, form: str, *names: str, ending: str = ".jsonl", plain: bool = False) -> None:
    for name in names:
        words = {"prompts": ["data", "export", "-e", "toolcall", "-n", "4"]}.get(name, ["data", "export", name])
        words = ["runs", "export", RUN] if name == "rollouts" else words
        shell(*words, "--as", form, "-o", str(folder / f"{name}{ending}"), *(["--plain"] if plain else []))


def read(trainer: str, folder: Path, variables: dict[str, str]) -> Any:
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder / "cache"),
        "HOME": str(folder),
        **variables,
    }
    command = [sys.executable, str(PROGRAM), trainer, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.partition("read:")[2])


def needs(name: str) -> None:
    assert installed(name), f"Install it first: python -m tests.third_party.install {name}"


def test_trl_trains_on_demonstrations_preferences_rollouts_and_prompts(shell: Shell, folder: Path) -> None:
    export(shell, folder, "trl", "demonstrations", "preferences", "prompts", "rollouts")
    found = read("trl", folder, {"PYTHONPATH": str(ROOT)})
    assert found["learnt"].startswith("<tool_call>{") and found["learnt"].strip().endswith("</tool_call><|end|>")
    call = json.loads(found["learnt"].partition("<tool_call>")[2].partition("</tool_call>")[0])
    assert isinstance(call["arguments"], dict) and None not in call["arguments"].values()
    assert '"calendar-create_event"' in found["context"], "the tools are in the prompt"
    assert json.loads(found["answer"])[0]["name"] and found["task"] and "environment" in found["columns"]
    assert set(found["losses"]) == {"sft", "dpo", "kto", "grpo"}


def test_the_trl_that_unsloth_takes_reads_the_same_files(shell: Shell, folder: Path) -> None:
    needs("trl")
    export(shell, folder, "trl", "demonstrations", "preferences", "prompts", "rollouts")
    found = read("trl-datasets", folder, variables_of("trl"))
    assert found["learnt"].startswith("<tool_call>{") and found["losses"]["kto"] == 24


def test_openrlhf_learns_the_reply_and_nothing_else(shell: Shell, folder: Path) -> None:
    needs("openrlhf")
    export(shell, folder, "openrlhf", "demonstrations", "preferences", "prompts", plain=True)
    found = read("openrlhf", folder, variables_of("openrlhf"))
    assert (found["demonstrations"], found["prompts"]) == (3, 4) and found["preferences"] > 0
    assert json.loads(found["learnt"].partition("<|end|>")[0])["tool"], found["learnt"]
    assert found["chosen"] != found["rejected"] and "Tools:\n" in found["chosen"]
    assert found["datasource"] == "toolcall" and json.loads(found["label"])[0]["name"]
    assert found["prompt"].endswith("<|assistant|>") and "calendar.create_event(attendee" in found["prompt"]


def test_verl_reads_prompts_with_their_ground_truth_and_learns_every_reply(shell: Shell, folder: Path) -> None:
    needs("verl")
    export(shell, folder, "verl", "prompts", ending=".parquet")
    export(shell, folder, "verl", "demonstrations", ending=".parquet", plain=True)
    found = read("verl", folder, variables_of("verl"))
    assert (found["prompts"], found["demonstrations"], found["agent"]) == (4, 3, "tool_agent")
    assert [message["role"] for message in found["prompt"]] == ["system", "user"]
    assert json.loads(found["ground_truth"])[0]["name"] and found["task"]
    assert {"data_source", "raw_prompt", "reward_model", "extra_info"} <= set(found["batch"])
    assert json.loads(found["learnt"].partition("<|end|>")[0])["tool"], found["learnt"]
