"""Training of all parameters: one update is that of plain transformers and AdamW for every family, and the sampler follows."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from tests.model.families import make
from tests.model.lora_families import FAMILIES
from tests.model.test_lora_families import PROMPT, SAMPLES, loss_of
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.model import full, lora
from verigym.model.forward_check import can_share
from verigym.model.full import FullSettings
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import pack
from verigym.policies.local.engine import LocalEngine
from verigym.training.checkpoint import load_checkpoint, save_checkpoint
from verigym.training.losses import sft_loss
from verigym.training.master_weights import MasterWeights, add_gradients, summed_in
from verigym.training.recipe_groups import Optimizer
from verigym.training.update import logprobs_of, lower_budget, make_optimizer, num_scored, sft_update, updates_made

RATE = 1e-3


def whole(name: str = "llama", settings: FullSettings = FullSettings(), dtype: torch.dtype = torch.float32) -> Any:
    model = FAMILIES[name]().to(dtype)
    full.begin(model, settings)
    return model


def updated_by_transformers(name: str) -> tuple[dict[str, torch.Tensor], float]:
    theirs = FAMILIES[name]().requires_grad_(True)
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=RATE, weight_decay=0.0, betas=(0.9, 0.99))
    loss_of(theirs, SAMPLES).backward()
    norm = torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
    optimizer.step()
    return dict(theirs.named_parameters()), norm.item()


def assert_same_update(name: str, ours: Any, theirs: dict[str, torch.Tensor]) -> None:
    """AdamW's first step is the rate times the sign of a gradient, so parameters with a gradient of nearly 0 may differ."""
    before, found = dict(FAMILIES[name]().named_parameters()), dict(ours.named_parameters())
    assert found.keys() == theirs.keys()
    moved = total = wrong = 0
    for each, wanted in theirs.items():
        step = (wanted - before[each]).detach()
        total += step.numel()
        moved += int((step.abs() > RATE / 2).sum())
        wrong += int(((found[each] - wanted).abs() > RATE / 20).sum())
    assert moved > total / 3, "an update of nothing proves nothing"
    assert wrong <= total / 1000


@pytest.mark.parametrize("name", FAMILIES)
def test_one_update_is_that_of_transformers_and_adamw(name: str) -> None:
    theirs, norm = updated_by_transformers(name)
    ours = whole(name)
    figures = sft_update(ours, make_optimizer(ours, RATE), SAMPLES)
    assert figures["grad_norm"] == pytest.approx(norm, rel=1e-4)
    assert_same_update(name, ours, theirs)


@pytest.mark.parametrize("settings", [FullSettings(checkpointing=True), FullSettings(offload=True)], ids=str)
@pytest.mark.parametrize("name", ["llama", "gemma", "qwen3 moe", "mamba2"])
def test_saving_memory_does_not_change_the_update(name: str, settings: FullSettings) -> None:
    ours, plain = whole(name, settings), whole(name)
    for model in (ours, plain):
        sft_update(model, make_optimizer(model, RATE), SAMPLES)
    theirs = {each: parameter.detach() for each, parameter in plain.named_parameters()}
    assert_same_update(name, ours, theirs)


def test_checkpointing_recomputes_the_layers() -> None:
    calls = {"plain": 0, "again": 0}
    for word, settings in (("plain", FullSettings()), ("again", FullSettings(checkpointing=True))):
        model = whole("llama", settings)

        def count(*_: Any, word: str = word) -> None:
            calls[word] += 1

        model.model.layers[0].mlp.register_forward_pre_hook(count)
        sft_update(model, make_optimizer(model, RATE), SAMPLES)
    assert calls["again"] > calls["plain"]


@pytest.mark.parametrize("name", ["llama", "qwen2", "gemma", "qwen3", "mixtral", "mamba"])
def test_the_engine_samples_with_the_weights_of_the_last_update(name: str, tmp_path: Path) -> None:
    model = whole(name)
    engine = LocalEngine(model, stop_ids=set())
    before = asyncio.run(engine.generate(asked()))
    optimizer = make_optimizer(model, 0.03)
    for _ in range(2):
        sft_update(model, optimizer, SAMPLES)
    engine.refresh()
    after = asyncio.run(engine.generate(asked()))
    full.save(model, _Tokenizer(), tmp_path)
    stored = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    fresh = asyncio.run(LocalEngine(stored, stop_ids=set()).generate(asked()))
    assert after.ids == fresh.ids != before.ids
    assert torch.allclose(torch.tensor(after.logprobs), torch.tensor(fresh.logprobs), atol=1e-4)
    for each, parameter in stored.named_parameters():
        assert torch.equal(parameter, model.get_parameter(each)), each


def asked() -> Generation:
    return Generation(ids=PROMPT, sampling=Sampling(max_tokens=6, temperature=0.0), seed=5)


class _Tokenizer:
    def save_pretrained(self, folder: Path) -> None: ...


@pytest.mark.parametrize("settings", [FullSettings(), FullSettings(offload=True)], ids=str)
def test_small_updates_of_weights_in_half_precision_are_not_lost(settings: FullSettings) -> None:
    model = whole("llama", settings, torch.bfloat16)
    before = full.named_weights(model)
    optimizer = make_optimizer(model, 1e-5)
    for _ in range(40):
        sft_update(model, optimizer, SAMPLES)
    name = "model.layers.0.mlp.up_proj.weight"
    after = model.get_parameter(name)
    assert after.dtype == torch.bfloat16 and updates_made(optimizer) == 40
    changed = (after != before[name]).float().mean().item()
    lost = whole("llama", FullSettings(), torch.bfloat16)
    plain = torch.optim.AdamW(lost.parameters(), lr=1e-5, weight_decay=0.0, betas=(0.9, 0.99))
    for _ in range(40):
        sft_update(lost, plain, SAMPLES)
    assert changed > 2 * (lost.get_parameter(name) != before[name]).float().mean().item()


@pytest.mark.parametrize("settings", [FullSettings(), FullSettings(offload=True)], ids=str)
def test_gradients_of_micro_batches_in_half_precision_are_summed_in_float32(settings: FullSettings) -> None:
    model = whole("llama", settings, torch.bfloat16)
    parameters, num_tokens = lora.parameters(model), num_scored(SAMPLES)
    wanted = [torch.zeros_like(each, dtype=torch.float32) for each in parameters]
    for packed in pack(SAMPLES, 1, share=can_share(model), together=1, device=model.device):
        logprobs_BS, _, mask_BS = token_logprobs(model, packed)
        loss = sft_loss(logprobs_BS, mask_BS, num_tokens)
        for total, gradient in zip(wanted, torch.autograd.grad(loss, parameters), strict=True):
            total.add_(gradient)
    norm = torch.stack([total.norm() for total in wanted]).norm().item()
    model._verigym_budget = 1
    optimizer: Any = make_optimizer(model, 0.0, Optimizer(betas=(0.5, 0.9), max_grad_norm=1.0))
    assert sft_update(model, optimizer, SAMPLES)["grad_norm"] == pytest.approx(norm, rel=1e-6)
    for total, master in zip(wanted, optimizer.masters, strict=True):
        assert torch.allclose(2 * optimizer.state[master]["exp_avg"], total / norm, rtol=1e-5, atol=1e-9)


def test_late_micro_batches_of_many_are_not_rounded_away() -> None:
    parameter = torch.nn.Parameter(torch.zeros(3, dtype=torch.bfloat16))
    optimizer = MasterWeights([parameter], lambda each: torch.optim.SGD(each, lr=1.0), None)
    slow = torch.zeros(3, dtype=torch.bfloat16)
    for _ in range(1000):
        add_gradients(summed_in(optimizer, [parameter]), [torch.ones(3, dtype=torch.bfloat16)])
        slow += 1
    optimizer.step()
    assert parameter.tolist() == [-1000.0] * 3 and slow.tolist() == [256.0] * 3
    optimizer.step()
    assert parameter.tolist() == [-1000.0] * 3, "gradients are used once"


@pytest.mark.parametrize("optimizer", ["adamw", "adamw8bit"])
@pytest.mark.parametrize("settings", [FullSettings(), FullSettings(offload=True)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_it_resumes_exactly(optimizer: str, settings: FullSettings, dtype: torch.dtype, tmp_path: Path) -> None:
    if optimizer == "adamw8bit":
        pytest.importorskip("bitsandbytes")
    wanted = Optimizer(name=optimizer)  # type: ignore[arg-type]

    def larger() -> tuple[Any, Any]:
        model = make("Llama", hidden_size=128, intermediate_size=128).to(dtype)
        full.begin(model, settings)
        return model, make_optimizer(model, RATE, wanted)

    (straight, first), (begun, second), (resumed, third) = larger(), larger(), larger()
    for _ in range(3):
        sft_update(straight, first, SAMPLES)
    sft_update(begun, second, SAMPLES)
    save_checkpoint(tmp_path, begun, second, 1)
    assert load_checkpoint(tmp_path, resumed, third) == 1 == updates_made(third)
    for _ in range(2):
        sft_update(resumed, third, SAMPLES)
    assert all(torch.equal(*both) for both in zip(straight.parameters(), resumed.parameters(), strict=True))


def test_the_reference_is_a_copy() -> None:
    model = whole()
    reference = lora.weights(model)
    before = logprobs_of(model, SAMPLES)
    sft_update(model, make_optimizer(model, 0.01), SAMPLES)
    after = logprobs_of(model, SAMPLES)
    with lora.with_weights(model, reference):
        assert logprobs_of(model, SAMPLES) == before
    assert logprobs_of(model, SAMPLES) == after != before


def test_weights_of_another_model_are_refused() -> None:
    with pytest.raises(BadInput, match="The stored weights do not have the parameter"):
        lora.set_weights(whole(), full.named_weights(FAMILIES["mamba"]()))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (FullSettings(), "Set full.checkpointing: true or full.offload: true or adapter: lora, limit"),
        (FullSettings(checkpointing=True), "Set full.offload: true or adapter: lora, limit"),
        (FullSettings(checkpointing=True, offload=True), "Set adapter: lora, limit"),
    ],
    ids=str,
)
def test_running_out_of_memory_names_settings_of_full_training(settings: FullSettings, words: str) -> None:
    model = whole("llama", settings)
    [batch] = pack(SAMPLES[:1], 100, share=False, device="cpu")
    with pytest.raises(InfrastructureFailure, match=words):
        lower_budget(model, batch)
