"""What a dialect is: a way to write tool calls as text, which reads back what it writes."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from verigym.core.records import Item


class Dialect(Struct, frozen=True):
    name: str
    mark: str
    """Text that a call in this dialect always holds."""
    parse: Callable[[str, str], list[Item]]
    """The items of a reply's text, and the id of its first call; thinking is cut off before (see `thinking`)."""
    write: Callable[[Sequence[Item]], str]
    """The reply's text that `parse` reads back as these items."""
