"""Names of versions and runs, as they may be given. Stored names from before these rules stay readable."""

import re

from verigym.core.errors import BadInput
from verigym.core.printable import visible

_LONGEST = 100
_LONGEST_RUN = 300
RESERVED = ("champion", "latest")
"""Words that stand for a version wherever one is named."""
_NAME = re.compile(r"\w(?:[\w .@:+(),=-]*[\w.)+])?(?:/\w(?:[\w .@:+(),=-]*[\w.)+])?)*")
_NOT_IN_NAME = re.compile(r"[^\w.@:+-]+|\.\.+")


def check_given_name(name: str, where: str = "") -> None:
    """Refuses what `check_name` does, and words that mean another version. A model in a folder `latest` has its name anyway."""
    if name in RESERVED:
        raise BadInput(f'{where}A version cannot be named "{name}". These names are reserved: {", ".join(RESERVED)}')
    check_name(name, where)


def check_name(name: str, where: str = "") -> None:
    """Refuses a name that a terminal cannot show as it is, that is too long, or that could lead out of a folder."""
    if name and (len(name) > _LONGEST or ".." in name or not _NAME.fullmatch(name)):
        shown = visible(name[:60]).replace("\n", "\\n") + ("..." if len(name) > 60 else "")
        raise BadInput(
            f'{where}The name "{shown}" is not valid. Use at most {_LONGEST} letters, digits, spaces and . _ - + @ : = , ( ) /. '
            "Begin with a letter or digit"
        )


def check_run(id: str) -> None:
    """Refuses the id of a new run that a terminal cannot show, that is too long, or that leads out of a folder."""
    parts = id.split("/")
    if len(id) > _LONGEST_RUN or not id.isprintable() or "\\" in id or any(part.strip(". ") == "" for part in parts):
        shown = visible(id[:60]).replace("\n", "\\n") + ("..." if len(id) > 60 else "")
        raise BadInput(
            f'A run cannot be named "{shown}". Use at most {_LONGEST_RUN} characters of one line, without \\ and .., '
            "and no / at its beginning or end"
        )


def as_name(text: str) -> str:
    """A valid name for a model that was not named by the user, such as a folder."""
    return _NOT_IN_NAME.sub("-", text).strip("-.:+@ ")[:_LONGEST].rstrip("-:@ ")
