"""Versions of agents by content hash, and the ledger of decisions that names the champion.

It records decisions. `gates` makes them.

Stability: stable. Version ids and ledger bytes are stable. The modules are internal.
"""
