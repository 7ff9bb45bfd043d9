"""The real id of a model is suggested for one that is nearly right, also from the cache on this machine."""

from pathlib import Path

import pytest

from verigym.model.known_ids import KNOWN, cached_ids, nearest_id
from verigym.model.reasoning import chat_template
from verigym.policies.dialects import thinking


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("nvidia/Nemotron-Nano-9B-v2", "nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
        ("nvidia/nemotron-nano-9b-v2", "nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
        ("Qwen2.5-Coder-0.5B-Instruct", "Qwen/Qwen2.5-Coder-0.5B-Instruct"),
        ("qwen/qwen3-0.6b", "Qwen/Qwen3-0.6B"),
        ("openai/gptoss-20b", "openai/gpt-oss-20b"),
        ("nobody/nosuch", ""),
        ("gpt-4o", ""),
        ("", ""),
        ("ü" * 5000, ""),
    ],
)
def test_a_nearly_right_id_gets_the_real_one(typed: str, meant: str) -> None:
    assert nearest_id(typed) == meant


@pytest.mark.parametrize("id", KNOWN)
def test_a_known_id_needs_no_suggestion(id: str) -> None:
    assert nearest_id(id) == ""


def test_ids_in_the_cache_are_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models--acme--my-own-model--v2").mkdir()
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert cached_ids() == ["acme/my-own-model--v2"]
    assert nearest_id("acme/my-own-modell-v2") == "acme/my-own-model--v2"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "nowhere"))
    assert cached_ids() == []


@pytest.mark.parametrize(
    ("files", "reasons"),
    [
        ({}, False),
        ({"chat_template.jinja": "{{ x }}</think>"}, True),
        ({"chat_template.jinja": "{{ x }}"}, False),
        ({"tokenizer_config.json": '{"chat_template": "<think>{{ x }}</think>"}'}, True),
        ({"tokenizer_config.json": '{"chat_template": [{"name": "default", "template": "</think>"}]}'}, True),
        ({"tokenizer_config.json": "no json"}, False),
        ({"tokenizer_config.json": "[]"}, False),
    ],
)
def test_a_reasoning_model_is_known_by_the_template_in_its_folder(
    tmp_path: Path, files: dict[str, str], reasons: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert thinking.reasons(chat_template(str(tmp_path))) is reasons


@pytest.mark.parametrize("name", ["nobody/nosuch", "no id at all", "/nowhere/at/all"])
def test_a_model_that_is_not_here_has_no_template(name: str) -> None:
    assert chat_template(name) == ""
