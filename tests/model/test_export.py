"""A base and an adapter as one model: what transformers loads by itself says the same."""

import hashlib
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from tests.model.lora_families import FAMILIES, adapted_model
from tests.tiny import tiny
from verigym.core.errors import Refused
from verigym.core.records import Sampling
from verigym.model import lora, lora_files
from verigym.model.export import save_merged
from verigym.model.lora import LoraConfig

IDS = torch.arange(7, 47)[None]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    made = tiny()
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def adapter(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapter")
    _random(AutoModelForCausalLM.from_pretrained(base), folder, LoraConfig(r=4, alpha=8))
    return folder


def _random(model: torch.nn.Module, folder: Path, config: LoraConfig) -> None:
    """An adapter that changes something."""
    lora.attach(model, config)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.1)
    lora_files.save(model, folder, "tiny")


def hashes(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_merged_weights_say_what_base_and_adapter_say(base: Path, adapter: Path, tmp_path: Path):
    before = hashes(base)
    save_merged(str(base), adapter, tmp_path / "merged", None)
    assert hashes(base) == before, "the base is never written"
    bare, worn = (AutoModelForCausalLM.from_pretrained(base).eval() for _ in range(2))
    lora_files.load(worn, adapter)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").eval()
    with torch.no_grad():
        expected, found = worn(IDS).logits, merged(IDS).logits
        assert (expected - bare(IDS).logits).abs().max() > 0.1
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_the_tokenizer_comes_along(base: Path, adapter: Path, tmp_path: Path):
    save_merged(str(base), adapter, tmp_path / "merged", None)
    chat = [{"role": "user", "content": "hi"}]
    ours, theirs = (AutoTokenizer.from_pretrained(place) for place in (tmp_path / "merged", base))
    assert ours.apply_chat_template(chat, tokenize=False) == theirs.apply_chat_template(chat, tokenize=False)


def test_half_precision_stays_half_precision(base: Path, adapter: Path, tmp_path: Path):
    AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).save_pretrained(tmp_path / "half")
    AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / "half")
    save_merged(str(tmp_path / "half"), adapter, tmp_path / "merged", None)
    assert AutoModelForCausalLM.from_pretrained(tmp_path / "merged", dtype="auto").dtype == torch.bfloat16
    worn = AutoModelForCausalLM.from_pretrained(tmp_path / "half", dtype=torch.float32).eval()
    lora_files.load(worn, adapter)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged", dtype=torch.float32).eval()
    with torch.no_grad():  # not in half precision, which some CPUs lack
        expected, found = worn(IDS).logits, merged(IDS).logits
    assert (found - expected).abs().mean() < 0.01 * expected.abs().mean()


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(temperature=0.0, max_tokens=9), {"do_sample": False, "max_new_tokens": 9}),
        (
            Sampling(temperature=0.3, top_p=0.9, top_k=5, min_p=0.1),
            {"do_sample": True, "temperature": 0.3, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "max_new_tokens": 256},
        ),
    ],
    ids=["greedy", "sampled"],
)
def test_a_versions_sampling_becomes_the_models(
    base: Path, tmp_path: Path, sampling: Sampling, expected: dict[str, object]
):
    save_merged(str(base), None, tmp_path / "merged", sampling)
    found = GenerationConfig.from_pretrained(tmp_path / "merged")
    assert {name: getattr(found, name) for name in expected} == expected
    assert found.eos_token_id == GenerationConfig.from_pretrained(base).eos_token_id


def test_a_reward_model_is_not_merged(base: Path, tmp_path: Path):
    _random(AutoModelForCausalLM.from_pretrained(base), tmp_path / "scorer", LoraConfig(r=2, alpha=4, head=True))
    with pytest.raises(Refused, match="A reward model cannot be merged"):
        save_merged(str(base), tmp_path / "scorer", tmp_path / "merged", None)


@pytest.mark.parametrize("name", ["mixtral", "gemma3"])
def test_experts_embeddings_and_head_are_merged_too(name: str, tmp_path: Path) -> None:
    """Gemma's head is its embedding. Each gets weights of its own, because they change differently."""
    config = LoraConfig(r=4, alpha=8, targets=("all", "embeddings", "head"))
    FAMILIES[name]().save_pretrained(tmp_path / "base")
    tiny().tokenizer.save_pretrained(tmp_path / "base")
    worn = adapted_model(name, config)
    lora_files.save(worn, tmp_path / "adapter", "tiny")
    save_merged(str(tmp_path / "base"), tmp_path / "adapter", tmp_path / "merged", None)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").eval()
    with torch.no_grad():
        expected, found = worn(input_ids=IDS).logits, merged(input_ids=IDS).logits
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
