"""The checkpoint of a training run: one file with the step, the trained weights, the optimizer and the random state."""

import io
import pickle
from pathlib import Path
from typing import Any, Protocol

import torch

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.model import lora, shards
from verigym.tasks.files import write_whole


class Companion(Protocol):
    """What is trained beside the model and belongs to its checkpoint, such as a critic."""

    def state(self) -> dict[str, Any]: ...
    def load_state(self, state: dict[str, Any]) -> None: ...


def save_checkpoint(
    folder: Path, model: Any, optimizer: torch.optim.Optimizer, step: int, companion: Companion | None = None
) -> None:
    """Writes the new state beside the old one, then swaps them. One of the two is complete at every moment."""
    write_checkpoint(folder, state_of(model, optimizer, step, companion))


def state_of(
    model: Any, optimizer: torch.optim.Optimizer, step: int, companion: Companion | None = None
) -> dict[str, Any]:
    """What a checkpoint holds. If the model is divided among ranks, all of them must call it, and the state is whole."""
    divided, states = shards.is_divided(model), optimizer.state_dict()
    return {
        "step": step,
        "adapter": shards.whole_weights(model) if divided else lora.weights(model),
        "optimizer": shards.whole_states(model, states) if divided else states,
        "rng": torch.get_rng_state(),
        **({} if companion is None else {"companion": companion.state()}),
    }


def write_checkpoint(folder: Path, state: dict[str, Any]) -> None:
    step = state["step"]
    new = folder / f"step-{step:06d}.pt"
    body = io.BytesIO()
    torch.save(state, body)  # into memory, because torch reports a full disk with an unclear error
    try:
        write_whole(new, lambda file: file.write(body.getbuffer()))
    except BadInput as error:
        raise InfrastructureFailure(
            f"The checkpoint of step {step} could not be written: {error}. The previous checkpoint is kept. "
            "Free some disk space and repeat the command to resume from there"
        ) from error
    for old in folder.glob("step-*.pt"):
        if old != new:
            old.unlink()


def load_checkpoint(
    folder: Path, model: Any, optimizer: torch.optim.Optimizer, companion: Companion | None = None
) -> int:
    """Loads the newest checkpoint into model and optimizer. Returns its step, or 0 if there is no checkpoint."""
    state = read_checkpoint(folder)
    return 0 if state is None else use_checkpoint(state, model, optimizer, companion)


def read_checkpoint(folder: Path) -> dict[str, Any] | None:
    """The newest checkpoint that is complete. None if there is no checkpoint."""
    paths = sorted(folder.glob("step-*.pt"), reverse=True)
    if not paths:
        return None
    state = next(filter(None, map(_read_checkpoint, paths)), None)
    if state is None:
        raise BadInput(
            f"{paths[0]}: the checkpoint is damaged. Restore it, or remove it and repeat the command to train from the first "
            "step with the episodes already sampled"
        )
    return state


def use_checkpoint(
    state: dict[str, Any], model: Any, optimizer: torch.optim.Optimizer, companion: Companion | None = None
) -> int:
    """Puts a checkpoint into model and optimizer. Returns its step."""
    lora.set_weights(model, state["adapter"])
    states = state["optimizer"]
    optimizer.load_state_dict(shards.own_states(model, states) if shards.is_divided(model) else states)
    torch.set_rng_state(state["rng"])
    if companion is not None:
        companion.load_state(state["companion"])
    return state["step"]


def _read_checkpoint(path: Path) -> dict[str, Any] | None:
    """The state, or None if the file is incomplete."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, EOFError, RuntimeError, pickle.UnpicklingError):
        return None
