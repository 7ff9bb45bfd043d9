"""Generates the rows of `retention`."""
