"""A model whose layers are divided among ranks (FSDP2). Each rank stores its part of every layer, and gathers a layer while it
is computed.

Embeddings, output layer, final norm and adapters stay whole on every rank. The optimizer updates `trained`: the parts of this
rank, as plain tensors, and what is whole. Gradients of parts arrive summed over the ranks. Gathering is a collective, so all
ranks must compute equally many micro-batches.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, Shard

from verigym.model import full, lora
from verigym.model.forward_check import can_share
from verigym.model.nf4 import is_quantized


class Part(NamedTuple):
    """A divided parameter that is trained."""

    parameter: nn.Parameter
    """The parameter of the model, a DTensor."""
    own: nn.Parameter
    """This rank's part. It shares the memory of the parameter."""


def divide(model: Any, world: int, device: str = "") -> None:
    """Divides the layers of the model among the ranks. All ranks must call it, before an adapter is on the model. `device` is
    where a model without memory will be. Call `ready` afterwards."""
    assert not is_quantized(model), "undividable recipes are refused"
    mesh = init_device_mesh((device or str(model.device)).split(":")[0], (world,))
    for layer in _layers(model):
        made: Any = fully_shard(layer, mesh=mesh, reshard_after_forward=True)
        assert isinstance(made, FSDPModule)
        made.set_gradient_divide_factor(1.0)  # losses are divided by the whole batch, so gradients are sums
        made.set_force_sum_reduction_for_comms(True)
    model._verigym_parts = []


def ready(model: Any) -> None:
    """Finds the trained parts of a divided model, once it is known what is trained. All ranks must call it."""
    can_share(model)  # computes, so all ranks try it together
    trained_ones = [each for each in lora.parameters(model) if isinstance(each, DTensor)]
    model._verigym_parts = [Part(each, nn.Parameter(each.to_local().detach())) for each in trained_ones]


def is_divided(model: Any) -> bool:
    return getattr(model, "_verigym_parts", None) is not None


def _layers(model: Any) -> list[nn.Module]:
    """The transformer layers: the members of the list of modules with the most parameters."""
    lists = [module for module in model.base_model.modules() if isinstance(module, nn.ModuleList)]
    return list(max(lists, key=lambda each: sum(parameter.numel() for parameter in each.parameters())))


def trained(model: Any) -> list[Any]:
    """What an optimizer updates: `lora.parameters`, with this rank's parts in place of divided parameters."""
    if not is_divided(model):
        return lora.parameters(model)
    own = {id(part.parameter): part.own for part in model._verigym_parts}
    return [own.get(id(each), each) for each in lora.parameters(model)]


def whole(model: Any) -> list[nn.Parameter]:
    """The trained parameters that every rank has."""
    return [each for each in lora.parameters(model) if not isinstance(each, DTensor)]


def whole_and_parts(model: Any, holders: Sequence[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """The holders of what every rank has, and those of this rank's parts. They are in the order of `trained`."""
    divided = [isinstance(each, DTensor) for each in lora.parameters(model)]
    both = list(zip(holders, divided, strict=True))
    return [holder for holder, part in both if not part], [holder for holder, part in both if part]


def take_gradients(model: Any) -> list[Tensor | None]:
    """Takes the gradients of `trained` off the model."""
    taken: list[Tensor | None] = []
    for parameter in lora.parameters(model):
        gradient: Any = parameter.grad
        taken.append(gradient.to_local() if isinstance(gradient, DTensor) else gradient)
        parameter.grad = None
    return taken


@torch.no_grad()
def clip(whole: Sequence[Tensor], parts: Sequence[Tensor], most: float, over_ranks: Callable[[float], float]) -> float:
    """Scales all gradients so that their norm is at most `most`, as `clip_grad_norm_` does. Returns the norm before.
    `over_ranks` sums a number over the ranks."""

    def squares(holders: Sequence[Tensor]) -> float:
        found = [each.grad for each in holders if each.grad is not None and each.grad.numel()]
        norms = [torch.linalg.vector_norm(gradient.float()) for gradient in found]
        return float(torch.stack(norms).double().square().sum()) if norms else 0.0

    norm = (over_ranks(squares(parts)) + squares(whole)) ** 0.5
    if norm == norm and norm + 1e-6 > most:
        for each in (*whole, *parts):
            if each.grad is not None:
                each.grad.mul_(most / (norm + 1e-6))
    return norm


@torch.no_grad()
def whole_weights(model: Any) -> dict[str, Tensor]:
    """`lora.weights` with every parameter whole. All ranks must call it."""
    return {name: _gathered(weight).cpu() for name, weight in lora.weights(model).items()}


def _gathered(weight: Any) -> Tensor:
    return weight.full_tensor() if isinstance(weight, DTensor) else weight


@torch.no_grad()
def whole_states(model: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The state of an optimizer as one process would have it. All ranks must call it."""

    def gathered(parameter: Any, part: Tensor) -> Tensor:
        value = part.to(parameter.device)
        whole_one: Any = DTensor.from_local(
            value, parameter.device_mesh, [Shard(0)], run_check=False, shape=parameter.shape, stride=parameter.stride()
        )
        return whole_one.full_tensor().cpu()

    return _converted(model, state, lambda parameter: parameter.to_local().shape, gathered)


def own_states(model: Any, state: dict[str, Any]) -> dict[str, Any]:
    """This rank's part of the state of an optimizer of one process."""
    return _converted(model, state, lambda parameter: parameter.shape, full.own_part)


def _converted(
    model: Any, state: dict[str, Any], shape: Callable[[Any], torch.Size], change: Callable[[Any, Tensor], Tensor]
) -> dict[str, Any]:
    """The state with every tensor changed that has the shape of its divided parameter."""
    parameters: list[Any] = lora.parameters(model)

    def each(index: int, value: Any) -> Any:
        parameter = parameters[index]
        fits = isinstance(value, Tensor) and isinstance(parameter, DTensor) and value.shape == shape(parameter)
        return change(parameter, value) if fits else value

    def moments(index: int, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value if name == "step" else each(index, value) for name, value in values.items()}

    if "masters" not in state:
        return {**state, "state": {index: moments(index, values) for index, values in state["state"].items()}}
    return {
        "masters": [each(index, master) for index, master in enumerate(state["masters"])],
        "inner": [
            {**one, "state": {key: moments(index, values) for key, values in one["state"].items()}}
            for index, one in enumerate(state["inner"])
        ],
    }
