"""LoRA adapters on any causal LM, in PEFT's file format. A model has at most one adapter at a time.

    y = W x + (alpha / r) B A x        A: r x in, B: out x r (zero at first, so that a new adapter changes nothing)

The weights of an adapter are always float32. `attach` adds its modules to a model. `load`, `save` and `detach` load, save and
remove it. `weights` and `set_weights` swap adapters in memory, so that one model serves several versions.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from verigym.core.errors import BadInput, InfrastructureFailure

ALL_LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_PREFIX = "base_model.model."
_HEAD = f"{_PREFIX}score.weight"


class LoraConfig(msgspec.Struct, frozen=True, kw_only=True):
    r: int = 16
    alpha: int = 32
    targets: tuple[str, ...] = ALL_LINEAR
    """Last part of the names of the linear layers that get an adapter."""
    top_layers: int | None = None
    """Number of transformer layers to adapt, counted from the last. None for all. Fewer layers shorten the backward pass."""
    head: bool = False
    """Whether the adapter has the head of a reward model, which maps the last hidden state to one number."""


class LoraAdapter(NamedTuple):
    """An adapter in memory that is not on a model."""

    config: LoraConfig
    weights: dict[str, Tensor]
    """Weights by their PEFT names."""


class _Lora(torch.autograd.Function):
    """A frozen layer with its adapter: computed in place, in the precision of the layer. Only x and A x are kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, a: Tensor, b: Tensor, scale: float) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        a, b = a.to(x.dtype), b.to(x.dtype)
        low = rows @ a.T
        ctx.save_for_backward(rows, low, weight, a, b)
        ctx.scale = scale
        y = rows @ weight.T if bias is None else torch.addmm(bias, rows, weight.T)
        return y.addmm_(low, b.T, alpha=scale).view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        rows, low, weight, a, b = ctx.saved_tensors
        (grad,) = grad_outputs
        flat = grad.reshape(-1, grad.shape[-1])
        grad_low = (flat @ b).mul_(ctx.scale)
        grad_a = (grad_low.T @ rows).float()
        grad_b = (flat.T @ low).float().mul_(ctx.scale)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = (flat @ weight).addmm_(grad_low, a).view(*grad.shape[:-1], -1)
        return grad_x, None, None, grad_a, grad_b, None


class Pair(NamedTuple):
    """The adapter of one linear layer."""

    a: Tensor
    b: Tensor
    scale: float


class LoraLinear(nn.Module):
    """A frozen linear layer with its adapter."""

    def __init__(self, base: nn.Linear, r: int, alpha: int, generator: torch.Generator) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = alpha / r
        self.on = True
        device = base.weight.device
        bound = base.in_features**-0.5
        a = torch.empty(r, base.in_features).uniform_(-bound, bound, generator=generator)
        self.a = nn.Parameter(a.to(device))
        self.b = nn.Parameter(torch.zeros(base.out_features, r, device=device))

    def forward(self, x: Tensor) -> Tensor:
        if not self.on:
            return self.base(x)
        return _Lora.apply(x, self.base.weight, self.base.bias, self.a, self.b, self.scale)  # type: ignore[return-value]


def head(model: Any) -> nn.Parameter | None:
    """The head of a reward model, or None. It is stored in a list, so that it is not one of the model's own parameters."""
    stored = getattr(model, "_verigym_head", None)
    return stored and stored[0]


def attach(model: Any, config: LoraConfig, seed: int = 0) -> None:
    """Puts a new adapter on the model and removes any older one."""
    detach(model)
    generator = torch.Generator().manual_seed(seed)
    names = [name for name, module in model.named_modules() if _wanted(name, module, model, config)]
    if not names:
        linear = sorted({n.rsplit(".", 1)[-1] for n, m in model.named_modules() if isinstance(m, nn.Linear)})
        raise BadInput(
            f"No linear layer matches the adapter targets {', '.join(config.targets)}. The model has: {', '.join(linear)}"
        )
    for name in names:
        parent, leaf = model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2]
        setattr(parent, leaf, LoraLinear(getattr(parent, leaf), config.r, config.alpha, generator))
    model._verigym_lora = config  # type: ignore[assignment]
    if config.head:
        add_head(model, seed)


def add_head(model: Any, seed: int = 0) -> None:
    """Adds a new head to the adapter on the model."""
    size = model.get_output_embeddings().weight.shape[1]
    weight_H = torch.empty(size).normal_(std=size**-0.5, generator=torch.Generator().manual_seed(seed))
    model._verigym_head = [nn.Parameter(weight_H.to(model.device))]
    config = config_of(model)
    assert config is not None, "no adapter on this model"
    model._verigym_lora = msgspec.structs.replace(config, head=True)


def _wanted(name: str, module: nn.Module, model: Any, config: LoraConfig) -> bool:
    if not isinstance(module, nn.Linear) or name.rsplit(".", 1)[-1] not in config.targets:
        return False
    layer = layer_of(name)
    if config.top_layers is None or layer is None:
        return True
    return layer >= model.config.num_hidden_layers - config.top_layers


def layer_of(name: str) -> int | None:
    """The layer number in a module name: 7 for `model.layers.7.mlp.up_proj`."""
    return next((int(part) for part in name.split(".") if part.isdigit()), None)


def modules(model: nn.Module) -> Iterator[tuple[str, LoraLinear]]:
    return ((name, module) for name, module in model.named_modules() if isinstance(module, LoraLinear))


def detach(model: nn.Module) -> None:
    for name, module in list(modules(model)):
        setattr(model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], module.base)
    model._verigym_lora = None  # type: ignore[assignment]
    model._verigym_head = None  # type: ignore[assignment]


def config_of(model: nn.Module) -> LoraConfig | None:
    return getattr(model, "_verigym_lora", None)


def parameters(model: nn.Module) -> list[nn.Parameter]:
    adapter = [parameter for _, module in modules(model) for parameter in (module.a, module.b)]
    own_head = head(model)
    return adapter if own_head is None else [*adapter, own_head]


def weights(model: nn.Module) -> dict[str, Tensor]:
    """A copy of the adapter's weights on the CPU, under PEFT's names."""
    named: dict[str, Tensor] = {}
    for name, module in modules(model):
        named[f"{_PREFIX}{name}.lora_A.weight"] = module.a.detach().cpu().clone()
        named[f"{_PREFIX}{name}.lora_B.weight"] = module.b.detach().cpu().clone()
    own = head(model)
    if own is not None:
        named[_HEAD] = own.detach().cpu().clone()[None]
    return named


@torch.no_grad()
def set_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    for name, module in modules(model):
        module.a.copy_(weights[f"{_PREFIX}{name}.lora_A.weight"])
        module.b.copy_(weights[f"{_PREFIX}{name}.lora_B.weight"])
    own = head(model)
    if own is not None:
        own.copy_(weights[_HEAD][0])


@contextmanager
def with_weights(model: nn.Module, others: dict[str, Tensor] | None) -> Iterator[None]:
    """A context in which the adapter has other weights. None for the base model."""
    if others is None:
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

    modules: dict[str, LoraLinear]
    config: LoraConfig | None
    head: list[nn.Parameter] | None


def take_off(model: nn.Module) -> MountedAdapter:
    """Removes the adapter from the model and returns it. `put_on` puts it back."""
    mounted = MountedAdapter(dict(modules(model)), config_of(model), getattr(model, "_verigym_head", None))
    detach(model)
    return mounted


def put_on(model: nn.Module, mounted: MountedAdapter) -> None:
    detach(model)
    for name, module in mounted.modules.items():
        setattr(model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], module)
    model._verigym_lora = mounted.config  # type: ignore[assignment]
    model._verigym_head = mounted.head  # type: ignore[assignment]


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


def save(model: nn.Module, folder: Path, base: str) -> None:
    """Writes `adapter_model.safetensors` and `adapter_config.json`, which PEFT, vLLM and others read."""
    config = config_of(model)
    assert config is not None, "no adapter on this model"
    layers = sorted({layer for name, _ in modules(model) if (layer := layer_of(name)) is not None})
    peft = {
        "peft_type": "LORA",
        "task_type": "SEQ_CLS" if config.head else "CAUSAL_LM",
        "modules_to_save": ["score"] if config.head else None,
        "base_model_name_or_path": base,
        "r": config.r,
        "lora_alpha": config.alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted(config.targets),
        "layers_to_transform": layers if config.top_layers is not None else None,
        "inference_mode": True,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(weights(model), folder / "adapter_model.safetensors")
        (folder / "adapter_config.json").write_text(json.dumps(peft, indent=2))
    except (OSError, SafetensorError) as error:
        raise InfrastructureFailure(
            f"{folder}: the adapter could not be written ({error}). Free some disk space and try again"
        ) from error


def read(model: Any, folder: Path) -> LoraAdapter:
    """Reads the adapter in `folder`, which must fit this model."""
    try:
        peft = json.loads((folder / "adapter_config.json").read_text())
        given = load_file(folder / "adapter_model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise BadInput(
            f"{folder}: the adapter cannot be read ({error}). "
            "The folder needs adapter_config.json and adapter_model.safetensors"
        ) from error
    layers = peft.get("layers_to_transform")
    top = None if layers is None else model.config.num_hidden_layers - min(layers)
    targets, head = tuple(peft["target_modules"]), _HEAD in given
    config = LoraConfig(r=peft["r"], alpha=peft["lora_alpha"], targets=targets, top_layers=top, head=head)
    wanted: dict[str, tuple[int, ...]] = {_HEAD: (1, model.get_output_embeddings().weight.shape[1])} if head else {}
    for name, module in model.named_modules():
        base = module.base if isinstance(module, LoraLinear) else module
        if _wanted(name, base, model, config):
            wanted[f"{_PREFIX}{name}.lora_A.weight"] = (config.r, base.in_features)
            wanted[f"{_PREFIX}{name}.lora_B.weight"] = (base.out_features, config.r)
    odd = sorted(
        name
        for name in wanted.keys() | given.keys()
        if name not in given or wanted.get(name) != tuple(given[name].shape)
    )
    if odd:
        raise BadInput(
            f"{folder}: the adapter does not fit this model. {odd[0]} and {len(odd) - 1} more weights are missing, unknown or "
            "of another shape. Use the base model of the adapter"
        )
    return LoraAdapter(config, given)


def use(model: nn.Module, adapter: LoraAdapter | None) -> None:
    """Puts an adapter on the model and replaces any other. An adapter without weights only removes it. None changes nothing."""
    if adapter is not None and adapter.weights:
        attach(model, adapter.config)
        set_weights(model, adapter.weights)
    elif adapter is not None:
        detach(model)


def load(model: Any, folder: Path) -> None:
    """Puts the adapter saved in `folder` on the model."""
    use(model, read(model, folder))


def pair(layer: nn.Module, name: str, adapter: LoraAdapter | None) -> Pair | None:
    """The adapter pair of one layer: from the given adapter, otherwise from the enabled adapter on the layer. None if there is
    none."""
    if adapter is None:
        return Pair(layer.a, layer.b, layer.scale) if isinstance(layer, LoraLinear) and layer.on else None
    a = adapter.weights.get(f"{_PREFIX}{name}.lora_A.weight")
    b = adapter.weights.get(f"{_PREFIX}{name}.lora_B.weight")
    return None if a is None or b is None else Pair(a, b, adapter.config.alpha / adapter.config.r)


@contextmanager
def without(model: nn.Module) -> Iterator[None]:
    """A context in which the adapter is disabled."""
    enabled = [module for _, module in modules(model) if module.on]
    for module in enabled:
        module.on = False
    try:
        yield
    finally:
        for module in enabled:
            module.on = True
