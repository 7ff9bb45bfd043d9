"""Generates the rows of `code`."""
