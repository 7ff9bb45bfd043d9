"""How much disk space a run takes that trains all parameters: its version, kept checkpoints, and the state to resume from."""

import shutil
from pathlib import Path

from verigym.core.errors import Refused
from verigym.core.words import size
from verigym.training.recipe import Recipe

_WEIGHT, _COPY = 4, 4
_MOMENTS = {"adamw": 8, "adamw8bit": 2}


def full_disk(recipe: Recipe, parameters: int, published: bool = False) -> int:
    """The most bytes on disk at any moment. Weights count as float32, which is the largest precision. The new resume state is
    written beside the old one. If engines elsewhere sample, the weights are `published` for them, the new ones beside the old."""
    resume = 2 * (_WEIGHT + _COPY + _MOMENTS[recipe.optimizer.name])
    kept = recipe.checkpoints.keep + (1 if recipe.checkpoints.chooses else 0)
    versions = 2 + kept + (2 if published else 0)  # the version, and one that is being written
    return parameters * (resume + versions * _WEIGHT)


def check_disk(home: Path, recipe: Recipe, parameters: int, published: bool = False) -> None:
    """Refuses a run whose files do not fit on the disk."""
    place = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    needed, free = full_disk(recipe, parameters, published), shutil.disk_usage(place).free
    if needed > free:
        raise Refused(
            f"adapter: full needs up to {size(needed)} of disk space for checkpoints and the version, but {place} has "
            f"{size(free)} free. Free some space, keep fewer checkpoints (checkpoints.keep), or set adapter: lora"
        )
