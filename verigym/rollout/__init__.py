"""Runs an agent in an environment: one episode, or many at once.

Stability: internal. Import public names from `verigym`.
"""
