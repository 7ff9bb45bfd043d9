"""What a brief is: something to be written, with a good text and a plain one, which may be bettered."""

from typing import NamedTuple


class Brief(NamedTuple):
    name: str
    audience: str
    asks: list[str]
    """The same wish in several wordings."""
    facts: dict[str, list[str]]
    """By letter: what has to be mentioned, one of each."""
    avoid: list[str]
    form: str
    """See `gates.FORMS`."""
    good: str
    """`|` begins a paragraph."""
    plain: str
    """As the brief asks, and no more: what a reply has to be better than."""
