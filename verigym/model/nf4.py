"""Frozen linear layers in 4 bits: bitsandbytes' nf4 with double quantisation, for QLoRA.

    weight   16 levels of a normal distribution, times the largest value of its block of 64
    blocks   these largest values, in 8 bits, in blocks of 256

A layer computes with its weight as it is after dequantisation, one layer at a time, in the forward and in the backward pass. The
trainer and every decoder read it through `Nf4Linear.weight`, so they see the same numbers. Embeddings, output layer, routers,
norms and the 3-D parameters of experts stay as they are.
"""

import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from verigym.core.errors import BadInput
from verigym.core.install import install_command

NF4: Literal["nf4"] = "nf4"
Quantized: TypeAlias = Literal["", "nf4"]
"""How the linear layers of a base are stored. Empty for the precision of the model."""
BLOCK = 64
BITS = 4 + 8 / BLOCK + 32 / (256 * BLOCK)
"""Bits per weight, with the two levels of block sizes."""


class Nf4Linear(nn.Module):
    """A frozen linear layer whose weight is stored in 4 bits."""

    packed: Tensor

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """Quantises `weight` (out, in) on its device. `bias` is kept."""
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.bias = None if bias is None else nn.Parameter(bias.detach(), requires_grad=False)
        # rows of one block, because the CPU kernel of bitsandbytes is wrong if a block does not end with its row
        flat = weight.detach().reshape(-1, BLOCK) if weight.numel() % BLOCK == 0 else weight.detach().reshape(1, -1)
        packed, self._state = bitsandbytes().functional.quantize_4bit(
            flat.contiguous(), blocksize=BLOCK, compress_statistics=True, quant_type=NF4
        )
        self.register_buffer("packed", packed, persistent=False)

    @property
    def weight(self) -> Tensor:
        """The weight after dequantisation, (out, in). A new tensor each time."""
        flat = bitsandbytes().functional.dequantize_4bit(self.packed, self._state)
        return flat.view(self.out_features, self.in_features)

    def forward(self, x: Tensor) -> Tensor:
        return _Frozen.apply(x, self)  # type: ignore[return-value]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        self._state.to(self.packed.device)
        return self

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


def quantize(model: Any, device: str) -> None:
    """Moves a model to `device` with its linear layers in 4 bits. One layer at a time is there in its own precision."""
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
    """Replaces the layers in 4 bits by linear layers with the same numbers, for files that any program can load."""
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
