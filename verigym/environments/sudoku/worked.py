"""Worked steps: solves a sudoku in words that a small model can follow.

The reply first writes the grid row by row. Then it goes through the empty cells in turn, again and again, and says which digits
each of them sees in its row, column and box:

    r1c2 sees row 3 1, column 1 4, box 3, so r1c2=2
    r1c4 sees row 3 1 2, column 4, box 1 4, so nothing yet

A step needs only what is written before it. No digit is guessed.
"""

from verigym.environments.sudoku.puzzles import size_of, units


def worked_steps(puzzle: str) -> str:
    """The whole reply, or an empty text if such steps do not solve the puzzle."""
    size = size_of(puzzle)
    cells = list(puzzle)
    said = [f"row {row + 1}: {' '.join(cells[row * size : (row + 1) * size])}" for row in range(size)]
    while "." in cells:
        filled = 0
        for cell in [place for place, digit in enumerate(cells) if digit == "."]:
            step, digit = _seen(cells, cell, size)
            said.append(step)
            if digit:
                cells[cell] = digit
                filled += 1
        if not filled:
            only = _only_place(cells, size)
            if only is None:
                return ""
            step, cell, digit = only
            said.append(step)
            cells[cell] = digit
    return "\n".join(said)


def _seen(cells: list[str], cell: int, size: int) -> tuple[str, str]:
    """What an empty cell sees, in words, and its digit if all others are seen."""
    seen = [[cells[place] for place in unit if cells[place] != "."] for unit in units(size)[cell]]
    missing = {*"123456789"[:size]} - {digit for unit in seen for digit in unit}
    row, column, box = (" ".join(unit) or "none" for unit in seen)
    digit = missing.pop() if len(missing) == 1 else ""
    result = f"{_name(cell, size)}={digit}" if digit else "nothing yet"
    return f"{_name(cell, size)} sees row {row}, column {column}, box {box}, so {result}", digit


def _only_place(cells: list[str], size: int) -> tuple[str, int, str] | None:
    """The first digit that has only one place left in a row, a column or a box."""
    for kind, of_kind in enumerate(("row", "column", "box")):
        for unit in dict.fromkeys(tuple(three[kind]) for three in units(size)):
            for digit in "123456789"[:size]:
                if digit in (cells[place] for place in unit):
                    continue
                fits = [place for place in unit if cells[place] == "." and not _sees(cells, place, digit, size)]
                if len(fits) == 1:
                    name = _name(fits[0], size)
                    return f"in the {of_kind} of {name}, {digit} fits nowhere else, so {name}={digit}", fits[0], digit
    return None


def _sees(cells: list[str], cell: int, digit: str, size: int) -> bool:
    return any(cells[place] == digit for unit in units(size)[cell] for place in unit)


def _name(cell: int, size: int) -> str:
    return f"r{cell // size + 1}c{cell % size + 1}"
