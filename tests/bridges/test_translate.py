"""Recipes as configurations of other trainers: what is written, and what is said about the rest."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from verigym.bridges.translate import TARGETS, translate
from verigym.cli.main import app
from verigym.core.errors import BadInput, NotFound
from verigym.training.recipe import make_recipe

BASE: dict[str, Any] = {"model": "Qwen/Qwen3-8B", "algorithm": "grpo", "environment": "toolcall", "max_tokens": 64}


def recipe(**fields: Any) -> Any:
    return make_recipe({**BASE, "learning_rate": 1e-5, **fields}, [], "recipe")


@pytest.mark.parametrize("target", TARGETS)
def test_every_field_that_a_recipe_sets_is_written_or_named(target: str) -> None:
    odd = {
        "start": "champion",
        "seed": 7,
        "difficulty": {"draw": "signal"},
        "episodes": {"gold_when_all_fail": 0.5, "length_penalty": 0.1},
        "lora": {"r": 8, "top_layers": 4},
        "loss": {"entropy_bonus": 0.01, "kl": 0.02, "reference": "base"},
        "rehearse": {},
    }
    made = translate(recipe(**odd), target)
    named = " ".join(note.split(":")[0] for note in made.notes)
    for field in ("start", "difficulty.draw", "episodes.gold_when_all_fail", "lora.top_layers"):
        assert field in named, (field, made.notes)
    assert all(f"# - {note}" in made.text for note in made.notes)
    assert "8" in made.text and ("entropy" in made.text)


def test_values_reach_the_place_where_verl_reads_them() -> None:
    made = yaml.safe_load(translate(recipe(loss={"kl": 0.02, "clip_high": 0.3}, updates_per_batch=4), "verl").text)
    actor, rollout = made["actor_rollout_ref"]["actor"], made["actor_rollout_ref"]["rollout"]
    assert actor["ppo_mini_batch_size"] == 2 and rollout["n"] == 8
    assert (actor["clip_ratio_low"], actor["clip_ratio_high"]) == (0.2, 0.3)
    assert (actor["use_kl_loss"], actor["kl_loss_coef"], actor["kl_loss_type"]) == (True, 0.02, "k3+")
    assert made["data"]["max_response_length"] == 64 and made["algorithm"]["norm_adv_by_std_in_grpo"] is True


def test_a_mixture_becomes_sources_of_prime_rl_and_is_refused_for_the_others() -> None:
    mixture = recipe(environment="", environments={"toolcall": 2, "math": 1})
    made = tomllib.loads(translate(mixture, "prime-rl").text)
    sources = made["orchestrator"]["train"]["source"]
    assert [(each["env"]["taskset"]["environment"], each["ratio"]) for each in sources] == [
        ("toolcall", 2.0),
        ("math", 1.0),
    ]
    with pytest.raises(BadInput, match="prime-rl"):
        translate(mixture, "verl")


@pytest.mark.parametrize("target", ["verl", "nemo-rl"])
def test_an_environment_that_answers_messages_is_refused_where_episodes_end_at_the_first_reply(target: str) -> None:
    with pytest.raises(BadInput, match="openrlhf"):
        translate(recipe(environment="sudoku"), target)
    assert "sudoku" in translate(recipe(environment="sudoku"), "prime-rl").text


def test_an_environment_that_runs_another_projects_loop_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "driven.py"
    file.write_text(
        "import verigym\n\n\nclass Environment:\n    def open(self, task): ...\n\n    async def drive(self, gateway): ...\n\n\n"
        "def tasks(split):\n    return [verigym.Task(id='1', prompt='x', split=split)]\n\n\n"
        "verifiers = {'v': verigym.external_verdict}\n"
    )
    with pytest.raises(BadInput, match="runs the loop of another project"):
        translate(recipe(environment=str(file)), "openrlhf")


def test_what_verigym_would_compute_is_named() -> None:
    made = translate(make_recipe({**BASE, "max_tokens": None, "model": "smollm2-135m"}, [], "recipe"), "openrlhf")
    assert any(note.startswith("learning_rate: not set") for note in made.notes)
    assert any(note.startswith("max_tokens: not set") for note in made.notes)
    assert "HuggingFaceTB/SmolLM2-135M-Instruct" in made.text


@pytest.mark.parametrize("algorithm", ["sft", "dpo"])
def test_methods_that_do_not_sample_are_refused(algorithm: str) -> None:
    with pytest.raises(BadInput, match="cannot be translated"):
        translate(recipe(algorithm=algorithm, data="rows.jsonl"), "verl")


def test_an_unknown_trainer_is_named_with_those_that_exist() -> None:
    with pytest.raises(NotFound, match="nemo-rl"):
        translate(recipe(), "nemorl")


def test_the_command_writes_the_configuration_and_the_rows(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump({**BASE, "environment": "math"}))
    out, rows = tmp_path / "out.txt", tmp_path / "rows"
    command = ["recipe", "translate", str(file), "steps=3", "--to", "openrlhf", "--out", str(out), "--rows", str(rows)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert f"--data.prompt_dataset {rows}/train.jsonl" in out.read_text()
    assert {each.name for each in rows.iterdir()} == {"agent.py", "train.jsonl", "val.jsonl"}
    assert "not translated, or different: learning_rate" in done.output
    assert CliRunner().invoke(app, command).exit_code == 0  # the same files again
    (rows / "val.jsonl").write_text("mine\n")
    (rows / "agent.py").unlink()
    done = CliRunner().invoke(app, command)
    assert f"{rows / 'val.jsonl'} exists and has other content" in str(done.exception)
    assert (rows / "val.jsonl").read_text() == "mine\n" and not (rows / "agent.py").exists()
    out.unlink()
    done = CliRunner().invoke(app, [*command[:-1], str(file)])
    assert "is a file. Name a folder with --rows" in str(done.exception)


def test_a_configuration_that_somebody_changed_is_not_replaced(tmp_path: Path) -> None:
    file, out = tmp_path / "recipe.yaml", tmp_path / "verl.yaml"
    file.write_text(yaml.safe_dump({**BASE, "learning_rate": 1e-5}))
    command = ["recipe", "translate", str(file), "--to", "verl", "--out", str(out)]
    for _ in range(2):  # the same text may be written again
        assert CliRunner().invoke(app, command).exit_code == 0
    out.write_text(f"{out.read_text()}# mine\n")
    done = CliRunner().invoke(app, command)
    assert done.exit_code != 0 and "exists and has other content" in str(done.exception) and "# mine" in out.read_text()
