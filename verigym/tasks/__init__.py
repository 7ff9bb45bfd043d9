"""Reads, writes, counts, splits and deduplicates tasks. `design` makes new ones."""
