"""Checks weights that were trained elsewhere before they become a version: they fit their base, and they are numbers."""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils import logging

from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.model import lora_files
from verigym.model.construction import ONE_MODEL_AT_A_TIME
from verigym.model.load import load_model, load_tokenizer, open_named

_COMPARED = ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")


def check_adapter(base: str, folder: Path) -> list[str]:
    """Refuses an adapter that does not fit the base model or is not finite. Returns warnings."""
    adapter = lora_files.read(load_model(base, device="cpu"), folder)
    if adapter.config.head:
        raise Refused(f"{folder} is a reward model, which has no replies. Verigym imports models that reply")
    for name, weight in adapter.weights.items():
        _check_finite(folder, name, weight)
    second = [weight for name, weight in adapter.weights.items() if ".lora_B." in name or "embedding_B" in name]
    if second and not any(bool(weight.any()) for weight in second):
        return [f"{folder}: the adapter changes nothing, because all its B matrices are zero. It looks untrained"]
    return []


def check_checkpoint(folder: Path, base: str) -> list[str]:
    """Refuses a whole model that has another shape than its base, lacks weights or is not finite. Returns warnings."""
    ours, theirs = _config(str(folder)), _config(base)
    for name in _COMPARED:
        mine, other = getattr(ours, name, None), getattr(theirs, name, None)
        if mine != other:
            raise Refused(
                f"{folder}: the checkpoint is not of the base model {base}: {name} is {mine}, and {other} in the base. "
                "Name the model that the training began with: --base MODEL"
            )
    warnings: list[str] = []
    if ours.vocab_size != theirs.vocab_size:
        warnings.append(f"{folder}: the vocabulary has {ours.vocab_size} tokens, and {theirs.vocab_size} in {base}")
    logging.disable_progress_bar()
    try:
        with ONE_MODEL_AT_A_TIME:
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype="auto", local_files_only=True, output_loading_info=True, ignore_mismatched_sizes=True
            )
    except (OSError, ValueError, SafetensorError) as error:
        first = str(error).strip().splitlines()[0]
        raise BadInput(f"{folder}: the checkpoint cannot be loaded: {first}") from error
    model, info = loaded
    odd: dict[str, Any] = {kind: sorted(map(str, info[f"{kind}_keys"])) for kind in ("missing", "mismatched")}
    for kind, words in (("missing", "are missing"), ("mismatched", "have another shape")):
        if odd[kind]:
            raise BadInput(
                f"{folder}: {len(odd[kind])} weights {words}, such as {odd[kind][0]}. The checkpoint is not whole"
            )
    if info["unexpected_keys"]:
        warnings.append(f"{folder}: {len(info['unexpected_keys'])} weights are unknown to the model and are not used")
    for name, weight in model.named_parameters():
        _check_finite(folder, name, weight)
    return warnings


def _config(name: str) -> Any:
    config = open_named(name, lambda source, local: AutoConfig.from_pretrained(source, local_files_only=local))
    return config.get_text_config()


def _check_finite(folder: Path, name: str, weight: torch.Tensor) -> None:
    if weight.is_floating_point() and not bool(torch.isfinite(weight).all()):
        raise BadInput(
            f"{folder}: {name} contains NaN or infinity, so the training diverged. Import an earlier checkpoint"
        )


def save_whole(folder: Path, out: Path, base: str) -> None:
    """Copies a checkpoint into `out` with its weights in one file and a tokenizer, which is that of the base if it has none."""
    parts = sorted(folder.glob("model-*-of-*.safetensors"))
    try:
        weights = {name: tensor for part in parts for name, tensor in load_file(part).items()}
        save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
        if not (folder / "tokenizer_config.json").is_file():
            load_tokenizer(base).save_pretrained(out)
    except (OSError, SafetensorError) as error:
        raise InfrastructureFailure(f"{folder}: the weights cannot be copied ({error})") from error


def add_tokenizer(out: Path, base: str) -> None:
    """Adds the tokenizer of the base to a model folder."""
    load_tokenizer(base).save_pretrained(out)
