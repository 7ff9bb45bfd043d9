"""Scores trajectories. A verifier is a plain function of a task and a trajectory, lifted to `core.protocols.Verifier`.

Stability: internal. Import public names from `verigym`.
"""
