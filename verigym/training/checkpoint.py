"""Checkpoints: adapter, optimizer, step and random state in one folder, replaced atomically.

A killed run resumes from its last checkpoint. Everything else that it needs follows from the recipe and its seed.
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
    """Writes the new state beside the old one, then swaps them. One of the two is complete at every moment."""
    new = folder / f"step-{step:06d}.pt"
    partial = new.with_suffix(".partial")
    state = {
        "step": step,
        "adapter": lora.weights(model),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
    }
    body = io.BytesIO()
    torch.save(state, body)  # into memory, because torch reports a full disk with an unclear error
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
            f"{folder}: the checkpoint of step {step} could not be written ({error}). The previous checkpoint is kept. "
            "Free some disk space and repeat the command to resume from there"
        ) from error
    for old in folder.glob("step-*.pt"):
        if old != new:
            old.unlink()


def load(folder: Path, model: Any, optimizer: torch.optim.Optimizer) -> int:
    """Loads the newest checkpoint into model and optimizer. Returns its step, or 0 if there is no checkpoint."""
    found = sorted(folder.glob("step-*.pt"), reverse=True)
    if not found:
        return 0
    state = next((whole for path in found if (whole := _read(path)) is not None), None)
    if state is None:
        raise BadInput(
            f"{found[0]}: the checkpoint is damaged. Restore it, or remove it and repeat the command to train from the first "
            "step with the episodes already sampled"
        )
    lora.set_weights(model, state["adapter"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["rng"])
    return state["step"]


def _read(path: Path) -> dict[str, Any] | None:
    """The state, or None if the file is incomplete."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, EOFError, RuntimeError, pickle.UnpicklingError):
        return None
