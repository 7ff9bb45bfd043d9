"""The database of a workspace: runs, tasks, trajectories, verdicts, metrics, documents and the ledger.

Stability: stable. Stores of older versions open. The modules are internal.
"""
