"""The loop of every training method: steps, learning rate, held-out evaluations, checkpoints, and resuming after a kill.

A method is `one_step(step) -> metrics`. It may depend only on the recipe, the step and the weights. Then a run that was killed
and resumed ends with the same weights.
"""

import io
import math
import pickle
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.records import Sample
from verigym.model import full, lora
from verigym.model.forward_check import check_agreement
from verigym.model.threads import in_thread
from verigym.tasks.files import write_whole
from verigym.training.recipe import Recipe

CHECKPOINT_S = 10.0
"""Seconds between checkpoints. A kill costs at most this much work and the current step."""
CHECKPOINT_SHARE = 20
"""If all parameters are trained, a checkpoint follows after so many times the seconds that the last one took, because it is
large."""
WARMUP = 3
"""Steps of the warm-up of a recipe that has no `optimizer.warmup`, as before there was such a field."""

Metrics = dict[str, float]
OneStep = Callable[[int], Awaitable[Metrics]]
OnMetrics = Callable[[int, Metrics], bool | None]
"""Stores the metrics of a step. Returns True if training ends with this step (`checkpoints.patience`)."""
Evaluate = Callable[[int], Awaitable[Metrics]]


class Companion(Protocol):
    """What is trained beside the model and belongs to its checkpoint, such as a critic."""

    def state(self) -> dict[str, Any]: ...
    def load_state(self, state: dict[str, Any]) -> None: ...


class FirstBatch:
    """Compares the first batch of a run with the forward pass of transformers, before anything is learnt from it."""

    def __init__(self, model: Any) -> None:
        self._model, self._seen = model, False

    async def check(self, samples: Sequence[Sample]) -> None:
        if not self._seen:
            await in_thread(check_agreement, self._model, samples)
            self._seen = True


async def train_steps(
    model: Any,
    optimizer: torch.optim.Optimizer,
    recipe: Recipe,
    folder: Path,
    one_step: OneStep,
    *,
    evaluate: Evaluate,
    report: OnMetrics,
    weights_changed: Callable[[int], None] = lambda step: None,
    companion: Companion | None = None,
) -> None:
    """Trains the adapter on `model` in place, and resumes from the checkpoint in `folder` if there is one.
    `weights_changed(step)` is called after each step, so that the sampler drops what it computed with the old weights. The
    state of `companion` is part of the checkpoint."""
    done = load_checkpoint(folder, model, optimizer, companion)
    weights_changed(done)
    saved, wait_s = time.monotonic(), CHECKPOINT_S
    for step in range(done + 1, recipe.steps + 1):
        started = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(recipe, step)
        metrics = await one_step(step)
        weights_changed(step)
        metrics["seconds"] = time.perf_counter() - started
        if due(step, recipe):
            started = time.perf_counter()
            metrics |= await evaluate(step)
            metrics["eval_s"] = time.perf_counter() - started
        stop = report(step, metrics)
        if stop or step == recipe.steps or time.monotonic() - saved > max(CHECKPOINT_S, wait_s):
            began = time.monotonic()
            save_checkpoint(folder, model, optimizer, step, companion)
            saved = time.monotonic()
            wait_s = CHECKPOINT_SHARE * (saved - began) if full.is_full(model) else CHECKPOINT_S
        if stop:
            return


def rate(recipe: Recipe, step: int) -> float:
    """The learning rate of a step: a linear warm-up, times what the schedule leaves of it."""
    assert recipe.learning_rate is not None, "resolve the recipe first"
    settings, done = recipe.optimizer, (step - 1) / max(recipe.steps - 1, 1)
    left = {
        "constant": 1.0,
        "linear": 1 - 0.9 * done,
        "cosine": 0.1 + 0.9 * (1 + math.cos(math.pi * done)) / 2,
    }[settings.schedule or ("constant" if recipe.samples else "linear")]
    warmup = WARMUP if settings.warmup is None else settings.warmup
    return recipe.learning_rate * min(1.0, step / max(1, warmup)) * left


def due(step: int, recipe: Recipe) -> bool:
    """Whether an evaluation follows this step: every `eval_interval` steps and after the last one. A reward model always
    holds out pairs."""
    return bool(recipe.held_out_eval or recipe.algorithm == "reward") and recipe.has_checkpoint(step)


def save_checkpoint(
    folder: Path, model: Any, optimizer: torch.optim.Optimizer, step: int, companion: Companion | None = None
) -> None:
    """Writes the new state beside the old one, then swaps them. One of the two is complete at every moment."""
    new = folder / f"step-{step:06d}.pt"
    state = {
        "step": step,
        "adapter": lora.weights(model),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
        **({} if companion is None else {"companion": companion.state()}),
    }
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
    paths = sorted(folder.glob("step-*.pt"), reverse=True)
    if not paths:
        return 0
    state = next(filter(None, map(_read_checkpoint, paths)), None)
    if state is None:
        raise BadInput(
            f"{paths[0]}: the checkpoint is damaged. Restore it, or remove it and repeat the command to train from the first "
            "step with the episodes already sampled"
        )
    lora.set_weights(model, state["adapter"])
    optimizer.load_state_dict(state["optimizer"])
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
