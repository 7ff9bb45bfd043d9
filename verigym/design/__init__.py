"""Generates tasks and tables from a spec, and variations of existing tasks.

`spec` is what you write. `draw` samples columns and applies constraints, `steps` runs code and models, `make` repeats this until
N rows are accepted, and `vary` changes existing tasks.

Stability: experimental. It may change in any minor version.
"""
