"""Writes a model folder as one GGUF file, which llama.cpp and programs built on it load. `gguf` reads such files.

Supported are the families Llama, Qwen2 and Qwen3 with a byte-level BPE tokenizer. Others are refused before anything is written.
Weights are read and written one tensor at a time. Vectors are stored in float32, matrices in the chosen type:

    f32   4 bytes per weight, exact
    f16   2 bytes per weight
    q8_0  8.5 bits per weight: blocks of 32 weights with one scale. A matrix whose rows are no multiple of 32 is stored as f16
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from safetensors import safe_open

from verigym.core.errors import BadInput, Refused

WeightType = Literal["f32", "f16", "q8_0"]
TYPES: tuple[WeightType, ...] = ("f32", "f16", "q8_0")
_ELSEWHERE = "Export merged weights instead (--merged), and convert that folder with convert_hf_to_gguf.py of llama.cpp"
_BLOCK = 32


class _Family(NamedTuple):
    architecture: str
    """Name in GGUF."""
    rotates_pairs: bool
    """Whether llama.cpp rotates neighbouring pairs of a head, where transformers rotates its halves. Rows of the query and key
    projections are then stored in another order."""


_FAMILIES = {
    "LlamaForCausalLM": _Family("llama", True),
    "Qwen2ForCausalLM": _Family("qwen2", False),
    "Qwen3ForCausalLM": _Family("qwen3", False),
}
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SPLITS = {_CONTRACTIONS + r"\p{N}" + _REST: "qwen2", _CONTRACTIONS + r"\p{N}{1,3}" + _REST: "llama-bpe"}
"""How text is cut into words, to llama.cpp's name of it."""


def write(folder: Path, out: Path, kind: WeightType, name: str) -> None:
    """Writes the model in `folder` (safetensors, config.json and tokenizer) to the new file `out`."""
    from gguf import MODEL_ARCH, GGUFWriter, get_tensor_name_map

    config = json.loads((folder / "config.json").read_text())
    family = _family_of(config, folder)
    tokenizer = _read_tokenizer(folder)
    cut = _word_cut(tokenizer)
    by_name = {text: architecture for architecture, text in _names().items()}
    names = get_tensor_name_map(MODEL_ARCH(by_name[family.architecture]), config["num_hidden_layers"])
    writer = GGUFWriter(out, family.architecture)
    _add_settings(writer, config, kind, name)
    _add_tokenizer(writer, tokenizer, folder, cut, config["vocab_size"])
    tensors = list(_tensors(folder))
    for tensor in tensors:
        shape, stored = _stored_as(tensor.shape, kind)
        found = names.get_name(tensor.name, try_suffixes=(".weight", ".bias"))
        if found is None:
            raise Refused(f"{folder}: GGUF has no place for the weight {tensor.name}. {_ELSEWHERE}")
        sizes = _byte_shape(shape, stored)
        writer.add_tensor_info(found, sizes, _dtype(stored), _num_bytes(shape, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor in tensors:
        writer.write_tensor_data(_converted(tensor, config, family, kind))
    writer.close()


def check(folder: Path) -> None:
    """Refuses a model that `write` cannot write, by its configuration and tokenizer alone."""
    _family_of(json.loads((folder / "config.json").read_text()), folder)
    _word_cut(_read_tokenizer(folder))


def _family_of(config: dict[str, Any], folder: Path) -> _Family:
    architecture = (config.get("architectures") or ["unknown"])[0]
    if architecture not in _FAMILIES:
        known = ", ".join(name.removesuffix("ForCausalLM") for name in _FAMILIES)
        raise Refused(f"{folder}: {architecture} cannot be written as GGUF. Supported families: {known}. {_ELSEWHERE}")
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    scaling = rope.get("rope_type", rope.get("type", "default"))
    if scaling not in ("default", "linear"):
        raise Refused(f'{folder}: positions are scaled by "{scaling}", which is not written as GGUF. {_ELSEWHERE}')
    if config.get("use_sliding_window"):
        raise Refused(f"{folder}: the model uses a sliding window, which is not written as GGUF. {_ELSEWHERE}")
    return _FAMILIES[architecture]


# -- settings and tokenizer ---------------------------------------------------------------------------------------------------


def _add_settings(writer: Any, config: dict[str, Any], kind: WeightType, name: str) -> None:
    from gguf import GGML_QUANT_VERSION, LlamaFileType, RopeScalingType

    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    writer.add_name(name)
    writer.add_file_type(
        {"f32": LlamaFileType.ALL_F32, "f16": LlamaFileType.MOSTLY_F16}.get(kind, LlamaFileType.MOSTLY_Q8_0)
    )
    writer.add_quantization_version(GGML_QUANT_VERSION)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config.get("num_key_value_heads") or config["num_attention_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(rope.get("rope_theta") or config.get("rope_theta") or 10000.0)
    writer.add_rope_dimension_count(head)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_vocab_size(config["vocab_size"])
    if rope.get("rope_type", rope.get("type")) == "linear":
        writer.add_rope_scaling_type(RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])


def _read_tokenizer(folder: Path) -> dict[str, Any]:
    try:
        return json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{folder}: tokenizer.json cannot be read ({error}), and GGUF needs it. {_ELSEWHERE}") from error


def _word_cut(tokenizer: dict[str, Any]) -> str:
    """llama.cpp's name of how the tokenizer cuts text into words before it merges bytes."""
    model, before = tokenizer["model"], tokenizer.get("pre_tokenizer") or {}
    steps = before.get("pretokenizers", [before])
    kinds = [step.get("type") for step in steps]
    if model.get("type") == "BPE" and not model.get("byte_fallback") and kinds[-1:] == ["ByteLevel"]:
        if kinds == ["ByteLevel"] and steps[0].get("use_regex", True) and not steps[0].get("add_prefix_space"):
            return "gpt-2"
        if kinds == ["Digits", "ByteLevel"] and steps[0].get("individual_digits"):
            return "smollm"
        if kinds == ["Split", "ByteLevel"] and steps[0].get("pattern", {}).get("Regex") in _SPLITS:
            return _SPLITS[steps[0]["pattern"]["Regex"]]
    raise Refused(
        f"The tokenizer ({model.get('type')}, {', '.join(map(str, kinds))}) has no name that llama.cpp knows, so the file would "
        f"cut text in another way. {_ELSEWHERE}"
    )


def _add_tokenizer(writer: Any, tokenizer: dict[str, Any], folder: Path, cut: str, size: int) -> None:
    from gguf import TokenType

    tokens = {id: token for token, id in tokenizer["model"]["vocab"].items()}
    kinds = dict.fromkeys(tokens, TokenType.NORMAL)
    for added in tokenizer.get("added_tokens", []):
        tokens[added["id"]] = added["content"]
        kinds[added["id"]] = TokenType.CONTROL if added["special"] else TokenType.USER_DEFINED
    if tokens and max(tokens) >= size:
        raise BadInput(f"{folder}: the tokenizer has {max(tokens) + 1} tokens, but the model only {size}")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(cut)
    writer.add_token_list([tokens.get(id, f"[PAD{id}]") for id in range(size)])
    writer.add_token_types([kinds.get(id, TokenType.UNUSED) for id in range(size)])
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    settings = _settings(folder)
    ids = {token: id for id, token in tokens.items()}
    for name, add in (
        ("bos_token", writer.add_bos_token_id),
        ("eos_token", writer.add_eos_token_id),
        ("unk_token", writer.add_unk_token_id),
        ("pad_token", writer.add_pad_token_id),
    ):
        token = settings.get(name)
        token = token.get("content") if isinstance(token, dict) else token
        if token in ids:
            add(ids[token])
    writer.add_add_bos_token(bool(settings.get("add_bos_token", False)))
    template = settings.get("chat_template") or _text(folder / "chat_template.jinja")
    if isinstance(template, str) and template:
        writer.add_chat_template(template)


def _settings(folder: Path) -> dict[str, Any]:
    text = _text(folder / "tokenizer_config.json")
    return json.loads(text) if text else {}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


# -- weights ------------------------------------------------------------------------------------------------------------------


class _Tensor(NamedTuple):
    name: str
    shape: tuple[int, ...]
    file: Path


def _tensors(folder: Path) -> Iterator[_Tensor]:
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise BadInput(f"{folder}: there are no weights (*.safetensors)")
    for file in files:
        with safe_open(file, "pt") as weights:
            for name in weights.keys():  # noqa: SIM118 (it is no dict)
                yield _Tensor(name, tuple(weights.get_slice(name).get_shape()), file)


def _stored_as(shape: tuple[int, ...], kind: WeightType) -> tuple[tuple[int, ...], Any]:
    from gguf import GGMLQuantizationType

    if len(shape) < 2 or kind == "f32":
        return shape, GGMLQuantizationType.F32
    if kind == "q8_0" and shape[-1] % _BLOCK == 0:
        return shape, GGMLQuantizationType.Q8_0
    return shape, GGMLQuantizationType.F16


def _converted(tensor: _Tensor, config: dict[str, Any], family: _Family, kind: WeightType) -> np.ndarray:
    from gguf import GGMLQuantizationType
    from gguf.quants import quantize

    with safe_open(tensor.file, "pt") as weights:
        values = weights.get_tensor(tensor.name).to(torch.float32).numpy()
    if family.rotates_pairs and ".self_attn." in tensor.name:
        heads = config["num_attention_heads"]
        if ".q_proj." in tensor.name:
            values = _in_pairs(values, heads)
        elif ".k_proj." in tensor.name:
            values = _in_pairs(values, config.get("num_key_value_heads") or heads)
    _, stored = _stored_as(tensor.shape, kind)
    if stored == GGMLQuantizationType.F32:
        return np.ascontiguousarray(values, np.float32)
    if stored == GGMLQuantizationType.F16:
        return np.ascontiguousarray(values, np.float16)
    return quantize(np.ascontiguousarray(values), stored)


def _in_pairs(values: np.ndarray, num_heads: int) -> np.ndarray:
    """Rows of each head in the order 0, half, 1, half + 1, ..."""
    halves = values.reshape(num_heads, 2, values.shape[0] // num_heads // 2, *values.shape[1:])
    return halves.swapaxes(1, 2).reshape(values.shape)


def _dtype(stored: Any) -> np.dtype:
    from gguf import GGMLQuantizationType

    kinds = {GGMLQuantizationType.F32: np.float32, GGMLQuantizationType.F16: np.float16}
    return np.dtype(kinds.get(stored, np.uint8))


def _byte_shape(shape: tuple[int, ...], stored: Any) -> tuple[int, ...]:
    """The shape as `GGUFWriter` wants it: for blocks, the last size is in bytes."""
    from gguf import GGMLQuantizationType
    from gguf.quants import quant_shape_to_byte_shape

    return tuple(quant_shape_to_byte_shape(shape, stored)) if stored == GGMLQuantizationType.Q8_0 else shape


def _num_bytes(shape: tuple[int, ...], stored: Any) -> int:
    return int(np.prod(_byte_shape(shape, stored), dtype=np.int64)) * _dtype(stored).itemsize


def _names() -> dict[Any, str]:
    from gguf import MODEL_ARCH_NAMES

    return MODEL_ARCH_NAMES
