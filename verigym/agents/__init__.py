"""External agents: each episode has an address of its own, and an unmodified agent acts in it with exact tokens.

Stability: internal. Import public names from `verigym`.
"""
