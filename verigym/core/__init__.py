"""Records, protocols, errors, codec and seeds, which every other layer uses. Needs only the standard library and msgspec.

Stability: stable. Stored records are stable. Import public names from `verigym`.
"""
