"""A learner on several processes: rank 0 calls a method, and every rank runs it on its own `LocalLearner`.

Inside a call, the functions of `update.py` divide the samples among the ranks (`ranks.py`). Checkpoints are written by rank 0.
They are those of one process, so a run can resume with any number of ranks.

If the layers are divided, rank 0 has a second model that is whole, from which it samples. A run whose episodes engines elsewhere
sample needs none: `load_apart` gives it a model that is divided from the start.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import DTensor

from verigym.core.errors import InfrastructureFailure, RankLost, Refused, VerigymError
from verigym.core.printable import warn
from verigym.core.records import Sample
from verigym.model import full, lora, shards
from verigym.model.devices import default_dtype
from verigym.model.divided_load import load_divided, readable
from verigym.model.forward_check import check_agreement
from verigym.model.load import load_model
from verigym.model.nf4 import Quantized
from verigym.model.shape import Shape, read_shape, shape_of
from verigym.training.checkpoint import read_checkpoint, write_checkpoint
from verigym.training.critic import Tokens
from verigym.training.learner import Learner, LocalLearner, Loss
from verigym.training.plan import Device
from verigym.training.rank_memory import RankSettings, check_divided, least_load, rank_plan, undividable
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


class Load(NamedTuple):
    """Tells followers to load a divided model, before it is known what is trained."""

    base: str
    dtype: torch.dtype


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
    loaded = shards.is_divided(model)
    if divide := loaded or _divides(ranks, shape_of(model.config, base, model.dtype.itemsize), recipe):
        check_divided(recipe)
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


def load_apart(recipe: Recipe, base: str) -> Any:
    """A model that is divided among the ranks from the start, for a run that engines elsewhere sample for. No rank has a whole
    model then. None if there are no ranks, or if they need not divide it."""
    ranks = current()
    if recipe.adapter == "full" or ranks is None:
        return None
    if not _divides(ranks, read_shape(base, ranks.device), recipe, samples_here=False):
        return None
    check_divided(recipe)
    load = Load(base, default_dtype(ranks.device))
    ranks.call(load)
    return _load_divided(ranks, load)


def _divides(ranks: Ranks, shape: Shape, recipe: Recipe, samples_here: bool = True) -> bool:
    """Whether each rank stores only its part of the layers."""
    if ranks.shard != "auto":
        return ranks.shard == "always"
    if undividable(recipe):
        return False
    kind = ranks.device.partition(":")[0]
    device = Device(kind=kind, name=ranks.device, memory=ranks.memory, flops=1.0, bandwidth=1.0)
    settings = RankSettings(count=ranks.world, samples_here=samples_here)
    found = rank_plan(least_load(recipe), shape, device, settings)
    for line in found.lines:
        warn(line)
    return found.divided


class RankedLearner:
    """The learner of rank 0. Its followers run `follow`."""

    def __init__(self, ranks: Ranks, model: Any, setup: Setup) -> None:
        self._ranks, self.model = ranks, model
        ranks.call(setup)
        if shards.is_divided(model):
            self._local = _learner(ranks, setup, lora.weights(model), model)
        elif setup.divide:
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

    def check(self, samples: Sequence[Sample]) -> None:
        if shards.is_divided(self.model):
            self._call("check", samples)
        else:
            check_agreement(self.model, samples)

    def save(self, folder: Path, step: int) -> None:
        if not shards.is_divided(self._local.model):
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
    loaded: Any = None
    try:
        while (work := ranks.next_call()) is not None:
            if isinstance(work, Load):
                learner = None  # frees its memory first
                loaded = _load_divided(ranks, work)
                continue
            if isinstance(work, Setup):
                learner = None
                learner, loaded = _learner(ranks, work, model=loaded), None
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


def _learner(ranks: Ranks, setup: Setup, weights: Weights = None, model: Any = None) -> LocalLearner:
    """A new learner of this rank. Rank 0 gives the weights that training starts from. `model` was loaded before."""
    made = model is None
    if made and setup.divide:
        model = _load_divided(ranks, Load(setup.base, setup.dtype))
    elif made:
        model = load_model(setup.base, device=ranks.device, dtype=setup.dtype, quantized=setup.quantized)
    if made or ranks.rank:
        if setup.full is not None:
            full.begin(model, setup.full)
        if setup.adapter is not None:
            lora.attach(model, setup.adapter)
            lora.set_dropout(model, setup.adapter.dropout, setup.dropout_seed)
    if setup.divide:
        shards.ready(model)
        _spread(ranks, model, weights)
    else:
        _same_model(ranks, model, setup)
    return LocalLearner(model, setup.recipe, setup.reference)


def _load_divided(ranks: Ranks, load: Load) -> Any:
    """The model of this rank, with its part of the layers."""
    by_parts = all(ranks.gather(readable(load.base, load.dtype)))
    model = load_divided(load.base, ranks.world, device=ranks.device, dtype=load.dtype, by_parts=by_parts)
    _same_bits(ranks, [each for each in model.parameters() if not isinstance(each, DTensor)], load.base)
    return model


def _spread(ranks: Ranks, model: Any, weights: Weights) -> None:
    """Gives every rank the trained weights of rank 0, and of a divided parameter its part. One of them is whole at a time."""
    if not full.is_full(model):
        if weights is not None:
            lora.set_weights(model, weights)
        ranks.copy_from_first(lora.parameters(model))
        return
    for name, parameter in model.named_parameters():
        empty = torch.empty(parameter.shape, dtype=parameter.dtype, device=ranks.device)
        value = empty if weights is None else empty.copy_(weights[name])
        ranks.copy_from_first([value])
        full.set_parameter(parameter, value)


def _same_model(ranks: Ranks, model: Any, setup: Setup) -> None:
    """Gives every rank the trained weights of rank 0, and makes sure that the frozen ones are the same."""
    trained = lora.parameters(model)
    ranks.copy_from_first(trained)
    own = {id(parameter) for parameter in trained}
    _same_bits(ranks, [parameter for parameter in model.parameters() if id(parameter) not in own], setup.base)


def _same_bits(ranks: Ranks, parameters: Sequence[Any], base: str) -> None:
    found = ranks.gather(checksum(parameters))
    wrong = [rank for rank, value in enumerate(found) if value != found[0]]
    if wrong:
        raise InfrastructureFailure(
            f"Rank {wrong[0]} loaded other weights than rank 0 for {base}. Give all machines the same files"
        )
