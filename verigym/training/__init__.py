"""Turns trajectories into better weights: samples, advantages, losses, and the loops around them.

Stability: internal. Import public names from `verigym`.
"""
