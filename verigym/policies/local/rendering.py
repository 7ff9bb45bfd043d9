"""The renderer of a model that runs elsewhere: from its tokenizer and settings, without its weights.

It makes the same ids as the renderer of the loaded model, so a policy on an engine reads and writes what a local one does.
"""

import functools
from typing import Any

from verigym.model.load import load_tokenizer, open_named
from verigym.model.untrained import untrained_in_files
from verigym.policies.render import Renderer


def renderer_of(base: str) -> Renderer:
    """The renderer of a base model: `smollm2-135m`, a folder or a Hugging Face model id."""
    render = Renderer(load_tokenizer(base), functools.partial(untrained_in_files, base))
    add_stop_ids(render, _generation_settings(base))
    return render


def add_stop_ids(render: Renderer, settings: Any) -> None:
    """Adds the end tokens that a model's generation settings name to those of its tokenizer."""
    more: Any = getattr(settings, "eos_token_id", None)
    render.stop_ids |= {id for id in (more if isinstance(more, list) else [more]) if id is not None}


def _generation_settings(base: str) -> Any:
    """The generation settings of a model. Without a file, they are those of its configuration, as in transformers."""
    from transformers import AutoConfig, GenerationConfig

    def read(source: str, local: bool) -> Any:
        try:
            return GenerationConfig.from_pretrained(source, local_files_only=local)
        except OSError:
            return GenerationConfig.from_model_config(AutoConfig.from_pretrained(source, local_files_only=local))

    return open_named(base, read)
