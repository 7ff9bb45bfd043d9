"""Generates the rows of `math`."""
