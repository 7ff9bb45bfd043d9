"""Generates the rows of `workplace`."""
