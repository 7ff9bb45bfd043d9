"""Translated recipes under the parsers of the trainers.

verl and OpenRLHF are installed. NeMo RL and prime-rl are not on PyPI: set VERIGYM_NEMO_RL and VERIGYM_PRIME_RL to checkouts.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.install import ROOT, install, python_of, variables_of
from verigym.bridges.translate import translate
from verigym.training.recipe import make_recipe, read_recipe

PROGRAM = Path(__file__).parents[1] / "programs" / "parse_config.py"
RECIPES = ["qwen_workplace.yaml", "toolcall_grpo.yaml", "toolcall_wide_dapo.yaml"]
TRAINERS = {  # trainer: package of the tests, variable that names a checkout
    "verl": ("verl", ""),
    "openrlhf": ("openrlhf", ""),
    "nemo-rl": ("verl", "VERIGYM_NEMO_RL"),
    "prime-rl": ("verifiers", "VERIGYM_PRIME_RL"),
}


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_trainers_own_parser_takes_every_algorithm(trainer: str, tmp_path: Path) -> None:
    package, variable = TRAINERS[trainer]
    if variable and not os.environ.get(variable):
        pytest.skip(f"{trainer} is not on PyPI. Set {variable} to a checkout")
    install(package)
    recipes = [read_recipe(ROOT / "recipes" / name, ["learning_rate=2e-5"]) for name in RECIPES]
    for algorithm in ("grpo", "gspo", "cispo", "rloo", "dr_grpo"):
        fields = {"algorithm": algorithm, "loss": {"kl": 0.02}, "adapter": "full", "environment": "math"}
        recipes.append(make_recipe({"model": "Qwen/Qwen3-8B", "learning_rate": 1e-6, **fields}, [], "recipe"))
    files = [tmp_path / f"config{i}.{'toml' if trainer == 'prime-rl' else 'yaml'}" for i in range(len(recipes))]
    for recipe, file in zip(recipes, files, strict=True):
        file.write_text(translate(recipe, trainer, str(tmp_path)).text)
    for recipe, parsed in zip(recipes, parse(trainer, package, variable, files), strict=True):
        assert (parsed["group"], parsed["tasks"]) == (recipe.num_generations_per_prompt, recipe.prompts_per_step)
        assert (parsed["lr"], parsed["steps"]) == (recipe.learning_rate, recipe.steps)
        if recipe.adapter == "lora":
            assert parsed["rank"] == recipe.lora.r
        if parsed["clip"] is not None and recipe.loss.objective == "clip" and recipe.loss.clip_high is not None:
            assert parsed["clip"] == [recipe.loss.clip_low, recipe.loss.clip_high]


def parse(trainer: str, package: str, variable: str, files: list[Path]) -> list[dict[str, Any]]:
    python = str(python_of(package)) if package == "verifiers" else sys.executable
    variables = {"PYTHONPATH": str(ROOT)} if package == "verifiers" else variables_of(package)
    command = [python, str(PROGRAM), trainer, os.environ[variable] if variable else "-", *map(str, files)]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
