"""A GGUF file as a model folder: weights in half precision, tokenizer and chat template.

Half precision rounds far less than the quantisation of the file. A file often holds the embedding and the output matrix apart
although the model has one for both. They are then the same numbers in two precisions, and the output matrix, which is stored
in the finer one, is kept for both.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from verigym.model.construction import ONE_MODEL_AT_A_TIME

_SAME = 0.15
"""Two copies of one matrix differ by at most this share of its norm after quantisation. Others differ by more than 1."""


def convert(gguf: Path, out: Path, name: str) -> None:
    """Writes the model of `gguf` into the new folder `out`. `name` is stored as where the model comes from."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    source: dict[str, Any] = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    bar = contextlib.nullcontext() if sys.stderr.isatty() else contextlib.redirect_stderr(io.StringIO())
    with ONE_MODEL_AT_A_TIME, bar:  # show the progress bar of transformers only in a terminal
        model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(**source)
    out.mkdir(parents=True)
    tokenizer.save_pretrained(out)
    weights = dict(model.state_dict())
    config = model.config.to_dict()
    embedding, head = model.get_input_embeddings().weight, model.get_output_embeddings()
    output: Any = embedding if head is None else head.weight
    tied = embedding is output or bool((embedding - output).norm() <= _SAME * output.norm())
    if tied:
        [shared] = [name for name, tensor in model.named_parameters() if tensor is embedding]
        weights[shared] = output.detach()
        weights.pop("lm_head.weight", None)
    halves = {name: tensor.half().contiguous() for name, tensor in weights.items()}
    save_file(halves, out / "model.safetensors", metadata={"format": "pt"})
    del config["quantization_config"]  # the weights are no longer quantised
    config |= {"architectures": [type(model).__name__], "dtype": "float32", "_name_or_path": name}
    if "tie_word_embeddings" in config or not tied:
        config["tie_word_embeddings"] = tied
    (out / "config.json").write_text(json.dumps(config, indent=2))  # last, because it marks the folder as complete
