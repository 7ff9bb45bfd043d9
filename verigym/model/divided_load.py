"""Loads a model that is divided among ranks part by part: each rank reads only its part of every layer from the files.

That needs safetensors files whose names are those of the model's parameters. `readable` tells if it is so. Other models are
loaded whole on every rank and then divided.
"""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor
from torch.distributed.tensor import DTensor
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils.hub import cached_file, get_checkpoint_shard_files

from verigym.model import shards
from verigym.model.attention import with_cap
from verigym.model.construction import ONE_MODEL_AT_A_TIME
from verigym.model.load import load_model, open_named

_ONE, _INDEX = "model.safetensors", "model.safetensors.index.json"


def load_divided(name: str, world: int, *, device: str, dtype: torch.dtype, by_parts: bool) -> Any:
    """The model `name` with its layers divided. All ranks must call it, with the same `by_parts` (see `readable`)."""
    if not by_parts:
        model = load_model(name, device=device, dtype=dtype)
        shards.divide(model, world)
        return model
    model, files = _empty(name, dtype), _files(name)
    shards.divide(model, world, device)
    model.to_empty(device=device)
    model.tie_weights()  # each module got memory of its own
    _fill_buffers(model)
    _read(model, files)
    return model.eval()


def readable(name: str, dtype: torch.dtype) -> bool:
    """Whether a model can be loaded part by part."""
    files = _files(name)
    if not files:
        return False
    model = _empty(name, dtype)
    if getattr(model, "_keep_in_fp32_modules", None) or getattr(model, "_keep_in_fp32_modules_strict", None):
        return False
    shapes = {parameter: tuple(value.shape) for parameter, value in model.named_parameters()}
    with ExitStack() as stack:
        stored: dict[str, tuple[int, ...]] = {}
        for file in files:
            opened = stack.enter_context(safe_open(file, "pt"))
            stored |= {key: tuple(opened.get_slice(key).get_shape()) for key in opened.keys()}  # noqa: SIM118
    if any(stored.get(parameter) != shape for parameter, shape in shapes.items()):
        return False
    states = model.state_dict()
    if any(buffer in states for buffer, _ in model.named_buffers()):
        return False  # it is stored
    for module in model.modules():  # the buffers are tried on the CPU
        module._buffers = {
            each: value if value is None else torch.empty_like(value, device="cpu")
            for each, value in module._buffers.items()
        }
    return _fill_buffers(model)


def _empty(name: str, dtype: torch.dtype) -> Any:
    """The model without memory for its weights."""
    config = open_named(name, lambda source, local: AutoConfig.from_pretrained(source, local_files_only=local))
    with ONE_MODEL_AT_A_TIME, torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    return with_cap(model).requires_grad_(False)


def _files(name: str) -> list[Path]:
    """The safetensors files of a model. Empty if it has none."""

    def read(source: str, local: bool) -> list[Path]:
        given: dict[str, Any] = {
            "local_files_only": local,
            "_raise_exceptions_for_missing_entries": False,
            "_raise_exceptions_for_connection_errors": False,
        }
        if one := cached_file(source, _ONE, **given):
            return [Path(one)]
        index = cached_file(source, _INDEX, **given)
        if not index:
            return []
        if Path(source).is_dir():
            names = set(json.loads(Path(index).read_text())["weight_map"].values())
            return [Path(source) / each for each in sorted(names)]
        found, _ = get_checkpoint_shard_files(source, index, local_files_only=local)
        return [Path(each) for each in found]

    return open_named(name, read)


@torch.no_grad()
def _fill_buffers(model: Any) -> bool:
    """Computes the buffers of a model that was made without memory. False if one is left out."""
    for module in model.modules():
        own = [value for value in module._buffers.values() if value is not None]
        for value in own:
            if value.is_floating_point():
                value.fill_(float("nan"))  # so that one that is left out shows
        if own:
            model._init_weights(module)
    found = [value for value in model.buffers() if value.device.type != "meta"]
    return all(value.is_floating_point() and not bool(value.isnan().any()) for value in found)


@torch.no_grad()
def _read(model: Any, files: list[Path]) -> None:
    """Reads this rank's part of each parameter."""
    parameters: dict[str, Any] = dict(model.named_parameters())
    for file in files:
        with safe_open(file, "pt") as opened:
            for name in opened.keys():  # noqa: SIM118
                parameter = parameters.get(name)
                if parameter is None:
                    continue
                stored = opened.get_slice(name)
                if isinstance(parameter, DTensor):
                    own: Any = parameter.to_local()
                    own.copy_(_rows(stored, parameter))
                else:
                    parameter.copy_(stored[:])


def _rows(stored: Any, parameter: DTensor) -> Tensor:
    """The rows of this rank: the parts are those of `torch.chunk`."""
    mesh = parameter.device_mesh
    size = -(-parameter.shape[0] // mesh.size())
    first = min(mesh.get_local_rank() * size, parameter.shape[0])
    return stored[first : min(first + size, parameter.shape[0])]
