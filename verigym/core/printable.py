"""Records that print themselves: as text in a terminal, as a table with a picture in a notebook.

Records hold data only. How they look is `verigym.present`, which is loaded when the first of them is printed.
"""

import importlib
from typing import Any


class Printable:
    """`print(record)` writes a table. A notebook shows it as HTML. `repr(record)` stays the fields."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_presenter().as_text(self))

    def _repr_html_(self) -> str:
        return str(_presenter().as_html(self))


def _presenter() -> Any:
    return importlib.import_module("verigym.present")
