"""The recipe of a hybrid reasoning model runs on a folder with its architecture: Mamba, MLP and attention, without kernels."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspace.desk import Bench
from verigym.model.known_ids import KNOWN
from verigym.training.recipe import read_recipe
from verigym.workspace.dry_run import dry_run
from verigym.workspace.train import train

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "recipes/nemotron_nano.yaml"


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = ROOT / "bench/random_model.py"
    return subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=300, cwd=ROOT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("nemotron") / "model"
    done = script(str(made), "--small", "--layers", "M-*")
    assert done.returncode == 0, done.stderr
    return made


def overrides(folder: Path, bench: Bench) -> list[str]:
    """A small environment whose replies differ in reward, and short replies."""
    return [
        f"model={folder}",
        f"environment={bench.desk}",
        "reward=letters",
        "held_out_eval=desk_eval",
        "steps=2",
        "prompts_per_step=2",
        "num_generations_per_prompt=4",
        "learning_rate=0.01",
        "max_tokens=14",
        "limits.reasoning_tokens=2",
        "eval_tasks=2",
    ]


def test_the_recipe_names_an_id_that_exists() -> None:
    recipe = read_recipe(RECIPE, [])
    assert recipe.model == "nvidia/NVIDIA-Nemotron-Nano-9B-v2" and recipe.model in KNOWN
    assert recipe.max_tokens is None, "the model decides, because it reasons first"


def test_the_folder_is_a_reasoning_model_with_a_tool_channel(folder: Path) -> None:
    from transformers import AutoConfig, AutoTokenizer

    from verigym.policies.render import Renderer

    render = Renderer(AutoTokenizer.from_pretrained(folder))
    assert render.template.reasons and render.dialect.name == "nemotron"
    config: Any = AutoConfig.from_pretrained(folder)
    assert config.model_type == "nemotron_h"
    assert config.layers_block_type == ["linear_attention", "mlp", "full_attention"]


def test_the_dry_run_leaves_room_for_reasoning(folder: Path, fresh: Bench) -> None:
    found = dry_run(fresh.ws, read_recipe(RECIPE, [f"model={folder}"]))
    [chosen] = [line for line in found.lines if line.startswith("defaults chosen")]
    assert "max_tokens 4" in chosen, "4,096 tokens of reasoning and the answer"


@pytest.mark.parametrize("adapter", ["lora", "qlora", "full"])
def test_the_recipe_trains_a_version(folder: Path, fresh: Bench, adapter: str) -> None:
    if adapter == "qlora":
        pytest.importorskip("bitsandbytes")
    recipe = read_recipe(RECIPE, [*overrides(folder, fresh), f"adapter={adapter}"])
    version, run = train(fresh.ws, recipe)
    rows = fresh.metrics(run)
    assert len(rows) == 2 and all(row["grad_norm"] > 0 for row in rows.values()), "both steps have an update"
    assert "held_out_success" in rows[2]
    assert (version.full, version.quantized) == (adapter == "full", "nf4" if adapter == "qlora" else "")


def test_a_killed_run_ends_in_the_same_weights(folder: Path, fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from verigym.training import loop

    monkeypatch.setattr(loop, "CHECKPOINT_S", 0.0)
    recipe = read_recipe(RECIPE, overrides(folder, fresh))
    wanted, _ = train(Bench(fresh.place / "whole", folder).ws, recipe)

    class Killed(Exception):
        pass

    def die(step: int, *_: Any) -> None:
        if step == 1:
            raise Killed

    with pytest.raises(Killed):
        train(fresh.ws, recipe, die)
    assert train(fresh.ws, msgspec.structs.replace(recipe))[0].adapter == wanted.adapter


def test_letters_that_are_no_layers_are_refused(tmp_path: Path) -> None:
    done = script(str(tmp_path / "model"), "--small", "--layers", "MX")
    assert done.returncode == 2 and '--layers "MX" must be letters out of M - *' in done.stderr
    assert not (tmp_path / "model").exists()
