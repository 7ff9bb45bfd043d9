"""Solves, generates and compares sudoku grids of 4x4, 6x6 and 9x9. `replies` shows them and reads replies.

A grid is a text of its cells row by row, with `.` for an empty cell: `1..4..2...3.4..1`. Boxes are 2x2, 2x3 and 3x3.
"""

import hashlib
from functools import cache
from random import Random

BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}
"""Rows and columns of a box, by the size of the grid."""


@cache
def units(size: int) -> list[tuple[list[int], list[int], list[int]]]:
    """For each cell, the cells of its row, its column and its box, including itself."""
    rows, columns = BOXES[size]
    by_row = [[row * size + column for column in range(size)] for row in range(size)]
    by_column = [list(column) for column in zip(*by_row, strict=True)]
    by_box: dict[int, list[int]] = {}
    for cell in range(size * size):
        by_box.setdefault(_box(cell, size, rows, columns), []).append(cell)
    return [
        (by_row[cell // size], by_column[cell % size], by_box[_box(cell, size, rows, columns)])
        for cell in range(size * size)
    ]


def _box(cell: int, size: int, rows: int, columns: int) -> int:
    return cell // size // rows * rows + cell % size // columns


def size_of(grid: str) -> int:
    return {size * size: size for size in BOXES}[len(grid)]


def solutions(puzzle: str, most: int = 2, draw: Random | None = None) -> list[str]:
    """Up to `most` solutions. Two are enough to reject a puzzle. With `draw`, digits are tried in random order."""
    size = size_of(puzzle)
    rows, columns = BOXES[size]
    everything = (1 << size) - 1
    free = [[everything] * size for _ in range(3)]
    """Missing digits of each row, column and box, as bits."""
    cells = list(puzzle)
    places = [(cell // size, cell % size, _box(cell, size, rows, columns)) for cell in range(size * size)]
    found: list[str] = []

    for cell, digit in enumerate(puzzle):
        if digit != ".":
            bit = 1 << int(digit) - 1
            if not all(lacks[unit] & bit for lacks, unit in zip(free, places[cell], strict=True)):
                return []
            for lacks, unit in zip(free, places[cell], strict=True):
                lacks[unit] ^= bit
    by_row, by_column, by_box = free

    def fill(empty: list[int]) -> None:
        if not empty:
            found.append("".join(cells))
            return
        fewest, chosen, options = size + 1, -1, 0
        for cell in empty:
            row, column, box = places[cell]
            fits = by_row[row] & by_column[column] & by_box[box]
            if fits.bit_count() < fewest:
                fewest, chosen, options = fits.bit_count(), cell, fits
                if fewest < 2:
                    break
        if not fewest:
            return
        rest = [cell for cell in empty if cell != chosen]
        row, column, box = places[chosen]
        digits = [digit for digit in range(size) if options >> digit & 1]
        if draw is not None:
            draw.shuffle(digits)
        for digit in digits:
            bit = 1 << digit
            cells[chosen] = str(digit + 1)
            by_row[row] ^= bit
            by_column[column] ^= bit
            by_box[box] ^= bit
            fill(rest)
            by_row[row] ^= bit
            by_column[column] ^= bit
            by_box[box] ^= bit
            if len(found) >= most:
                return
        cells[chosen] = "."

    fill([cell for cell, digit in enumerate(puzzle) if digit == "."])
    return found


def filled(size: int, draw: Random) -> str:
    """A random complete grid."""
    return solutions("." * size * size, 1, draw)[0]


def dug(solution: str, blanks: int, draw: Random) -> str | None:
    """Removes this many cells so that exactly one solution remains, which is proved. None if that failed. It removes many cells
    at once, and fewer if the solution is no longer unique."""
    cells = draw.sample(range(len(solution)), len(solution))
    queue = [cells[:blanks], *([cell] for cell in cells[blanks:])]
    puzzle = solution
    while queue and puzzle.count(".") < blanks:
        some = set(queue.pop(0)[: blanks - puzzle.count(".")])
        tried = "".join("." if cell in some else digit for cell, digit in enumerate(puzzle))
        if len(solutions(tried)) == 1:
            puzzle = tried
        elif len(some) > 1:
            part = sorted(some, key=cells.index)
            queue[:0] = [part[: len(part) // 2], part[len(part) // 2 :]]
    return puzzle if puzzle.count(".") == blanks else None


def likeness(puzzle: str, solution: str) -> int:
    """A number that is equal for puzzles that differ only by swapped digits, swapped rows and columns, or rotation. A cell is
    described by the cells that share its row, column, box or digit, in three rounds."""
    around = units(size_of(puzzle))
    same = {digit: [cell for cell, other in enumerate(solution) if other == digit] for digit in set(solution)}
    colours = [int(digit != ".") for digit in puzzle]
    seen: list[object] = []
    for _ in range(3):
        keys = [
            (
                colours[cell],
                sorted(_sorted(colours, unit) for unit in (row, column)),
                _sorted(colours, box),
                _sorted(colours, same[solution[cell]]),
            )
            for cell, (row, column, box) in enumerate(around)
        ]
        order = {repr(key): place for place, key in enumerate(sorted(keys))}
        colours = [order[repr(key)] for key in keys]
        seen.append(sorted(keys))
    return int.from_bytes(hashlib.sha256(repr(seen).encode()).digest()[:8], "big")


def _sorted(colours: list[int], cells: list[int]) -> list[int]:
    return sorted(colours[cell] for cell in cells)
