"""The promotion gate: PROMOTE, REJECT or NEED MORE DATA, with the numbers of every check.

It only decides. `registry.ledger` records the decision and moves the champion.

Stability: internal. Import public names from `verigym`.
"""
