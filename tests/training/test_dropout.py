"""Dropout of an adapter: on in updates only, exact after a kill, and the mean of what it drops is the adapter itself."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.model.batches import sample
from tests.model.lora_families import adapted_model
from verigym.core.errors import BadInput
from verigym.model import lora
from verigym.model.forward_check import check_agreement
from verigym.model.lora import LoraConfig
from verigym.training.checkpoint import load_checkpoint, save_checkpoint
from verigym.training.update import logprobs_of, make_optimizer, sft_update, updates_made

SAMPLES = [sample([7, 20, 33, 50, 8, 11, 4, 19, 2], 3), sample([7, 20, 33, 50, 8, 11, 4, 41, 30, 5], 4)]
DROPPING = LoraConfig(r=4, alpha=12, dropout=0.5)


def trained(model: Any, steps: int, folder: Path | None = None) -> dict[str, torch.Tensor]:
    """Trains some steps. With a folder, every step begins in a new process's state."""
    optimizer = make_optimizer(model, 0.01)
    for step in range(steps):
        if folder is not None:
            optimizer = make_optimizer(model, 0.01)
            load_checkpoint(folder, model, optimizer)
            torch.manual_seed(step)
        sft_update(model, optimizer, SAMPLES)
        if folder is not None:
            save_checkpoint(folder, model, optimizer, step + 1)
    return lora.weights(model)


@pytest.mark.parametrize("name", ["llama", "nemotron-h"])
def test_a_run_that_resumes_after_every_step_draws_the_same_masks(name: str, tmp_path: Path) -> None:
    whole, resumed = (adapted_model(name, DROPPING) for _ in range(2))
    expected, found = trained(whole, 3), trained(resumed, 3, tmp_path)
    assert all(torch.equal(weight, found[each]) for each, weight in expected.items())
    without = trained(adapted_model(name, LoraConfig(r=4, alpha=12)), 3)
    assert any(not torch.allclose(weight, without[each], atol=1e-4) for each, weight in expected.items())


def test_masks_differ_between_seeds_updates_and_micro_batches() -> None:
    model = adapted_model("llama", DROPPING)
    module = dict(lora.modules(model))["model.layers.0.mlp.up_proj"]
    x = torch.ones(2, 32)
    seen = []
    for seed, update, micro_batch in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        lora.set_dropout(model, 0.5, seed)
        with lora.dropping(model, update, micro_batch):
            seen.append(module(x).detach())
            assert not torch.equal(module(x), seen[-1]), "every call has its own mask"
    assert all(not torch.equal(one, other) for i, one in enumerate(seen) for other in seen[:i])


def test_the_mean_over_masks_is_the_adapter_without_dropout() -> None:
    model = adapted_model("llama", LoraConfig(r=4, alpha=12, dropout=0.25))
    module = dict(lora.modules(model))["model.layers.0.mlp.up_proj"]
    x = torch.randn(1, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad(), lora.dropping(model, 0, 0):
        mean = module(x.expand(20_000, 32)).mean(0)
    assert torch.allclose(mean, module(x)[0], atol=0.05)


def test_dropout_is_off_everywhere_else() -> None:
    model, plain = adapted_model("llama", DROPPING), adapted_model("llama", LoraConfig(r=4, alpha=12))
    check_agreement(model, SAMPLES)
    assert logprobs_of(model, SAMPLES) == logprobs_of(plain, SAMPLES)
    sft_update(model, make_optimizer(model, 0.01), SAMPLES)
    assert not lora.is_dropping(model)
    check_agreement(model, SAMPLES)


def test_it_is_off_after_an_update_that_fails() -> None:
    model = adapted_model("llama", DROPPING)
    with pytest.raises(RuntimeError, match="no"), lora.dropping(model, 0, 0):
        raise RuntimeError("no")
    assert not lora.is_dropping(model)


def test_experts_have_no_dropout() -> None:
    with pytest.raises(BadInput, match=r"lora.dropout works on linear layers only.*Set lora.dropout: 0"):
        adapted_model("mixtral", DROPPING)


def test_updates_are_counted_by_the_optimizer() -> None:
    model = adapted_model("llama")
    optimizer = make_optimizer(model, 0.01)
    assert updates_made(optimizer) == 0
    sft_update(model, optimizer, SAMPLES)
    assert updates_made(optimizer) == 1


def test_the_optimizer_is_asked_once_per_update_and_only_with_dropout() -> None:
    class Steps:
        asked = 0

        def __int__(self) -> int:
            Steps.asked += 1
            return 3

    for config, times in ((DROPPING, 1), (LoraConfig(r=4, alpha=12), 0)):
        model = adapted_model("llama", config)
        model._verigym_budget = 12  # so that each sample is a micro-batch
        optimizer = make_optimizer(model, 0.01)
        optimizer.state[torch.nn.Parameter(torch.zeros(1))] = {"step": Steps()}
        Steps.asked = 0
        sft_update(model, optimizer, SAMPLES)
        assert Steps.asked == times
