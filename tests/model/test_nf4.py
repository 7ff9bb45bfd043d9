"""4-bit layers compute with the numbers that they have after dequantisation: in training, in every decoder and in files."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.families import VOCABULARY, assert_same_gradients, gradients, make, packed
from tests.model.lora_families import FAMILIES, shake
from tests.model.test_lora_families import PROMPT, SAMPLES
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.model import lora, nf4
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.model.lora_targets import coverage
from verigym.model.shape import NF4_BITS
from verigym.model.tree import pack
from verigym.policies.local.engine import LocalEngine
from verigym.training.checkpoint import load_checkpoint, save_checkpoint
from verigym.training.recipe_groups import Optimizer
from verigym.training.update import lower_budget, make_optimizer, sft_update, updates_made

pytest.importorskip("bitsandbytes")
LEVELS = [
    -1.0, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0.0,
    0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0,
]  # fmt: skip
"""The levels of nf4, from the paper of QLoRA."""


def in_nf4(name: str) -> Any:
    model = FAMILIES[name]()
    nf4.quantize(model, "cpu")
    return model


def both(name: str, config: lora.LoraConfig = lora.LoraConfig(r=4, alpha=12)) -> tuple[Any, Any]:
    """A model in 4 bits, and the model with the same numbers in plain layers. Both have the same adapter."""
    models = in_nf4(name), in_nf4(name)
    nf4.dequantize(models[1])
    for model in models:
        lora.attach(model, config)
        shake(model)
    return models


@pytest.mark.parametrize("shape", [(64, 128), (96, 80), (48, 32), (3, 5)], ids=str)
def test_each_weight_becomes_the_nearest_level_of_its_block(shape: tuple[int, int]) -> None:
    weight = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    found = nf4.Nf4Linear(weight, None).weight
    levels = torch.tensor(LEVELS)
    for block, ours in zip(weight.reshape(-1).split(64), found.reshape(-1).split(64), strict=True):
        largest = block.abs().max()
        nearest = levels[(block[:, None] / largest - levels).abs().argmin(1)]
        assert torch.allclose(ours, nearest * largest, atol=0.02 * largest.item()), "8 bits for the size of a block"


@pytest.mark.parametrize("name", FAMILIES)
def test_gradients_are_those_of_the_dequantised_model(name: str) -> None:
    ours, theirs = both(name)
    assert any(isinstance(module, nf4.Nf4Linear) for module in ours.modules())
    assert not any(isinstance(module, nf4.Nf4Linear) for module in theirs.modules())
    found = [[logprobs for logprobs, _ in packed(model, SAMPLES, share=False)] for model in (ours, theirs)]
    assert all(torch.allclose(mine, other, atol=1e-5) for mine, other in zip(*found, strict=True))
    assert_same_gradients(gradients(ours, found[0]), gradients(theirs, found[1]))


def test_layers_below_the_adapter_pass_gradients_on() -> None:
    ours, theirs = both("llama", lora.LoraConfig(r=4, targets=("embeddings", "q_proj"), top_layers=1))
    found = [[logprobs for logprobs, _ in packed(model, SAMPLES, share=False)] for model in (ours, theirs)]
    assert_same_gradients(gradients(ours, found[0]), gradients(theirs, found[1]))


@pytest.mark.parametrize("name", ["llama", "qwen2", "gemma2", "mamba2", "qwen3 moe", "gpt-oss"])
def test_the_engine_decodes_on_the_same_weights(name: str) -> None:
    ours, theirs = both(name)
    request = Generation(ids=PROMPT, sampling=Sampling(temperature=0.0, max_tokens=8), seed=0)
    replies = [asyncio.run(_reply(model, request)) for model in (ours, theirs)]
    assert replies[0].ids == replies[1].ids
    assert torch.allclose(torch.tensor(replies[0].logprobs), torch.tensor(replies[1].logprobs), atol=1e-5)


async def _reply(model: Any, request: Generation) -> Any:
    return await LocalEngine(model, stop_ids={2}).generate(request)


EXPERTS = ["mixtral", "qwen3 moe", "qwen2 moe", "gpt-oss", "nemotron-h with experts"]


@pytest.mark.parametrize("targets", ["all", "q_proj"])
@pytest.mark.parametrize("name", EXPERTS)
def test_experts_are_stored_in_4_bits_and_only_one_layer_has_them_in_full(name: str, targets: str) -> None:
    model = in_nf4(name)
    stored = [module for module in model.modules() if nf4.nf4_parameters(module)]
    assert stored and not any(
        parameter.dim() == 3 and "conv" not in each for each, parameter in model.named_parameters()
    )
    lora.attach(model, lora.LoraConfig(r=4, targets=(targets,)))
    shake(model)
    sizes = {getattr(module, each).numel() for module in stored for each in nf4.nf4_parameters(module)}
    kept: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        packed(model, SAMPLES, share=False)
    assert kept and not {tensor.untyped_storage().nbytes() // tensor.itemsize for tensor in kept} & sizes
    with torch.no_grad():
        packed(model, SAMPLES, share=False)
    assert not any(module._merged for _, module in lora.adapted(model) if isinstance(module, lora.LoraExperts))


@pytest.mark.parametrize("name", EXPERTS)
def test_experts_without_an_adapter_pass_the_gradients_of_the_dequantised_model(name: str) -> None:
    ours, theirs = both(name, lora.LoraConfig(r=4, targets=("q_proj",)))
    found = [[logprobs for logprobs, _ in packed(model, SAMPLES, share=False)] for model in (ours, theirs)]
    assert_same_gradients(gradients(ours, found[0]), gradients(theirs, found[1]))


@pytest.mark.parametrize("name", EXPERTS)
def test_dequantised_experts_are_parameters_again(name: str) -> None:
    plain, model = FAMILIES[name](), in_nf4(name)
    nf4.dequantize(model)
    assert {each: one.shape for each, one in model.named_parameters()} == {
        each: one.shape for each, one in plain.named_parameters()
    }
    assert [type(each) for each in model.modules()] == [type(each) for each in plain.modules()]


def test_the_sampler_uses_a_changed_adapter_without_a_copy_of_the_weights() -> None:
    model = in_nf4("llama")
    llama = llama_model(model)
    assert llama is not None
    fused = FusedWeights(llama)
    lora.attach(model, lora.LoraConfig(r=4))
    assert fused.use_adapter(), "the first adapter needs buffers"
    before = fused.weights[1][2]
    shake(model)
    assert not fused.use_adapter(), "graphs stay valid"
    after = fused.weights[1][2]
    change: Tensor = model.model.layers[1].mlp.gate_proj.scale * (
        model.model.layers[1].mlp.gate_proj.b @ model.model.layers[1].mlp.gate_proj.a
    )
    assert torch.allclose(after[: len(change)] - before[: len(change)], change, atol=1e-5)
    assert fused.weights[1][2] is not after, "made when it is read"


@pytest.mark.parametrize("name", ["llama", *EXPERTS])
def test_coverage_counts_the_weights_that_are_stored_in_4_bits(name: str) -> None:
    plain, quantized = FAMILIES[name](), in_nf4(name)
    config = lora.LoraConfig(r=4)
    total = nf4.num_quantizable(plain)
    wide = sum(parameter.numel() for parameter in quantized.parameters())
    assert coverage(quantized, config) == coverage(plain, config)
    assert coverage(plain, config).total == total + wide


@pytest.mark.parametrize("name", ["qwen3 moe", "mixtral", "qwen2 moe"])
def test_routers_embeddings_and_head_stay_exact(name: str) -> None:
    plain, model = FAMILIES[name](), in_nf4(name)
    kept = {each for each, _ in model.named_parameters()}
    assert {each for each in dict(plain.named_parameters()) if ".gate.weight" in each or "router" in each} <= kept
    assert {"model.embed_tokens.weight", "lm_head.weight"} <= kept
    assert not any("q_proj.weight" in each for each in kept)


def test_a_4_bit_model_takes_a_seventh_of_the_memory_of_float32() -> None:
    model = make("Llama", hidden_size=256, intermediate_size=512)
    before = sum(parameter.nbytes for parameter in model.model.layers.parameters())
    nf4.quantize(model, "cpu")
    layers = [module for module in model.modules() if isinstance(module, nf4.Nf4Linear)]
    after = sum(layer.nbytes for layer in layers)
    assert after * 8 == pytest.approx(before / 4 * NF4_BITS, rel=0.01)


def test_a_model_without_linear_layers_is_refused() -> None:
    import transformers

    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    with pytest.raises(BadInput, match=r"no linear layers that can be stored in 4 bits\. Use adapter: lora"):
        nf4.quantize(transformers.GPT2LMHeadModel(config), "cpu")


def test_the_error_without_bitsandbytes_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "bitsandbytes", None)
    with pytest.raises(BadInput, match=r"need the package bitsandbytes. Run: .*qlora"):
        nf4.Nf4Linear(torch.zeros(4, 64), None)


def larger() -> Any:
    """A model whose adapter has parameters of 4,096 values, which is the least that is stored in 8 bits."""
    model = make("Llama", hidden_size=256, intermediate_size=512)
    lora.attach(model, lora.LoraConfig(r=16))
    return model


def test_8_bit_moments_train_almost_as_32_bit_ones() -> None:
    ours, reference = larger(), larger()
    narrow, wide = make_optimizer(ours, 1e-3, Optimizer(name="adamw8bit")), make_optimizer(reference, 1e-3)
    losses = [
        [sft_update(ours, narrow, SAMPLES)["loss"], sft_update(reference, wide, SAMPLES)["loss"]] for _ in range(4)
    ]
    assert all(mine == pytest.approx(other, rel=0.02) for mine, other in losses)
    assert losses[-1][0] < 0.8 * losses[0][0], "it learns"
    large = [each for each in narrow.state.values() if "absmax1" in each]
    assert large and all(each["state1"].dtype == each["state2"].dtype == torch.uint8 for each in large)


def test_8_bit_moments_resume_exactly(tmp_path: Path) -> None:
    settings = Optimizer(name="adamw8bit")
    whole, begun, resumed = larger(), larger(), larger()
    optimizer = make_optimizer(whole, 1e-3, settings)
    for _ in range(3):
        sft_update(whole, optimizer, SAMPLES)
    first = make_optimizer(begun, 1e-3, settings)
    sft_update(begun, first, SAMPLES)
    save_checkpoint(tmp_path, begun, first, 1)
    second = make_optimizer(resumed, 1e-3, settings)
    assert load_checkpoint(tmp_path, resumed, second) == 1 and updates_made(second) == 1
    for _ in range(2):
        sft_update(resumed, second, SAMPLES)
    assert all(
        torch.equal(mine, other) for mine, other in zip(lora.parameters(resumed), lora.parameters(whole), strict=True)
    )


def test_running_out_of_memory_suggests_4_bits_only_to_a_base_that_has_more() -> None:
    [batch] = pack(SAMPLES[:1], 100, share=False, device="cpu")
    with pytest.raises(InfrastructureFailure, match=r"Set adapter: qlora or a smaller lora\.top_layers, limit"):
        lower_budget(make("Llama"), batch)
    with pytest.raises(InfrastructureFailure, match=r"Set a smaller lora\.top_layers, limit"):
        lower_budget(in_nf4("llama"), batch)
