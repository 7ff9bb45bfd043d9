"""Generates the rows of the environments. It is not part of the package, because an install contains the rows."""
