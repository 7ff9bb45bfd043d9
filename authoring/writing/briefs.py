"""The record of a brief: a text to write, with a good version and a plain one."""

from typing import NamedTuple


class Brief(NamedTuple):
    name: str
    audience: str
    asks: list[str]
    """Wordings of the same request."""
    facts: dict[str, list[str]]
    """Facts by letter. The text has to mention one of each list."""
    avoid: list[str]
    form: str
    """See `gates.FORMS`."""
    good: str
    """A good text. `|` starts a paragraph."""
    plain: str
    """A text that only satisfies the brief. A reply has to be better than this."""
