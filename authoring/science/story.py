"""The record of a story. The stories are in `train_*` and `val_stories`."""

from typing import NamedTuple


class Story(NamedTuple):
    name: str
    field: str
    questions: list[str]
    """Ways to ask, about `{it}` (`{It}` where a sentence begins) or the `{sample}`."""
    samples: list[str]
    called: str
    """A sample within a sentence: `the dye {sample}`."""
    setting: str
    """What a run chooses, and in which unit, from and to."""
    unit: str
    low: float
    high: float
    reading: str
    reading_unit: str
    scale: str
    """Name of the first parameter."""
    largest: tuple[float, float]
    """Between which the largest true value lies, whichever law holds: neither the noise nor a paper gives the law away."""
    second: str
    laws: tuple[str, ...]
    """Two or three rivals."""
    instrument: str
