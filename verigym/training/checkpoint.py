"""Checkpoints: adapter, optimizer, step and random state in one folder, replaced atomically.

A run that was killed goes on from its last checkpoint; everything else it needs follows from the recipe and its seed.
"""

import os
from pathlib import Path
from typing import Any

import torch

from verigym.core.errors import BadInput
from verigym.model import lora


def save(folder: Path, model: Any, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Writes the new state beside the old one, then swaps: at every moment one of the two is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"step-{step:06d}.pt"
    partial = new.with_suffix(".partial")
    state = {
        "step": step,
        "adapter": lora.weights(model),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
    }
    try:
        with partial.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput(
            f"{folder}: the checkpoint could not be written ({error}); the last whole one is kept"
        ) from error
    partial.rename(new)
    for old in folder.glob("step-*.pt"):
        if old != new:
            old.unlink()


def load(folder: Path, model: Any, optimizer: torch.optim.Optimizer) -> int:
    """Puts the newest checkpoint on model and optimizer and returns its step; 0 when there is none."""
    found = sorted(folder.glob("step-*.pt"))
    if not found:
        return 0
    state = torch.load(found[-1], map_location="cpu", weights_only=True)
    lora.set_weights(model, state["adapter"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["rng"])
    return state["step"]
