"""GGUF files: transformers and our own reader get back the model that was written, within the precision of the type."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGUFReader
from tokenizers import Regex, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from tests.tiny import tokenizer
from verigym.core.errors import Refused
from verigym.model import gguf, gguf_write

TEXT = Path(__file__).read_text()
WORDS = 'def check(path): return "Grüße", 12345  # it\'s\n\n\tthe end'
SIZES: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.3,
    "rope_parameters": {"rope_type": "default", "rope_theta": 50000.0},
}
FAMILIES: dict[str, Any] = {
    "llama": (LlamaForCausalLM, LlamaConfig, {"tie_word_embeddings": False}),
    "llama, tied": (LlamaForCausalLM, LlamaConfig, {"tie_word_embeddings": True}),
    "llama, wide heads": (LlamaForCausalLM, LlamaConfig, {"head_dim": 32}),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, {"tie_word_embeddings": True}),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {"head_dim": 128, "tie_word_embeddings": False}),
}
TOLERANCE = {"f32": 1e-5, "f16": 2e-2, "q8_0": 0.6}


def saved(folder: Path, family: str, **changes: Any) -> Path:
    kind, config, more = FAMILIES[family]
    letters: Any = tokenizer(TEXT)
    if family.startswith("qwen"):
        [cut] = [pattern for pattern, name in gguf_write._SPLITS.items() if name == "qwen2"]
        letters.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(cut), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = kind(config(**{**SIZES, "vocab_size": len(letters) + 3, **more, **changes}))
    for name, parameter in model.named_parameters():
        if name.endswith("bias") or "norm" in name:  # these begin as zeros and ones, which no error would change
            torch.nn.init.normal_(parameter, 1.0, 0.2)
    model.config.eos_token_id, model.config.pad_token_id = letters.eos_token_id, letters.pad_token_id
    model.save_pretrained(folder)
    letters.save_pretrained(folder)
    return folder


def loaded(folder: Path, file: str = "") -> tuple[Any, Any]:
    more: Any = {"gguf_file": file} if file else {}
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **more).eval()
    return model, AutoTokenizer.from_pretrained(folder, **more)


def logits(model: Any, ids: list[int]) -> torch.Tensor:
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_reads_the_model_back(family: str, tmp_path: Path) -> None:
    source = saved(tmp_path / "model", family)
    model, letters = loaded(source)
    ids = letters(WORDS).input_ids
    expected = logits(model, ids)
    kinds = gguf_write.TYPES if family in ("llama", "qwen2") else ("f32",)
    for kind in kinds:
        gguf_write.write(source, tmp_path / f"{kind}.gguf", kind, "tiny")
        read, words = loaded(tmp_path, f"{kind}.gguf")
        assert words(WORDS).input_ids == ids
        assert words.chat_template == letters.chat_template
        assert (words.eos_token, words.pad_token) == (letters.eos_token, letters.pad_token)
        difference = (logits(read, ids) - expected).abs().max().item()
        assert difference < TOLERANCE[kind] * expected.abs().max().item()
        names = {tensor.name for tensor in GGUFReader(tmp_path / f"{kind}.gguf").tensors}
        assert ("output.weight" in names) == (not model.config.tie_word_embeddings)
    sizes = [(tmp_path / f"{kind}.gguf").stat().st_size for kind in kinds]
    assert sizes == sorted(sizes, reverse=True)


def test_our_own_reader_makes_a_folder_of_it_again(tmp_path: Path) -> None:
    source = saved(tmp_path / "model", "llama, tied")
    gguf_write.write(source, tmp_path / "f32.gguf", "f32", "tiny")
    gguf.convert(tmp_path / "f32.gguf", tmp_path / "again", "tiny")
    (before, letters), (after, _) = loaded(source), loaded(tmp_path / "again")
    ids = letters(WORDS).input_ids
    expected = logits(before, ids)
    assert (logits(after, ids) - expected).abs().max() < TOLERANCE["f16"] * expected.abs().max()


def test_what_cannot_be_written_is_refused_with_a_way_out(tmp_path: Path) -> None:
    source = saved(tmp_path / "model", "llama")
    config = json.loads((source / "config.json").read_text())

    def refused(words: str, **changes: Any) -> None:
        (source / "config.json").write_text(json.dumps({**config, **changes}))
        with pytest.raises(Refused, match=words) as caught:
            gguf_write.check(source)
        assert "--merged" in str(caught.value) and "convert_hf_to_gguf.py" in str(caught.value)

    refused("GemmaForCausalLM cannot be written as GGUF. Supported families: Llama", architectures=["GemmaForCausalLM"])
    refused('positions are scaled by "llama3"', rope_parameters={"rope_type": "llama3"})
    refused("sliding window", use_sliding_window=True)
    (source / "config.json").write_text(json.dumps(config))
    tokenizer().save_pretrained(source)
    with pytest.raises(Refused, match=r"The tokenizer \(WordLevel, Split\) has no name that llama.cpp knows"):
        gguf_write.check(source)
    (source / "tokenizer.json").unlink()
    with pytest.raises(Refused, match=r"tokenizer\.json cannot be read"):
        gguf_write.check(source)


def test_the_cut_of_qwen_and_llama_3_is_recognised() -> None:
    def cut(pattern: str) -> str:
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
        steps = [split, {"type": "ByteLevel", "use_regex": False}]
        return gguf_write._word_cut(
            {"model": {"type": "BPE"}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps}}
        )

    numbers = {r"\p{N}|": "qwen2", r"\p{N}{1,3}|": "llama-bpe"}
    for number, name in numbers.items():
        words = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
        assert cut(words + number + r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+") == name
    with pytest.raises(Refused):
        cut(r"\w+")
