"""Words that the whole package prints alike."""

_MANY = {"family": "families", "trajectory": "trajectories", "entry": "entries", "try": "tries"}


def counted(count: int, what: str) -> str:
    """`1 task`, `1,200 families`; of several words the last is the one that is counted."""
    *before, noun = what.split(" ")
    many = _MANY.get(noun, f"{noun}s")
    return " ".join([f"{count:,}", *before, noun if count == 1 else many])
