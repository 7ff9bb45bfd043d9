"""Runs untrusted code under limits. `open.open_sandbox` returns a `core.protocols.Sandbox`.

Stability: internal. Import public names from `verigym`.
"""
