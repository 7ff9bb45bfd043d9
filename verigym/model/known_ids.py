"""Ids of common models, to suggest the real one when an id is unknown. A suggestion only: every other id works as well.

Ids in the cache of the Hugging Face hub on this machine are suggested too.
"""

import difflib
import os
import re
from pathlib import Path

KNOWN = (
    "HuggingFaceTB/SmolLM2-135M-Instruct",
    "HuggingFaceTB/SmolLM2-360M-Instruct",
    "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "HuggingFaceTB/SmolLM3-3B",
    "Qwen/Qwen2.5-0.5B-Instruct",
    "Qwen/Qwen2.5-1.5B-Instruct",
    "Qwen/Qwen2.5-3B-Instruct",
    "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen2.5-Coder-0.5B-Instruct",
    "Qwen/Qwen2.5-Coder-1.5B-Instruct",
    "Qwen/Qwen2.5-Coder-7B-Instruct",
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-1.7B",
    "Qwen/Qwen3-4B",
    "Qwen/Qwen3-4B-Instruct-2507",
    "Qwen/Qwen3-4B-Thinking-2507",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-14B",
    "Qwen/Qwen3-30B-A3B-Instruct-2507",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
    "google/gemma-2-2b-it",
    "google/gemma-3-1b-it",
    "google/gemma-3-4b-it",
    "meta-llama/Llama-3.1-8B-Instruct",
    "meta-llama/Llama-3.2-1B-Instruct",
    "meta-llama/Llama-3.2-3B-Instruct",
    "microsoft/Phi-3-mini-4k-instruct",
    "microsoft/Phi-3.5-mini-instruct",
    "microsoft/Phi-4-mini-instruct",
    "mistralai/Ministral-8B-Instruct-2410",
    "mistralai/Mistral-7B-Instruct-v0.3",
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    "nvidia/NVIDIA-Nemotron-Nano-12B-v2",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "nvidia/Llama-3.1-Nemotron-Nano-8B-v1",
    "openai/gpt-oss-20b",
    "openai/gpt-oss-120b",
)
_NEAR = 0.75
"""Least similarity of a suggestion, from 0 to 1."""


def nearest_id(name: str) -> str:
    """The known or cached id that is most like `name`. Empty if none is like it."""
    ids = [*KNOWN, *cached_ids()]
    if name in ids:
        return ""
    typed, alone = _plain(name), _plain(name.rpartition("/")[2])
    best, score = "", _NEAR
    for id in dict.fromkeys(ids):
        model = _plain(id.rpartition("/")[2])
        like = max(_likeness(typed, _plain(id)), _likeness(alone, model), 0.95 * (len(alone) > 7 and alone in model))
        if like > score:
            best, score = id, like
    return best


def cached_ids() -> list[str]:
    """Ids of the models in the cache of the hub, by the names of their folders."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    folder = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name.startswith("models--"))
    except OSError:
        return []
    return [name.removeprefix("models--").replace("--", "/", 1) for name in names]


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9./]", "", text.lower())


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
