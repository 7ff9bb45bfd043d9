"""Seeds derived from names, never from order: the same task, index and purpose give the same number in every run."""

import hashlib


def derive(seed: int, *names: object) -> int:
    """A 63-bit seed from a base seed and its purpose: `derive(7, "rollout", task.id, 3)`."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
