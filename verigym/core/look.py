"""One look of the gate: a record of its own, because checks and the arithmetic of looks share it."""

from msgspec import Struct


class Look(Struct, frozen=True):
    """One look of the gate at the tasks measured so far. The risk (alpha) of a question is shared by its looks."""

    tasks: int
    information: float
    """Share of all that the suite or the plan can tell, from 0 to 1."""
    spent: float
    """Risk spent up to and with this look."""
    boundary: float
    """The one-sided p-value that had to be reached at this look."""
