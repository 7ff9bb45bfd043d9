"""Measures agents: suites of held-out tasks, statistics, failure buckets, reports and comparisons.

`gates` decides whether a difference is large enough to ship. `rollout` runs the episodes.

Stability: internal. Import public names from `verigym`.
"""
