"""Further training problems about grids and tables of numbers. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any


def spiral(grid: list[list[int]], *, way: Any = ("right", "down")) -> list[int]:
    """`grid` has rows of equal length. Start in the top left corner, go {way} first, and walk along the edge and
    then further and further inwards in a spiral until every cell was visited once. Return the numbers in the order
    of the walk."""
    rows = [list(row) for row in (grid if way == "right" else zip(*grid))]  # noqa: B905
    out: list[int] = []
    while rows:
        out += rows.pop(0)
        rows = [list(row) for row in zip(*rows)][::-1]  # noqa: B905
    return out


def ragged_columns(rows: list[list[int]], *, fill: Any = (0, 1, -5)) -> list[int]:
    """The rows may have different lengths. Return the sum of every column, from left to right. Where a row is too
    short for a column, {fill} is added instead."""
    wide = max((len(row) for row in rows), default=0)
    return [sum(row[at] if at < len(row) else fill for row in rows) for at in range(wide)]


def best_row(grid: list[list[int]], *, want: Any = ("largest", "smallest"), tie: Any = ("first", "last")) -> int:
    """Return the place of the row with the {want} sum, counted from 0. If several rows have this sum, return the
    place of the {tie} of them. Return -1 if there are no rows."""
    sums = [sum(row) for row in grid]
    if not sums:
        return -1
    best = max(sums) if want == "largest" else min(sums)
    found = [at for at, each in enumerate(sums) if each == best]
    return found[0] if tie == "first" else found[-1]


def saddles(
    grid: list[list[int]],
    *,
    row: Any = (
        "largest of their row and the smallest of their column",
        "smallest of their row and the largest of their column",
    ),
) -> list[list[int]]:
    """Find the cells that are the {row}. Other cells of the row or column may be equal to them. Return the cells as
    [row, column], counted from 0, row by row. All rows have the same length."""
    out: list[list[int]] = []
    for y, line in enumerate(grid):
        for x, each in enumerate(line):
            column = [other[x] for other in grid]
            fits = (
                each == max(line) and each == min(column)
                if row == "largest of their row and the smallest of their column"
                else each == min(line) and each == max(column)
            )
            if fits:
                out.append([y, x])
    return out


def live_neighbours(grid: list[list[int]], *, corners: Any = ("count too", "do not count")) -> list[list[int]]:
    """`grid` has rows of equal length with the numbers 0 and 1. Replace every cell by how many of its neighbours
    are 1. Neighbours are the cells above, below, left and right. The four cells that touch it only at a corner
    {corners}."""
    out: list[list[int]] = []
    for y, line in enumerate(grid):
        counts: list[int] = []
        for x in range(len(line)):
            count = 0
            for b in range(max(y - 1, 0), min(y + 2, len(grid))):
                for a in range(max(x - 1, 0), min(x + 2, len(line))):
                    far = abs(a - x) + abs(b - y)
                    if (far > 0 if corners == "count too" else far == 1) and grid[b][a] == 1:
                        count += 1
            counts.append(count)
        out.append(counts)
    return out


def flip_grid(
    grid: list[list[int]], *, axis: Any = ("left and right", "top and bottom", "both left and right and top and bottom")
) -> list[list[int]]:
    """Return `grid` with {axis} exchanged. All rows have the same length. The given grid itself must not change. An
    empty grid stays empty."""
    if axis == "left and right":
        return [row[::-1] for row in grid]
    else:
        return grid[::-1] if axis == "top and bottom" else [row[::-1] for row in grid[::-1]]


def paint(grid: list[list[int]], row: int, column: int, *, colour: Any = (7, 8, 9)) -> list[list[int]]:
    """Paint the cell at `row` and `column` (counted from 0) of a picture with the number {colour}. All cells with
    the same old number that can be reached from it, step by step to the side, up or down over cells with that
    number, are painted as well. Return the new picture. A start outside the picture changes nothing."""
    out = [list(line) for line in grid]
    if not (0 <= row < len(out) and 0 <= column < len(out[row])):
        return out
    old, todo = out[row][column], [[row, column]]
    while todo:
        y, x = todo.pop()
        if 0 <= y < len(out) and 0 <= x < len(out[y]) and out[y][x] == old and old != colour:
            out[y][x] = colour
            todo += [[y + 1, x], [y - 1, x], [y, x + 1], [y, x - 1]]
    return out


def magic_square(
    grid: list[list[int]], *, also: Any = ("rows and columns only", "rows, columns and both diagonals")
) -> bool:
    """`grid` has as many rows as columns. Say whether these all have the same sum: {also}. An empty grid gives
    False."""
    size = len(grid)
    sums = [sum(row) for row in grid] + [sum(row[at] for row in grid) for at in range(size)]
    if also == "rows, columns and both diagonals":
        sums += [sum(grid[at][at] for at in range(size)), sum(grid[at][size - 1 - at] for at in range(size))]
    return len(set(sums)) == 1


def drop_blocks(board: list[str], *, way: Any = ("fall down to the floor", "rise up to the ceiling")) -> list[str]:
    """`board` has rows of equal length made of "." and "#". In every column, all "#" {way} or until they meet
    another one. Return the rows afterwards."""
    out = [""] * len(board)
    for x in range(len(board[0]) if board else 0):
        empty = sum(row[x] == "." for row in board)
        for y in range(len(board)):
            if way == "fall down to the floor":
                out[y] += "." if y < empty else "#"
            else:
                out[y] += "#" if y < len(board) - empty else "."
    return out


def full_rows(board: list[str], *, full: Any = ("#", "x"), empty: Any = (".", "-")) -> list[str]:
    """A board has rows of equal length. Remove each row that has only {full!r}, and put as many rows of only
    {empty!r} on top, so that the number of rows stays the same. Return the rows."""
    kept = [row for row in board if row != full * len(row)]
    return [empty * len(row) for row in board][len(kept) :] + kept


def line_of_three(board: list[str], *, full: Any = ("draw", "tie"), free: Any = ("open", "go on")) -> str:
    """`board` is a game with 3 rows of 3 characters, which are X, O or a point. Return "X" if a row or a column
    consists of X only, otherwise "O" if this is so for O. If neither is so, return {free!r} if there is a point,
    and {full!r} if there is none. Diagonals do not count in this game."""
    lines = board + ["".join(row[at] for row in board) for at in range(3)]
    for mark in "XO":
        if mark * 3 in lines:
            return mark
    return free if any("." in row for row in board) else full


def walk_grid(grid: list[list[int]], steps: str, *, outside: Any = ("is not made", "ends the walk")) -> int:
    """Start at the top left cell of `grid`, whose rows have equal length, and follow `steps`: R is one cell right,
    L left, D down and U up. A step that would leave the grid {outside}. Return the sum of the numbers of all cells
    on the way, with the first and the last, and with a cell counted each time it is entered. An empty grid gives
    0."""
    if not grid:
        return 0
    y = x = 0
    total = grid[0][0]
    for each in steps:
        b, a = y + (each == "D") - (each == "U"), x + (each == "R") - (each == "L")
        if 0 <= b < len(grid) and 0 <= a < len(grid[0]):
            y, x = b, a
            total += grid[y][x]
        elif outside == "ends the walk":
            break
        else:
            continue
    return total


def cheapest_path(
    grid: list[list[int]], *, moves: Any = ("right or down", "right, down or diagonally right and down")
) -> int:
    """Go from the top left to the bottom right cell of `grid`, whose rows have equal length. Each step goes one
    cell {moves}. The cost is the sum of all cells on the way, with both ends. Return the lowest possible cost, or 0
    for an empty grid."""
    if not grid:
        return 0
    costs: list[list[int]] = []
    for y, row in enumerate(grid):
        costs.append([])
        for x, each in enumerate(row):
            before = [costs[y - 1][x]] if y else []
            if x:
                before.append(costs[y][x - 1])
            if moves == "right, down or diagonally right and down" and x and y:
                before.append(costs[y - 1][x - 1])
            costs[y].append(each + min(before, default=0))
    return costs[-1][-1]


def knight_moves(place: list[int], *, size: Any = (4, 5, 8)) -> int:
    """A knight stands at [row, column] of a square board with {size} rows and columns, counted from 0. It moves two
    cells in one direction and one cell sideways. Return to how many cells it can move, or 0 if it is not on the
    board."""
    row, column = place
    if not (0 <= row < size and 0 <= column < size):
        return 0
    count = 0
    for down in (-2, -1, 1, 2):
        for right in (-2, -1, 1, 2):
            if abs(down) != abs(right) and 0 <= row + down < size and 0 <= column + right < size:
                count += 1
    return count


def block_sums(grid: list[list[int]], *, size: Any = (2, 3)) -> list[list[int]]:
    """Cut `grid`, whose rows have equal length, into blocks of {size} by {size} cells, starting at the top left.
    Return a smaller grid with the sum of every block. Blocks at the right and at the bottom may be incomplete and
    count as well."""
    return [
        [sum(sum(row[x : x + size]) for row in grid[y : y + size]) for x in range(0, len(grid[0]), size)]
        for y in range(0, len(grid), size)
    ]


def seen_trees(heights: list[int], *, side: Any = ("left", "right"), equal: Any = ("hides", "does not hide")) -> int:
    """Trees stand in a row. Somebody looks along the row from the {side}. A tree is hidden if a higher one stands
    before it, as seen from there. A tree of equal height {equal} the ones behind it. Return how many trees can be
    seen."""
    order = heights if side == "left" else heights[::-1]
    count = highest = 0
    for each in order:
        if each > highest if equal == "hides" else each >= highest:
            count += 1
        highest = max(highest, each)
    return count


def edges_length(picture: list[str], *, ink: Any = ("#", "x", "o")) -> int:
    """`picture` has rows of equal length. Each {ink!r} is a filled square with sides of length 1, and everything
    else is empty. Return the length of all edges between filled squares and empty cells or the outside of the
    picture."""
    total = 0
    for y, row in enumerate(picture):
        for x, each in enumerate(row):
            if each == ink:
                for b, a in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    if not (0 <= b < len(picture) and 0 <= a < len(row) and picture[b][a] == ink):
                        total += 1
    return total


def chessboard(size: int, *, dark: Any = ("#", "x"), corner: Any = ("dark", "light")) -> list[str]:
    """Return a board of `size` rows with `size` characters as a list of text. Dark cells are {dark!r} and light
    ones ".". Cells that share a side always differ, and the top left cell is {corner}. If `size` is less than 1,
    there are no rows."""
    first, second = (dark, ".") if corner == "dark" else (".", dark)
    return ["".join(first if (x + y) % 2 == 0 else second for x in range(size)) for y in range(size)]


def staircase(
    steps: int,
    *,
    side: Any = ("left, with nothing behind them", "right, with blanks before them so that all rows are equally long"),
    brick: Any = ("#", "[]"),
) -> list[str]:
    """Draw a stair with `steps` rows of text. The first row has one {brick!r}, the second two, and so on. They
    stand at the {side}. For 0 or fewer steps there are no rows."""
    out: list[str] = []
    for count in range(1, steps + 1):
        gap = (
            " " * (len(brick) * (steps - count))
            if side == "right, with blanks before them so that all rows are equally long"
            else ""
        )
        out.append(gap + brick * count)
    return out


def _grid(draw: Random, low: int, high: int, most: int = 4) -> list[list[int]]:
    wide = draw.randint(1, most)
    return [[draw.randint(low, high) for _ in range(wide)] for _ in range(draw.randint(0, most))]


def _picture(draw: Random, signs: str, least: int = 0) -> list[str]:
    wide = draw.randint(1, 4)
    return ["".join(draw.choice(signs) for _ in range(wide)) for _ in range(draw.randint(least, 4))]


def _square(draw: Random) -> tuple[list[list[int]]]:
    return (
        draw.choice(
            [
                [],
                [[5]],
                [[2, 7, 6], [9, 5, 1], [4, 3, 8]],
                [[2, 7, 6], [9, 5, 1], [4, 3, 9]],
                [[1, 2], [2, 1]],
                [[3, 3], [3, 3]],
                [[1, 2, 3], [2, 3, 1], [3, 1, 2]],
                [[1, 2, 3], [3, 1, 2], [2, 3, 1]],
                [[1, 2], [1, 2]],
                [[1, 1], [2, 2]],
                [[draw.randint(0, 1) for _ in range(2)] for _ in range(2)],
                [[4, 9, 2], [3, 5, 7], [8, 1, 6]],
            ]
        ),
    )


def _game(draw: Random) -> tuple[list[str]]:
    signs = draw.choice(["XXO", "XOO", "XO.", "XO"])
    return (["".join(draw.choice(signs) for _ in range(3)) for _ in range(3)],)


FAMILIES = {
    "lists": [
        spiral,
        ragged_columns,
        best_row,
        saddles,
        live_neighbours,
        flip_grid,
        paint,
        magic_square,
        drop_blocks,
        full_rows,
        line_of_three,
        walk_grid,
        cheapest_path,
        knight_moves,
        block_sums,
        seen_trees,
        edges_length,
        chessboard,
        staircase,
    ],
}
INPUTS = {
    "ragged_columns": lambda draw: (
        [[draw.randint(-2, 9) for _ in range(draw.randint(0, 4))] for _ in range(draw.randint(0, 4))],
    ),
    "best_row": lambda draw: (_grid(draw, 0, 2),),
    "saddles": lambda draw: (_grid(draw, 0, 3, 3),),
    "live_neighbours": lambda draw: (_grid(draw, 0, 1),),
    "paint": lambda draw: (_grid(draw, 0, 1), draw.randint(-1, 3), draw.randint(-1, 3)),
    "magic_square": _square,
    "drop_blocks": lambda draw: (_picture(draw, ".#"),),
    "full_rows": lambda draw: (
        [draw.choice(["##", "xx", "#.", "x-", ".#", "#x", "--"]) for _ in range(draw.randint(0, 5))],
    ),
    "line_of_three": _game,
    "walk_grid": lambda draw: (_grid(draw, 0, 9, 3), "".join(draw.choice("RRDDLU") for _ in range(draw.randint(0, 6)))),
    "cheapest_path": lambda draw: (_grid(draw, 0, 9),),
    "knight_moves": lambda draw: ([draw.randint(-1, 8), draw.randint(-1, 8)],),
    "block_sums": lambda draw: (_grid(draw, 0, 9, 5),),
    "seen_trees": lambda draw: ([draw.randint(1, 5) for _ in range(draw.randint(0, 7))],),
    "edges_length": lambda draw: (_picture(draw, draw.choice(["#.", "x.", "o.", "#xo."])),),
    "chessboard": lambda draw: (draw.randint(-2, 9),),
    "staircase": lambda draw: (draw.randint(-2, 9),),
}
