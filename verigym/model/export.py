"""Merges a base model and an adapter into weights that transformers can load. The base is never written to."""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import GenerationConfig

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Sampling
from verigym.model import lora, lora_files
from verigym.model.load import load
from verigym.model.lora_targets import find_targets
from verigym.model.nf4 import Quantized, dequantize


def save_merged(
    base: str, adapter: Path | None, folder: Path, sampling: Sampling | None, quantized: Quantized = ""
) -> None:
    """Writes weights, configuration, tokenizer and generation settings into `folder`. Weights are merged in float32 and stored
    in the precision of the base model. Those of a 4-bit base are what they are after dequantisation."""
    as_kept: Any = "auto"
    model, tokenizer, *_ = load(base, device="cpu", dtype=as_kept, quantized=quantized)
    dequantize(model)
    if adapter is not None:
        _merge(model, lora_files.read(model, adapter))
    model.generation_config = _generation(model.generation_config, sampling)
    try:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    except (OSError, SafetensorError) as error:
        raise InfrastructureFailure(
            f"{folder}: the weights could not be written ({error}). Free some disk space and try again"
        ) from error


@torch.no_grad()
def _merge(model: Any, adapter: lora.LoraAdapter) -> None:
    if adapter.config.head:
        raise Refused("A reward model cannot be merged into a language model. Remove --merged")
    targets = find_targets(model, adapter.config)
    if any(target.module in (model.get_input_embeddings(), model.get_output_embeddings()) for target in targets):
        _untie(model)
    lora.use(model, adapter)
    for _, module in list(lora.adapted(model)):
        for weight, changed in module.merged():
            weight.copy_(changed.to(weight.dtype))
    lora.detach(model)


def _untie(model: Any) -> None:
    """Gives embeddings and output layer weights of their own, because only one of them changes."""
    output = model.get_output_embeddings()
    if output.weight is model.get_input_embeddings().weight:
        output.weight = torch.nn.Parameter(output.weight.detach().clone(), requires_grad=False)
        model.config.get_text_config().tie_word_embeddings = False


def _generation(base: GenerationConfig, sampling: Sampling | None) -> GenerationConfig:
    """The generation settings of the base model, overridden by those of the version. Temperature 0 is greedy."""
    if sampling is None:
        return base
    settings: dict[str, Any] = {"max_new_tokens": sampling.max_tokens, "do_sample": sampling.temperature > 0}
    if sampling.temperature > 0:
        settings |= {"temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": sampling.top_k}
        settings |= {"min_p": sampling.min_p} if sampling.min_p else {}
    ids = {name: getattr(base, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    return GenerationConfig(**ids, **settings)
