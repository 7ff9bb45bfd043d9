"""Mixtures of experts on Verigym's own path: the same numbers as transformers, with and without adapters and 4 bits."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.model.batches import group
from tests.model.families import VOCABULARY, assert_same_gradients, gradients, make, packed, plain, with_adapter
from tests.model.lora_families import EXPERTS
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import full, lora, lora_files, nf4
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.slots import SlotDecoder

MIXTURES: dict[str, dict[str, Any]] = {
    "Mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None},
    "Qwen2Moe": {"num_experts": 4, "shared_expert_intermediate_size": 24, **EXPERTS},
    "Qwen3Moe": {"num_experts": 5, **EXPERTS, "norm_topk_prob": True, "mlp_only_layers": [0]},
}
CONFIGS = {
    "all": lora.LoraConfig(r=3),
    "down of the top layer": lora.LoraConfig(r=2, targets=("experts.down_proj",), top_layers=1),
    "gate and up": lora.LoraConfig(r=2, targets=("experts.gate_up_proj", "q_proj")),
}


def mixture(name: str, **fields: Any) -> Any:
    return make(name, **{**MIXTURES[name], **fields})


def fused(model: Any) -> FusedWeights:
    found = llama_model(model)
    assert found is not None and found.has_experts
    return FusedWeights(found)


def hidden(made: FusedWeights, ids: list[int]) -> torch.Tensor:
    """The last hidden states of one row, as a decoder computes them."""

    def attend(layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        q, k, v = (each.transpose(0, 1)[None] for each in (q, k, v))
        scale = made.llama.layers[layer].scores.scaling
        seen = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
        return seen[0].transpose(0, 1)

    with torch.inference_mode():
        return made.hidden(torch.tensor(ids), torch.arange(len(ids)), attend)


@torch.no_grad()
def theirs(model: Any, ids: list[int]) -> torch.Tensor:
    return model.model(input_ids=torch.tensor([ids]), use_cache=False).last_hidden_state[0]


IDS = [(7 * i) % VOCABULARY for i in range(1, 24)]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("name", MIXTURES)
def test_an_adapter_changes_decoding_as_it_changes_the_forward_pass(name: str, config: str, tmp_path: Path) -> None:
    model = mixture(name)
    made = fused(model)
    bare = theirs(model, IDS)
    assert torch.allclose(hidden(made, IDS), bare, atol=1e-5)
    with_adapter(model, CONFIGS[config])
    assert made.use_adapter(), "the buffers are new"
    worn = theirs(model, IDS)
    assert torch.allclose(hidden(made, IDS), worn, atol=1e-5) and not torch.allclose(worn, bare, atol=1e-2)
    lora_files.save(model, tmp_path, "base")
    stored = lora_files.read(model, tmp_path)
    lora.detach(model)
    assert not made.use_adapter()
    assert torch.allclose(hidden(made, IDS), bare, atol=1e-5)
    assert not made.use_adapter(stored), "an adapter in memory is merged in place, without being put on the model"
    assert torch.allclose(hidden(made, IDS), worn, atol=1e-5) and lora.config_of(model) is None


def test_experts_without_an_adapter_are_not_copied() -> None:
    model = mixture("Mixtral")
    made = fused(model)
    with_adapter(model, lora.LoraConfig(r=2, targets=("q_proj", "o_proj")))
    assert made.use_adapter() and not made.use_adapter()
    own = model.model.layers[0].mlp.experts
    assert [one.data_ptr() for one in made.weights[0][2:]] == [own.gate_up_proj.data_ptr(), own.down_proj.data_ptr()]
    with_adapter(model)
    assert made.use_adapter(), "now they have one"
    assert torch.allclose(hidden(made, IDS), theirs(model, IDS), atol=1e-5)
    lora.detach(model)
    assert not made.use_adapter()
    assert torch.allclose(hidden(made, IDS), theirs(model, IDS), atol=1e-5)


@pytest.mark.parametrize("name", MIXTURES)
def test_tokens_do_not_depend_on_the_batch_and_logprobs_are_those_of_the_forward_pass(name: str) -> None:
    model = with_adapter(mixture(name))
    draw = random.Random(0)
    asked = [
        Generation(
            ids=[draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 30))],
            sampling=Sampling(temperature=0.8, max_tokens=12),
            seed=number,
        )
        for number in range(24)
    ]

    def run(requests: list[Generation]) -> list[Completion]:
        engine = LocalEngine(model, stop_ids={-1})

        async def together() -> list[Completion]:
            return await asyncio.gather(*map(engine.generate, requests))

        made = asyncio.run(together())
        assert isinstance(engine._decoders[0], SlotDecoder) and engine._decoders[0].fused is not None
        return made

    together = run(asked)
    assert [one.ids for one in together[:6]] == [run([request])[0].ids for request in asked[:6]]
    for request, one in zip(asked, together, strict=True):
        ids = torch.tensor([request.ids + one.ids])
        with torch.no_grad():
            logits = model(ids).logits[0, len(request.ids) - 1 : -1] / 0.8
        found = logits.log_softmax(-1).gather(-1, ids[0, len(request.ids) :, None])[:, 0].tolist()
        assert one.logprobs == pytest.approx(found, abs=1e-4)


def test_an_adapter_on_the_gate_of_a_shared_expert_is_merged() -> None:
    model = mixture("Qwen2Moe")
    made, bare = fused(model), theirs(model, IDS)
    with_adapter(model, lora.LoraConfig(r=2, targets=("shared_expert_gate", "shared_expert.up_proj")))
    made.use_adapter()
    worn = theirs(model, IDS)
    assert torch.allclose(hidden(made, IDS), worn, atol=1e-5) and not torch.allclose(worn, bare, atol=1e-3)


@pytest.mark.parametrize("name", MIXTURES)
def test_weights_that_were_trained_are_decoded_at_once(name: str) -> None:
    """Routers and experts are the model's own tensors, so a step of all parameters needs no copy."""
    model = mixture(name)
    made, before = fused(model), theirs(model, IDS)
    full.begin(model)
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(number)), alpha=0.05)
    made.use_adapter()
    assert torch.allclose(hidden(made, IDS), theirs(model, IDS), atol=1e-4)
    assert not torch.allclose(before, theirs(model, IDS), atol=1e-2)


@pytest.mark.parametrize("name", MIXTURES)
def test_experts_in_4_bits_decode_as_they_train(name: str) -> None:
    pytest.importorskip("bitsandbytes")
    model = mixture(name, hidden_size=64, intermediate_size=128, head_dim=16)
    nf4.quantize(model, "cpu")
    with_adapter(model, lora.LoraConfig(r=2, targets=("all", "shared_expert_gate") if name == "Qwen2Moe" else ("all",)))
    made = fused(model)
    made.use_adapter()
    for _ in range(2):
        assert torch.allclose(hidden(made, IDS), theirs(model, IDS), atol=1e-4), (
            "and the base is not changed by merging"
        )


@pytest.mark.parametrize("change", ["router", "scores", "experts"])
def test_a_mixture_that_computes_something_else_is_not_decoded_here(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = mixture("Qwen2Moe")
    for layer in model.model.layers:
        block: Any = layer.mlp
        inner = {"router": block.gate, "scores": block.gate, "experts": block.experts}[change]
        forward = inner.forward

        def other(*given: Any, forward: Any = forward) -> Any:
            if change == "experts":
                return forward(*given) * 1.5
            logits, scores, ids = forward(*given)
            return (logits, scores, (ids + 1) % 4) if change == "router" else (logits, scores * 1.5, ids)

        monkeypatch.setattr(inner, "forward", other)
    assert llama_model(model) is None


@pytest.mark.parametrize("name", MIXTURES)
def test_training_goes_through_the_models_own_layers(name: str) -> None:
    model = with_adapter(mixture(name))
    assert llama_model(model) is not None
    samples = group(prompts=2, each=3, common=5, own=4, new=6, vocabulary=VOCABULARY)
    ours = [logprobs for logprobs, _ in packed(model, samples)]
    reference = [plain(model, one)[0] for one in samples]
    assert all(torch.allclose(mine, other, atol=1e-5) for mine, other in zip(ours, reference, strict=True))
    assert_same_gradients(gradients(model, ours), gradients(model, reference))


def test_a_changed_copy_of_experts_is_kept_only_for_decoders() -> None:
    model = with_adapter(mixture("Mixtral"))
    theirs(model, IDS)
    experts = [module for _, module in lora.adapted(model) if isinstance(module, lora.LoraExperts)]
    assert len(experts) == 2 and not any(module._merged for module in experts)
    with torch.inference_mode():
        model(torch.tensor([IDS]))
    assert all(module._merged for module in experts)
