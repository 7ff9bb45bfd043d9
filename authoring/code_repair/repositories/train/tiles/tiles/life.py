from tiles.board import parse, show
from tiles.near import neighbours


def step(board):
    """A living cell with 2 or 3 neighbours stays, a dead one with 3 comes to life."""
    return [
        [int(neighbours(board, y, x) == 3 or (cell == 1 and neighbours(board, y, x) == 2)) for x, cell in enumerate(row)]
        for y, row in enumerate(board)
    ]


def after(text, steps):
    """The board after so many steps, as text."""
    board = parse(text)
    for _ in range(steps):
        board = step(board)
    return show(board)
