def neighbours(board, y, x):
    """How many of the eight cells around are alive; beyond the edge is nothing."""
    count = 0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            inside = 0 <= y + dy < len(board) and 0 <= x + dx < len(board[0])
            if inside and (dy, dx) != (0, 0):
                count += board[y + dy][x + dx]
    return count
