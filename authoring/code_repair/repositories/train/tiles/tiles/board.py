def parse(text):
    """Rows of # (alive) and . (dead) as lists of 1 and 0."""
    return [[int(sign == "#") for sign in line] for line in text.split()]


def show(board):
    return "\n".join("".join("#" if cell else "." for cell in row) for row in board)
