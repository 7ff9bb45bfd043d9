"""Tools from plain functions, and the contract of an environment. `rollout` runs the episodes.

Stability: stable. The environment file format is stable. The modules are internal.
"""
