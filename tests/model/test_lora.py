"""LoRA adapters: our modules, PEFT's files."""

import json
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import LlamaForSequenceClassification

from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.core.records import Sample
from verigym.model import lora, lora_files, lora_targets
from verigym.model.logprobs import scores
from verigym.model.lora import LoraConfig
from verigym.model.tree import pack

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
    assert {lora_targets.layer_of(name) for name, _ in lora.modules(model)} == layers


def test_targets_that_match_nothing_are_refused_with_what_there_is() -> None:
    with pytest.raises(
        BadInput, match=r"No linear layer matches the adapter targets qkv. The model has: down_proj, .*up_proj"
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
    lora_files.save(model, tmp_path / "adapter", "tiny")
    lora_files.load(other, tmp_path / "adapter")
    assert torch.equal(logits(other), logits(model))
    ours, theirs = lora.config_of(other), lora.config_of(model)
    assert ours is not None and theirs is not None
    assert (ours.r, ours.alpha, set(ours.targets), ours.top_layers) == (
        theirs.r, theirs.alpha, set(theirs.targets), theirs.top_layers
    )  # fmt: skip


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_peft_itself_loads_what_we_save_and_computes_the_same(config: LoraConfig, tmp_path: Path) -> None:
    model = with_adapter(config)
    lora_files.save(model, tmp_path, "tiny")
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
    lora_files.load(model, tmp_path)
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
    lora_files.save(with_adapter(LoraConfig(r=4, top_layers=top)), tmp_path, "tiny")
    model = tiny(**other).model  # type: ignore[arg-type]
    before = logits(model)
    with pytest.raises(BadInput, match=r"the adapter does not fit this model|No linear layer matches"):
        lora_files.load(model, tmp_path)
    assert torch.equal(logits(model), before), "the model is left without an adapter"


@pytest.mark.parametrize("damage", ["no folder", "no weights", "cut weights", "no config", "config is no JSON"])
def test_a_folder_that_is_no_adapter_is_refused_in_words(damage: str, tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    if damage != "no folder":
        lora_files.save(with_adapter(), folder, "tiny")
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
    with pytest.raises(BadInput, match="adapter: the adapter cannot be read"):
        lora_files.load(tiny().model, folder)


def test_the_saved_configuration_names_its_base(tmp_path: Path) -> None:
    lora_files.save(with_adapter(LoraConfig(r=4, alpha=12, top_layers=1)), tmp_path, "smollm2-135m")
    saved = json.loads((tmp_path / "adapter_config.json").read_text())
    assert (saved["base_model_name_or_path"], saved["r"], saved["lora_alpha"]) == ("smollm2-135m", 4, 12)
    assert saved["layers_to_transform"] == [1]


# -- the head of a reward model -------------------------------------------------------------------------------------

WITH_HEAD = LoraConfig(r=4, alpha=12, head=True)
HEAD = "base_model.model.score.weight"


@torch.no_grad()
def score(model: Any) -> float:
    [packed] = pack([Sample(ids=IDS[0].tolist(), mask=[0] * IDS.shape[1], logprobs=[])], 100)
    return scores(model, packed).item()


def same_weights(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_a_head_is_one_number_from_the_last_hidden_state() -> None:
    model = with_adapter(WITH_HEAD)
    weight_H = lora.head(model)
    assert weight_H is not None
    with torch.no_grad():
        last_H = model.base_model(input_ids=IDS).last_hidden_state[0, -1]
    assert score(model) == pytest.approx((last_H @ weight_H).item(), abs=1e-5)


def test_a_head_is_trained_with_the_adapter_and_is_no_part_of_the_model() -> None:
    model, names = with_adapter(WITH_HEAD), {name for name, _ in tiny().model.named_parameters()}
    weight_H = lora.head(model)
    assert lora.parameters(model)[-1] is weight_H and len(lora.parameters(model)) == 2 * 2 * 7 + 1
    assert not any(parameter is weight_H for parameter in model.parameters())
    assert {
        name.replace(".base.", ".") for name, _ in model.named_parameters() if not name.endswith((".a", ".b"))
    } == names
    plain = with_adapter(SMALL)
    lora.set_weights(plain, {name: weight for name, weight in lora.weights(model).items() if name != HEAD})
    assert torch.equal(logits(model), logits(plain)), "what it says as a language model is the adapter's alone"


def test_the_same_seed_begins_with_the_same_head() -> None:
    models = [tiny().model for _ in range(3)]
    for model, seed in zip(models, (1, 1, 2), strict=True):
        lora.attach(model, WITH_HEAD, seed)
    same, again, other = (lora.weights(model)[HEAD] for model in models)
    assert torch.equal(same, again) and not torch.equal(same, other)
    assert same.shape == (1, 32) and 0.3 < same.norm() < 3


def test_a_head_is_saved_and_loaded_with_its_adapter(tmp_path: Path) -> None:
    model, other = with_adapter(WITH_HEAD), tiny().model
    lora_files.save(model, tmp_path, "tiny")
    lora_files.load(other, tmp_path)
    assert same_weights(lora.weights(other), lora.weights(model))
    assert score(other) == score(model)
    config = lora.config_of(other)
    assert config is not None and config.head
    saved = load_file(tmp_path / "adapter_model.safetensors")
    assert saved[HEAD].shape == (1, 32)
    words = json.loads((tmp_path / "adapter_config.json").read_text())
    assert (words["task_type"], words["modules_to_save"]) == ("SEQ_CLS", ["score"])


def test_peft_itself_loads_the_reward_model_that_we_save(tmp_path: Path) -> None:
    model = with_adapter(WITH_HEAD)
    lora_files.save(model, tmp_path, "tiny")
    config = type(model.config)(**{**model.config.to_dict(), "num_labels": 1})
    bare = LlamaForSequenceClassification(config).eval()
    bare.model.load_state_dict(tiny().model.model.state_dict())
    theirs: Any = peft.PeftModel.from_pretrained(bare, str(tmp_path)).eval()
    with torch.no_grad():
        assert theirs(input_ids=IDS).logits.item() == pytest.approx(score(model), abs=1e-5)


def test_an_adapter_without_a_head_takes_the_head_away(tmp_path: Path) -> None:
    model = with_adapter(WITH_HEAD)
    lora_files.save(with_adapter(SMALL), tmp_path, "tiny")
    lora_files.load(model, tmp_path)
    assert lora.head(model) is None and HEAD not in lora.weights(model)


def test_detaching_forgets_the_head() -> None:
    model = with_adapter(WITH_HEAD)
    lora.detach(model)
    assert lora.head(model) is None and lora.parameters(model) == [] and lora.weights(model) == {}
    assert torch.equal(logits(model), logits(tiny().model))


@pytest.mark.parametrize("other", [{"hidden": 16}, {"layers": 3}], ids=["narrower", "deeper"])
def test_a_reward_model_of_another_base_is_refused_in_words(other: dict[str, int], tmp_path: Path) -> None:
    lora_files.save(with_adapter(WITH_HEAD), tmp_path, "tiny")
    model = tiny(**other).model  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="the adapter does not fit this model"):
        lora_files.load(model, tmp_path)
    assert lora.head(model) is None


@pytest.mark.parametrize("shape", [(1, 16), (2, 32), (32,)], ids=str)
def test_a_head_of_another_shape_is_refused_in_words(shape: tuple[int, ...], tmp_path: Path) -> None:
    lora_files.save(with_adapter(WITH_HEAD), tmp_path, "tiny")
    path = tmp_path / "adapter_model.safetensors"
    save_file({**load_file(path), HEAD: torch.zeros(shape)}, path)
    with pytest.raises(
        BadInput, match=r"the adapter does not fit this model. base_model\.model\.score\.weight and 0 more"
    ):
        lora_files.load(tiny().model, tmp_path)


# -- another adapter's weights for a while ---------------------------------------------------------------------------


@pytest.mark.parametrize("config", [SMALL, WITH_HEAD], ids=["without a head", "with a head"])
def test_weights_are_worn_and_given_back_exactly(config: LoraConfig) -> None:
    model, other = with_adapter(config), with_adapter(config)
    shake(other, seed=5)
    before, worn = lora.weights(model), lora.weights(other)
    with lora.with_weights(model, worn):
        assert same_weights(lora.weights(model), worn)
        assert torch.equal(logits(model), logits(other))
    assert same_weights(lora.weights(model), before)


def test_wearing_nothing_is_the_bare_base() -> None:
    model = with_adapter()
    before = lora.weights(model)
    with lora.with_weights(model, None):
        assert torch.equal(logits(model), logits(tiny().model))
    assert same_weights(lora.weights(model), before)
    assert not torch.allclose(logits(model), logits(tiny().model), atol=1e-3), "it is on again"


@pytest.mark.parametrize("bare", [True, False], ids=["nothing", "another's"])
def test_a_failure_within_gives_the_weights_back_too(bare: bool) -> None:
    model, other = with_adapter(), with_adapter()
    shake(other, seed=5)
    before, said = lora.weights(model), logits(model)
    with pytest.raises(RuntimeError, match="no"), lora.with_weights(model, None if bare else lora.weights(other)):
        raise RuntimeError("no")
    assert same_weights(lora.weights(model), before) and torch.equal(logits(model), said)


def test_the_parameters_stay_the_same_ones() -> None:
    """An optimizer that holds them still does."""
    model = with_adapter()
    held = lora.parameters(model)
    with lora.with_weights(model, {name: weight + 1 for name, weight in lora.weights(model).items()}):
        pass
    assert all(one is other for one, other in zip(held, lora.parameters(model), strict=True))
