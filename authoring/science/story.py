"""The record of a story. The stories are in `train_*` and `val_stories`."""

from typing import NamedTuple


class Story(NamedTuple):
    name: str
    field: str
    questions: list[str]
    """Wordings of the question, with `{it}` (`{It}` at the start of a sentence) or `{sample}`."""
    samples: list[str]
    called: str
    """The sample within a sentence, such as `the dye {sample}`."""
    setting: str
    """The quantity that a run sets. Its unit and range follow."""
    unit: str
    low: float
    high: float
    reading: str
    reading_unit: str
    scale: str
    """Name of the first parameter."""
    largest: tuple[float, float]
    """Range of the largest true value. It is the same for every law, so that neither the noise nor a paper reveals the law."""
    second: str
    laws: tuple[str, ...]
    """Two or three rival laws."""
    instrument: str
