"""Generates the rows of `search`."""
