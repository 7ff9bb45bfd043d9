"""Tiny models in folders, as ranks load them, and samples in groups of uneven size."""

import random
from pathlib import Path
from typing import Any

import torch

from tests.model.lora_families import FAMILIES, shake
from tests.tiny import tokenizer
from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.load import load_model
from verigym.training.recipe import Recipe, make_recipe

VOCABULARY = 61


def model_folder(family: str, folder: Path) -> Path:
    torch.manual_seed(0)
    FAMILIES[family]().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def adapted(folder: Path, *, head: bool = False) -> Any:
    """As rank 0 loads it, with an adapter that does something."""
    model = load_model(str(folder), device="cpu")
    lora.attach(model, lora.LoraConfig(r=4, alpha=8, head=head))
    shake(model)
    return model


def recipe(**fields: Any) -> Recipe:
    given = {"algorithm": "grpo", "model": "tiny", "reward": "letters", "steps": 30, "learning_rate": 1e-3, **fields}
    return make_recipe(given, [], "r.yaml")


def groups(step: int, sizes: tuple[int, ...] = (4, 4, 1, 7, 2)) -> list[Sample]:
    """Groups that share a prompt. Their samples are shuffled, as nothing may depend on their order."""
    draw = random.Random(step)
    made: list[Sample] = []
    for size in sizes:
        prompt = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(4, 20))]
        for _ in range(size):
            reply = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 12))]
            made.append(
                Sample(
                    ids=prompt + reply,
                    mask=[0] * len(prompt) + [1] * len(reply),
                    logprobs=[0.0] * len(prompt) + [-4.1 + 0.2 * draw.random() for _ in reply],
                    advantage=draw.uniform(-1, 1),
                )
            )
    draw.shuffle(made)
    return made


def distance(one: Any, other: dict[str, torch.Tensor]) -> float:
    """The largest difference of a weight."""
    return max(float((weight - other[name]).abs().max()) for name, weight in lora.weights(one).items())
