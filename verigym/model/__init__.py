"""The tensors: fetching and loading models, LoRA adapters, logprobs. Training updates them, the engine decodes with them."""

import os

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
"""Read by torch when it first takes memory: huge pages for large tensors, without which a CPU spends a fifth of an update on
page faults (docs/LOG.md)."""
