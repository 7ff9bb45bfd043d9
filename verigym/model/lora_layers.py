"""The modules of a LoRA adapter: frozen layers of the model, each with the low-rank change that is trained.

    linear      y = W x + (alpha / r) B A x       A: r x in, B: out x r (zero at first)
    embedding   y = W[id] + (alpha / r) B A[:, id]     A: r x vocabulary (zero at first), B: hidden x r
    experts     W_e + (alpha / r) B_e A_e for each expert e of a 3-D parameter

A, B and the names under which PEFT stores them belong to the module. Which layers get one is decided in `lora_targets.py`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers.pytorch_utils import Conv1D

from verigym.model.nf4 import Nf4Linear, nf4_parameters


class Pair(NamedTuple):
    """The adapter of one layer."""

    a: Tensor
    b: Tensor
    scale: float


class _Lora(torch.autograd.Function):
    """A frozen layer with its adapter: computed in place, in the precision of the layer. Only x and A x are kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, base: Any, a: Tensor, b: Tensor, scale: float) -> Tensor:
        weight, bias = linear_weight(base), base.bias
        rows = x.reshape(-1, x.shape[-1])
        a, b = a.to(x.dtype), b.to(x.dtype)
        low = rows @ a.T
        ctx.save_for_backward(rows, low, a, b)
        ctx.scale, ctx.base = scale, base  # a 4-bit base is dequantised again in the backward pass
        y = rows @ weight.T if bias is None else torch.addmm(bias, rows, weight.T)
        y.addmm_(low, b.T, alpha=scale)
        # not a view, because some models change the result in place
        return y if x.dim() == 2 else torch.ops.aten._unsafe_view(y, [*x.shape[:-1], y.shape[-1]])

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        rows, low, a, b = ctx.saved_tensors
        (grad,) = grad_outputs
        flat = grad.reshape(-1, grad.shape[-1])
        grad_low = (flat @ b).mul_(ctx.scale)
        grad_a = (grad_low.T @ rows).float()
        grad_b = (flat.T @ low).float().mul_(ctx.scale)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = (flat @ linear_weight(ctx.base)).addmm_(grad_low, a).view(*grad.shape[:-1], -1)
        return grad_x, None, grad_a, grad_b, None


def is_linear(module: nn.Module) -> bool:
    """Whether a module is a linear layer. `Conv1D` is the linear layer of GPT-2, whose weight is transposed."""
    return isinstance(module, nn.Linear | Conv1D | Nf4Linear)


def linear_weight(base: nn.Module) -> Tensor:
    """The weight of a linear layer, (out, in). That of a 4-bit layer is dequantised into a new tensor."""
    weight: Any = base.weight
    return weight.T if isinstance(base, Conv1D) else weight


def linear_sizes(base: nn.Module) -> tuple[int, int]:
    """Inputs and outputs of a linear layer."""
    layer: Any = base
    return (layer.nx, layer.nf) if isinstance(base, Conv1D) else (layer.in_features, layer.out_features)


class LoraLinear(nn.Module):
    """A frozen linear layer with its adapter."""

    def __init__(self, base: nn.Module, r: int, alpha: float, generator: torch.Generator) -> None:
        super().__init__()
        self.base: Any = base.requires_grad_(False)
        self.scale = alpha / r
        self.on = True
        self.dropout = 0.0
        self.masks: torch.Generator | None = None
        """Draws the masks of dropout. None without dropout."""
        self.in_features, self.out_features = linear_sizes(base)
        device = (self.base.packed if isinstance(base, Nf4Linear) else self.base.weight).device
        bound = self.in_features**-0.5
        a = torch.empty(r, self.in_features).uniform_(-bound, bound, generator=generator)
        self.a = nn.Parameter(a.to(device))
        self.b = nn.Parameter(torch.zeros(self.out_features, r, device=device))

    def forward(self, x: Tensor) -> Tensor:
        if not self.on:
            return self.base(x)
        if self.masks is not None and self.dropout:
            kept = torch.rand(x.shape, generator=self.masks, device=x.device) >= self.dropout
            low = (x * kept / (1 - self.dropout)) @ self.a.to(x.dtype).T
            return self.base(x) + self.scale * (low @ self.b.to(x.dtype).T)
        return _Lora.apply(x, self.base, self.a, self.b, self.scale)  # type: ignore[return-value]

    @property
    def weight(self) -> Tensor:
        """The weight with its change, for models that read it instead of calling the layer (Mamba's time step, fused kernels)."""
        weight: Tensor = self.base.weight
        if not self.on:
            return weight
        change = (self.scale * (self.b @ self.a)).to(weight.dtype)
        return weight + (change.T if isinstance(self.base, Conv1D) else change)

    def merged(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Each weight of the base and what it becomes with its change, in float32."""
        change = self.scale * (self.b @ self.a)
        yield self.base.weight, self.base.weight.float() + (change.T if isinstance(self.base, Conv1D) else change)

    @property
    def bias(self) -> Tensor | None:
        return self.base.bias

    def named(self, name: str) -> Iterator[tuple[str, nn.Parameter]]:
        """The parameters under PEFT's names."""
        yield f"{name}.lora_A.weight", self.a
        yield f"{name}.lora_B.weight", self.b


class LoraEmbedding(nn.Module):
    """A frozen embedding with its adapter."""

    def __init__(self, base: nn.Embedding, r: int, alpha: float, generator: torch.Generator) -> None:
        super().__init__()
        self.base: Any = base.requires_grad_(False)
        self.scale = alpha / r
        self.on = True
        self.multiplier = embedding_multiplier(base)
        device = base.weight.device
        self.a = nn.Parameter(torch.zeros(r, base.num_embeddings, device=device))
        self.b = nn.Parameter(torch.empty(base.embedding_dim, r).normal_(generator=generator).to(device))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.base(ids)
        return x if not self.on else x + looked_up(Pair(self.a, self.b, self.scale * self.multiplier), ids).to(x.dtype)

    @property
    def weight(self) -> Tensor:
        """The weight with its change, without the multiplier of the base."""
        weight: Tensor = self.base.weight
        return weight + (self.scale * (self.b @ self.a)).T.to(weight.dtype) if self.on else weight

    def merged(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield self.base.weight, self.base.weight.float() + self.scale * (self.b @ self.a).T

    def named(self, name: str) -> Iterator[tuple[str, nn.Parameter]]:
        yield f"{name}.lora_embedding_A", self.a
        yield f"{name}.lora_embedding_B", self.b


def embedding_multiplier(base: nn.Module) -> float:
    """What an embedding multiplies its vectors by. Gemma 3 does that inside the layer."""
    scale: Any = getattr(base, "embed_scale", None)
    return 1.0 if scale is None else float(scale)


def looked_up(pair: Pair, ids: Tensor) -> Tensor:
    """The change of the embeddings of some ids."""
    return pair.scale * (F.embedding(ids, pair.a.T) @ pair.b.T)


class LoraExperts(nn.Module):
    """The experts of one layer, whose weights are 3-D parameters, with one adapter per expert.

    The base reads its parameters in many ways (grouped products, one product per expert), so it gets changed weights for the
    time of a forward pass. With gradients they are computed again in the backward pass, so that only one layer has a copy of
    its experts at a time. Where a decoder calls it, in inference mode, the copy is kept until the adapter changes, except of
    experts in 4 bits.
    """

    def __init__(
        self, base: nn.Module, ranks: dict[str, int], alphas: dict[str, float], generator: torch.Generator
    ) -> None:
        """`ranks` and `alphas` are those of each adapted parameter, in the order in which the base defines them."""
        super().__init__()
        self.base: Any = base.requires_grad_(False)
        self.on = True
        self.ranks, self.scales = ranks, {name: alphas[name] / r for name, r in ranks.items()}
        self.a, self.b = nn.ParameterDict(), nn.ParameterDict()
        self._merged: dict[str, Tensor] = {}
        self._merged_of: tuple[int, ...] = ()
        for name, r in ranks.items():
            weight_EOI: Tensor = getattr(base, name)
            num_experts, inputs, outputs = expert_sizes(base, weight_EOI)
            bound = inputs**-0.5
            a = torch.empty(num_experts * r, inputs).uniform_(-bound, bound, generator=generator)
            self.a[name] = nn.Parameter(a.to(weight_EOI.device))
            self.b[name] = nn.Parameter(torch.zeros(outputs, r * num_experts, device=weight_EOI.device))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if not self.on:
            return self.base(*args, **kwargs)
        if torch.is_grad_enabled():
            self._merged, self._merged_of = {}, ()
            return checkpoint(self._forward, *args, use_reentrant=False, preserve_rng_state=False, **kwargs)
        if nf4_parameters(self.base) or not torch.is_inference_mode_enabled():
            return self._forward(*args, **kwargs)
        version = tuple(parameter._version for parameter in self.parameters())
        if version != self._merged_of:
            self._merged, self._merged_of = self._changed(), version
        return self._with(self._merged, args, kwargs)

    def _forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._with(self._changed(), args, kwargs)

    def _with(self, weights: dict[str, Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the base with other weights. An attribute of the instance hides the parameter of the same name."""
        try:
            self.base.__dict__.update(weights)
            return self.base(*args, **kwargs)
        finally:
            for name in weights:
                self.base.__dict__.pop(name, None)

    def _changed(self) -> dict[str, Tensor]:
        pairs = {name: Pair(self.a[name], self.b[name], self.scales[name]) for name in self.ranks}
        return {name: changed_experts(self.base, getattr(self.base, name), pair) for name, pair in pairs.items()}

    def merged(self) -> Iterator[tuple[Tensor, Tensor]]:
        for name in self.ranks:
            weight, pair = getattr(self.base, name), Pair(self.a[name], self.b[name], self.scales[name])
            yield weight, changed_experts(self.base, weight.float(), pair)

    def __getattr__(self, name: str) -> Any:
        """Other attributes are those of the base: `num_experts`, `act_fn`."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("base"), name)

    def named(self, name: str) -> Iterator[tuple[str, nn.Parameter]]:
        for parameter, prefix in zip(self.ranks, expert_prefixes(name, len(self.ranks)), strict=True):
            yield f"{prefix}.lora_A.weight", self.a[parameter]
            yield f"{prefix}.lora_B.weight", self.b[parameter]


def expert_sizes(base: nn.Module, weight: Tensor) -> tuple[int, int, int]:
    """Experts, inputs and outputs of a 3-D parameter. PEFT reads the order of the last two from `is_transposed`."""
    num_experts, first, second = weight.shape
    return (num_experts, first, second) if getattr(base, "is_transposed", False) else (num_experts, second, first)


def expert_prefixes(name: str, count: int) -> list[str]:
    """The names of the adapters of `count` parameters of a module. PEFT wraps one around the other, the last one outermost."""
    return [name + ".base_layer" * (count - 1 - index) for index in range(count)]


def by_expert(pair: Pair, num_experts: int) -> tuple[Tensor, Tensor]:
    """A, (E, R, I), and B, (E, O, R), of all experts. PEFT stores A with ranks inside experts and B the other way round."""
    a_ERI = pair.a.view(num_experts, -1, pair.a.shape[1])
    return a_ERI, pair.b.view(len(pair.b), -1, num_experts).permute(2, 0, 1)


def changed_experts(base: nn.Module, weight: Tensor, pair: Pair) -> Tensor:
    """A 3-D parameter plus the change of each expert."""
    a_ERI, b_EOR = (each.to(weight.dtype) for each in by_expert(pair, len(weight)))
    if getattr(base, "is_transposed", False):
        return torch.baddbmm(weight, a_ERI.transpose(1, 2), b_EOR.transpose(1, 2), alpha=pair.scale)
    return torch.baddbmm(weight, b_EOR, a_ERI, alpha=pair.scale)


AdaptedModule: TypeAlias = LoraLinear | LoraEmbedding | LoraExperts


def base_of(module: Any) -> Any:
    """The frozen layer under an adapter, or the layer itself."""
    return module.base if isinstance(module, AdaptedModule) else module
