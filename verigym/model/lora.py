"""LoRA adapters on any causal LM. A model has at most one adapter at a time.

The weights of an adapter are always float32. `attach` adds its modules (`lora_layers.py`) to the layers that
`lora_targets.py` finds. `use` and `detach` change and remove it. `weights` and `set_weights` swap adapters in memory, so that
one model serves several versions. Files are in `lora_files.py`. If all parameters of a model are trained (`full.py`),
`parameters`, `weights` and `set_weights` mean these.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
import torch
from torch import Tensor, nn

from verigym.core.errors import BadInput
from verigym.core.seeds import derive
from verigym.model import full
from verigym.model.lora_layers import (
    AdaptedModule,
    LoraEmbedding,
    LoraExperts,
    LoraLinear,
    Pair,
    base_of,
    expert_prefixes,
)
from verigym.model.lora_targets import (
    ALL,
    NO_DROPOUT,
    Target,
    by_pattern,
    ends_with,
    expert_parameters,
    find_targets,
    names_of,
)

PREFIX = "base_model.model."
HEAD_WEIGHT = f"{PREFIX}score.weight"


class LoraConfig(msgspec.Struct, frozen=True, kw_only=True):
    r: int = 16
    alpha: float = 32
    targets: tuple[str, ...] = (ALL,)
    """Layers that get an adapter: `all`, `embeddings`, `head`, and names of layers or ends of their full names. An adapter on a
    model or in a file has names only."""
    parameters: tuple[str, ...] | None = None
    """Names of the 3-D parameters of experts that get an adapter, as in PEFT's target_parameters. None to find them by
    `targets` too."""
    dropout: float = 0.0
    """Share of the inputs of an adapter that are set to 0 in training."""
    rank_pattern: dict[str, int] = {}
    """Ranks that differ from `r`, by regular expressions that match the end of a layer's name, as in PEFT."""
    alpha_pattern: dict[str, float] = {}
    """The same for alpha. Only adapters made by PEFT have it."""
    top_layers: int | None = None
    """Number of transformer layers to adapt, counted from the last. None for all. Fewer layers shorten the backward pass."""
    head: bool = False
    """Whether the adapter has the head of a reward model, which maps the last hidden state to one number."""

    def rank(self, name: str) -> int:
        return by_pattern(self.rank_pattern, name, self.r)

    def alpha_of(self, name: str) -> float:
        return by_pattern(self.alpha_pattern, name, self.alpha)

    def scale(self, name: str) -> float:
        return self.alpha_of(name) / self.rank(name)


class LoraAdapter(NamedTuple):
    """An adapter in memory that is not on a model."""

    config: LoraConfig
    weights: dict[str, Tensor]
    """Weights by their PEFT names."""


def head(model: Any) -> nn.Parameter | None:
    """The head of a reward model, or None. It is stored in a list, so that it is not one of the model's own parameters."""
    stored = getattr(model, "_verigym_head", None)
    return stored and stored[0]


def attach(model: Any, config: LoraConfig, seed: int = 0) -> None:
    """Puts a new adapter on the model and removes any older one."""
    detach(model)
    generator = torch.Generator().manual_seed(seed)
    targets = find_targets(model, config)
    config = named(model, config, targets)
    for target in targets:
        above, _, leaf = target.name.rpartition(".")
        setattr(model.get_submodule(above), leaf, _adapted(target, config, generator))
    model._verigym_lora = config  # type: ignore[assignment]
    set_dropout(model, config.dropout, seed)
    if config.head:
        add_head(model, seed)


def _adapted(target: Target, config: LoraConfig, generator: torch.Generator) -> AdaptedModule:
    module: Any = target.module
    if target.parameters:
        full = {name: f"{target.name}.{name}" for name in target.parameters}
        ranks = {name: config.rank(each) for name, each in full.items()}
        return LoraExperts(module, ranks, {name: config.alpha_of(each) for name, each in full.items()}, generator)
    kind = LoraEmbedding if isinstance(module, nn.Embedding) else LoraLinear
    return kind(module, config.rank(target.name), config.alpha_of(target.name), generator)


def named(model: Any, config: LoraConfig, targets: list[Target]) -> LoraConfig:
    """The configuration with the names of its targets instead of `all`: the last parts of the names, if they select the same
    layers, otherwise full names."""
    modules = [target.name for target in targets if not target.parameters]
    parameters = tuple(name for target in targets if target.parameters for name in names_of(target))
    leaves = tuple(dict.fromkeys(name.rsplit(".", 1)[-1] for name in modules))
    short = msgspec.structs.replace(config, targets=leaves, parameters=parameters)
    if not modules or [each.name for each in find_targets(model, short) if not each.parameters] == modules:
        return short
    return msgspec.structs.replace(short, targets=tuple(modules))


def add_head(model: Any, seed: int = 0) -> None:
    """Adds a new head to the adapter on the model."""
    size = model.config.get_text_config().hidden_size
    weight_H = torch.empty(size).normal_(std=size**-0.5, generator=torch.Generator().manual_seed(seed))
    model._verigym_head = [nn.Parameter(weight_H.to(model.device))]
    config = config_of(model)
    assert config is not None, "no adapter on this model"
    model._verigym_lora = msgspec.structs.replace(config, head=True)


def modules(model: nn.Module) -> Iterator[tuple[str, LoraLinear]]:
    """The linear layers with an adapter."""
    return ((name, module) for name, module in model.named_modules() if isinstance(module, LoraLinear))


def adapted(model: nn.Module) -> Iterator[tuple[str, AdaptedModule]]:
    """Everything with an adapter."""
    return ((name, module) for name, module in model.named_modules() if isinstance(module, AdaptedModule))


def detach(model: nn.Module) -> None:
    for name, module in list(adapted(model)):
        setattr(model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], module.base)
    model._verigym_lora = None  # type: ignore[assignment]
    model._verigym_head = None  # type: ignore[assignment]


def config_of(model: nn.Module) -> LoraConfig | None:
    return getattr(model, "_verigym_lora", None)


def parameters(model: nn.Module) -> list[nn.Parameter]:
    """What is trained: the adapter, or all parameters of the model."""
    if full.is_full(model):
        return list(model.parameters())
    adapter = [parameter for name, module in adapted(model) for _, parameter in module.named(name)]
    own_head = head(model)
    return adapter if own_head is None else [*adapter, own_head]


def weights(model: nn.Module) -> dict[str, Tensor]:
    """A copy on the CPU of what is trained: the adapter's weights under PEFT's names, or all parameters under their own."""
    if full.is_full(model):
        return full.named_weights(model)
    named: dict[str, Tensor] = {}
    for name, module in adapted(model):
        for each, parameter in module.named(name):
            named[PREFIX + each] = parameter.detach().cpu().clone()
    own = head(model)
    if own is not None:
        named[HEAD_WEIGHT] = own.detach().cpu().clone()[None]
    return named


@torch.no_grad()
def set_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    if full.is_full(model):
        return full.set_named_weights(model, weights)
    for name, module in adapted(model):
        for each, parameter in module.named(name):
            if PREFIX + each not in weights:
                raise BadInput(f"The stored adapter has no weights for {name}. It was made for other layers")
            parameter.copy_(weights[PREFIX + each])
    own = head(model)
    if own is not None:
        own.copy_(weights[HEAD_WEIGHT][0])


@contextmanager
def with_weights(model: nn.Module, others: dict[str, Tensor] | None) -> Iterator[None]:
    """A context in which the adapter has other weights. None for the base model."""
    if others is None:
        assert not full.is_full(model), "the base model is not there any more"
        with without(model):
            yield
        return
    before = weights(model)
    set_weights(model, others)
    try:
        yield
    finally:
        set_weights(model, before)


class MountedAdapter(NamedTuple):
    """The modules of an adapter, ready to be put on a model. They keep their parameters, so an optimizer stays valid."""

    modules: dict[str, AdaptedModule]
    config: LoraConfig | None
    head: list[nn.Parameter] | None
    dropout_seed: int


def take_off(model: nn.Module) -> MountedAdapter:
    """Removes the adapter from the model and returns it. `put_on` puts it back."""
    kept = getattr(model, "_verigym_head", None), getattr(model, "_verigym_dropout_seed", 0)
    mounted = MountedAdapter(dict(adapted(model)), config_of(model), *kept)
    detach(model)
    return mounted


def put_on(model: nn.Module, mounted: MountedAdapter) -> None:
    detach(model)
    for name, module in mounted.modules.items():
        setattr(model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], module)
    model._verigym_lora = mounted.config  # type: ignore[assignment]
    model._verigym_head = mounted.head  # type: ignore[assignment]
    model._verigym_dropout_seed = mounted.dropout_seed  # type: ignore[assignment]


def mounted(model: nn.Module, adapter: LoraAdapter) -> MountedAdapter:
    """The modules of another adapter for this model. The adapter on the model stays."""
    own = take_off(model)
    try:
        use(model, adapter)
        return take_off(model)
    finally:
        put_on(model, own)


@contextmanager
def wearing(model: nn.Module, other: MountedAdapter) -> Iterator[None]:
    """A context in which the model has another adapter. Its settings can differ, unlike those of `with_weights`."""
    own = take_off(model)
    put_on(model, other)
    try:
        yield
    finally:
        put_on(model, own)


def use(model: nn.Module, adapter: LoraAdapter | None) -> None:
    """Puts an adapter on the model and replaces any other. An adapter without weights only removes it. None changes nothing."""
    if adapter is not None and adapter.weights:
        with torch.inference_mode(False):  # the engine runs in it, and its tensors could never be trained
            attach(model, adapter.config)
            set_weights(model, adapter.weights)
    elif adapter is not None:
        detach(model)


def pair(layer: nn.Module, name: str, adapter: LoraAdapter | None) -> Pair | None:
    """The adapter pair of one linear layer or embedding: from the given adapter, otherwise from the enabled adapter on the layer.
    None if there is none."""
    if adapter is None:
        found = isinstance(layer, LoraLinear | LoraEmbedding) and layer.on
        return Pair(layer.a, layer.b, layer.scale) if found else None  # type: ignore[union-attr]
    for a_name, b_name in (("lora_A.weight", "lora_B.weight"), ("lora_embedding_A", "lora_embedding_B")):
        a, b = (adapter.weights.get(f"{PREFIX}{name}.{each}") for each in (a_name, b_name))
        if a is not None and b is not None:
            return Pair(a, b, adapter.config.scale(name))
    return None


def expert_pair(experts: Any, name: str, parameter: str, adapter: LoraAdapter | None) -> Pair | None:
    """The same for one 3-D parameter of experts. `name` is the name of the module in the model."""
    if adapter is None:
        found = isinstance(experts, LoraExperts) and experts.on and parameter in experts.ranks
        return Pair(experts.a[parameter], experts.b[parameter], experts.scales[parameter]) if found else None
    wanted = adapter.config.parameters or ()
    names = expert_parameters(base_of(experts))
    adapted = [each for each in names if any(ends_with(f"{name}.{each}", target) for target in wanted)]
    if parameter not in adapted:
        return None
    prefix = PREFIX + expert_prefixes(name, len(adapted))[adapted.index(parameter)]
    a, b = (adapter.weights.get(f"{prefix}.{each}.weight") for each in ("lora_A", "lora_B"))
    return None if a is None or b is None else Pair(a, b, adapter.config.scale(f"{name}.{parameter}"))


@contextmanager
def without(model: nn.Module) -> Iterator[None]:
    """A context in which the adapter is disabled."""
    enabled = [module for _, module in adapted(model) if module.on]
    for module in enabled:
        module.on = False
    try:
        yield
    finally:
        for module in enabled:
            module.on = True


def set_dropout(model: Any, share: float, seed: int) -> None:
    """Sets the dropout of the adapter on the model. It has an effect only inside `dropping`."""
    config = config_of(model)
    assert config is not None, "no adapter on this model"
    if share and any(isinstance(module, LoraExperts) for _, module in adapted(model)):
        raise BadInput(NO_DROPOUT)
    output = model.get_output_embeddings()
    for _, module in modules(model):
        module.dropout = 0.0 if module is output else share
    model._verigym_lora = msgspec.structs.replace(config, dropout=share)
    model._verigym_dropout_seed = seed


def drops(model: Any) -> bool:
    """Whether the adapter on the model has dropout."""
    config = config_of(model)
    return config is not None and config.dropout > 0


@contextmanager
def dropping(model: Any, update: int, micro_batch: int) -> Iterator[None]:
    """A context in which dropout is on. The masks depend only on the seed, the update and the micro-batch, so a resumed run draws
    the same ones."""
    if not drops(model):
        yield
        return
    seed = derive(model._verigym_dropout_seed, "dropout", update, micro_batch)
    masks = torch.Generator(model.device).manual_seed(seed)
    for _, module in modules(model):
        module.masks = masks
    try:
        yield
    finally:
        for _, module in modules(model):
            module.masks = None


def is_dropping(model: nn.Module) -> bool:
    return any(module.masks is not None for _, module in modules(model))
