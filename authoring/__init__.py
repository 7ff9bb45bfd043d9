"""Generates the rows of the shipped environments. Not part of the package: an install has the rows."""
