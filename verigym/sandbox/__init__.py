"""Runs code that nobody trusts, under limits. `open.open_sandbox` is the way in; `core.protocols.Sandbox` is what comes out."""
