"""Records that print themselves: as text in a terminal, as a table with a picture in a notebook.

Records hold data only. How they look is `verigym.present`, which is loaded when the first of them is printed. `visible` makes
any text safe to print: no text of a model, a trace or a file can move the cursor, set the window's title or reverse a line.
"""

import importlib
import re
import sys
from typing import Any

CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""C0 except tab and newline, DEL, C1, invisible and bidirectional formatting characters, and lone surrogates."""


def visible(text: str) -> str:
    r"""The text with control characters written as escapes (`\x1b`, `\u202e`). Tabs and newlines stay."""
    return CONTROL.sub(_escape, text)


def tell(text: str) -> None:
    """Prints a line on standard output, safely."""
    print(visible(text), flush=True)


def warn(text: str) -> None:
    """Prints a line on standard error, safely."""
    print(visible(text), file=sys.stderr, flush=True)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Printable:
    """`print(record)` writes a table. A notebook shows it as HTML. `repr(record)` stays the fields."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_presenter().as_text(self))

    def _repr_html_(self) -> str:
        return str(_presenter().as_html(self))


def _presenter() -> Any:
    return importlib.import_module("verigym.present")
