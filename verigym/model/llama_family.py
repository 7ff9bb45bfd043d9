"""The Llama family of decoder-only models, whose layers Verigym computes itself: Llama, Mistral, Qwen 2 and 3, Gemma 1 to 3.
Mixtral, Qwen2-MoE and Qwen3-MoE have a mixture of experts (`experts.py`) in place of the second line. They are only decoded here.

    h = norm(x);  q k v = qkv h;  q, k turned by their positions;  x += out attend(q, k, v)
    h = norm(x);  g u = gate_up h;  x += down (act(g) * u)

A layer may attend to a sliding window only. Gemma 2 and 3 also have a norm after `out` and after `down`.

q, k and v are one product, gate and up another. Their weights are joined here, and the model's own layers get views of the
joined tensors, so no weight is stored twice. `llama_model` returns None for a model of another shape. It compares the
results with those of the model first.
"""

import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from verigym.model import full, lora
from verigym.model.attention import Scores, Tree, kind_of
from verigym.model.attention import attend as attend_blocks
from verigym.model.experts import ExpertWeights, Mixture
from verigym.model.lora_layers import Pair, base_of, looked_up
from verigym.model.nf4 import Nf4Linear

Attend = Callable[[int, Tensor, Tensor, Tensor], Tensor]
"""(layer, q_NHD, k_NKD, v_NKD) -> the attention output, (N, H, D)"""

Linear = Callable[[Tensor, Any, Tensor | None], Tensor]
"""(x_NI, weight, bias) -> the result of a linear layer, (N, O). A weight is a tensor, or what `packed` makes of it."""

Turns = dict[str | None, tuple[Tensor, Tensor]]
"""Cosines and sines by the kind of rotary embedding (`Layer.rope`)."""
_GEMMA = {"gemma", "gemma2", "gemma3_text"}
_WITH_EXPERTS = {"mixtral", "qwen2_moe", "qwen3_moe"}
_FAMILIES = {"llama", "mistral", "qwen2", "qwen3", *_WITH_EXPERTS, *_GEMMA}
_KINDS = {"full_attention", "sliding_attention"}
_STEADY_ROPE = {"default", "linear", "llama3", "yarn"}
_PROBE = [3, 1, 4, 1, 5, 9, 2, 6]
_ONE_AT_A_TIME = threading.RLock()
"""The layers of a model are compared without its adapter, which another thread would see."""
_PROBE_WINDOW = 2
"""Sliding windows are at most so long while the probe is computed, so that a wrong window changes most of its tokens."""


class JoinedWeights:
    """Joined linear layers with the same input. `weight` is without adapters. That of 4-bit layers is made when it is read."""

    def __init__(self, module: nn.Module, name: str, parts: Sequence[str]) -> None:
        """Joins the `parts` of a module. `name` is its name in the model."""
        self.names = [f"{name}.{part}" for part in parts]
        self._get = [functools.partial(getattr, module, part) for part in parts]
        bases = [base_of(get()) for get in self._get]
        self.sizes: list[int] = [base.out_features for base in bases]
        self._quantized: list[Nf4Linear] = [base for base in bases if isinstance(base, Nf4Linear)]
        self._weight: Tensor | None = None
        self.bias: Tensor | None = None
        assert len(self._quantized) in (0, len(bases)), "layers with the same input are quantised together"
        if not self._quantized:
            self._weight = bases[0].weight.detach()
            if len(bases) > 1:
                self._weight = torch.cat([base.weight.detach() for base in bases])
                for base, part in zip(bases, self._weight.split(self.sizes), strict=True):
                    base.weight.data = part
        if any(base.bias is not None for base in bases):
            like = next(base.bias for base in bases if base.bias is not None)
            zeros = [torch.zeros(size).to(like) for size in self.sizes]
            biases = [zero if base.bias is None else base.bias for base, zero in zip(bases, zeros, strict=True)]
            self.bias = torch.cat(biases).detach()

    @property
    def weight(self) -> Tensor:
        if self._weight is not None:
            return self._weight
        parts = [layer.weight for layer in self._quantized]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def refresh(self) -> None:
        """Takes over biases that were trained. The weight is the model's own."""
        if self.bias is not None:
            for layer, part in zip(self.layers, self.bias.split(self.sizes), strict=True):
                bias: Any = base_of(layer).bias
                if bias is not None:
                    part.copy_(bias)

    @property
    def is_quantized(self) -> bool:
        return bool(self._quantized)

    @property
    def layers(self) -> list[nn.Module]:
        """The current linear layers, which may have an adapter."""
        return [get() for get in self._get]

    def pairs(self, adapter: lora.LoraAdapter | None = None) -> list[Pair | None]:
        """A, B and scale of each part: from the given adapter, otherwise from the adapter on the model."""
        return [lora.pair(layer, name, adapter) for layer, name in zip(self.layers, self.names, strict=True)]


class Layer:
    def __init__(self, config: Any, layer: Any, number: int, offset: float) -> None:
        attention, mlp, name = layer.self_attn, layer.mlp, f"model.layers.{number}"
        self.qkv = JoinedWeights(attention, f"{name}.self_attn", ["q_proj", "k_proj", "v_proj"])
        self.out = JoinedWeights(attention, f"{name}.self_attn", ["o_proj"])
        self.mixture: Mixture | None = None
        self.joined = [self.qkv, self.out]
        """The linear layers. Those of an MLP or of a shared expert follow: gate_up, down, and the gate of a shared expert."""
        dense, where = mlp, f"{name}.mlp"
        if hasattr(mlp, "experts"):
            self.mixture = Mixture(mlp, where)
            dense, where = getattr(mlp, "shared_expert", None), f"{where}.shared_expert"
        if dense is not None:
            self.gate_up = JoinedWeights(dense, where, ["gate_proj", "up_proj"])
            self.down = JoinedWeights(dense, where, ["down_proj"])
            self.joined += [self.gate_up, self.down]
        if hasattr(mlp, "shared_expert_gate"):
            self.joined.append(JoinedWeights(mlp, f"{name}.mlp", ["shared_expert_gate"]))
        self._offset = offset
        self._norms: list[tuple[Tensor, Any]] = []
        self.norm_in = self._norm(layer.input_layernorm)
        self.norms_after: tuple[Tensor, Tensor] | None = None
        """Norms of the results of attention and MLP, before they are added."""
        if hasattr(layer, "pre_feedforward_layernorm"):
            self.norm_mid = self._norm(layer.pre_feedforward_layernorm)
            self.norms_after = self._norm(layer.post_attention_layernorm), self._norm(layer.post_feedforward_layernorm)
        else:
            self.norm_mid = self._norm(layer.post_attention_layernorm)
        self.head_norms: tuple[Tensor, Tensor] | None = None
        if hasattr(attention, "q_norm"):
            self.head_norms = self._norm(attention.q_norm), self._norm(attention.k_norm)
        kind = kind_of(config, number)
        window = config.sliding_window if kind == "sliding_attention" else None
        cap = config.attn_logit_softcapping if config.model_type == "gemma2" else None
        self.scores = Scores(attention.scaling, window, cap)
        self.rope = kind if config.model_type == "gemma3_text" else None
        """The kind of rotary embedding, if the model has several."""

    def _norm(self, module: Any) -> Tensor:
        weight = _norm(module, self._offset)
        self._norms.append((weight, module))
        return weight

    def refresh(self) -> None:
        """Takes over what was trained and is a copy here."""
        for joined in self.joined:
            joined.refresh()
        if self._offset:
            for weight, module in self._norms:
                weight.copy_(_norm(module, self._offset))

    @property
    def parts(self) -> list[JoinedWeights | ExpertWeights]:
        """The weights of linear layers and experts."""
        return [*self.joined, *(self.mixture.parts if self.mixture is not None else [])]


class LlamaModel:
    def __init__(self, model: Any) -> None:
        config = model.config
        gemma = config.model_type in _GEMMA
        offset = 1.0 if gemma else 0.0
        self.model, self._offset = model, offset
        self.layers = [Layer(config, layer, number, offset) for number, layer in enumerate(model.model.layers)]
        self.has_experts = any(layer.mixture is not None for layer in self.layers)
        self.embedding: Tensor = base_of(model.get_input_embeddings()).weight.detach()
        self.embed_scale = torch.tensor(config.hidden_size**0.5).to(self.embedding.dtype).item() if gemma else 1.0
        self.norm = _norm(model.model.norm, offset)
        self.eps: float = config.rms_norm_eps
        self.gelu = _activation(config) != "silu"
        self.heads: int = config.num_attention_heads
        self.kv_heads: int = config.num_key_value_heads
        self.head_size: int = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads

    @torch.no_grad()
    def refresh(self) -> None:
        """Takes over what was trained and is a copy here, in place. Weights are the model's own tensors."""
        for layer in self.layers:
            layer.refresh()
        self.norm.copy_(_norm(self.model.model.norm, self._offset))

    @property
    def is_quantized(self) -> bool:
        return any(part.is_quantized for layer in self.layers for part in layer.parts)

    def embedding_pair(self, adapter: lora.LoraAdapter | None = None) -> Pair | None:
        """A, B and scale of the embeddings, from the given adapter or the one on the model."""
        return lora.pair(self.model.get_input_embeddings(), "model.embed_tokens", adapter)

    def head_pair(self, adapter: lora.LoraAdapter | None = None) -> Pair | None:
        return lora.pair(self.model.get_output_embeddings(), "lm_head", adapter)

    def embed(self, ids_N: Tensor, pair: Pair | None = None) -> Tensor:
        """The embeddings of some ids, changed by an adapter if it has a pair for them."""
        x_NH = F.embedding(ids_N, self.embedding)
        if pair is not None:
            x_NH = x_NH + looked_up(pair, ids_N).to(x_NH.dtype)
        return x_NH if self.embed_scale == 1.0 else x_NH * self.embed_scale

    def turns(self, positions_N: Tensor) -> Turns:
        """Cosines and sines of the positions, (N, 1, D/2) each, float32."""
        like, half = self.embedding[:1].float()[None], self.head_size // 2
        made: Turns = {}
        for rope in {layer.rope for layer in self.layers}:
            cos, sin = self.model.model.rotary_emb(like, positions_N[None], *([] if rope is None else [rope]))
            made[rope] = cos[0, :, None, :half], sin[0, :, None, :half]
        return made


def joined_adapters(llama: LlamaModel, adapter: lora.LoraAdapter | None = None) -> list[list[Tensor | None]]:
    """A and B of the `parts` of each layer, in the precision of the base. None without an adapter. The A of joined linear layers
    are stacked. The B, times their scale, are block diagonal. Equal layers are joined at once."""
    made: list[list[Tensor | None]] = [[None] * (2 * len(layer.joined)) for layer in llama.layers]
    for place in range(max(len(layer.joined) for layer in llama.layers)):
        alike: dict[tuple[tuple[torch.Size | None, float, int], ...], list[tuple[int, list[Pair | None]]]] = {}
        for number, layer in enumerate(llama.layers):
            if place < len(layer.joined):
                part = layer.joined[place]
                pairs = part.pairs(adapter)
                both = zip(pairs, part.sizes, strict=True)
                kind = tuple((pair and pair.a.shape, pair.scale if pair else 0.0, size) for pair, size in both)
                alike.setdefault(kind, []).append((number, pairs))
        for kind, layers in alike.items():
            ranks = tuple(shape[0] if shape else 0 for shape, _, _ in kind)
            if any(ranks):
                joined = llama.layers[layers[0][0]].joined[place]
                both = _join([pairs for _, pairs in layers], ranks, joined.sizes, llama.embedding)
                for (number, _), a_RH, b_OR in zip(layers, *both, strict=True):
                    made[number][2 * place : 2 * place + 2] = a_RH, b_OR
    for number, layer in enumerate(llama.layers):
        if layer.mixture is not None:
            made[number] += layer.mixture.adapters(adapter, llama.embedding)
    return made


def _join(
    layers: list[list[Pair | None]], ranks: tuple[int, ...], sizes: list[int], weight: Tensor
) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """Stacks the A and joins the B of each layer as a block diagonal, in the precision and on the device of `weight`."""
    a: list[Tensor] = []
    b: list[Tensor] = []
    like = next(pair.a for pair in layers[0] if pair)
    for part, parts in enumerate(zip(*layers, strict=True)):
        pairs = [pair for pair in parts if pair]
        narrow_LOR = like.new_zeros(len(layers), sizes[part], 0)
        if pairs:
            a.append(torch.stack([pair.a for pair in pairs]))
            narrow_LOR = torch.stack([pair.b for pair in pairs]) * pairs[0].scale
        b.append(F.pad(narrow_LOR, (sum(ranks[:part]), sum(ranks[part + 1 :]))))
    return torch.cat(a, 1).to(weight).unbind(), torch.cat(b, 1).to(weight).unbind()


def llama_model(model: Any) -> LlamaModel | None:
    """The model as a `LlamaModel`, or None if it has another shape. The result is cached."""
    with _ONE_AT_A_TIME:
        if not hasattr(model, "_verigym_llama"):
            with torch.inference_mode(False), torch.no_grad():
                found = LlamaModel(model) if in_family(model.config) else None
                model._verigym_llama = found if found is not None and _agrees(found) else None
    return model._verigym_llama


def in_family(config: Any, with_experts: bool = True) -> bool:
    """Whether the layers of a model with this configuration are expected to be those of the family."""
    if not with_experts and config.model_type in _WITH_EXPERTS:
        return False
    if config.model_type not in _FAMILIES or getattr(config, "use_bidirectional_attention", None):
        return False
    given = getattr(config, "rope_parameters", None) or {}
    ropes = given.values() if config.model_type == "gemma3_text" else [given]
    steady = all(rope.get("rope_type", "default") in _STEADY_ROPE for rope in ropes)
    kinds = {kind_of(config, number) for number in range(config.num_hidden_layers)}
    return steady and kinds <= _KINDS and _activation(config) in ("silu", "gelu_pytorch_tanh")


def _activation(config: Any) -> str:
    return getattr(config, "hidden_act", None) or getattr(config, "hidden_activation", "")


def _agrees(llama: LlamaModel) -> bool:
    """Whether each layer gives the same output as the model's own layer on a few tokens, without any adapter.

    Each layer gets the input of the model's own layer, because rounding in bfloat16 grows from layer to layer. Medians are
    compared, because a few channels of trained models are so large that their rounding dominates a sum.
    """
    weight = llama.embedding
    ids_N = torch.tensor([id % len(weight) for id in _PROBE], device=weight.device)
    positions_N = torch.arange(len(ids_N), device=weight.device)
    turns, line = llama.turns(positions_N), Tree(positions_N, torch.full_like(positions_N, len(ids_N)))

    def attend(layer: int, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor) -> Tensor:
        q, k, v = (tensor.transpose(0, 1)[None] for tensor in (q_NHD, k_NKD, v_NKD))
        scaling, window, cap = llama.layers[layer].scores
        seen = None if window is None else min(window, _PROBE_WINDOW)
        return attend_blocks(q, k, v, line.blocks(seen), scaling, cap)[0]

    with lora.without(llama.model), _short_window(llama.model.config):
        states = llama.model.model(input_ids=ids_N[None], use_cache=False, output_hidden_states=True).hidden_states
    own = [state[0] for state in states]
    mine = [llama.embed(ids_N)]
    for number, layer in enumerate(llama.layers):
        mine.append(_layer(llama, number, [part.weight for part in layer.parts], own[number], turns, attend))
    mine[-1] = normed(mine[-1], llama.norm, llama.eps)
    steps = [own[0], *(after - before for before, after in itertools.pairwise(own[:-1])), own[-1]]
    near = 1e-3 if weight.dtype == torch.float32 else 0.1
    return all(
        (one - other).abs().median() <= near * step.abs().median()
        for one, other, step in zip(mine, own, steps, strict=True)
    )


@contextmanager
def _short_window(config: Any) -> Iterator[None]:
    """A context in which the model's sliding window is shorter than the probe."""
    window = getattr(config, "sliding_window", None)
    if window is None:
        yield
        return
    config.sliding_window = min(window, _PROBE_WINDOW)
    try:
        yield
    finally:
        config.sliding_window = window


class LayersInNf4(Sequence[list[Tensor]]):
    """The weights of 4-bit layers for decoding. The weights of a layer are made when they are read and exist until the next."""

    def __init__(self, llama: LlamaModel) -> None:
        self._llama = llama
        self._adapters: list[list[Tensor | None]] = [[None] * (2 * len(layer.parts)) for layer in llama.layers]

    def use(self, adapters: list[list[Tensor | None]]) -> bool:
        """Takes a copy of the adapters, in place if they fit. Returns whether one has another address."""
        old = [each for layer in self._adapters for each in layer]
        new = [each for layer in adapters for each in layer]
        if [each is not None and each.shape for each in old] == [each is not None and each.shape for each in new]:
            for into, each in zip(old, new, strict=True):
                if into is not None and each is not None:
                    into.copy_(each)
            return False
        with torch.inference_mode(False):
            self._adapters = [[None if each is None else each.detach().clone() for each in layer] for layer in adapters]
        return True

    def __len__(self) -> int:
        return len(self._llama.layers)

    def __getitem__(self, number: Any) -> Any:
        adapters = self._adapters[number]
        weights: list[Tensor] = []
        for part, a, b in zip(self._llama.layers[number].parts, adapters[::2], adapters[1::2], strict=True):
            weight = part.weight
            weights.append(merged(weight, a, b, weight if part.is_quantized else None))
        return weights


def merged(weight: Tensor, a: Tensor | None, b: Tensor | None, into: Tensor | None) -> Tensor:
    """A weight plus B A, of a linear layer or of all experts, written to `into`. Without an adapter, it is the weight itself."""
    if a is None or b is None:
        return weight
    return (torch.addmm if weight.dim() == 2 else torch.baddbmm)(weight, b, a, out=into)


class FusedWeights:
    """The weights for decoding: fused, with the adapter merged in.

    The speed of a small model depends on the number of products, so fused weights decode faster, and a merged adapter costs
    nothing. The buffers keep their addresses when weights change, so that CUDA graphs stay valid. A weight that never had an
    adapter is the model's own tensor. 4-bit weights have no merged copy: each layer is dequantised and merged when it is needed.
    """

    linear: Linear = staticmethod(F.linear)

    def __init__(self, llama: LlamaModel) -> None:
        self.llama = llama
        self.weights: Sequence[list[Any]] = (
            LayersInNf4(llama)
            if llama.is_quantized
            else [[part.weight for part in layer.parts] for layer in llama.layers]
        )
        """One list per layer, of its `parts`: qkv, out, gate_up, down."""
        self._embedding: Pair | None = None
        self._head: Pair | None = None
        """The adapter of embeddings and head, with the scale included in B. They are added, because weights of this size are
        not copied."""

    @torch.no_grad()
    def use_adapter(self, adapter: lora.LoraAdapter | None = None) -> bool:
        """Merges the given adapter, or the one on the model. Returns whether the buffers changed their addresses."""
        if full.is_full(self.llama.model):
            self.llama.refresh()
        adapters = joined_adapters(self.llama, adapter)
        moved = self.weights.use(adapters) if isinstance(self.weights, LayersInNf4) else self.merge_all(adapters)
        return self.keep_pairs(adapter) or moved

    def merge_all(self, adapters: list[list[Tensor | None]]) -> bool:
        """Merges A and B of all parts. What never had an adapter stays the model's own tensor. Returns whether a buffer is
        new."""
        fresh: list[tuple[list[Any], int, Tensor]] = []
        all_parts = [
            (weights, place, part.weight, own[2 * place], own[2 * place + 1])
            for layer, own, weights in zip(self.llama.layers, adapters, self.weights, strict=True)
            for place, part in enumerate(layer.parts)
        ]
        with torch.inference_mode(False):
            for weights, place, base, a, _ in all_parts:
                if a is not None and weights[place].data_ptr() == base.data_ptr():
                    fresh.append((weights, place, torch.empty_like(base)))
        for weights, place, buffer in fresh:
            weights[place] = buffer
        for weights, place, base, a, b in all_parts:
            if a is not None and b is not None:
                merged(base, a, b, weights[place])
            elif weights[place].data_ptr() != base.data_ptr():
                weights[place].copy_(base)
        return bool(fresh)

    def keep_pairs(self, adapter: lora.LoraAdapter | None) -> bool:
        """Keeps a copy of the adapter of embeddings and head. Returns whether one changed its address."""
        moved = self._keep("_embedding", self.llama.embedding_pair(adapter))
        return self._keep("_head", self.llama.head_pair(adapter)) or moved

    def _keep(self, name: str, pair: Pair | None) -> bool:
        """Keeps a copy of a pair, in place if it fits. Returns whether it has another address."""
        old: Pair | None = getattr(self, name)
        if pair is None or old is None or old.a.shape != pair.a.shape:
            new = None
            if pair is not None:
                with torch.inference_mode(False):
                    a, b = (torch.zeros(each.shape).to(self.llama.embedding) for each in (pair.a, pair.b))
                    new = Pair(a, b, 1.0)
            setattr(self, name, new)
        kept: Pair | None = getattr(self, name)
        if pair is not None and kept is not None:
            kept.a.copy_(pair.a)
            kept.b.copy_(pair.b * pair.scale)
        return kept is not old

    def embed(self, ids_N: Tensor) -> Tensor:
        return self.llama.embed(ids_N, self._embedding)

    def head(self, hidden: Tensor) -> Tensor:
        """The output layer with the adapter, before any scaling of logits."""
        logits = self.bare_head(hidden)
        return logits if self._head is None else logits + (hidden @ self._head.a.T) @ self._head.b.T

    def bare_head(self, hidden: Tensor) -> Tensor:
        """The output layer without an adapter."""
        return base_of(self.llama.model.get_output_embeddings())(hidden)

    def release(self) -> None:
        """Gives memory back that can be filled again."""

    def hidden(self, ids_N: Tensor, positions_N: Tensor, attend: Attend) -> Tensor:
        """The last hidden states, without gradients."""
        x_NH = self.embed(ids_N)
        turns = self.llama.turns(positions_N)
        for number, each in enumerate(self.weights):
            x_NH = _layer(self.llama, number, each, x_NH, turns, attend, self.linear)
        return normed(x_NH, self.llama.norm, self.llama.eps)


def _layer(
    llama: LlamaModel,
    number: int,
    weights: list[Any],
    x_NH: Tensor,
    turns: Turns,
    attend: Attend,
    linear: Linear = F.linear,
) -> Tensor:
    layer, (qkv, out, *mlp) = llama.layers[number], weights
    heads = linear(normed(x_NH, layer.norm_in, llama.eps), qkv, layer.qkv.bias)
    qk, v = heads.view(len(x_NH), -1, llama.head_size).split([llama.heads + llama.kv_heads, llama.kv_heads], 1)
    if layer.head_norms is not None:
        parts = zip(qk.split([llama.heads, llama.kv_heads], 1), layer.head_norms, strict=True)
        qk = torch.cat([normed(x, weight, llama.eps) for x, weight in parts], 1)
    q, k = turned(qk, *turns[layer.rope]).split([llama.heads, llama.kv_heads], 1)
    added = linear(attend(number, q, k, v).reshape(len(x_NH), -1), out, layer.out.bias)
    if layer.norms_after is not None:
        added = normed(added, layer.norms_after[0], llama.eps)
    x_NH = added.add_(x_NH)
    ready = normed(x_NH, layer.norm_mid, llama.eps)
    if layer.mixture is not None:
        return layer.mixture.forward(ready, mlp).add_(x_NH)
    gate, up = linear(ready, mlp[0], layer.gate_up.bias).chunk(2, -1)
    added = linear(act(gate, llama.gelu).mul_(up), mlp[1], layer.down.bias)
    if layer.norms_after is not None:
        added = normed(added, layer.norms_after[1], llama.eps)
    return added.add_(x_NH)


def plus(sum_NH: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`sum_NH` plus the result of a linear layer."""
    added = torch.addmm(sum_NH, x, weight.T)
    return added if bias is None else added + bias


def split(qkv: Tensor, llama: LlamaModel) -> tuple[Tensor, Tensor, Tensor]:
    """Splits (N, (H + 2K) D) into queries, keys and values of heads."""
    heads = qkv.view(len(qkv), -1, llama.head_size)
    q, k, v = heads.split([llama.heads, llama.kv_heads, llama.kv_heads], 1)
    return q, k, v


def normed(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x, weight.shape, weight, eps)


def act(gate: Tensor, gelu: bool) -> Tensor:
    return F.gelu(gate, approximate="tanh") if gelu else F.silu(gate)


def turned(x_NHD: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotates each pair (i, i + D/2) by its angle."""
    first, second = x_NHD.float().chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x_NHD.dtype)


def _norm(module: Any, offset: float) -> Tensor:
    """The weight of a norm. Gemma stores it minus one."""
    weight = module.weight.detach()
    return (weight.float() + offset).to(weight.dtype) if offset else weight
