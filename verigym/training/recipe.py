"""A recipe: what to train, on what, how, and how to tell whether it helped. YAML, decoded straight into this struct.

An unknown key is refused with the nearest known one. `a.b=c` on the command line overrides a field.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from verigym.core.errors import BadInput

Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]


class Adapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of `adapter: lora`, under the key `lora`."""

    r: Count = 16
    alpha: Count = 32
    top_layers: Count | None = None
    """Only the last n layers; none for all."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    model: str
    """A hub id, a local folder, or smollm2-135m (embedded)."""
    algorithm: Literal["sft", "grpo"]
    reward: str
    """Name of a verifier; the environment that defines it is trained in."""
    environment: str = ""
    """A name or a Python file; empty for the one that defines `reward`."""
    start: str = ""
    """Agent version to start from (id, name, champion, latest); empty for the bare model."""
    adapter: Literal["lora"] = "lora"
    lora: Adapter = Adapter()
    num_generations_per_prompt: Count = 8
    """Episodes of one task whose rewards are compared with each other (grpo)."""
    prompts_per_step: Count = 8
    """Tasks of a step; for sft, demonstrations of a step."""
    steps: Count = 40
    num_tasks: Count | None = None
    """Use only so many training tasks, spread over families; none for all."""
    learning_rate: Positive = 2e-4
    max_tokens: Count = 64
    """Of one reply."""
    temperature: Positive = 1.0
    clip_low: Positive = 0.2
    clip_high: Positive = 0.2
    updates_per_batch: Count = 1
    """Optimizer updates made from one batch of episodes (grpo)."""
    eval_interval: Annotated[int, Meta(ge=0)] = 10
    """Steps between held-out evaluations; the last step is always measured. 0 for the last alone."""
    held_out_eval: str = ""
    """Name of a held-out suite."""
    eval_tasks: Count | None = None
    """Use only so many tasks of the suite, spread over families; none for all."""
    seed: int = 0
    name: str = ""
    """Of the version that comes out; empty for the algorithm's."""


def read_recipe(path: Path, overrides: list[str] = []) -> Recipe:  # noqa: B006 (never changed)
    if not path.is_file():
        beside = sorted(each.name for each in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        raise BadInput(f"{path}: no such recipe" + (f"; beside it: {', '.join(beside)}" if beside else ""))
    try:
        data = msgspec.yaml.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise BadInput(f"{path}: not YAML: {error}") from error
    if not isinstance(data, dict):
        raise BadInput(f"{path}: a recipe is a list of keys and values, such as model: smollm2-135m")
    return make_recipe(data, overrides, str(path))


def make_recipe(data: dict[str, Any], overrides: list[str], where: str) -> Recipe:
    for override in overrides:
        _override(data, override)
    _check_keys(data, Recipe, where)
    try:
        recipe = msgspec.convert(data, Recipe, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(f"{where}: {_plain(str(error))}") from error
    if recipe.algorithm == "grpo" and recipe.num_generations_per_prompt < 2:
        raise BadInput(f"{where}: grpo compares episodes of one task: num_generations_per_prompt must be at least 2")
    return recipe


def _override(data: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals:
        raise BadInput(f'"{override}": an override is key=value, such as steps=20 or lora.r=8')
    *path, last = key.strip().split(".")
    place = data
    for part in path:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise BadInput(f'"{override}": {part} has no keys below it')
    try:
        place[last] = msgspec.yaml.decode(value)
    except msgspec.DecodeError as error:
        raise BadInput(f'"{override}": the value is not YAML: {error}') from error


def _check_keys(data: dict[str, Any], kind: type[msgspec.Struct], where: str, above: str = "") -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(str(key), list(known), n=1)
            hint = f"; did you mean {above}{near[0]}?" if near else f"; known: {', '.join(known)}"
            raise BadInput(f"{where}: unknown key {above}{key}{hint}")
        if known[key] is Adapter and isinstance(value, dict):
            _check_keys(value, Adapter, where, f"{key}.")


def _plain(words: str) -> str:
    """msgspec's message in the words of a recipe: `$.lora.r` is `lora.r`."""
    return re.sub(r" - at `\$\.?([^`]*)`", r" (at \1)", words)
