"""Versions of agents by what they are made of, and the ledger of decisions that says which one is champion.

It judges nothing: decisions come from `gates`.
"""
