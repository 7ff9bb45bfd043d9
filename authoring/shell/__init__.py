"""Generates the rows of `shell`."""
