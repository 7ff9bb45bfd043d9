"""Generates the rows of `code_repair`."""
