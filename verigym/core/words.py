"""Wording helpers that the whole package shares."""

_MANY = {"family": "families", "trajectory": "trajectories", "entry": "entries", "try": "tries"}


def counted(count: int, what: str) -> str:
    """`1 task`, `1,200 families`. The last word of `what` is the one that gets the plural."""
    *before, noun = what.split(" ")
    many = _MANY.get(noun, f"{noun}s")
    return " ".join([f"{count:,}", *before, noun if count == 1 else many])
