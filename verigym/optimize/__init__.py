"""Improvement without training weights: evolves the prompt, examples, tool descriptions, skills and harness of an agent.

Stability: internal. Use `verigym optimize` or `Workspace.optimize`.
"""
