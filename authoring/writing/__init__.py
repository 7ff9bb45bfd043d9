"""Generates the rows of `writing`."""
