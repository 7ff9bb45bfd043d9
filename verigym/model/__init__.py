"""Loads models and owns their tensors: LoRA adapters, attention, logprobs, fused decoding weights.

Stability: internal. Import public names from `verigym`.
"""

import os

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
"""torch reads this variable at its first allocation. It enables huge pages for large tensors. Without them, a CPU spends a fifth
of an update on page faults (docs/LOG.md)."""
