"""Content of the `sudoku` environment, and what generates its rows."""
