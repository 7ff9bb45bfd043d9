"""The shape of a model, read from its configuration for a training plan. No weights are loaded or fetched."""

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from verigym.core.errors import NotFound
from verigym.model import embedded
from verigym.model.construction import ONE_MODEL_AT_A_TIME
from verigym.model.coverage import Coverage

if TYPE_CHECKING:
    from verigym.model.lora import LoraConfig


NF4_BLOCK = 64
NF4_BITS = 4 + 8 / NF4_BLOCK + 32 / (256 * NF4_BLOCK)
"""Bits per weight in 4 bits, with the two levels of block sizes (see `nf4.py`)."""


class Shape(Struct, frozen=True, kw_only=True):
    name: str
    hidden: int
    inner: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    parameters: int
    active: int
    """Parameters that process one token, including the output layer. Fewer than all in a mixture of experts."""
    bytes_per_weight: int
    outside: int = 0
    """Parameters of the embeddings and of an output layer of its own. 0 if they are not known."""
    quantizable: int = 0
    """Weights of linear layers and experts that qlora stores in 4 bits."""


def read_shape(name: str, device: str | None = None) -> Shape:
    """The shape of `smollm2-135m`, a folder or a Hugging Face model id, in the precision that `device` loads it in."""
    from verigym.model.devices import default_device, default_dtype

    return shape_of(config_of(name), name, default_dtype(device or default_device()).itemsize)


def config_of(name: str) -> Any:
    """The configuration of a model, as transformers reads it."""
    from transformers import AutoConfig

    from verigym.model.hub import is_local
    from verigym.model.load import open_named

    if name == embedded.NAME and not embedded.is_pulled():
        raise NotFound(f"{name} is not on this machine yet. Run: verigym models pull {name}")
    local = is_local(name)
    return open_named(
        name, lambda source, offline: AutoConfig.from_pretrained(source, local_files_only=local or offline)
    )


def read_coverage(name: str, adapter: "LoraConfig") -> Coverage:
    """What a new adapter would adapt in a model. No weights are loaded or fetched. Refuses targets that the model lacks."""
    from verigym.model.lora_targets import check_config, coverage

    model = without_weights(name)
    check_config(model, adapter)
    return coverage(model, adapter)


def without_weights(name: str) -> Any:
    """The layers of a model, without their weights."""
    return _without_weights(config_of(name))


def _without_weights(config: Any) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    with ONE_MODEL_AT_A_TIME, torch.device("meta"):
        return AutoModelForCausalLM.from_config(config)


def shape_of(config: object, name: str, bytes_per_weight: int) -> Shape:
    """The shape from a configuration. Parameters are counted on a meta device, which is exact for every family."""
    from transformers import PretrainedConfig

    from verigym.model.nf4 import num_quantizable

    assert isinstance(config, PretrainedConfig)
    text = config.get_text_config()
    model = _without_weights(config)
    sizes = {each: parameter.numel() for each, parameter in model.named_parameters()}
    experts = getattr(text, "num_local_experts", None) or getattr(text, "num_experts", None) or 1
    chosen = getattr(text, "num_experts_per_tok", None) or 1
    idle = sum(size for each, size in sizes.items() if ".experts." in each) * (1 - min(1.0, chosen / experts))
    embedding = text.vocab_size * text.hidden_size
    looked_up = 0 if text.tie_word_embeddings else embedding  # a lookup without a product
    heads = getattr(text, "num_attention_heads", None) or 0  # Mamba has no attention
    return Shape(
        name=name,
        hidden=text.hidden_size,
        inner=getattr(text, "intermediate_size", None) or 4 * text.hidden_size,
        layers=text.num_hidden_layers,
        heads=heads,
        kv_heads=(getattr(text, "num_key_value_heads", None) or heads) if heads else 0,
        head_size=(getattr(text, "head_dim", None) or text.hidden_size // heads) if heads else 0,
        vocabulary=text.vocab_size,
        parameters=sum(sizes.values()),
        active=round(sum(sizes.values()) - idle - looked_up),
        bytes_per_weight=bytes_per_weight,
        outside=embedding + looked_up,
        quantizable=num_quantizable(model),
    )
