"""Which layers get an adapter, and the words about those that do not."""

from typing import Any

import pytest
import torch
import transformers

from tests.model.families import make
from tests.model.lora_families import FAMILIES
from verigym.core.errors import BadInput
from verigym.model import lora
from verigym.model.coverage import Coverage, Part
from verigym.model.load import slow_layers
from verigym.model.lora import LoraConfig
from verigym.model.lora_targets import check_config, coverage, find_targets, names_of

LLAMA = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
NAMES = {
    "llama": LLAMA,
    "gemma3": LLAMA,
    "phi3": {"qkv_proj", "o_proj", "gate_up_proj", "down_proj"},
    "mixtral": {"q_proj", "k_proj", "v_proj", "o_proj", "experts.gate_up_proj", "experts.down_proj"},
    "qwen2 moe": {"q_proj", "k_proj", "v_proj", "o_proj", "experts.gate_up_proj", "experts.down_proj",
                  "shared_expert.gate_proj", "shared_expert.up_proj", "shared_expert.down_proj"},
    "mamba": {"in_proj", "x_proj"},
    "mamba2": {"in_proj"},
    "nemotron-h": {"in_proj", "q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "down_proj"},
}  # fmt: skip


def found(model: Any, **fields: Any) -> list[str]:
    return [name for target in find_targets(model, LoraConfig(**fields)) for name in names_of(target)]


def last(names: list[str]) -> set[str]:
    return {".".join(name.split(".")[-2:] if "expert" in name else name.split(".")[-1:]) for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_all_is_every_linear_layer_and_expert_of_the_decoder_layers(name: str) -> None:
    model = FAMILIES[name]()
    names = found(model)
    assert last(names) == NAMES[name]
    lora.attach(model, LoraConfig(r=2))
    assert found(model) == names, "the same while an adapter is on the model"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_parameter_is_adapted_or_reported_once(name: str) -> None:
    model = FAMILIES[name]()
    total = sum(parameter.numel() for parameter in model.parameters())
    report = coverage(model, LoraConfig(r=4))
    assert report.total == total == sum(part.parameters for part in [*report.adapted, *report.left])
    assert all(part.why for part in report.left) and not any(part.why for part in report.adapted)
    lora.attach(model, LoraConfig(r=4))
    assert report.trained == sum(parameter.numel() for parameter in lora.parameters(model))
    config = lora.config_of(model)
    assert config is not None and coverage(model, config) == report, "the report of the adapter on the model"
    with torch.device("meta"):
        bare = type(model)(model.config)
    assert coverage(bare, LoraConfig(r=4)) == report, "the same without weights"


def test_routers_norms_convolutions_and_biases_are_reported() -> None:
    report = coverage(FAMILIES["nemotron-h with experts"](), LoraConfig())
    why = {part.name: part.why for part in report.left}
    assert why["gate"] == "routers"
    assert why["norms"] == why["convolutions"] == "not linear layers"
    assert why["biases"] == "LoRA changes weights only"
    assert why["out_proj"] == "a Mamba mixer hands these weights to fused kernels"
    assert why["embeddings"] == why["head"] == "not in lora.targets"
    assert report.left == sorted(report.left, key=lambda part: -part.parameters)


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        (("embeddings",), ["model.embed_tokens"]),
        (("head",), ["lm_head"]),
        (("lm_head", "embed_tokens"), ["model.embed_tokens", "lm_head"]),
        (("layers.1.mlp.up_proj",), ["model.layers.1.mlp.up_proj"]),
        (("mlp.down_proj", "q_proj"), [f"model.layers.{layer}.{name}" for layer in (0, 1)
                                       for name in ("self_attn.q_proj", "mlp.down_proj")]),
    ],
)  # fmt: skip
def test_targets_are_words_names_or_ends_of_names(targets: tuple[str, ...], names: list[str]) -> None:
    assert found(FAMILIES["llama"](), targets=targets) == names


def test_a_name_selects_experts_too() -> None:
    names = found(FAMILIES["mixtral"](), targets=("experts.down_proj", "v_proj"), top_layers=1)
    assert names == ["model.layers.1.self_attn.v_proj", "model.layers.1.mlp.experts.down_proj"]


def test_out_proj_of_a_mamba_mixer_is_adapted_if_it_is_named() -> None:
    model = FAMILIES["mamba"]()
    ids = torch.tensor([[3, 4, 5, 6]])
    lora.attach(model, LoraConfig(r=2, targets=("all", "out_proj", "dt_proj")))
    before = model(input_ids=ids).logits.detach()
    for _, module in lora.modules(model):
        with torch.no_grad():
            module.b.normal_(generator=torch.Generator().manual_seed(1))
    after = model(input_ids=ids).logits
    assert not torch.allclose(before, after)
    gradients = torch.autograd.grad(after.sum(), lora.parameters(model))
    assert all(gradient.any() for gradient in gradients), "also where the model reads the weight itself"


def test_the_routers_of_older_mixtures_are_linear_layers_and_stay_frozen() -> None:
    model = make("Llama4", "TextConfig", num_local_experts=4, intermediate_size_mlp=32)
    assert not any("router" in name for name in found(model))
    assert {part.name: part.why for part in coverage(model, LoraConfig()).left}["router"] == "routers"


def test_the_layers_of_gpt2_are_linear() -> None:
    config = transformers.GPT2Config(vocab_size=61, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    model: Any = transformers.GPT2LMHeadModel(config).eval().requires_grad_(False)
    assert last(found(model)) == {"c_attn", "c_proj", "c_fc"}
    ids = torch.tensor([[3, 4, 5, 6]])
    before = model(input_ids=ids).logits
    lora.attach(model, LoraConfig(r=4, alpha=12))
    assert torch.equal(model(input_ids=ids).logits, before)
    module = dict(lora.modules(model))["transformer.h.0.mlp.c_fc"]
    x = torch.randn(3, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        module.b.normal_(generator=torch.Generator().manual_seed(1))
    slow = module.base(x) + (12 / 4) * (x @ module.a.T @ module.b.T)
    assert torch.allclose(module(x), slow, atol=1e-5)
    assert torch.allclose(x @ module.weight + module.base.bias, slow, atol=1e-5), "its weight with the change"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"targets": ("q_prj",)}, r'has no layer "q_prj"\. Did you mean "q_proj"\? It has: down_proj, embed_tokens, '),
        ({"targets": ("all", "zzz")}, r'has no layer "zzz"\. It has: .*You can also write all, embeddings and head'),
        ({"rank_pattern": {"w1": 4}}, r'rank_pattern: "w1" matches no adapted layer'),
        ({"rank_pattern": {"(": 4}}, r'rank_pattern: "\(" is not a regular expression'),
    ],
)
def test_what_matches_nothing_is_refused_in_words(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        check_config(FAMILIES["llama"](), LoraConfig(**fields))


def test_layers_below_the_top_are_reported_as_such() -> None:
    report = coverage(FAMILIES["llama"](), LoraConfig(top_layers=1))
    below = {part.name for part in report.left if part.why == "below lora.top_layers"}
    assert below == LLAMA and {part.name for part in report.adapted} == LLAMA


def test_ranks_can_differ_by_name() -> None:
    model = FAMILIES["mixtral"]()
    pattern = {"q_proj": 8, "layers.0.self_attn.*": 2, "experts.down_proj": 1}
    lora.attach(model, LoraConfig(r=4, alpha=8, rank_pattern=pattern))
    modules: dict[str, Any] = dict(lora.adapted(model))
    ranks = {name: len(module.a) for name, module in modules.items() if isinstance(module, lora.LoraLinear)}
    assert ranks["model.layers.0.self_attn.q_proj"] == ranks["model.layers.1.self_attn.q_proj"] == 8, "the first counts"
    assert (ranks["model.layers.0.self_attn.v_proj"], ranks["model.layers.1.self_attn.v_proj"]) == (2, 4)
    experts = modules["model.layers.1.mlp.experts"]
    assert experts.ranks == {"gate_up_proj": 4, "down_proj": 1} and experts.scales["down_proj"] == 8
    assert modules["model.layers.1.self_attn.q_proj"].scale == 1.0


def test_the_words_of_a_report() -> None:
    report = Coverage(
        total=4_000_000,
        trained=12_345,
        adapted=[Part("q_proj", 2_000_000), Part("up_proj", 1_000_000)],
        left=[Part("embeddings", 999_900, "not in lora.targets"), Part("norms", 100, "not linear layers")],
    )
    assert report.summary == (
        "The adapter covers 75% of the parameters of the model. Not adapted: embeddings (25%), norms (<0.01%)."
    )
    assert report.lines == [
        "the adapter trains 12.3 thousand parameters and adapts 75% of the model: q_proj, up_proj",
        "not adapted, not in lora.targets: embeddings (25%)",
        "not adapted, not linear layers: norms (<0.01%)",
    ]


def test_a_state_space_model_of_another_make_is_read_by_its_parts() -> None:
    """Gated delta nets also have an A_log, but call all their layers."""
    model = make(
        "Qwen3_5", "TextConfig", num_hidden_layers=4, linear_num_value_heads=4, linear_num_key_heads=2,
        linear_key_head_dim=8, linear_value_head_dim=8,
    )  # fmt: skip
    assert "out_proj" in last(found(model))


def test_a_mamba_model_on_a_gpu_says_which_kernels_to_install() -> None:
    words = slow_layers(FAMILIES["nemotron-h"](), "cuda")
    assert "NemotronHForCausalLM: Mamba layers run without kernels" in words
    assert words.endswith("-m pip install mamba_ssm causal_conv1d")
    assert slow_layers(FAMILIES["nemotron-h"](), "cpu") == slow_layers(FAMILIES["llama"](), "cuda") == ""
