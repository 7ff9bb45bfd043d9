"""Reads, writes, counts, splits and deduplicates tasks. `design` generates new ones.

Stability: internal. Import public names from `verigym`.
"""
