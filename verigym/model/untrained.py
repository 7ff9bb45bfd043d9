"""Finds tokens that a model never learnt to write.

Some models have a token in their vocabulary and in their chat template that no training text contained, such as `<tool_call>` in
Qwen2.5-Coder. Its row of the output layer still is what it was at the start, like the rows of all other unused tokens. They get
the same logit in every context, so the model cannot choose one of them. An adapter on the decoder layers does not change that.

The rows are those of a loaded model, or of its files if the model itself runs elsewhere.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from verigym.core.printable import warn
from verigym.model.load import open_named
from verigym.model.lora_layers import base_of

_SAME = 0.01
"""Rows are the same if their distance is below this share of their length. Files with few bits per weight blur equal rows."""
_ROWS = 1 << 15
"""Rows that are compared at once."""
_HEADS = ("lm_head.weight", "embed_out.weight", "output.weight")
_EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "embeddings.weight", "embedding.weight")
"""Names of the output layer, and of the embedding that a model without one uses as its output layer."""


@torch.no_grad()
def untrained_tokens(model: Any, ids: Sequence[int]) -> set[int]:
    """Those of the tokens whose row of the output layer also is the row of another token."""
    head = model.get_output_embeddings()
    weight_VH = None if head is None else base_of(head).weight
    if weight_VH is None or not weight_VH.is_floating_point():
        return set()
    return _repeated(weight_VH.__getitem__, lambda: weight_VH.split(_ROWS), ids)


@torch.no_grad()
def untrained_in_files(name: str, ids: Sequence[int]) -> set[int]:
    """The same by the files of a model, of which only the output layer is read. If it cannot be found, a warning says so."""
    if not ids:
        return set()
    try:
        return open_named(name, lambda source, local: _in_files(source, local, ids))
    except Exception as error:  # any fault of the hub's client or of a file: the model itself is loaded elsewhere
        warn(
            f"The output layer of {name} cannot be read, so all tags count as trained ({type(error).__name__}: {error})"
        )
        return set()


def _in_files(source: str, local: bool, ids: Sequence[int]) -> set[int]:
    from safetensors import safe_open

    file, name = _head_file(source, local)
    with safe_open(file, framework="pt") as opened:
        rows = opened.get_slice(name)
        count = rows.get_shape()[0]

        def parts() -> Iterable[torch.Tensor]:
            return (rows[start : start + _ROWS] for start in range(0, count, _ROWS))

        return _repeated(lambda id: rows[id : id + 1][0], parts, [id for id in ids if id < count])


def _head_file(source: str, local: bool) -> tuple[str, str]:
    """The file with the output layer, and its name in the file."""
    from safetensors import safe_open
    from transformers.utils.hub import cached_file

    def found(file: str) -> str | None:
        return cached_file(source, file, local_files_only=local, _raise_exceptions_for_missing_entries=False)  # type: ignore[no-any-return]

    if index := found("model.safetensors.index.json"):
        files: dict[str, str] = json.loads(Path(index).read_text())["weight_map"]
        name = _head_name(files)
        return str(found(files[name])), name
    whole = found("model.safetensors")
    if whole is None:
        raise FileNotFoundError("it has no file model.safetensors")
    with safe_open(whole, framework="pt") as opened:
        return whole, _head_name(opened.keys())


def _head_name(names: Iterable[str]) -> str:
    names = sorted(names, key=len)
    for endings in (_HEADS, _EMBEDDINGS):
        for name in names:
            if name.endswith(endings):
                return name
    raise KeyError("its files name no output layer")


def _repeated(
    row_of: Callable[[int], torch.Tensor], parts: Callable[[], Iterable[torch.Tensor]], ids: Sequence[int]
) -> set[int]:
    """Those of the rows that occur more than once."""
    found: set[int] = set()
    for id in ids:
        row_H = row_of(id).float()
        near = torch.zeros((), dtype=torch.long, device=row_H.device)
        for part_NH in parts():
            near = near + ((part_NH.float() - row_H).norm(dim=1) < _SAME * row_H.norm()).sum()
        if int(near) > 1:
            found.add(id)
    return found
