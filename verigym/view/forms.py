"""Writes: a form that a page sends. Only labels, reviews and feedback are written by the view.

`write` stores and returns the address of the next page. The door has checked the origin and the size before.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from verigym.core.errors import BadInput
from verigym.view.page import Query

if TYPE_CHECKING:
    from verigym.view.read import Reader


class FormData(NamedTuple):
    query: Query
    fields: dict[str, str]

    def get(self, name: str, default: str = "", most: int = 10_000) -> str:
        value = self.fields.get(name, default)
        if len(value) > most:
            raise BadInput(f'"{name}" is longer than {most:,} characters')
        return value

    def choice(self, name: str, *allowed: str) -> str:
        value = self.get(name)
        if value not in allowed:
            raise BadInput(f'"{name}" cannot be "{value[:80]}". Use one of: {", ".join(allowed)}')
        return value


class Next(NamedTuple):
    """The address of the next page, and a name that the browser keeps in a cookie."""

    address: str
    who: str = ""


class Form(NamedTuple):
    path: str
    write: "Callable[[Reader, FormData], str | Next]"
