"""Measuring an agent: suites of held-out tasks, statistics, failure buckets, reports and their comparison.

Whether a difference is enough to ship is the gate's question (`gates`); running the episodes is `rollout`'s.
"""
