"""The Llama family: joined weights are the model's own, merged ones stay where they are, and other models are told apart."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.model.batches import group
from tests.model.families import (
    SHARING,
    VOCABULARY,
    WINDOWS,
    assert_same_gradients,
    family,
    gradients,
    make,
    packed,
    uneven,
    with_adapter,
)
from tests.model.families import plain as plainly
from verigym.core.errors import BadInput
from verigym.model import embedded, llama_family, lora, lora_files
from verigym.model.llama_family import FusedWeights, LlamaModel, llama_model
from verigym.model.load import load_model

PLAIN = ["llama", "qwen3", "gemma", "mistral", "qwen3 moe"]
WINDOWED = [
    "gemma2",
    "gemma3",
    "gemma3 with scaled positions",
    "mistral with a window",
    "qwen2 with a window",
    "qwen3 with a window",
]


def fused(model: Any) -> FusedWeights:
    found = llama_model(model)
    assert found is not None
    return FusedWeights(found)


@pytest.mark.parametrize("name", SHARING)
def test_what_is_plain_is_told_from_what_is_not(name: str) -> None:
    assert (llama_model(family(name)) is not None) == (name in PLAIN + WINDOWED)


@pytest.mark.parametrize("name", WINDOWED)
def test_a_wrong_window_is_noticed_even_if_the_window_is_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = SHARING[name]()
    made.config.sliding_window = 4096
    found = llama_model(made)
    assert found is not None and made.config.sliding_window == 4096
    windows = [layer.scores.window for layer in found.layers]
    assert set(windows) == ({4096} if name == "mistral with a window" else {None, 4096})
    for wrong in ([None] * 2, [1] * 2, windows[::-1] if None in windows else [1, 4096]):
        for layer, window in zip(found.layers, wrong, strict=True):
            monkeypatch.setattr(layer, "scores", layer.scores._replace(window=window))
        assert not llama_family._agrees(found)


@pytest.mark.parametrize("name", ["gemma2", "gemma3"])
@pytest.mark.parametrize("what", ["norms_after", "head_norms", "rope", "cap"])
def test_what_is_special_about_gemma_is_noticed(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = llama_model(SHARING[name]())
    assert found is not None
    layer = found.layers[0]
    if (what == "cap") != (name == "gemma2") and what != "norms_after":
        assert (layer.scores.cap, layer.head_norms, layer.rope)[("cap", "head_norms", "rope").index(what)] is None
        return
    if what == "cap":
        monkeypatch.setattr(layer, "scores", layer.scores._replace(cap=None))
    elif what == "rope":
        monkeypatch.setattr(layer, "rope", found.layers[1].rope)
    else:
        monkeypatch.setattr(layer, what, getattr(layer, what)[::-1])
    assert not llama_family._agrees(found)


@pytest.mark.parametrize("name", ["gemma", "gemma2", "gemma3"])
def test_trained_norms_are_taken_over(name: str) -> None:
    model = uneven(SHARING[name]())
    found = llama_model(model)
    assert found is not None
    uneven(model)
    assert not llama_family._agrees(found)
    found.refresh()
    assert llama_family._agrees(found)


def test_a_model_with_a_soft_cap_is_loaded_with_attention_that_applies_it(tmp_path: Path) -> None:
    family("gemma2").save_pretrained(tmp_path)
    loaded = load_model(str(tmp_path), device="cpu", dtype=torch.float32)
    ids = torch.tensor([[5, 6, 7, 8, 9]])
    torch.testing.assert_close(loaded(ids).logits, family("gemma2")(ids).logits)
    assert llama_model(loaded) is not None


def test_a_model_that_attends_both_ways_is_not_plain() -> None:
    assert llama_model(make("Gemma3", "TextConfig", use_bidirectional_attention=True, **WINDOWS)) is None


def test_a_model_that_computes_something_else_is_not_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("Llama")
    layer = model.model.layers[0].mlp
    inner = layer.forward
    monkeypatch.setattr(layer, "forward", lambda x: inner(x) * 1.5)
    assert llama_model(model) is None


@pytest.mark.skipif(not embedded.is_pulled(), reason="the embedded model is not here: verigym models pull smollm2-135m")
def test_trained_weights_in_half_precision_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trained models have channels so large that their rounding moves a logit by a tenth of the largest."""
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    model = AutoModelForCausalLM.from_pretrained(str(embedded.folder()), dtype=torch.bfloat16)
    assert llama_model(model) is not None


def test_joined_weights_are_held_once() -> None:
    model = make("Llama")
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    found = llama_model(model)
    assert found is not None
    attention = model.model.layers[0].self_attn
    assert found.layers[0].qkv.weight.data_ptr() == attention.q_proj.weight.data_ptr()
    assert attention.k_proj.weight.untyped_storage().data_ptr() == attention.q_proj.weight.untyped_storage().data_ptr()
    assert all(torch.equal(weight, before[name]) for name, weight in model.named_parameters())


def test_without_an_adapter_decoding_uses_the_models_own_weights() -> None:
    made = fused(make("Llama"))
    assert not made.use_adapter()
    assert made.weights[0][0] is made.llama.layers[0].qkv.weight


def test_merged_weights_stay_where_they_are() -> None:
    model = make("Llama")
    made = fused(model)
    with_adapter(model)
    assert made.use_adapter(), "the buffers are new"
    places = [weight.data_ptr() for layer in made.weights for weight in layer]
    merged = made.weights[1][3].clone()
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.mul_(2)
    assert not made.use_adapter()
    assert [weight.data_ptr() for layer in made.weights for weight in layer] == places
    assert not torch.equal(made.weights[1][3], merged)
    lora.detach(model)
    assert not made.use_adapter()
    assert torch.equal(made.weights[1][3], made.llama.layers[1].down.weight)


def test_an_adapter_in_memory_is_merged_without_being_put_on_the_model() -> None:
    model = make("Llama")
    with_adapter(model)
    config = lora.config_of(model)
    assert config is not None
    adapter = lora.LoraAdapter(config, lora.weights(model))
    worn = fused(model)
    worn.use_adapter()
    lora.detach(model)
    apart = fused(model)
    apart.use_adapter(adapter)
    for mine, theirs in zip(apart.weights, worn.weights, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(mine, theirs, strict=True))
    assert lora.config_of(model) is None


def test_an_adapter_is_read_without_touching_the_model_and_checked_against_it(tmp_path: Path) -> None:
    model = with_adapter(make("Llama"))
    lora_files.save(model, tmp_path, "base")
    read = lora_files.read(make("Llama"), tmp_path)
    assert all(torch.equal(weight, lora.weights(model)[name]) for name, weight in read.weights.items())
    with pytest.raises(BadInput, match="the adapter does not fit this model"):
        lora_files.read(make("Llama", hidden_size=64, num_attention_heads=8), tmp_path)


def test_without_its_adapter_a_model_is_its_base_again_for_a_while() -> None:
    ids = torch.tensor([[5, 6, 7]])
    model = make("Llama")
    bare = model(ids).logits
    with_adapter(model)
    worn = model(ids).logits
    with lora.without(model):
        assert torch.equal(model(ids).logits, bare)
    assert torch.equal(model(ids).logits, worn) and not torch.allclose(worn, bare)


@pytest.mark.parametrize(
    "config",
    [
        lora.LoraConfig(r=4, alpha=12, targets=("q_proj", "v_proj")),
        lora.LoraConfig(r=4, targets=("k_proj", "up_proj")),
        lora.LoraConfig(r=4, targets=("down_proj",)),
        lora.LoraConfig(r=2, top_layers=1),
    ],
    ids=["q and v", "k and up", "down", "the top layer"],
)
def test_an_adapter_of_some_layers_trains_and_decodes_as_its_own_modules_do(config: lora.LoraConfig) -> None:
    model = with_adapter(make("Llama"), config)
    samples = group(prompts=2, each=3, common=5, own=4, new=6, vocabulary=VOCABULARY)
    ours = [logprobs for logprobs, _ in packed(model, samples)]
    theirs = [plainly(model, one)[0] for one in samples]
    assert all(torch.allclose(mine, other, atol=1e-5) for mine, other in zip(ours, theirs, strict=True))
    assert_same_gradients(gradients(model, ours), gradients(model, theirs))
    made = fused(model)
    assert made.use_adapter()
    for number, layer in enumerate(made.llama.layers):
        for part, weight in zip(layer.joined, made.weights[number], strict=True):
            for module, rows in zip(part.layers, weight.split(part.sizes), strict=True):
                wanted: Any = module.base.weight if isinstance(module, lora.LoraLinear) else module.weight
                if isinstance(module, lora.LoraLinear):
                    wanted = wanted + module.scale * module.b @ module.a
                assert torch.allclose(rows, wanted, atol=1e-6)


def test_threads_that_ask_at_once_get_the_same_layers() -> None:
    model, start = make("Llama"), threading.Barrier(4)

    def ask(_: int) -> LlamaModel | None:
        start.wait()
        return llama_model(model)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert found[0] is not None and all(each is found[0] for each in found)
