"""Checks an environment and its verifier before anything is trained against them: contract, cheats, labels, repeatability.

Stability: internal. Import public names from `verigym`.
"""
