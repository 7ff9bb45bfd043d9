"""Loads a model and its tokenizer by name: `smollm2-135m` (embedded), a local folder, or a Hugging Face model id."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from verigym.core.errors import BadInput, NotFound
from verigym.core.printable import warn
from verigym.model import embedded
from verigym.model.attention import with_cap
from verigym.model.construction import ONE_MODEL_AT_A_TIME
from verigym.model.devices import default_device, default_dtype
from verigym.model.lora_targets import is_mamba
from verigym.model.mamba_memory import missing_kernels, shorten_chunks
from verigym.model.nf4 import Quantized, quantize


class LoadedModel(NamedTuple):
    model: Any
    """A transformers causal LM in evaluation mode with frozen parameters. Only adapters are trained."""
    tokenizer: Any
    name: str
    quantized: Quantized = ""


def _say(line: str) -> None:
    warn(line)


def load_tokenizer(name: str) -> Any:
    """Loads only the tokenizer."""
    return open_named(name, lambda source, local: AutoTokenizer.from_pretrained(source, local_files_only=local))


def load(
    name: str, *, device: str | None = None, dtype: torch.dtype | None = None, quantized: Quantized = ""
) -> LoadedModel:
    """Loads `name`. The embedded model is pulled first if needed. With `quantized`, its linear layers are stored in 4 bits. They
    are quantised one by one, so the device never holds the model in 16 bits."""
    tokenizer = load_tokenizer(name)
    return LoadedModel(load_model(name, device=device, dtype=dtype, quantized=quantized), tokenizer, name, quantized)


def load_model(
    name: str, *, device: str | None = None, dtype: torch.dtype | None = None, quantized: Quantized = ""
) -> Any:
    """The model of `load` without its tokenizer."""
    device = device or default_device()
    with ONE_MODEL_AT_A_TIME:
        model = open_named(
            name,
            lambda source, local: AutoModelForCausalLM.from_pretrained(
                source, dtype=dtype or default_dtype(device), local_files_only=local
            ),
        )
    model.requires_grad_(False)
    if words := slow_layers(model, device):
        warn(words)
    if quantized:
        quantize(model, device)
    shorten_chunks(model)
    return with_cap(model).to(device).eval()


def slow_layers(model: Any, device: str) -> str:
    """What to install if Mamba layers on a GPU have no kernels. Empty otherwise."""
    missing = missing_kernels()
    if not missing or not device.startswith("cuda") or not any(map(is_mamba, model.modules())):
        return ""
    return (
        f"{type(model).__name__}: Mamba layers run without kernels, which gives the same results many times slower. "
        f"Install them with: {sys.executable} -m pip install {' '.join(missing)}"
    )


def open_named(name: str, read: Callable[[str, bool], Any]) -> Any:
    """Calls `read` with the folder or Hugging Face model id of a name and translates its errors."""
    source = str(embedded.pull(say=_say)) if name == embedded.NAME else name
    if Path(source).is_dir() and not (Path(source) / "config.json").exists():
        raise BadInput(f"{source} is not a model folder. It has no config.json")
    logging.disable_progress_bar()
    local = Path(source).is_dir() or bool(os.environ.get("HF_HUB_OFFLINE"))
    try:
        return read(source, local)
    except (OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0].rstrip(".")
        raise NotFound(
            f'Model "{name}" cannot be loaded: {first}. Name "{embedded.NAME}" (embedded), a folder with config.json, '
            "or a Hugging Face model id."
        ) from error
