"""Checkpoints: adapter, optimizer, step and random state in one folder, replaced atomically.

A run that was killed goes on from its last checkpoint; everything else it needs follows from the recipe and its seed.
"""

import io
import os
import pickle
from pathlib import Path
from typing import Any

import torch

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.model import lora


def save(folder: Path, model: Any, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Writes the new state beside the old one, then swaps: at every moment one of the two is whole."""
    new = folder / f"step-{step:06d}.pt"
    partial = new.with_suffix(".partial")
    state = {
        "step": step,
        "adapter": lora.weights(model),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
    }
    body = io.BytesIO()
    torch.save(state, body)  # into memory: writing to a full disk, it would fail in words of its own
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(body.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        partial.rename(new)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InfrastructureFailure(
            f"{folder}: the checkpoint of step {step} could not be written ({error}); the last whole one is kept. "
            "Make room, then the same command goes on from there"
        ) from error
    for old in folder.glob("step-*.pt"):
        if old != new:
            old.unlink()


def load(folder: Path, model: Any, optimizer: torch.optim.Optimizer) -> int:
    """Puts the newest checkpoint on model and optimizer and returns its step; 0 when there is none."""
    found = sorted(folder.glob("step-*.pt"), reverse=True)
    if not found:
        return 0
    state = next((whole for path in found if (whole := _read(path)) is not None), None)
    if state is None:
        raise BadInput(
            f"{found[0]}: the checkpoint is damaged; put it back, or remove it: then the same command begins again, with the "
            "episodes that it has sampled"
        )
    lora.set_weights(model, state["adapter"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["rng"])
    return state["step"]


def _read(path: Path) -> dict[str, Any] | None:
    """None where the file is not whole."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, EOFError, RuntimeError, pickle.UnpicklingError):
        return None
