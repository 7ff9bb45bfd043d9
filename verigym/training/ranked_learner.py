"""A learner on several processes: rank 0 calls a method, and every rank runs it on its own `LocalLearner`.

Inside a call, the functions of `update.py` divide the samples among the ranks (`ranks.py`). Checkpoints are written by rank 0.
They are those of one process, so a run can resume with any number of ranks.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from verigym.core.errors import InfrastructureFailure, RankLost, Refused, VerigymError
from verigym.core.printable import warn
from verigym.core.records import Sample
from verigym.model import full, lora, shards
from verigym.model.load import load_model
from verigym.model.nf4 import Quantized
from verigym.model.shape import shape_of
from verigym.training.checkpoint import read_checkpoint, write_checkpoint
from verigym.training.critic import Tokens
from verigym.training.learner import Learner, LocalLearner, Loss
from verigym.training.plan import Device
from verigym.training.rank_memory import RankSettings, least_load, rank_plan, undividable
from verigym.training.rank_processes import current
from verigym.training.ranks import Ranks, checksum, of_network
from verigym.training.recipe import Recipe
from verigym.training.update import Figures, Weights


class Setup(NamedTuple):
    """What a follower needs to have the learner of rank 0. The trained weights are sent apart."""

    base: str
    quantized: Quantized
    dtype: torch.dtype
    full: full.FullSettings | None
    adapter: lora.LoraConfig | None
    dropout_seed: int
    recipe: Recipe
    reference: Weights
    divide: bool


class Call(NamedTuple):
    method: str
    given: tuple[Any, ...]
    named: dict[str, Any]


def open_learner(
    model: Any, recipe: Recipe, reference: Weights = None, *, base: str, quantized: Quantized = ""
) -> Learner:
    """The learner of a run: of this process, or of the ranks that it leads. `base` names the model, which followers load."""
    ranks = current()
    if ranks is None:
        return LocalLearner(model, recipe, reference)
    if divide := _divides(ranks, model, recipe, base):
        _check_divided(recipe)
    setup = Setup(
        base,
        quantized,
        model.dtype,
        full.settings_of(model),
        lora.config_of(model),
        getattr(model, "_verigym_dropout_seed", 0),
        recipe,
        reference,
        divide,
    )
    return RankedLearner(ranks, model, setup)


def _divides(ranks: Ranks, model: Any, recipe: Recipe, base: str) -> bool:
    """Whether each rank stores only its part of the layers."""
    if ranks.shard != "auto":
        return ranks.shard == "always"
    if undividable(recipe):
        return False
    device = Device(kind=model.device.type, name=ranks.device, memory=ranks.memory, flops=1.0, bandwidth=1.0)
    trained = sum(parameter.numel() for parameter in lora.parameters(model))
    shape = shape_of(model.config, base, model.dtype.itemsize)
    found = rank_plan(least_load(recipe, trained), shape, device, RankSettings(count=ranks.world))
    for line in found.lines:
        warn(line)
    return found.divided


def _check_divided(recipe: Recipe) -> None:
    if what := undividable(recipe):
        raise Refused(f"{what} cannot be used with ranks that divide the model. Set shard: never, or change the recipe")


class RankedLearner:
    """The learner of rank 0. Its followers run `follow`."""

    def __init__(self, ranks: Ranks, model: Any, setup: Setup) -> None:
        self._ranks, self.model = ranks, model
        ranks.call(setup)
        if setup.divide:
            self._local = _learner(ranks, setup, lora.weights(model))
        else:
            _same_model(ranks, model, setup)
            self._local = LocalLearner(model, setup.recipe, setup.reference)

    def _call(self, method: str, *given: Any, **named: Any) -> Any:
        self._ranks.call(Call(method, given, named))
        try:
            with self._ranks.sharing(self._local.model):
                return getattr(self._local, method)(*given, **named)
        except Refused:
            raise  # by every rank
        except BaseException as error:
            self._ranks.broken = True  # the others may be anywhere in the call
            if isinstance(error, RuntimeError):
                self._ranks.blame(error)
            raise

    def set_rate(self, rate: float) -> None:
        self._call("set_rate", rate)

    def update(self, loss: Loss, rows: Sequence[Any], /, **settings: Any) -> Figures:
        figures = self._call("update", loss, rows, **settings)
        self._copy_back()
        return figures

    def _copy_back(self) -> None:
        """Gives the model of this process the weights of a divided one."""
        if self._local.model is not self.model:
            lora.set_weights(self.model, self._call("weights"))

    def logprobs(
        self, samples: Sequence[Sample], temperature: float = 1.0, *, reference: bool = False
    ) -> list[list[float]]:
        return self._call("logprobs", samples, temperature, reference=reference)

    def values(self, samples: Sequence[Sample]) -> Tokens:
        return self._call("values", samples)

    def learn_values(self, samples: Sequence[Sample], old: Tokens, returns: Tokens, updates: int) -> Figures:
        return self._call("learn_values", samples, old, returns, updates)

    def save(self, folder: Path, step: int) -> None:
        if self._local.model is self.model:
            self._local.save(folder, step)  # every rank has the same
        else:
            write_checkpoint(folder, self._call("state", step))

    def load(self, folder: Path) -> int:
        state = read_checkpoint(folder)
        if state is None:
            return 0
        step = self._call("use", state)
        self._copy_back()
        return step


def follow(ranks: Ranks) -> None:
    """Does what rank 0 says, until it says that all is done."""
    learner: LocalLearner | None = None
    try:
        while (work := ranks.next_call()) is not None:
            if isinstance(work, Setup):
                learner = _learner(ranks, work)
                continue
            assert isinstance(work, Call) and learner is not None, "rank 0 sends the setup first"
            try:
                with ranks.sharing(learner.model):
                    getattr(learner, work.method)(*work.given, **work.named)
            except Refused:
                pass  # every rank refuses the same update, and rank 0 tells the user
    except Exception as error:
        if isinstance(error, RuntimeError) and of_network(error):
            raise RankLost(f"Rank {ranks.rank} lost the connection to another rank") from error
        if not ranks.broken:  # otherwise another rank was first
            words = str(error) if isinstance(error, VerigymError) else f"{type(error).__name__}: {error}"
            ranks.fail(f"failed: {words}")
        raise
    finally:
        ranks.close()


def _learner(ranks: Ranks, setup: Setup, weights: Weights = None) -> LocalLearner:
    """A new learner of this rank. Rank 0 gives the weights that training starts from."""
    model = load_model(setup.base, device=ranks.device, dtype=setup.dtype, quantized=setup.quantized)
    if setup.full is not None:
        full.begin(model, setup.full)
    if setup.adapter is not None:
        lora.attach(model, setup.adapter)
        lora.set_dropout(model, setup.adapter.dropout, setup.dropout_seed)
    if weights is not None:
        lora.set_weights(model, weights)
    _same_model(ranks, model, setup)
    if setup.divide:
        shards.divide(model, ranks.world)
    return LocalLearner(model, setup.recipe, setup.reference)


def _same_model(ranks: Ranks, model: Any, setup: Setup) -> None:
    """Gives every rank the trained weights of rank 0, and makes sure that the frozen ones are the same."""
    trained = lora.parameters(model)
    ranks.copy_from_first(trained)
    own = {id(parameter) for parameter in trained}
    frozen = [parameter for parameter in model.parameters() if id(parameter) not in own]
    found = ranks.gather(checksum(frozen))
    wrong = [rank for rank, value in enumerate(found) if value != found[0]]
    if wrong:
        raise InfrastructureFailure(
            f"Rank {wrong[0]} loaded other weights than rank 0 for {setup.base}. Give all machines the same files"
        )
