"""Readers for trace formats, one file each."""
