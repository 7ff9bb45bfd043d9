"""What a training loop asks of the weights that learn: updates, logprobs, values, checkpoints.

`LocalLearner` does it in this process with the functions of `update.py`. `RankedLearner` (`ranked_learner.py`) does the same on
several processes at once. A loop does not know which of the two it has.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal, Protocol

from verigym.core.records import Sample
from verigym.model import lora, shards
from verigym.model.forward_check import check_agreement
from verigym.training.checkpoint import read_checkpoint, state_of, use_checkpoint, write_checkpoint
from verigym.training.critic import Critic, Tokens
from verigym.training.recipe import Recipe
from verigym.training.update import (
    Figures,
    Weights,
    dpo_update,
    kto_update,
    logprobs_of,
    make_optimizer,
    policy_update,
    reward_update,
    sft_update,
)

Loss = Literal["policy", "sft", "dpo", "kto", "reward"]
UPDATES: dict[str, Any] = {
    "policy": policy_update,
    "sft": sft_update,
    "dpo": dpo_update,
    "kto": kto_update,
    "reward": reward_update,
}
"""The function of `update.py` for each loss: (model, optimizer, rows, settings by name) -> figures."""
REFERRING = ("policy", "dpo", "kto")
"""Losses that compare with a reference."""


class Learner(Protocol):
    """Weights that learn. Calls come one at a time, from any thread."""

    model: Any
    """The model of this process. It always has the current weights, so its adapter or all of it can be stored. It can be sampled
    from, unless it is divided among ranks because engines elsewhere sample."""

    def set_rate(self, rate: float) -> None:
        """Sets the learning rate of the next updates of the policy. A critic keeps its own."""
        ...

    def update(self, loss: Loss, rows: Sequence[Any], /, **settings: Any) -> Figures:
        """Makes the updates of a step. `rows` and `settings` are those of the loss (`UPDATES`)."""
        ...

    def logprobs(
        self, samples: Sequence[Sample], temperature: float = 1.0, *, reference: bool = False
    ) -> list[list[float]]:
        """The logprobs of each sample's scored tokens under the current weights or those of the reference."""
        ...

    def values(self, samples: Sequence[Sample]) -> Tokens:
        """The critic's value of each scored token."""
        ...

    def learn_values(self, samples: Sequence[Sample], old: Tokens, returns: Tokens, updates: int) -> Figures:
        """Makes `updates` updates of the critic."""
        ...

    def check(self, samples: Sequence[Sample]) -> None:
        """Compares the logprobs of training with those of transformers on a few samples. Refuses to train if they differ."""
        ...

    def save(self, folder: Path, step: int) -> None:
        """Writes a checkpoint. It does not depend on the number of processes."""
        ...

    def load(self, folder: Path) -> int:
        """Loads the newest checkpoint. Returns its step, or 0 if there is none."""
        ...


class LocalLearner:
    """Learns in this process."""

    def __init__(self, model: Any, recipe: Recipe, reference: Weights = None) -> None:
        """`reference` has the weights that a loss compares with. None for the bare model."""
        self.model = model
        self._reference = reference
        self._optimizer = make_optimizer(model, recipe.learning_rate, recipe.optimizer)
        self._critic = Critic(model, recipe) if recipe.algorithm == "ppo" else None

    def set_rate(self, rate: float) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = rate

    def update(self, loss: Loss, rows: Sequence[Any], /, **settings: Any) -> Figures:
        if loss in REFERRING:
            settings["reference"] = self._reference
        return UPDATES[loss](self.model, self._optimizer, rows, **settings)

    def logprobs(
        self, samples: Sequence[Sample], temperature: float = 1.0, *, reference: bool = False
    ) -> list[list[float]]:
        with lora.with_weights(self.model, self._reference) if reference else nullcontext():
            return logprobs_of(self.model, samples, temperature)

    def values(self, samples: Sequence[Sample]) -> Tokens:
        assert self._critic is not None, "only ppo has a critic"
        return self._critic.values(samples)

    def learn_values(self, samples: Sequence[Sample], old: Tokens, returns: Tokens, updates: int) -> Figures:
        assert self._critic is not None, "only ppo has a critic"
        return self._critic.learn(samples, old, returns, updates)

    def check(self, samples: Sequence[Sample]) -> None:
        check_agreement(self.model, samples)

    def save(self, folder: Path, step: int) -> None:
        write_checkpoint(folder, self.state(step))

    def state(self, step: int) -> dict[str, Any]:
        """What a checkpoint holds."""
        return state_of(self.model, self._optimizer, step, self._critic)

    def weights(self) -> dict[str, Any]:
        """A copy of what is trained, whole."""
        return shards.whole_weights(self.model)

    def load(self, folder: Path) -> int:
        state = read_checkpoint(folder)
        return 0 if state is None else self.use(state)

    def use(self, state: dict[str, Any]) -> int:
        """Goes on from a checkpoint that was read. Returns its step."""
        return use_checkpoint(state, self.model, self._optimizer, self._critic)
