"""Frozen linear layers and experts in 4 bits: bitsandbytes' nf4 with double quantisation, for QLoRA.

    weight   16 levels of a normal distribution, times the largest value of its block of 64
    blocks   these largest values, in 8 bits, in blocks of 256

A layer computes with its weight as it is after dequantisation, one layer at a time, in the forward and in the backward pass. The
trainer and every decoder read it through `Nf4Linear.weight`, or through the parameters of the experts, so they see the same
numbers. Embeddings, output layer, routers and norms stay as they are.
"""

import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from verigym.core.errors import BadInput
from verigym.core.install import install_command
from verigym.model.shape import NF4_BLOCK as BLOCK

NF4: Literal["nf4"] = "nf4"
Quantized: TypeAlias = Literal["", "nf4"]
"""How the linear layers of a base are stored. Empty for the precision of the model."""
_SUFFIX = "_nf4"
"""Ends the name of the module that stores a parameter of experts."""


class Nf4Weight(nn.Module):
    """A frozen weight of any shape, stored in 4 bits."""

    packed: Tensor

    def __init__(self, weight: Tensor) -> None:
        """Quantises `weight` on its device."""
        super().__init__()
        self.shape = weight.shape
        # rows of one block, because the CPU kernel of bitsandbytes is wrong if a block does not end with its row
        flat = weight.detach().reshape(-1, BLOCK) if weight.numel() % BLOCK == 0 else weight.detach().reshape(1, -1)
        packed, self._state = bitsandbytes().functional.quantize_4bit(
            flat.contiguous(), blocksize=BLOCK, compress_statistics=True, quant_type=NF4
        )
        self.register_buffer("packed", packed, persistent=False)

    @property
    def weight(self) -> Tensor:
        """The weight after dequantisation. A new tensor each time."""
        return bitsandbytes().functional.dequantize_4bit(self.packed, self._state).view(self.shape)

    @property
    def nbytes(self) -> int:
        """The memory that it takes, with both levels of block sizes."""
        return self.packed.nbytes + self._state.absmax.nbytes + self._state.state2.absmax.nbytes

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        self._state.to(self.packed.device)
        return self


class Nf4Linear(Nf4Weight):
    """A frozen linear layer whose weight (out, in) is stored in 4 bits."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """Quantises `weight` (out, in) on its device. `bias` is kept."""
        super().__init__(weight)
        self.out_features, self.in_features = weight.shape
        self.bias = None if bias is None else nn.Parameter(bias.detach(), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        return _Frozen.apply(x, self)  # type: ignore[return-value]

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, nf4"


class _Frozen(torch.autograd.Function):
    """A layer without an adapter. Only the 4-bit weight is kept for the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, layer: Nf4Linear) -> Tensor:
        ctx.layer = layer
        return F.linear(x, layer.weight, layer.bias)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None]:
        return grad_outputs[0] @ ctx.layer.weight, None


class _Stored:
    """Reads a parameter of experts that is stored in 4 bits. An attribute of the instance with this name hides it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, module: Any, _: type | None = None) -> Tensor:
        return getattr(module, self.name + _SUFFIX).weight


class _Nf4Experts:
    """What experts in 4 bits do instead of their own forward pass. Their class is derived from it and from the model's class, so
    the model still finds what it knows of them."""

    nf4_parameters: tuple[str, ...]
    """The 3-D parameters in 4 bits."""

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        """With gradients, the weights are made again in the backward pass, so that one layer at a time has them."""
        hidden = any(
            name in self.__dict__ for name in self.nf4_parameters
        )  # an adapter computes the layer again itself
        if hidden or not torch.is_grad_enabled():
            return self._on_dequantised(*args, **kwargs)
        return checkpoint(self._on_dequantised, *args, use_reentrant=False, preserve_rng_state=False, **kwargs)

    def _on_dequantised(self: Any, *args: Any, **kwargs: Any) -> Any:
        """The model's own forward pass. Each parameter is dequantised once, because some models read it for every expert."""
        made = {name: getattr(self, name) for name in self.nf4_parameters if name not in self.__dict__}
        try:
            self.__dict__.update(made)
            return super().forward(*args, **kwargs)  # type: ignore[misc]
        finally:
            for name in made:
                self.__dict__.pop(name, None)


def nf4_parameters(module: nn.Module) -> tuple[str, ...]:
    """The names of the parameters of experts that are stored in 4 bits."""
    return module.nf4_parameters if isinstance(module, _Nf4Experts) else ()


def nf4_weights(module: nn.Module) -> Iterator[tuple[str, Nf4Weight]]:
    """The weights that a layer itself stores in 4 bits, by the names of its parameters."""
    if isinstance(module, Nf4Linear):
        yield "weight", module
    for name in nf4_parameters(module):
        yield name, getattr(module, name + _SUFFIX)


def _quantize_experts(module: Any, names: list[str], device: str) -> None:
    for name in names:
        weight = module._parameters.pop(name)
        module.add_module(name + _SUFFIX, Nf4Weight(weight.to(device)))
        del weight
    kind = type(module)
    members = {"nf4_parameters": tuple(names), **{name: _Stored(name) for name in names}}
    module.__class__ = type(kind.__name__, (_Nf4Experts, kind), members)


def _dequantize_experts(module: Any) -> None:
    weights = {name: getattr(module, name) for name in module.nf4_parameters}
    module.__class__ = type(module).__mro__[2]
    for name, weight in weights.items():
        delattr(module, name + _SUFFIX)
        setattr(module, name, nn.Parameter(weight, requires_grad=False))


def quantize(model: Any, device: str) -> None:
    """Moves a model to `device` with its linear layers and experts in 4 bits. One layer at a time is there in its own
    precision."""
    for module, parameters in list(_experts(model)):
        _quantize_experts(module, parameters, device)
    names = [name for name, _ in quantizable(model)]
    if not names:
        raise BadInput(
            f"{type(model).__name__} has no linear layers that can be stored in 4 bits. Use adapter: lora instead of qlora"
        )
    for name in names:
        above, _, leaf = name.rpartition(".")
        parent: Any = model.get_submodule(above)
        layer: Any = getattr(parent, leaf)
        bias = None if layer.bias is None else layer.bias.to(device)
        setattr(parent, leaf, Nf4Linear(layer.weight.to(device), bias))
        del layer
    model.to(device)


def dequantize(model: Any) -> None:
    """Replaces what is stored in 4 bits by layers with the same numbers, for files that any program can load."""
    for module in [each for each in model.modules() if nf4_parameters(each)]:
        _dequantize_experts(module)
    for name, layer in [(name, each) for name, each in model.named_modules() if isinstance(each, Nf4Linear)]:
        above, _, leaf = name.rpartition(".")
        plain = nn.Linear(layer.in_features, layer.out_features, bias=layer.bias is not None, device="meta")
        plain.weight = nn.Parameter(layer.weight, requires_grad=False)
        if layer.bias is not None:
            plain.bias = layer.bias
        setattr(model.get_submodule(above), leaf, plain)


def quantizable(model: Any) -> Iterator[tuple[str, nn.Linear]]:
    """The linear layers of the decoder layers that are stored in 4 bits. The choice of experts stays exact."""
    head = model.get_output_embeddings()
    for name, module in model.named_modules():
        above, _, leaf = name.rpartition(".")
        router = leaf in ("router", "gate") or hasattr(model.get_submodule(above), "experts")
        if type(module) is nn.Linear and module is not head and not router and any(map(str.isdigit, name.split("."))):
            yield name, module


def expert_parameters(module: nn.Module) -> list[str]:
    """The names of the 3-D parameters that hold one matrix per expert, also if they are stored in 4 bits."""
    count = getattr(module, "num_experts", None)
    own = module.named_parameters(recurse=False)
    return [*nf4_parameters(module), *(name for name, each in own if each.dim() == 3 and len(each) == count)]


def _experts(model: nn.Module) -> Iterator[tuple[nn.Module, list[str]]]:
    for module in model.modules():
        if parameters := expert_parameters(module):
            yield module, parameters


def is_quantized(model: nn.Module) -> bool:
    return any(isinstance(module, Nf4Weight) for module in model.modules())


def num_quantizable(model: Any) -> int:
    """How many weights `quantize` stores in 4 bits. The model may be on the meta device."""
    linear = sum(module.weight.numel() for _, module in quantizable(model))
    return linear + sum(getattr(module, name).numel() for module, names in _experts(model) for name in names)


def bitsandbytes() -> Any:
    """The package, or an error with the command that installs it."""
    logger = logging.getLogger("bitsandbytes.backends.cpu.ops")
    logger.setLevel(logging.ERROR)  # it warns of an optional kernel that Verigym does not use
    try:
        import bitsandbytes as package
    except ImportError as error:
        raise BadInput(
            f"4-bit weights and 8-bit optimizer states need the package bitsandbytes. Run: {install_command('qlora')}"
        ) from error
    return package
