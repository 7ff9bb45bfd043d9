"""Adapter files: bytes that never change, and settings of PEFT that are computed or refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tests.model.lora_families import FAMILIES, adapted_model, shake
from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.model import lora, lora_files
from verigym.model.lora import LoraConfig

IDS = torch.tensor([[7, 20, 33, 50, 8, 11]])
CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


@torch.no_grad()
def logits(model: Any) -> Tensor:
    return model(input_ids=IDS).logits


@pytest.mark.parametrize(
    ("config", "hashes"),
    [
        (LoraConfig(), ["b90cc544d8b5fa55", "bfa952eefd6e9af7"]),
        (LoraConfig(r=3, alpha=3, top_layers=1), ["ad0bbec21396ee29", "38e8893fffb909da"]),
        (LoraConfig(r=4, head=True), ["2a98fc8806719cbb", "c7cb8905caf1ea4d"]),
    ],
    ids=["default", "top layer", "reward model"],
)
def test_a_new_adapter_of_a_llama_has_the_bytes_that_it_always_had(
    config: LoraConfig, hashes: list[str], tmp_path: Path
) -> None:
    """Versions are named by these bytes."""
    model = tiny().model
    lora.attach(model, config, 5)
    lora_files.save(model, tmp_path, "tiny")
    assert [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()[:16] for name in (WEIGHTS, CONFIG)] == hashes


def changed(folder: Path, **fields: Any) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_an_adapter_that_was_made_before_experts_were_targets_still_loads(tmp_path: Path) -> None:
    """Its file names down_proj, and so does a parameter of the experts, which it does not adapt."""
    attention = ("q_proj", "k_proj", "v_proj", "o_proj")
    model = adapted_model("mixtral", LoraConfig(r=4, targets=attention))
    lora_files.save(model, tmp_path, "tiny")
    changed(tmp_path, target_modules=[*attention, "down_proj", "gate_proj", "up_proj"])
    old = FAMILIES["mixtral"]()
    lora_files.load(old, tmp_path)
    assert torch.equal(logits(old), logits(model))
    assert not any(isinstance(module, lora.LoraExperts) for _, module in lora.adapted(old))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"use_dora": True}, "the adapter uses DoRA, which Verigym does not compute"),
        ({"use_rslora": True}, "the adapter uses rsLoRA"),
        ({"bias": "all"}, "the adapter uses trained biases"),
        ({"modules_to_save": ["lm_head"]}, "the adapter uses other saved modules"),
        ({"peft_type": "IA3"}, "this is an adapter of kind IA3"),
        ({"target_modules": "("}, "target_modules is not a regular expression"),
        ({"r": "many"}, "the adapter cannot be read"),
        ({"rank_pattern": {"q_proj": 0}}, "the adapter cannot be read"),
        ({"rank_pattern": {"q_proj": 2}}, "the adapter does not fit this model"),
    ],
    ids=str,
)
def test_what_would_mean_something_else_is_refused_in_words(fields: dict[str, Any], words: str, tmp_path: Path) -> None:
    lora_files.save(adapted_model("llama"), tmp_path, "tiny")
    changed(tmp_path, **fields)
    model = FAMILIES["llama"]()
    with pytest.raises(BadInput, match=words):
        lora_files.load(model, tmp_path)
    assert lora.config_of(model) is None


PEFT_MADE: dict[str, dict[str, Any]] = {
    "a regular expression": {"target_modules": r".*self_attn\.(q|v)_proj"},
    "all linear layers": {"target_modules": "all-linear"},
    "excluded layers": {"target_modules": ["q_proj", "up_proj"], "exclude_modules": ["layers.0.mlp.up_proj"]},
    "the last layer": {"target_modules": ["q_proj"], "layers_to_transform": [1]},
    "other ranks and alphas": {
        "target_modules": ["q_proj", "k_proj", "v_proj"],
        "rank_pattern": {"q_proj": 2},
        "alpha_pattern": {"layers.0.self_attn.v_proj": 5},
    },
    "embeddings and head": {"target_modules": ["embed_tokens", "lm_head", "q_proj"]},
}


@pytest.mark.parametrize("what", PEFT_MADE)
@pytest.mark.filterwarnings("ignore")
def test_we_load_what_peft_saves(what: str, tmp_path: Path) -> None:
    config = peft.LoraConfig(r=4, lora_alpha=12, task_type="CAUSAL_LM", **PEFT_MADE[what])
    theirs: Any = peft.get_peft_model(FAMILIES["llama"](), config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.1, generator=generator)
    theirs.save_pretrained(str(tmp_path / "theirs"))
    model = FAMILIES["llama"]()
    lora_files.load(model, tmp_path / "theirs")
    assert (logits(theirs.eval()) - logits(model)).abs().max() < 1e-5
    lora_files.save(model, tmp_path / "ours", "tiny")
    again = peft.PeftModel.from_pretrained(FAMILIES["llama"](), str(tmp_path / "ours")).eval()
    assert (logits(again) - logits(model)).abs().max() < 1e-5, "and PEFT loads it again"


@pytest.mark.filterwarnings("ignore")
def test_an_adapter_that_brings_another_embedding_is_refused(tmp_path: Path) -> None:
    theirs: Any = peft.get_peft_model(FAMILIES["llama"](), peft.LoraConfig(r=4, target_modules=["embed_tokens"]))
    theirs.save_pretrained(str(tmp_path))
    path = tmp_path / WEIGHTS
    weights = load_file(path)
    name = "base_model.model.model.embed_tokens.base_layer.weight"
    save_file({**weights, name: weights[name] + 1}, path)
    with pytest.raises(BadInput, match=r"the adapter brings other base weights for model\.embed_tokens"):
        lora_files.load(FAMILIES["llama"](), tmp_path)


@pytest.mark.parametrize("name", ["mixtral", "nemotron-h"])
def test_ranks_dropout_and_layers_come_back(name: str, tmp_path: Path) -> None:
    linear = {"targets": ("up_proj", "q_proj", "v_proj"), "dropout": 0.25}
    fields: dict[str, Any] = linear if name == "nemotron-h" else {"targets": ("all", "head")}
    model = adapted_model(name, LoraConfig(r=4, alpha=6, rank_pattern={"v_proj": 2}, top_layers=2, **fields))
    lora_files.save(model, tmp_path, "tiny")
    other = FAMILIES[name]()
    lora_files.load(other, tmp_path)
    assert lora.config_of(other) == lora.config_of(model)
    assert torch.equal(logits(other), logits(model))


def test_a_checkpoint_of_other_layers_is_refused_in_words() -> None:
    model = adapted_model("llama", LoraConfig(r=2, targets=("q_proj",)))
    kept = lora.weights(model)
    lora.attach(model, LoraConfig(r=2))
    with pytest.raises(BadInput, match=r"no weights for model\.layers\.0\.self_attn\.k_proj. It was made for other"):
        lora.set_weights(model, kept)


def test_experts_change_at_once_when_their_adapter_does() -> None:
    """Without gradients the changed weights are kept. They must never be old ones."""
    model = adapted_model("mixtral")
    first = logits(model)
    assert torch.equal(logits(model), first)
    shake(model, seed=9)
    second = logits(model)
    assert not torch.allclose(first, second, atol=1e-3)
    with lora.without(model):
        assert torch.equal(logits(model), logits(FAMILIES["mixtral"]()))
    assert torch.equal(logits(model), second)
    lora.detach(model)
    assert torch.equal(logits(model), logits(FAMILIES["mixtral"]()))
