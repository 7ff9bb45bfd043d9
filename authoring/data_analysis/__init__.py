"""Generates the rows of `data_analysis`."""
