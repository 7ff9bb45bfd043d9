"""The shape of a model is what its weights are, read without them; the device's figures are of a real size."""

from pathlib import Path
from typing import Any

import pytest

from tests.model.families import make
from verigym.core.errors import BadInput, NotFound
from verigym.model import embedded
from verigym.model.shape import read_shape, shape_of
from verigym.training.plan import measure

KINDS = {
    "tied": lambda: make("Llama", tie_word_embeddings=True),
    "an output layer of its own": lambda: make("Llama", tie_word_embeddings=False),
    "experts": lambda: make("Qwen3Moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16),
}


@pytest.mark.parametrize("name", KINDS)
def test_parameters_are_counted_as_in_the_model_itself(name: str) -> None:
    model: Any = KINDS[name]()
    shape = shape_of(model.config, name, 4)
    assert shape.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert (shape.hidden, shape.layers, shape.heads, shape.kv_heads, shape.head_size) == (32, 2, 4, 2, 8)


def test_a_token_goes_through_the_chosen_experts_alone_and_reads_one_row_of_the_embedding() -> None:
    model: Any = KINDS["experts"]()
    sizes = {name: parameter.numel() for name, parameter in model.named_parameters()}
    shape = shape_of(model.config, "experts", 4)
    experts = sum(size for name, size in sizes.items() if ".experts." in name)
    embedding = 0 if model.config.tie_word_embeddings else sizes["model.embed_tokens.weight"]
    assert experts > 0 and shape.active == shape.parameters - experts // 2 - embedding


def test_the_shape_is_read_from_a_folder_without_weights(tmp_path: Path) -> None:
    make("Llama").config.save_pretrained(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
    assert read_shape(str(tmp_path), "cpu").bytes_per_weight == 4
    assert read_shape(str(tmp_path), "cuda").bytes_per_weight == 2


def test_a_model_that_does_not_exist_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"Name .* a folder with config\.json"):
        read_shape(str(tmp_path / "missing"))
    with pytest.raises(BadInput, match=r"It has no config\.json"):
        read_shape(str(tmp_path))


def test_the_embedded_model_is_not_fetched_for_its_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_CACHE", str(tmp_path))
    with pytest.raises(NotFound, match="verigym models pull"):
        read_shape(embedded.NAME)


def test_the_shape_of_the_embedded_model_is_read_from_its_folder() -> None:
    if not embedded.is_pulled():
        pytest.skip("the embedded model is not on this machine")
    shape = read_shape(embedded.NAME, "cpu")
    assert (shape.parameters, shape.active, shape.layers) == (134_515_008, 134_515_008, 30)


def test_a_device_is_measured_in_figures_of_a_real_size() -> None:
    device = measure("cpu")
    assert device.kind == "cpu" and "CPU" in device.name
    assert device.memory > 1 << 28 and 1e8 < device.flops < 1e15 and 1e8 < device.bandwidth < 1e14
