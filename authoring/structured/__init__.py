"""Generates the rows of `structured`."""
