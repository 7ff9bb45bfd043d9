"""Finds tokens that a model never learnt to write.

Some models have a token in their vocabulary and in their chat template that no training text contained, such as `<tool_call>` in
Qwen2.5-Coder. Its row of the output layer still is what it was at the start, like the rows of all other unused tokens. They get
the same logit in every context, so the model cannot choose one of them. An adapter on the decoder layers does not change that.
"""

from collections.abc import Sequence
from typing import Any

import torch

from verigym.model.lora_layers import base_of

_SAME = 0.01
"""Rows are the same if their distance is below this share of their length. Files with few bits per weight blur equal rows."""


@torch.no_grad()
def untrained_tokens(model: Any, ids: Sequence[int]) -> set[int]:
    """Those of the tokens whose row of the output layer also is the row of another token."""
    head = model.get_output_embeddings()
    weight_VH = None if head is None else base_of(head).weight
    if weight_VH is None or not weight_VH.is_floating_point():
        return set()
    found: set[int] = set()
    for id in ids:
        row_H = weight_VH[id].float()
        near = torch.zeros((), dtype=torch.long, device=weight_VH.device)
        for part_NH in weight_VH.split(1 << 15):
            near = near + ((part_NH.float() - row_H).norm(dim=1) < _SAME * row_H.norm()).sum()
        if int(near) > 1:
            found.add(id)
    return found
