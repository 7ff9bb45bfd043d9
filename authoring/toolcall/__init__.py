"""Generates the rows of `toolcall`."""
