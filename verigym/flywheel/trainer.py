"""What `stages.train` needs of torch, in one place, so that everything else loads without it."""

from pathlib import Path
from typing import Any

from verigym.core.records import Sample, Task, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.model import lora
from verigym.policies.render import Renderer
from verigym.rollout.episode import first_items, tools_shown
from verigym.training import checkpoint
from verigym.training.grpo import train_grpo
from verigym.training.recipe import Recipe
from verigym.training.samples import demonstration
from verigym.training.sft import train_sft

__all__ = ["demonstrations", "forget_checkpoints", "prepare", "train_grpo", "train_sft"]


def prepare(model: Any, recipe: Recipe) -> None:
    """A fresh adapter where the parent has none; else training goes on with the parent's."""
    if lora.config_of(model) is None:
        config = lora.LoraConfig(r=recipe.lora.r, alpha=recipe.lora.alpha, top_layers=recipe.lora.top_layers)
        lora.attach(model, config, recipe.seed)


def demonstrations(render: Renderer, environment: EnvironmentSpec, tasks: list[Task], agent: Version) -> list[Sample]:
    """The gold reply of each task under the agent's own prompt."""
    tools = tools_shown(environment.tools, agent)
    gold = environment.gold
    return [
        demonstration(render, first_items(environment, task, agent), tools, gold(task) if gold else None, task.id)
        for task in tasks
    ]


def forget_checkpoints(folder: Path) -> None:
    checkpoint.remove(folder)
