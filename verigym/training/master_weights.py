"""An optimizer for weights in half precision: it updates a copy in float32 and rounds the copy into the model.

An update of a weight is often smaller than half a step of bfloat16, so without the copy it would be lost. So would be the
gradients of late micro-batches in a sum in bfloat16: the copy has the sum, in float32. Copies, sums and moments can be in the
memory of the CPU.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class MasterWeights:
    """The part of an optimizer's interface that training uses."""

    def __init__(self, parameters: Sequence[Tensor], make: MakeOptimizer, device: torch.device | str | None) -> None:
        """`make` makes the optimizer of a copy. `device` is where the copies are. None for that of each parameter."""
        self._parameters = list(parameters)
        self.masters = [
            each.detach().to(device=device or each.device, dtype=torch.float32, copy=True) for each in self._parameters
        ]
        """The copies, whose gradients `step` uses."""
        self._inner = [make([master]) for master in self.masters]
        self.defaults: dict[str, Any] = dict(self._inner[0].defaults)

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return [group for inner in self._inner for group in inner.param_groups]

    @property
    def state(self) -> dict[Tensor, Any]:
        return {parameter: state for inner in self._inner for parameter, state in inner.state.items()}

    def zero_grad(self) -> None:
        for tensor in (*self._parameters, *self.masters):
            tensor.grad = None

    @torch.no_grad()
    def step(self) -> None:
        for parameter, master, inner in zip(self._parameters, self.masters, self._inner, strict=True):
            if master.grad is not None:
                inner.step()
                master.grad = None
                parameter.copy_(master)

    def state_dict(self) -> dict[str, Any]:
        return {
            "masters": [master.cpu() for master in self.masters],
            "inner": [inner.state_dict() for inner in self._inner],
        }

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Any]) -> None:
        for master, stored in zip(self.masters, state["masters"], strict=True):
            master.copy_(stored)
        for inner, stored in zip(self._inner, state["inner"], strict=True):
            inner.load_state_dict(stored)


def summed_in(optimizer: Any, parameters: Sequence[Tensor]) -> Sequence[Tensor]:
    """The tensors that hold the summed gradients of the parameters for a step of the optimizer: their copies, or themselves."""
    return optimizer.masters if isinstance(optimizer, MasterWeights) else parameters


def add_gradients(holders: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> None:
    """Adds the gradients of a micro-batch to those of the holders, in the precision and on the device of each holder."""
    for holder, gradient in zip(holders, gradients, strict=True):
        if gradient is not None:
            own = gradient.to(holder)
            holder.grad = own if holder.grad is None else holder.grad.add_(own)
