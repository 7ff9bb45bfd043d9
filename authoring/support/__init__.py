"""Generates the rows of `support`."""
