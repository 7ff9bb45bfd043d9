"""Generates the rows of `triage`."""
