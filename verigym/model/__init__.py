"""Loads models and owns their tensors: LoRA adapters, attention, logprobs, fused decoding weights.

Stability: internal. Import public names from `verigym`.
"""

import os

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
"""Read by torch when it first takes memory: huge pages for large tensors, without which a CPU spends a fifth of an update on
page faults (docs/LOG.md)."""
