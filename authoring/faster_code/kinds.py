"""What a kind of slow code is made of."""

from typing import NamedTuple


class Kind(NamedTuple):
    """Slow code with one cause. Texts are templates: `$f` is the function, `$a` and `$b` its arguments, `$k` a constant."""

    name: str
    topic: str
    does: str
    """What the function returns, in words."""
    functions: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]
    """Names for `$a`, `$b` and `$c`."""
    slow: str
    gold: str
    make: str
    """`def make(random, size)`: the arguments of a call."""
    sizes: tuple[int, ...]
    """Sizes of the large calls of one round."""
    wrong: tuple[str, ...]
    """Functions that are fast and wrong."""
    constants: tuple[int, ...] = (0,)
    edges: tuple[str, ...] = ()
    """Arguments of further hidden cases, as Python text."""
