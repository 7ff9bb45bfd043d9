"""Shows a grid, and reads a grid or moves from a reply. Rules and scores are elsewhere."""

import re
from typing import NamedTuple

from verigym.environments.sudoku.puzzles import BOXES

_MOVE = re.compile(r"\br(\d{1,2})\s*c(\d{1,2})\s*(?:=|:|->|→)\s*(\d{1,2})\b", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:row|r)\s*\d\s*[:.)]", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s|│,;\[\](){}`*\"']+")
_RULE = re.compile(r"[\s|+\-=─═┼]*")
"""A line that only separates boxes."""
_EMPTY = str.maketrans(dict.fromkeys("0_?·x", "."))
_LONGEST = 20_000
"""Maximum characters of a reply that are read, from its end."""


class Layout(NamedTuple):
    empty: str = "."
    between: str = " "
    """Separator between two cells."""
    boxes: bool = False
    """Whether lines are drawn between boxes."""


def shown(grid: str, size: int, layout: Layout) -> str:
    rows, columns = BOXES[size]
    cells = grid.replace(".", layout.empty)
    lines: list[str] = []
    for place in range(size):
        row = cells[place * size : (place + 1) * size]
        parts = [layout.between.join(row[start : start + columns]) for start in range(0, size, columns)]
        line = (" | " if layout.boxes else layout.between).join(parts)
        if layout.boxes and place and place % rows == 0:
            lines.append("-" * len(line))
        lines.append(line)
    return "\n".join(lines)


class Move(NamedTuple):
    row: int
    column: int
    digit: int

    def __str__(self) -> str:
        return f"r{self.row}c{self.column}={self.digit}"


def grid_in(reply: str, size: int) -> str | None:
    """The last grid in the reply, one row per line or all in one line, with `.` for an open cell."""
    rows: list[str] = []
    found: str | None = None
    for line in reply[-_LONGEST:].splitlines():
        row = _BETWEEN.sub("", _LABEL.sub("", line)).translate(_EMPTY)
        if _are_cells(row, size, size * size):
            rows, found = [], row
        elif _are_cells(row, size, size):
            rows.append(row)
            found = "".join(rows[-size:]) if len(rows) >= size else found
        elif not _RULE.fullmatch(line):
            rows = []
    return found


def _are_cells(text: str, size: int, count: int) -> bool:
    return len(text) == count and all(cell == "." or ("1" <= cell <= "9" and int(cell) <= size) for cell in text)


def moves_in(reply: str) -> list[Move]:
    """Moves such as `r3c4=7`, in the order of the reply."""
    return [Move(*map(int, found.groups())) for found in _MOVE.finditer(reply[-_LONGEST:])]
