"""Logprobs of given tokens, the same numbers in training and in checks.

Shapes: N places of a prefix tree, M scored places, B samples, S the most scored tokens of a sample (see tree.py), H hidden size,
V vocabulary. Logits exist only where a token is scored, and only a chunk of them at a time.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from verigym.model import full, layers, lora
from verigym.model.attention import Tree, tree_attention
from verigym.model.devices import has_kernels
from verigym.model.llama_family import llama_model
from verigym.model.tree import PackedBatch

_CHUNK_BYTES = {"cpu": 64 << 20}
"""Bytes of logits that exist at once. On accelerators: 512 MiB."""


def hidden_states(model: Any, packed: PackedBatch) -> Tensor:
    """The last hidden state of every place, (N, H). The tree is one row. Separate lines are batched by length."""
    divided = getattr(model, "_verigym_parts", None) is not None  # among ranks, which gather a layer when it is called
    own = packed.shared and not divided and _adapters_alone(model) and not lora.is_dropping(model)
    llama = llama_model(model) if own else None
    if llama is not None and not llama.has_experts:
        return layers.over_tree(llama, packed)
    with full.recomputing(model):
        return _by_transformers(model, packed)


def _by_transformers(model: Any, packed: PackedBatch) -> Tensor:
    if packed.shared:
        with tree_attention(model):
            return model.base_model(
                input_ids=packed.ids_N[None],
                position_ids=packed.positions_N[None],
                use_cache=False,
                tree=Tree(packed.positions_N, packed.ends_N),
            ).last_hidden_state[0]
    lengths = [len(places) for places in packed.places]
    found: list[Tensor] = []
    start = 0
    for length in dict.fromkeys(lengths):
        end = start + length * lengths.count(length)
        ids_BT = packed.ids_N[start:end].view(-1, length)
        found.append(model.base_model(input_ids=ids_BT, use_cache=False).last_hidden_state.flatten(0, 1))
        start = end
    return torch.cat(found)


def _adapters_alone(model: Any) -> bool:
    """Whether only adapters are trained."""
    if full.is_full(model):
        return False
    adapters = {id(parameter) for parameter in lora.parameters(model)}
    return not any(parameter.requires_grad and id(parameter) not in adapters for parameter in model.parameters())


def token_logprobs(
    model: Any, packed: PackedBatch, temperature: float = 1.0, *, entropy_too: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Logprobs, entropies and mask of the scored tokens, each (B, S). A row has its tokens in order, then zeros.
    Entropies have a gradient only with `entropy_too`."""
    hidden_MH = hidden_states(model, packed).index_select(0, packed.parents_M)
    found_M, entropy_M = _score(model, hidden_MH, packed.targets_M, temperature or 1.0, entropy_too)
    mask_BS = packed.mask_BS
    logprobs_BS, entropy_BS = (
        each.index_select(0, packed.scored_BS.flatten()).view(mask_BS.shape).where(mask_BS, 0.0)
        for each in (found_M, entropy_M if entropy_too else entropy_M.detach())
    )
    return logprobs_BS, entropy_BS, mask_BS


def scores(model: Any, packed: PackedBatch) -> Tensor:
    """The score of a reward model for each sample, at its last token, (B,)."""
    weight_H = lora.head(model)
    assert weight_H is not None, "the model has no head"
    last_B = torch.tensor([places[-1] for places in packed.places], device=packed.ids_N.device)
    return hidden_states(model, packed).index_select(0, last_B).float() @ weight_H


def token_values(model: Any, packed: PackedBatch) -> tuple[Tensor, Tensor]:
    """What a critic expects before each scored token, and the mask, each (B, S). The value is read where the token is
    predicted."""
    weight_H = lora.head(model)
    assert weight_H is not None, "the model has no head"
    values_M = hidden_states(model, packed).index_select(0, packed.parents_M).float() @ weight_H
    mask_BS = packed.mask_BS
    return values_M.index_select(0, packed.scored_BS.flatten()).view(mask_BS.shape).where(mask_BS, 0.0), mask_BS


def _score(
    model: Any, hidden_MH: Tensor, targets_M: Tensor, temperature: float, entropy_too: bool
) -> tuple[Tensor, Tensor]:
    most = _CHUNK_BYTES.get(hidden_MH.device.type, 512 << 20)
    rows = max(1, most // (4 * model.config.get_text_config().vocab_size))
    trained = any(parameter.requires_grad for parameter in model.get_output_embeddings().parameters())
    pieces = [
        checkpoint(_logprobs, model, hidden, targets, temperature, use_reentrant=False)
        if trained or entropy_too
        else _Scores.apply(model, hidden, targets, temperature)
        for hidden, targets in zip(hidden_MH.split(rows), targets_M.split(rows), strict=True)
    ]
    found, entropies = zip(*pieces, strict=True)
    return torch.cat(found), torch.cat(entropies)


def _logprobs(model: Any, hidden_CH: Tensor, targets_C: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Logprobs and entropies if the output layer is trained or entropy needs a gradient. The backward pass recomputes logits."""
    all_CV = torch.log_softmax(logits_of(model, hidden_CH).float() / temperature, -1)
    return all_CV.gather(-1, targets_C[:, None])[:, 0], -(all_CV.exp() * all_CV).sum(-1)


class _Scores(torch.autograd.Function):
    """Logprob and entropy of a chunk of tokens. A logprob depends only on its own hidden state, so its gradient is computed in
    the forward pass while the logits exist. The backward pass only scales it."""

    @staticmethod
    def forward(
        ctx: Any, model: Any, hidden_CH: Tensor, targets_C: Tensor, temperature: float
    ) -> tuple[Tensor, Tensor]:
        wanted = ctx.needs_input_grad[1]
        weight_VH = bare_head(model) if has_kernels(hidden_CH.device) else None
        if weight_VH is not None:
            from verigym.model.train_kernels import score

            logits_CV = hidden_CH @ weight_VH.T
            found_C, entropy_C = score(logits_CV, targets_C, temperature, wanted)
            if wanted:
                ctx.save_for_backward(logits_CV @ weight_VH)
            ctx.mark_non_differentiable(entropy_C)
            return found_C, entropy_C
        with torch.set_grad_enabled(wanted):
            leaf_CH = hidden_CH.detach().requires_grad_(wanted)
            logits_CV = logits_of(model, leaf_CH)
        at_CV = logits_CV.detach().float()
        all_CV = torch.log_softmax(at_CV if temperature == 1.0 else at_CV / temperature, -1)
        found_C = all_CV.gather(-1, targets_C[:, None])[:, 0]
        shares_CV = all_CV.exp()
        entropy_C = -torch.bmm(shares_CV[:, None], all_CV[:, :, None])[:, 0, 0]
        if wanted:
            shares_CV[torch.arange(len(targets_C), device=targets_C.device), targets_C] -= 1
            (slope_CH,) = torch.autograd.grad(logits_CV, leaf_CH, shares_CV.to(logits_CV.dtype))
            ctx.save_for_backward(slope_CH.mul_(-1 / temperature))
        ctx.mark_non_differentiable(entropy_C)
        return found_C, entropy_C

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[None, Tensor, None, None]:
        (slope_CH,) = ctx.saved_tensors
        return None, (slope_CH * grad_outputs[0][:, None]).to(slope_CH.dtype), None, None


def logits_of(model: Any, hidden: Tensor, head: Callable[[Tensor], Tensor] | None = None) -> Tensor:
    """The model's own logits from its last hidden states, with the scaling or soft cap that some families apply. `head` replaces
    the output layer on the model."""
    logits = (head or model.get_output_embeddings())(hidden)
    scale, cap = _scale(model.config), _cap(model.config)
    logits = logits if scale == 1.0 else logits * scale
    return torch.tanh(logits / cap) * cap if cap else logits


def bare_head(model: Any) -> Tensor | None:
    """The weight of the output layer, if logits are a single product with it. Otherwise None."""
    head = model.get_output_embeddings()
    bare = _scale(model.config) == 1.0 and not _cap(model.config) and type(head) is nn.Linear and head.bias is None
    return head.weight.detach() if bare else None


def _scale(config: Any) -> float:
    return (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)


def _cap(config: Any) -> float | None:
    return getattr(config, "final_logit_softcapping", None)
