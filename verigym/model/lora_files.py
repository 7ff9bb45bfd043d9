"""Adapters as files, in the format of PEFT: `adapter_config.json` and `adapter_model.safetensors`.

Linear layers and embeddings are PEFT's target_modules, parameters of experts its target_parameters. A file whose settings we do
not compute (DoRA, rsLoRA, trained biases) is refused. A file without these never changes its meaning.
"""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from msgspec import Meta
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.model import lora
from verigym.model.lora import HEAD_WEIGHT, PREFIX, LoraAdapter, LoraConfig
from verigym.model.lora_layers import base_of, expert_prefixes, expert_sizes, is_linear, linear_sizes
from verigym.model.lora_targets import (
    Target,
    ends_with,
    expert_parameters,
    find_targets,
    layer_of,
    names_of,
    num_layers,
    plain_modules,
)

_REFUSED = {
    "use_dora": "DoRA",
    "use_rslora": "rsLoRA",
    "lora_bias": "biases in the adapter",
    "alora_invocation_tokens": "activated LoRA",
    "trainable_token_indices": "trainable tokens",
    "layer_replication": "replicated layers",
    "megatron_config": "Megatron layers",
    "use_qalora": "QALoRA",
}
"""Settings of PEFT that change the formula, and their names for people."""
_RENAMED_BY_PEFT = ("gate", "gate_proj", "up_proj", "down_proj", "w1", "w2", "w3")
"""In a model with experts, PEFT takes these names of modules for those of old experts. Layers with such names are written as
parameters, which it leaves alone."""


class _Facts(msgspec.Struct):
    """What a file must say. The rest of its settings is looked at one by one."""

    r: Annotated[int, Meta(ge=1)]
    lora_alpha: int | float
    lora_dropout: float = 0.0
    rank_pattern: dict[str, Annotated[int, Meta(ge=1)]] | None = None
    alpha_pattern: dict[str, int | float] | None = None
    target_modules: list[str] | str | None = None
    target_parameters: list[str] | None = None
    layers_to_transform: list[int] | int | None = None


def save(model: nn.Module, folder: Path, base: str) -> None:
    """Writes `adapter_model.safetensors` and `adapter_config.json`, which PEFT, vLLM and others read."""
    config = lora.config_of(model)
    assert config is not None, "no adapter on this model"
    layers = sorted({layer for name, _ in lora.adapted(model) if (layer := layer_of(name)) is not None})
    peft = {
        "peft_type": "LORA",
        "task_type": "SEQ_CLS" if config.head else "CAUSAL_LM",
        "modules_to_save": ["score"] if config.head else None,
        "base_model_name_or_path": base,
        "r": config.r,
        "lora_alpha": config.alpha,
        "lora_dropout": config.dropout,
        "bias": "none",
        "target_modules": sorted(config.targets),
        "layers_to_transform": layers if config.top_layers is not None else None,
        "inference_mode": True,
        **_rare(model, config),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        weights, described = folder / "adapter_model.safetensors", folder / "adapter_config.json"
        save_file(lora.weights(model), weights)
        described.write_text(json.dumps(peft, indent=2))
        weights.chmod(
            described.stat().st_mode & 0o777
        )  # safetensors writes 0600: unreadable for servers of other users
    except (OSError, SafetensorError) as error:
        raise InfrastructureFailure(
            f"{folder}: the adapter could not be written ({error}). Free some disk space and try again"
        ) from error


def _rare(model: nn.Module, config: LoraConfig) -> dict[str, Any]:
    """Settings that most adapters do not have. They are written only if needed, so that other files keep their bytes."""
    rare: dict[str, Any] = {}
    if config.rank_pattern:
        rare["rank_pattern"] = config.rank_pattern
    if config.alpha_pattern:
        rare["alpha_pattern"] = config.alpha_pattern
    apart = [name for name, _ in lora.modules(model) if name.rsplit(".", 1)[-1] in _RENAMED_BY_PEFT]
    apart = apart if any(expert_parameters(module) for _, module in plain_modules(model)) else []
    if config.parameters or apart:
        rare["target_parameters"] = sorted([*(config.parameters or ()), *(f"{name}.weight" for name in apart)])
    if apart:
        whole = [name for name, module in lora.adapted(model) if not isinstance(module, lora.LoraExperts)]
        rare |= {"target_modules": sorted({*whole} - {*apart}), "layers_to_transform": None}
    return rare


def read(model: Any, folder: Path) -> LoraAdapter:
    """Reads the adapter in `folder`, which must fit this model."""
    try:
        peft = json.loads((folder / "adapter_config.json").read_text())
        given = load_file(folder / "adapter_model.safetensors")
        facts = msgspec.convert(peft, _Facts)
    except (OSError, ValueError, SafetensorError) as error:
        raise BadInput(
            f"{folder}: the adapter cannot be read ({error}). "
            "The folder needs adapter_config.json and adapter_model.safetensors"
        ) from error
    _refuse_others(peft, folder)
    given = _without_base(model, given, folder)
    try:
        names, parameters, top = _matched(model, peft)
    except re.error as error:
        raise BadInput(f"{folder}: target_modules is not a regular expression ({error})") from None
    head = HEAD_WEIGHT in given
    config = LoraConfig(
        r=facts.r,
        alpha=facts.lora_alpha,
        targets=names,
        parameters=parameters,
        dropout=facts.lora_dropout,
        rank_pattern=facts.rank_pattern or {},
        alpha_pattern=facts.alpha_pattern or {},
        top_layers=top,
        head=head,
    )
    hidden = model.config.get_text_config().hidden_size
    wanted: dict[str, tuple[int, ...]] = {HEAD_WEIGHT: (1, hidden)} if head else {}
    targets = find_targets(model, config)
    for target in targets:
        wanted |= _shapes(target, config)
    odd = sorted(
        name
        for name in wanted.keys() | given.keys()
        if name not in given or wanted.get(name) != tuple(given[name].shape)
    )
    if odd:
        raise BadInput(
            f"{folder}: the adapter does not fit this model. {odd[0]} and {len(odd) - 1} more weights are missing, unknown or "
            "of another shape. Use the base model of the adapter"
        )
    return LoraAdapter(lora.named(model, config, targets), given)


def load(model: Any, folder: Path) -> None:
    """Puts the adapter saved in `folder` on the model."""
    lora.use(model, read(model, folder))


def _refuse_others(peft: dict[str, Any], folder: Path) -> None:
    """Refuses settings of PEFT that would change what the weights mean."""
    if peft.get("peft_type", "LORA") != "LORA":
        raise BadInput(f"{folder}: this is an adapter of kind {peft['peft_type']}. Verigym loads LoRA adapters only")
    words = [words for key, words in _REFUSED.items() if peft.get(key)]
    words += ["trained biases"] if peft.get("bias", "none") != "none" else []
    words += ["other saved modules"] if set(peft.get("modules_to_save") or []) - {"score"} else []
    if words:
        raise BadInput(
            f"{folder}: the adapter uses {', '.join(words)}, which Verigym does not compute. "
            "Merge it into its base with PEFT, and use the merged model"
        )


def _without_base(model: Any, given: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """The weights without copies of the base embeddings, which PEFT stores beside an adapter on embeddings or head."""
    modules = dict(plain_modules(model))
    kept: dict[str, Tensor] = {}
    for name, weight in given.items():
        above, base, _ = name.removeprefix(PREFIX).partition(".base_layer.weight")
        module: Any = modules.get(above)
        if not base or module is None or not hasattr(module, "weight"):
            kept[name] = weight
        elif weight.shape != module.weight.shape or not torch.equal(
            weight.to(module.weight.dtype).cpu(), module.weight.detach().cpu()
        ):
            raise BadInput(
                f"{folder}: the adapter brings other base weights for {above}. Merge it into its base with PEFT, "
                "and use the merged model"
            )
    return kept


def _matched(model: Any, peft: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...], int | None]:
    """Targets, parameters and top layers, by PEFT's rules. Linear layers that are written as parameters count as targets."""
    wanted = peft.get("target_modules")
    layers = peft.get("layers_to_transform")
    written = tuple(peft.get("target_parameters") or ())
    experts = tuple(each for each in written if not each.endswith(".weight"))
    as_weights = [each.removesuffix(".weight") for each in written if each.endswith(".weight")]
    layers = [layers] if isinstance(layers, int) else layers
    top = None if layers is None else num_layers(model) - min(layers, default=0)
    if isinstance(wanted, list) and not peft.get("exclude_modules") and not as_weights:
        return tuple(wanted), experts, top
    rules = [*(wanted if isinstance(wanted, list) else []), *as_weights]
    names = []
    for name, module in plain_modules(model):
        if not is_linear(module) and module is not base_of(model.get_input_embeddings()):
            continue
        hit = _by_words(wanted, name, module, model) if isinstance(wanted, str) else any(
            ends_with(name, each) for each in rules
        )  # fmt: skip
        exact = isinstance(wanted, str) or name in rules
        if hit and (exact or layers is None or layer_of(name) in layers) and not _excluded(peft, name):
            names.append(name)
    return tuple(names), experts, None


def _by_words(words: str, name: str, module: nn.Module, model: Any) -> bool:
    """Whether a regular expression of PEFT, or its word for all linear layers, selects a module."""
    if words.lower() == "all-linear":
        return is_linear(module) and module is not base_of(model.get_output_embeddings())
    return re.fullmatch(words, name) is not None


def _excluded(peft: dict[str, Any], name: str) -> bool:
    rules = peft.get("exclude_modules") or []
    return (
        re.fullmatch(rules, name) is not None
        if isinstance(rules, str)
        else any(ends_with(name, each) for each in rules)
    )


def _shapes(target: Target, config: LoraConfig) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the weights of one target."""
    shapes: dict[str, tuple[int, ...]] = {}
    module: Any = target.module
    if not target.parameters:
        r = config.rank(target.name)
        if is_linear(module):
            inputs, outputs = linear_sizes(module)
            return {
                f"{PREFIX}{target.name}.lora_A.weight": (r, inputs),
                f"{PREFIX}{target.name}.lora_B.weight": (outputs, r),
            }
        return {
            f"{PREFIX}{target.name}.lora_embedding_A": (r, module.num_embeddings),
            f"{PREFIX}{target.name}.lora_embedding_B": (module.embedding_dim, r),
        }
    prefixes = expert_prefixes(target.name, len(target.parameters))
    for name, full, prefix in zip(target.parameters, names_of(target), prefixes, strict=True):
        num_experts, inputs, outputs = expert_sizes(module, getattr(module, name))
        r = config.rank(full) * num_experts
        shapes |= {f"{PREFIX}{prefix}.lora_A.weight": (r, inputs), f"{PREFIX}{prefix}.lora_B.weight": (outputs, r)}
    return shapes
