"""Which layers of a model get an adapter. They are found by their kind, not by a list of names.

    all          every linear layer and every expert of the decoder layers, except routers and two layers of Mamba mixers
    embeddings   the input embeddings
    head         the output layer
    NAME         layers with this name, or whose full name ends with it: q_proj, shared_expert.up_proj

Everything works on a meta device too, so that a dry run can tell without weights.
"""

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from torch import nn

from verigym.core.errors import BadInput
from verigym.core.words import counted
from verigym.model.coverage import Coverage, Part
from verigym.model.lora_layers import AdaptedModule, base_of, expert_sizes, is_linear, linear_sizes
from verigym.model.nf4 import expert_parameters as expert_parameters
from verigym.model.nf4 import nf4_weights

if TYPE_CHECKING:
    from verigym.model.lora import LoraConfig

Value = TypeVar("Value", int, float)

ALL, EMBEDDINGS, HEAD = "all", "embeddings", "head"
_UNNAMED = "not in lora.targets"
WORDS = (ALL, EMBEDDINGS, HEAD)
NO_DROPOUT = (
    "lora.dropout works on linear layers only, because the weights of an expert and its adapter are added before they meet an "
    "input. Set lora.dropout: 0, or write lora.targets without experts"
)
_MIXER_LEFT_OUT = ("dt_proj", "out_proj")
"""Linear layers of a Mamba mixer that `all` leaves out. Fused kernels read their weights without calling them, so PEFT ignores an
adapter on dt_proj and refuses one on out_proj."""


class Target(NamedTuple):
    """A layer that gets an adapter."""

    name: str
    """The name of the module in the model."""
    module: nn.Module
    parameters: tuple[str, ...] = ()
    """The names of 3-D parameters, if the module holds experts."""


def plain_modules(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Names and modules of the model as they are without an adapter."""
    inside = "\0"
    for name, module in model.named_modules():
        if name.startswith(inside):
            continue
        if isinstance(module, AdaptedModule):
            inside = f"{name}."
        yield name, base_of(module)


def find_targets(model: Any, config: "LoraConfig") -> list[Target]:
    """The layers that get an adapter, in the order of the model. An unknown target is an error."""
    seen = _Model(model)
    targets: list[Target] = []
    for name, module in plain_modules(model):
        if not _in_top(name, seen, config):
            continue
        if (is_linear(module) or module is seen.embedding) and seen.is_wanted(name, module, config):
            targets.append(Target(name, module))
        parameters = [each for each in expert_parameters(module) if seen.is_wanted_expert(f"{name}.{each}", config)]
        if parameters:
            targets.append(Target(name, module, tuple(parameters)))
    if not targets:
        raise BadInput(
            f"No linear layer matches the adapter targets {', '.join(config.targets)}. "
            f"The model has: {', '.join(target_names(model))}"
        )
    return targets


def is_mamba(module: nn.Module) -> bool:
    """Whether a module is the mixer of a Mamba layer. Other recurrent layers have no `D`."""
    return hasattr(module, "A_log") and hasattr(module, "D")


class _Model:
    """Facts about a model that decide what is a target."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.embedding = base_of(model.get_input_embeddings())
        self.head = base_of(model.get_output_embeddings())
        self.layers: int = num_layers(model)
        decoder = model.get_decoder()
        found = next((name for name, module in model.named_modules() if module is decoder), "")
        self.prefix = f"{found}." if found else ""

    def in_layers(self, name: str) -> bool:
        return name.startswith(self.prefix) and layer_of(name) is not None

    def is_wanted(self, name: str, module: nn.Module, config: "LoraConfig") -> bool:
        """Whether the configuration selects a linear layer or the embedding."""
        if any(ends_with(name, target) for target in config.targets if target not in WORDS):
            return True
        if module is self.embedding:
            return EMBEDDINGS in config.targets
        if module is self.head:
            return HEAD in config.targets
        return ALL in config.targets and self.in_layers(name) and not self.why_left(name, module)

    def is_wanted_expert(self, name: str, config: "LoraConfig") -> bool:
        """Whether it selects a parameter of experts. Without a list of parameters, targets name them too."""
        if config.parameters is not None:
            return any(ends_with(name, target) for target in config.parameters)
        named = any(ends_with(name, target) for target in config.targets if target not in WORDS)
        return named or (ALL in config.targets and self.in_layers(name))

    def why_left(self, name: str, module: nn.Module) -> str:
        """Why `all` leaves a linear layer of a decoder layer out. Empty if it does not."""
        above, _, leaf = name.rpartition(".")
        parent: Any = self.model.get_submodule(above)
        if is_mamba(parent) and leaf in _MIXER_LEFT_OUT:
            return "a Mamba mixer hands these weights to fused kernels"
        if hasattr(parent, "experts") and linear_sizes(module)[1] in (1, _num_experts(parent.experts)):
            return "routers"
        return ""


def _num_experts(experts: Any) -> int | None:
    return len(experts) if isinstance(experts, nn.ModuleList) else getattr(experts, "num_experts", None)


def num_layers(model: Any) -> int:
    return model.config.get_text_config().num_hidden_layers


def layer_of(name: str) -> int | None:
    """The layer number in a module name: 7 for `model.layers.7.mlp.up_proj`."""
    return next((int(part) for part in name.split(".") if part.isdigit()), None)


def ends_with(name: str, target: str) -> bool:
    """Whether a target names a module: by its full name or by its end, as in PEFT."""
    return name == target or name.endswith(f".{target}")


def by_pattern(patterns: dict[str, Value], name: str, otherwise: Value) -> Value:
    """The value of the first pattern that matches the end of a name. Patterns are regular expressions, as in PEFT."""
    return next((value for each, value in patterns.items() if re.match(rf"(.*\.)?({each})$", name)), otherwise)


def _in_top(name: str, seen: _Model, config: "LoraConfig") -> bool:
    layer = layer_of(name)
    return config.top_layers is None or layer is None or layer >= seen.layers - config.top_layers


def target_names(model: Any) -> list[str]:
    """The names that a target can have in this model."""
    seen = _Model(model)
    names: set[str] = set()
    for name, module in plain_modules(model):
        if is_linear(module) or module is seen.embedding:
            names.add(name.rsplit(".", 1)[-1])
        names.update(expert_parameters(module))
    return sorted(names)


def check_config(model: Any, config: "LoraConfig") -> None:
    """Refuses targets and patterns that match nothing in the model, more layers than it has, and dropout of experts. A stored
    adapter may have targets that match nothing, as in PEFT."""
    seen = _Model(model)
    if config.top_layers is not None and config.top_layers > seen.layers:
        raise BadInput(
            f"lora.top_layers: {config.top_layers} is more than the model has ({counted(seen.layers, 'layer')}). "
            f"Write at most {seen.layers}, or remove it to adapt all layers"
        )
    everything = [(name, module) for name, module in plain_modules(model)]
    for target in config.targets:
        if target in WORDS:
            continue
        linear = any(ends_with(n, target) and (is_linear(m) or m is seen.embedding) for n, m in everything)
        experts = any(ends_with(f"{n}.{each}", target) for n, m in everything for each in expert_parameters(m))
        if not linear and not experts:
            names = target_names(model)
            near = difflib.get_close_matches(target, [*WORDS, *names], n=1)
            raise BadInput(
                f'lora.targets: the model has no layer "{target}".'
                + (f' Did you mean "{near[0]}"?' if near else "")
                + f" It has: {', '.join(names)}. You can also write all, embeddings and head"
            )
    targets = find_targets(model, config)
    names = [name for target in targets for name in names_of(target)]
    if config.dropout and any(target.parameters for target in targets):
        raise BadInput(NO_DROPOUT)
    for pattern in config.rank_pattern:
        try:
            matched = any(by_pattern({pattern: 1}, name, 0) for name in names)
        except re.error as error:
            raise BadInput(f'lora.rank_pattern: "{pattern}" is not a regular expression ({error})') from None
        if not matched:
            leaves = ", ".join(sorted({name.rsplit(".", 1)[-1] for name in names}))
            raise BadInput(f'lora.rank_pattern: "{pattern}" matches no adapted layer. Adapted are {leaves}')


def names_of(target: Target) -> list[str]:
    """The names of what is adapted: the module, or the parameters of its experts."""
    return [f"{target.name}.{each}" for each in target.parameters] if target.parameters else [target.name]


def coverage(model: Any, config: "LoraConfig") -> Coverage:
    """What an adapter with this configuration adapts in this model, and what it leaves out and why."""
    seen = _Model(model)
    targets = {name: target for target in find_targets(model, config) for name in names_of(target)}
    adapted: dict[str, int] = {}
    left: dict[tuple[str, str], int] = {}
    total, counted = 0, set()
    for name, module in plain_modules(model):
        for leaf, identity, size in _own_sizes(module):
            if identity in counted:
                continue
            counted.add(identity)
            total += size
            experts = leaf in expert_parameters(module)
            hit = f"{name}.{leaf}" in targets if experts else name in targets and leaf == "weight"
            if hit:
                label = _label(f"{name}.{leaf}" if experts else name)
                adapted[label] = adapted.get(label, 0) + size
            else:
                part = _left(seen, name, module, leaf, experts)
                if part[1] == _UNNAMED and not _in_top(name, seen, config):
                    part = part[0], "below lora.top_layers"
                left[part] = left.get(part, 0) + size
    trained = sum(_trained(target, config) for target in {id(each): each for each in targets.values()}.values())
    return Coverage(
        total=total,
        trained=trained,
        adapted=[Part(label, size) for label, size in adapted.items()],
        left=[Part(label, size, why) for (label, why), size in sorted(left.items(), key=lambda one: -one[1])],
    )


def _own_sizes(module: nn.Module) -> Iterator[tuple[str, int, int]]:
    """Name, identity and size of each parameter of a module itself. Weights in 4 bits count by their shapes."""
    for leaf, parameter in module.named_parameters(recurse=False):
        yield leaf, id(parameter), parameter.numel()
    for leaf, stored in nf4_weights(module):
        yield leaf, id(stored), stored.shape.numel()


def _label(name: str) -> str:
    """The name of a layer for people: the part that tells it apart inside its layer."""
    parts = [part for part in name.split(".") if not part.isdigit()]
    experts = len(parts) > 1 and "expert" in parts[-2]
    return ".".join(parts[-2:] if experts else parts[-1:])


def _left(seen: _Model, name: str, module: nn.Module, leaf: str, experts: bool) -> tuple[str, str]:
    """The label of parameters that are not adapted, and why."""
    label = _label(name)
    if module is seen.embedding or module is seen.head:
        tied = seen.head is not None and seen.head.weight is seen.embedding.weight
        word = "embeddings" if module is seen.embedding else "head"
        return "embeddings, which are also the head" if tied else word, _UNNAMED
    if leaf == "bias" or (leaf.endswith("_bias") and hasattr(module, "num_experts")):
        return "biases", "LoRA changes weights only"
    if experts:
        return _label(f"{name}.{leaf}"), _UNNAMED
    if is_linear(module):
        if not seen.in_layers(name):
            return label, "outside of the decoder layers"
        return label, seen.why_left(name, module) or _UNNAMED
    kind = type(module).__name__
    if "Norm" in kind:
        return "norms", "not linear layers"
    if isinstance(module, nn.Conv1d | nn.Conv2d | nn.Conv3d):
        return "convolutions", "not linear layers"
    if "Router" in kind:
        return label, "routers"
    return f"{label}.{leaf}", "not linear layers"


def _trained(target: Target, config: "LoraConfig") -> int:
    """Parameters of the adapter of one target."""
    module: Any = target.module
    if target.parameters:
        count = 0
        for name in target.parameters:
            num_experts, inputs, outputs = expert_sizes(module, getattr(module, name))
            count += config.rank(f"{target.name}.{name}") * num_experts * (inputs + outputs)
        return count
    sizes = linear_sizes(module) if is_linear(module) else (module.num_embeddings, module.embedding_dim)
    return config.rank(target.name) * sum(sizes)
