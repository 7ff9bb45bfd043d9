"""Generates the rows of `science`."""
