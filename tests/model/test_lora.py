"""LoRA adapters: our modules, PEFT's files."""

import json
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from torch import Tensor, nn

from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.model import lora
from verigym.model.lora import LoraConfig

SMALL = LoraConfig(r=4, alpha=12)
IDS = torch.tensor([[7, 20, 33, 50, 8, 91]])


@torch.no_grad()
def logits(model: Any) -> Tensor:
    return model(input_ids=IDS).logits


@torch.no_grad()
def shake(model: Any, seed: int = 1) -> None:
    """Random weights in place of the zeros that a new adapter begins with."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in lora.parameters(model):
        parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.1)


def with_adapter(config: LoraConfig = SMALL) -> Any:
    model = tiny().model
    lora.attach(model, config)
    shake(model)
    return model


def test_a_new_adapter_changes_nothing() -> None:
    model = tiny().model
    before = logits(model)
    lora.attach(model, LoraConfig())
    assert torch.equal(logits(model), before)


def test_the_adapter_adds_alpha_over_r_times_b_a_x() -> None:
    model = with_adapter()
    module = dict(lora.modules(model))["model.layers.1.mlp.up_proj"]
    x = torch.randn(3, 32, generator=torch.Generator().manual_seed(0))
    slow = x @ module.base.weight.T + (12 / 4) * (x @ module.a.T @ module.b.T)
    assert torch.allclose(module(x), slow, atol=1e-5)


@pytest.mark.parametrize("bias", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize("inner", [False, True], ids=["the first layer", "a layer within"])
def test_its_gradients_are_those_of_the_formula(bias: bool, inner: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    module = lora.LoraLinear(nn.Linear(6, 5, bias=bias), 3, 12, generator)
    with torch.no_grad():
        module.b.normal_(generator=generator)
    x = torch.randn(2, 4, 6, generator=generator, requires_grad=inner)
    toward = torch.randn(2, 4, 5, generator=generator)
    leaves = [module.a, module.b, *([x] if inner else [])]
    slow = module.base(x) + (12 / 3) * (x @ module.a.T @ module.b.T)
    for mine, reference in zip(
        *(torch.autograd.grad((made * toward).sum(), leaves) for made in (module(x), slow)), strict=True
    ):
        assert torch.allclose(mine, reference, atol=1e-5) and reference.abs().max() > 0.1


def test_half_precision_keeps_the_adapter_whole() -> None:
    module = lora.LoraLinear(nn.Linear(6, 5).half(), 3, 12, torch.Generator().manual_seed(0))
    made = module(torch.ones(2, 6, dtype=torch.half))
    assert made.dtype == torch.half
    gradients = torch.autograd.grad(made.sum(), [module.a, module.b])
    assert {each.dtype for each in (module.a, module.b, *gradients)} == {torch.float32}


def test_only_the_adapter_is_trained() -> None:
    model = with_adapter()
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert len(trained) == 2 * 2 * 7 == len(lora.parameters(model))
    assert all(name.endswith((".a", ".b")) for name in trained)


def test_the_same_seed_begins_with_the_same_adapter() -> None:
    models = [tiny().model for _ in range(3)]
    for model, seed in zip(models, (1, 1, 2), strict=True):
        lora.attach(model, LoraConfig(r=4), seed)
    same, again, other = (lora.weights(model) for model in models)
    assert all(torch.equal(same[name], again[name]) for name in same)
    assert any(not torch.equal(same[name], other[name]) for name in same)


def test_detaching_gives_the_model_back_as_it_was() -> None:
    model = tiny().model
    before, names = logits(model), [name for name, _ in model.named_modules()]
    lora.attach(model, LoraConfig())
    shake(model)
    assert not torch.allclose(logits(model), before, atol=1e-3)
    lora.detach(model)
    assert torch.equal(logits(model), before)
    assert [name for name, _ in model.named_modules()] == names
    assert lora.config_of(model) is None and lora.parameters(model) == []


def test_a_second_adapter_takes_the_place_of_the_first() -> None:
    model = with_adapter()
    lora.attach(model, LoraConfig(r=2))
    assert {parameter.shape[0] for _, module in lora.modules(model) for parameter in [module.a]} == {2}
    assert torch.equal(logits(model), logits(tiny().model))


@pytest.mark.parametrize(("top", "layers"), [(None, {0, 1}), (1, {1}), (2, {0, 1}), (9, {0, 1})])
def test_only_the_top_layers_get_an_adapter(top: int | None, layers: set[int]) -> None:
    model = with_adapter(LoraConfig(r=4, top_layers=top))
    assert {lora.layer_of(name) for name, _ in lora.modules(model)} == layers


def test_targets_that_match_nothing_are_refused_with_what_there_is() -> None:
    with pytest.raises(
        BadInput, match=r"no linear layer matches adapter targets qkv; the model has: down_proj, .*up_proj"
    ):
        lora.attach(tiny().model, LoraConfig(targets=("qkv",)))


def test_weights_move_an_adapter_in_memory() -> None:
    model, other = with_adapter(), tiny().model
    lora.attach(other, LoraConfig(r=4, alpha=12), seed=9)
    kept = lora.weights(model)
    lora.set_weights(other, kept)
    assert torch.equal(logits(other), logits(model))
    shake(model, seed=5)
    assert torch.equal(kept["base_model.model.model.layers.0.mlp.up_proj.lora_B.weight"],
                       lora.weights(other)["base_model.model.model.layers.0.mlp.up_proj.lora_B.weight"])  # fmt: skip


CONFIGS = [
    LoraConfig(r=4, alpha=12),
    LoraConfig(r=3, alpha=3, top_layers=1),
    LoraConfig(r=2, alpha=8, targets=("q_proj", "down_proj")),
]
NAMES = ["all layers", "top layer", "some targets"]


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_what_is_saved_is_loaded(config: LoraConfig, tmp_path: Path) -> None:
    model, other = with_adapter(config), tiny().model
    lora.save(model, tmp_path / "adapter", "tiny")
    lora.load(other, tmp_path / "adapter")
    assert torch.equal(logits(other), logits(model))
    ours, theirs = lora.config_of(other), lora.config_of(model)
    assert ours is not None and theirs is not None
    assert (ours.r, ours.alpha, set(ours.targets), ours.top_layers) == (
        theirs.r, theirs.alpha, set(theirs.targets), theirs.top_layers
    )  # fmt: skip


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_peft_itself_loads_what_we_save_and_computes_the_same(config: LoraConfig, tmp_path: Path) -> None:
    model = with_adapter(config)
    lora.save(model, tmp_path, "tiny")
    theirs = peft.PeftModel.from_pretrained(tiny().model, str(tmp_path)).eval()
    assert (logits(theirs) - logits(model)).abs().max() < 1e-5
    assert not torch.allclose(logits(theirs), logits(tiny().model), atol=1e-3), "the adapter does something"


def test_we_load_what_peft_saves(tmp_path: Path) -> None:
    config = peft.LoraConfig(r=4, lora_alpha=12, target_modules=["q_proj", "up_proj"], task_type="CAUSAL_LM")
    theirs: Any = peft.get_peft_model(tiny().model, config)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.1, generator=torch.Generator().manual_seed(3))
    theirs.save_pretrained(str(tmp_path))
    model = tiny().model
    lora.load(model, tmp_path)
    assert (logits(theirs.eval()) - logits(model)).abs().max() < 1e-5


@pytest.mark.parametrize(
    ("other", "what"),
    [({"hidden": 16}, "narrower"), ({"layers": 3}, "deeper"), ({"layers": 1}, "shallower")],
    ids=str,
)
@pytest.mark.parametrize("top", [None, 1], ids=["all layers", "top layer"])
def test_an_adapter_of_another_base_is_refused_in_words(
    other: dict[str, int], what: str, top: int | None, tmp_path: Path
) -> None:
    lora.save(with_adapter(LoraConfig(r=4, top_layers=top)), tmp_path, "tiny")
    model = tiny(**other).model  # type: ignore[arg-type]
    before = logits(model)
    with pytest.raises(BadInput, match=r"made for another model|no linear layer matches"):
        lora.load(model, tmp_path)
    assert torch.equal(logits(model), before), "the model is left without an adapter"


@pytest.mark.parametrize("damage", ["no folder", "no weights", "cut weights", "no config", "config is no JSON"])
def test_a_folder_that_is_no_adapter_is_refused_in_words(damage: str, tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    if damage != "no folder":
        lora.save(with_adapter(), folder, "tiny")
    weights, config = folder / "adapter_model.safetensors", folder / "adapter_config.json"
    match damage:
        case "no weights":
            weights.unlink()
        case "cut weights":
            weights.write_bytes(weights.read_bytes()[:100])
        case "no config":
            config.unlink()
        case "config is no JSON":
            config.write_text("{")
    with pytest.raises(BadInput, match="adapter: not an adapter folder"):
        lora.load(tiny().model, folder)


def test_the_saved_configuration_names_its_base(tmp_path: Path) -> None:
    lora.save(with_adapter(LoraConfig(r=4, alpha=12, top_layers=1)), tmp_path, "smollm2-135m")
    saved = json.loads((tmp_path / "adapter_config.json").read_text())
    assert (saved["base_model_name_or_path"], saved["r"], saved["lora_alpha"]) == ("smollm2-135m", 4, 12)
    assert saved["layers_to_transform"] == [1]
