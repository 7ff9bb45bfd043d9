"""One update of an adapter is that of plain transformers and PEFT, and the engine says what it says, for every family."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.batches import sample
from tests.model.families import VOCABULARY
from tests.model.lora_families import FAMILIES, adapted_model, in_peft, peft_parameters
from verigym.core.generation import Generation
from verigym.core.records import Sample, Sampling
from verigym.model import lora, lora_files
from verigym.policies.local.engine import LocalEngine
from verigym.training.update import logprobs_of, make_optimizer, sft_update

PROMPT = [7, 20, 33, 50, 8, 11]
SAMPLES = [
    sample([*PROMPT, 4, 19, 2], 3),
    sample([*PROMPT, 4, 41, 30, 5], 4),
    sample([9, 12, 3, 3, 17], 4),
]
EVERYTHING = lora.LoraConfig(r=4, alpha=12, targets=("all", "embeddings", "head"))
CONFIGS = {"default": lora.LoraConfig(r=4, alpha=12), "with embeddings and head": EVERYTHING}


def loss_of(theirs: Any, samples: list[Sample]) -> Tensor:
    """The loss of sft on plain logits: the mean of -log p over all scored tokens, one sample at a time."""
    total, count = torch.zeros(()), 0
    for one in samples:
        logits_TV = theirs(input_ids=torch.tensor([one.ids])).logits[0].float()
        logprobs_TV = torch.log_softmax(logits_TV, -1)
        for place, scored in enumerate(one.mask):
            if scored:
                total, count = total - logprobs_TV[place - 1, one.ids[place]], count + 1
    return total / count


@pytest.mark.parametrize("what", CONFIGS)
@pytest.mark.parametrize("name", FAMILIES)
def test_one_update_is_that_of_transformers_and_peft(name: str, what: str, tmp_path: Path) -> None:
    model = adapted_model(name, CONFIGS[what])
    lora_files.save(model, tmp_path, "tiny")
    theirs = in_peft(name, str(tmp_path))
    reference = peft_parameters(theirs)
    before = lora.weights(model)
    assert reference.keys() == before.keys()
    assert all(torch.equal(before[each], reference[each]) for each in before), "PEFT reads the same weights"

    optimizer = torch.optim.AdamW(reference.values(), lr=0.01, weight_decay=0.0, betas=(0.9, 0.99))
    loss = loss_of(theirs, SAMPLES)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(reference.values(), 1.0)
    optimizer.step()

    figures = sft_update(model, make_optimizer(model, 0.01), SAMPLES)
    assert figures["loss"] == pytest.approx(loss.item(), abs=1e-5)
    assert figures["grad_norm"] == pytest.approx(norm.item(), rel=1e-4)
    mine = dict(zip(before, lora.parameters(model), strict=True))
    for each, theirs_now in reference.items():
        gradient = mine[each].grad
        assert theirs_now.grad is not None and gradient is not None
        assert torch.allclose(gradient, theirs_now.grad, atol=2e-6), each
    still = [each for each in before if not reference[each].grad.any()]  # type: ignore[union-attr]
    assert len(still) < len(before) / 10, "nearly everything is trained"
    for each, weight in lora.weights(model).items():
        certain = reference[each].grad.abs() > 1e-4  # type: ignore[union-attr]
        assert torch.allclose(weight[certain], reference[each][certain].detach(), atol=2e-5), each


def reply(engine: LocalEngine, ids: list[int], version: str = "", **settings: Any) -> Any:
    wanted = Generation(ids=ids, sampling=Sampling(max_tokens=6, **settings), seed=5, version=version)
    return asyncio.run(engine.generate(wanted))


def greedy(theirs: Any, ids: list[int]) -> list[int]:
    out = theirs.generate(
        input_ids=torch.tensor([ids]), max_new_tokens=6, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    return out[0, len(ids) :].tolist()


@pytest.mark.parametrize("what", CONFIGS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_engine_samples_what_transformers_generates_with_the_adapter_on(
    name: str, what: str, tmp_path: Path
) -> None:
    model = adapted_model(name, CONFIGS[what])
    lora_files.save(model, tmp_path, "tiny")
    theirs = in_peft(name, str(tmp_path))
    engine = LocalEngine(model, stop_ids=set())
    assert reply(engine, PROMPT, temperature=0.0).ids == greedy(theirs, PROMPT)
    with theirs.disable_adapter():
        bare = greedy(theirs, PROMPT)
    engine.adapters["base"] = lora.LoraAdapter(lora.LoraConfig(), {})
    engine.adapters["again"] = lora_files.read(model, tmp_path)
    drawn = reply(engine, PROMPT, "again", temperature=1.0)
    learnt = Sample(ids=[*PROMPT, *drawn.ids], mask=[0] * len(PROMPT) + [1] * len(drawn.ids), logprobs=[])
    assert drawn.logprobs == pytest.approx(logprobs_of(model, [learnt])[0], abs=1e-4), "as the trainer computes them"
    assert reply(engine, PROMPT, "base", temperature=0.0).ids == bare


@pytest.mark.parametrize("name", ["mixtral", "nemotron-h with experts", "phi3", "gemma3"])
def test_an_adapter_that_peft_made_is_loaded(name: str, tmp_path: Path) -> None:
    lora_files.save(adapted_model(name, EVERYTHING), tmp_path / "ours", "tiny")
    theirs = in_peft(name, str(tmp_path / "ours"))
    with torch.no_grad():
        for parameter in peft_parameters(theirs).values():
            parameter.normal_(std=0.1, generator=torch.Generator().manual_seed(3))
    theirs.save_pretrained(str(tmp_path / "theirs"))
    model = FAMILIES[name]()
    lora_files.load(model, tmp_path / "theirs")
    with torch.no_grad():
        ids = torch.tensor([PROMPT])
        assert (theirs(input_ids=ids).logits - model(input_ids=ids).logits).abs().max() < 1e-5


@pytest.mark.parametrize("name", ["mixtral", "qwen2 moe", "nemotron-h with experts"])
def test_experts_are_parameters_in_the_file_of_peft(name: str, tmp_path: Path) -> None:
    model = adapted_model(name)
    lora_files.save(model, tmp_path, "tiny")
    saved = json.loads((tmp_path / "adapter_config.json").read_text())
    experts = [each for each in saved["target_parameters"] if ".experts." in each]
    assert len(experts) == 2 * sum(isinstance(module, lora.LoraExperts) for _, module in lora.adapted(model))
    config = lora.config_of(model)
    assert config is not None and list(config.parameters or ()) == [
        each for each in config.parameters or () if each in experts
    ]


def test_a_token_of_every_family_is_in_the_vocabulary() -> None:
    assert max(id for one in SAMPLES for id in one.ids) < VOCABULARY
