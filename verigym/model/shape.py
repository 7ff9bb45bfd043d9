"""The shape of a model, read from its configuration for a training plan. No weights are loaded or fetched."""

from msgspec import Struct

from verigym.core.errors import NotFound
from verigym.model import embedded


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


def read_shape(name: str, device: str | None = None) -> Shape:
    """The shape of `smollm2-135m`, a folder or a Hugging Face model id, in the precision that `device` loads it in."""
    from transformers import AutoConfig

    from verigym.model.hub import is_local
    from verigym.model.load import default_device, default_dtype, open_named

    if name == embedded.NAME and not embedded.is_pulled():
        raise NotFound(f"{name} is not on this machine yet. Run: verigym models pull {name}")
    local = is_local(name)
    config = open_named(
        name, lambda source, offline: AutoConfig.from_pretrained(source, local_files_only=local or offline)
    )
    return shape_of(config, name, default_dtype(device or default_device()).itemsize)


def shape_of(config: object, name: str, bytes_per_weight: int) -> Shape:
    """The shape from a configuration. Parameters are counted on a meta device, which is exact for every family."""
    import torch
    from transformers import AutoModelForCausalLM, PretrainedConfig

    assert isinstance(config, PretrainedConfig)
    text = config.get_text_config()
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    sizes = {each: parameter.numel() for each, parameter in model.named_parameters()}
    experts = getattr(text, "num_local_experts", None) or getattr(text, "num_experts", None) or 1
    chosen = getattr(text, "num_experts_per_tok", None) or 1
    idle = sum(size for each, size in sizes.items() if ".experts." in each) * (1 - min(1.0, chosen / experts))
    embedding = text.vocab_size * text.hidden_size
    looked_up = 0 if text.tie_word_embeddings else embedding  # a lookup without a product
    return Shape(
        name=name,
        hidden=text.hidden_size,
        inner=getattr(text, "intermediate_size", None) or 4 * text.hidden_size,
        layers=text.num_hidden_layers,
        heads=text.num_attention_heads,
        kv_heads=getattr(text, "num_key_value_heads", None) or text.num_attention_heads,
        head_size=getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads,
        vocabulary=text.vocab_size,
        parameters=sum(sizes.values()),
        active=round(sum(sizes.values()) - idle - looked_up),
        bytes_per_weight=bytes_per_weight,
    )
