"""Texts of a tools file with `{argument}` and `${ENVIRONMENT_VARIABLE}` in them. `{{` and `}}` are braces."""

import os
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from verigym.core.errors import BadInput, EnvironmentFailure

_FIELD = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|(\{\{)|(\}\})|\{([^{}\s]+)\}")
_SHORTEST_SECRET = 4
"""Shorter values are not removed from results. They would occur by chance."""


class Template:
    """A parsed text. `names` are its arguments, `secrets` its environment variables."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self._parts: list[str | tuple[str, str]] = []
        end = 0
        literals: list[str] = []
        for match in _FIELD.finditer(text):
            literals.append(text[end : match.start()])
            secret, opened, _, name = match.groups()
            field = ("secret", secret) if secret else ("argument", name) if name else "{" if opened else "}"
            self._parts += [literals[-1], field]
            end = match.end()
        literals.append(text[end:])
        self._parts.append(literals[-1])
        if any("{" in literal or "}" in literal for literal in literals):
            raise BadInput(
                f'{where}: "{text}" has a single brace. Write {{name}} for an argument, and {{{{ for a brace'
            )
        self._parts = [part for part in self._parts if part]
        self.names = [part[1] for part in self._parts if isinstance(part, tuple) and part[0] == "argument"]
        self.secrets = [part[1] for part in self._parts if isinstance(part, tuple) and part[0] == "secret"]

    @property
    def whole(self) -> str | None:
        """The argument that is the whole text."""
        return self.names[0] if len(self._parts) == 1 and self.names else None

    def fill(self, arguments: Mapping[str, Any], quote: Callable[[str], str] = str) -> str | None:
        """The text with the arguments in it, or None if one of them is missing."""
        if any(arguments.get(name) is None for name in self.names):
            return None
        return "".join(
            part
            if isinstance(part, str)
            else secret(part[1])
            if part[0] == "secret"
            else quote(as_text(arguments[part[1]]))
            for part in self._parts
        )


class Structure:
    """Plain data with templates in its texts. A text that is one argument keeps the type of the argument."""

    def __init__(self, value: Any, where: str) -> None:
        self.names: list[str] = []
        self.secrets: list[str] = []
        self._value = self._parsed(value, where)

    def _parsed(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            template = Template(value, where)
            self.names += template.names
            self.secrets += template.secrets
            return template
        if isinstance(value, dict):
            return {key: self._parsed(each, where) for key, each in value.items()}
        return [self._parsed(each, where) for each in value] if isinstance(value, list) else value

    def fill(self, arguments: Mapping[str, Any]) -> Any:
        """The data with the arguments in it. Members whose argument is missing are left out."""
        return _filled(self._value, arguments)


def _filled(value: Any, arguments: Mapping[str, Any]) -> Any:
    if isinstance(value, Template):
        return arguments.get(value.whole) if value.whole is not None else value.fill(arguments)
    if isinstance(value, dict):
        members = {key: _filled(each, arguments) for key, each in value.items()}
        return {key: each for key, each in members.items() if each is not None}
    if isinstance(value, list):
        return [each for each in (_filled(each, arguments) for each in value) if each is not None]
    return value


def as_text(value: Any) -> str:
    """Text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def secret(name: str) -> str:
    """The value of an environment variable."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise EnvironmentFailure(f"The environment variable {name} is not set. A tools file uses it. Set it and retry")
    return value


def without_secrets(text: str, names: list[str]) -> str:
    """The text without the values of these environment variables, which a server may repeat."""
    for name in names:
        value = os.environ.get(name, "").strip()
        if len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "***").replace(urllib.parse.quote(value, safe=""), "***")
    return text
