"""Tiny random models of several families, and the slow reference that packed ones are held against."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.attention import Tree, with_cap
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import pack

VOCABULARY = 61
SMALL: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "initializer_range": 0.2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MAMBA: dict[str, Any] = {"mamba_num_heads": 8, "mamba_head_dim": 8, "ssm_state_size": 8, "n_groups": 1}
WINDOWS: dict[str, Any] = {
    "sliding_window": 3,
    "query_pre_attn_scalar": 8,
    "layer_types": ["sliding_attention", "full_attention"],
}


def make(name: str, settings: str = "Config", **fields: Any) -> Any:
    config = getattr(transformers, name + settings)(**{**SMALL, **fields})
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = getattr(transformers, f"{name}ForCausalLM")(config).float().requires_grad_(False).eval()
    return with_cap(model)


def uneven(model: Any) -> Any:
    """Gives every norm its own weights, so that no norm can stand for another."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.3)
    return model


SHARING: dict[str, Callable[[], Any]] = {
    "llama": lambda: make("Llama"),
    "qwen3": lambda: make("Qwen3"),
    "gemma": lambda: make("Gemma"),
    "gemma2": lambda: uneven(make("Gemma2", attn_logit_softcapping=5.0, final_logit_softcapping=7.0, **WINDOWS)),
    "gemma3": lambda: uneven(make("Gemma3", "TextConfig", **WINDOWS)),
    "gemma3 with scaled positions": lambda: uneven(
        make(
            "Gemma3",
            "TextConfig",
            rope_parameters={
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
            **WINDOWS,
        )
    ),
    "mistral": lambda: make("Mistral", sliding_window=None),
    "mistral with a window": lambda: make("Mistral", sliding_window=3),
    "qwen2 with a window": lambda: make("Qwen2", use_sliding_window=True, sliding_window=3, max_window_layers=1),
    "qwen3 with a window": lambda: uneven(make("Qwen3", use_sliding_window=True, **WINDOWS)),
    "qwen3 moe": lambda: make("Qwen3Moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16),
    "granite": lambda: make("Granite", logits_scaling=4.0),
    "deepseek v3": lambda: make(
        "DeepseekV3",
        num_key_value_heads=4,
        q_lora_rank=16,
        kv_lora_rank=8,
        qk_rope_head_dim=8,
        qk_nope_head_dim=4,
        v_head_dim=8,
        n_routed_experts=4,
        num_experts_per_tok=2,
        n_group=1,
        topk_group=1,
        moe_intermediate_size=16,
    ),
}
SEPARATE: dict[str, Callable[[], Any]] = {
    "nemotron-h": lambda: make(
        "NemotronH", layers_block_type=["mamba", "attention", "mlp"], num_hidden_layers=3, **MAMBA
    ),
    "qwen3.5": lambda: make(
        "Qwen3_5",
        "TextConfig",
        num_hidden_layers=4,
        linear_num_value_heads=4,
        linear_num_key_heads=2,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
    ),
    "gpt-oss": lambda: make("GptOss", num_local_experts=4, num_experts_per_tok=2),
}
"""Layers that carry a state along, and attention with sinks."""


@functools.cache
def family(name: str) -> Any:
    return {**SHARING, **SEPARATE}[name]()


def with_adapter(model: Any, config: lora.LoraConfig = lora.LoraConfig(r=4)) -> Any:
    """An adapter that does something already."""
    lora.attach(model, config)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.1, generator=generator)
    return model


def plain(model: Any, sample: Sample, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
    """Logprobs and entropies of the scored tokens: the sample alone through transformers' own forward, logits everywhere."""
    logits_TV = model(input_ids=torch.tensor([sample.ids], device=model.device)).logits[0].float() / temperature
    all_TV = torch.log_softmax(logits_TV, -1)
    scored = [t for t, one in enumerate(sample.mask) if one]
    before = torch.tensor(scored, dtype=torch.long) - 1
    entropies = -(all_TV.exp() * all_TV).sum(-1)[before]
    return all_TV[before, [sample.ids[t] for t in scored]], entropies


def packed(
    model: Any, samples: Sequence[Sample], temperature: float = 1.0, budget: int = 10_000, share: bool = True
) -> list[tuple[Tensor, Tensor]]:
    """The same of all samples, as training computes it."""
    found: dict[int, tuple[Tensor, Tensor]] = {}
    for batch in pack(samples, budget, share=share, device=model.device):
        logprobs_BS, entropy_BS, mask_BS = token_logprobs(model, batch, temperature)
        for row, i in enumerate(batch.samples):
            found[i] = logprobs_BS[row][mask_BS[row]], entropy_BS[row][mask_BS[row]]
            assert not logprobs_BS[row][~mask_BS[row]].any() and not entropy_BS[row][~mask_BS[row]].any()
    return [found[i] for i in range(len(samples))]


def gradients(model: Any, logprobs: Sequence[Tensor]) -> list[Tensor]:
    """Of every trained parameter, for a loss that weighs every scored token differently."""
    values = torch.cat(list(logprobs))
    loss = (values * torch.linspace(-1, 1.5, len(values), device=values.device)).sum()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return list(torch.autograd.grad(loss, trained, materialize_grads=True))


def assert_same_gradients(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> None:
    largest = max(float(gradient.abs().max()) for gradient in theirs)
    assert largest > 1e-3, "a gradient of nothing proves nothing"
    for mine, reference in zip(ours, theirs, strict=True):
        assert (mine - reference).abs().max() <= 1e-5 * max(largest, 1.0)


def forget_the_tree(monkeypatch: pytest.MonkeyPatch, wrong_from: int = 0) -> None:
    """Sabotage: from so many places on, every place sees all places before it."""
    right = Tree.__init__

    def wrong(self: Tree, positions_N: Tensor, ends_N: Tensor) -> None:
        right(self, positions_N, torch.full_like(ends_N, len(ends_N)) if len(ends_N) >= wrong_from else ends_N)

    monkeypatch.setattr(Tree, "__init__", wrong)
