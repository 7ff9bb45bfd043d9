"""Commands inside texts, completed so that they work where they are read."""

import re
import shlex
from pathlib import Path

TAKES_HOME = re.compile(
    r"\bverigym (?!demo|init|policies|models pull|tasks (?:list|show|stats|split|dedup|leaks))"
    r"""(?:'[^']*'|"[^"]*"|(?!   | && | \| | > |\)|(?<=\w)[.,:](?:\s|$)).)+"""
)
"""A command in a text, up to its end, a remark or the end of the sentence, unless it has no workspace."""


def with_home(text: str, home: Path | None) -> str:
    """The text with `--home` added to each command in it that uses a workspace. Unchanged if the workspace is the default."""
    if home is None:
        return text
    return TAKES_HOME.sub(lambda found: f"{found[0]} --home {shlex.quote(str(home))}", text)
