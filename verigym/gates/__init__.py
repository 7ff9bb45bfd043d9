"""The promotion gate: PROMOTE, REJECT or NEED MORE DATA, with every check's numbers and in words.

It decides and moves nothing: the champion is moved by `registry.ledger`.
"""
