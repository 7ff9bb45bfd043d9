"""Mixtures of experts in layers of the Llama family: Mixtral, Qwen2-MoE with its shared expert, Qwen3-MoE.

    p = softmax(router h);  the K largest p choose experts;  y = sum of p_e down_e (act(g_e) * u_e),  g_e u_e = gate_up_e h
    a shared expert adds sigmoid(gate h) times its own result

The weights of all experts of a layer are two 3-D tensors. `Mixture.forward` is a loop over experts for every device.
`expert_kernels.py` computes the same on CUDA.

Shapes: N tokens, H hidden size, E experts, K chosen experts of a token, P = N K pairs of a token and an expert, I inputs and O
outputs of an expert, R rank.
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from verigym.model import lora
from verigym.model.lora_layers import base_of, by_expert
from verigym.model.nf4 import nf4_parameters, nf4_weights


class ExpertWeights:
    """A 3-D parameter of the experts of a layer, (E, O, I). `weight` is without adapters. In 4 bits it is made when read."""

    def __init__(self, block: Any, name: str, leaf: str) -> None:
        self._block, self._name, self._leaf = block, name, leaf

    @property
    def is_quantized(self) -> bool:
        return self._leaf in nf4_parameters(base_of(self._block.experts))

    @property
    def weight(self) -> Tensor:
        experts = base_of(self._block.experts)
        if self.is_quantized:
            return dict(nf4_weights(experts))[self._leaf].weight
        return experts._parameters[self._leaf].detach()

    def adapter(self, adapter: lora.LoraAdapter | None, like: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """A, (E, R, I), and B, (E, O, R), with the scale included in B, in the precision of `like`. None without an adapter."""
        pair = lora.expert_pair(self._block.experts, self._name, self._leaf, adapter)
        if pair is None:
            return None, None
        a_ERI, b_EOR = by_expert(pair, base_of(self._block.experts).num_experts)
        return a_ERI.to(like), (b_EOR * pair.scale).to(like)


class Mixture:
    def __init__(self, block: Any, name: str) -> None:
        """`block` is the model's own module, and `name` its name in the model."""
        self.router: Tensor = block.gate.weight.detach()
        self.chosen: int = block.gate.top_k
        self.normed: bool = getattr(block.gate, "norm_topk_prob", True)
        """Whether the weights of the chosen experts add up to 1."""
        self.parts = [ExpertWeights(block, f"{name}.experts", leaf) for leaf in ("gate_up_proj", "down_proj")]
        self._act = base_of(block.experts).act_fn

    def adapters(self, adapter: lora.LoraAdapter | None, like: Tensor) -> list[Tensor | None]:
        """A and B of `parts`."""
        return [each for part in self.parts for each in part.adapter(adapter, like)]

    def forward(self, x_NH: Tensor, weights: Sequence[Tensor]) -> Tensor:
        """The result for normed hidden states. `weights` are those of the shared expert (gate_up, down and gate) if there is
        one, and of `parts`."""
        *shared, gate_up, down = weights
        scores_NE = F.linear(x_NH, self.router).softmax(-1, dtype=torch.float32)
        scores_NK, ids_NK = scores_NE.topk(self.chosen)
        if self.normed:
            scores_NK = scores_NK / scores_NK.sum(-1, keepdim=True)
        order_P = ids_NK.flatten().argsort(stable=True)
        counts = ids_NK.flatten().bincount(minlength=len(gate_up)).tolist()
        rows = x_NH[order_P // self.chosen].split(counts)
        each = [self._expert(x, gate_up[expert], down[expert]) for expert, x in enumerate(rows) if len(x)]
        parts_PH = x_NH.new_empty(len(order_P), x_NH.shape[1]).index_copy_(0, order_P, torch.cat(each))
        total_NH = torch.zeros_like(x_NH, dtype=torch.float32)
        for score_N, part_NH in zip(
            scores_NK.unbind(1), parts_PH.view(len(x_NH), self.chosen, -1).unbind(1), strict=True
        ):
            total_NH += score_N[:, None] * part_NH
        if shared:
            total_NH += F.linear(x_NH, shared[2]).float().sigmoid() * self._expert(x_NH, *shared[:2])
        return total_NH.to(x_NH.dtype)

    def _expert(self, x_NH: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
        gate, up = F.linear(x_NH, gate_up).chunk(2, -1)
        return F.linear(self._act(gate) * up, down)
