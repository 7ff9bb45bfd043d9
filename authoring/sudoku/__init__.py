"""Generates the rows of `sudoku`."""
