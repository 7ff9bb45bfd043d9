"""Small numbers other than zero, and how terms with a sign are written."""

from random import Random

SMALL = [each for each in range(-9, 10) if each]


def nonzero(draw: Random, low: int, high: int) -> int:
    """Draw a whole number from `low` to `high`, but not 0."""
    return draw.choice([each for each in range(low, high + 1) if each])


def signed(value: int) -> str:
    """`+ 3` or `- 3`."""
    return f"{'+' if value > 0 else '-'} {abs(value)}"
