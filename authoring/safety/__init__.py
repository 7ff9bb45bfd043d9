"""Generates the rows of `safety`."""
