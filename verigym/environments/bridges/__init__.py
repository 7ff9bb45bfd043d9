"""Environments of other projects as environments of Verigym, by name: `reasoning-gym:leg_counting`, `bfcl:simple_python`.

Each file with `BRIDGE` is one bridge. `find` knows their names, and `install` fetches what they need.
Nothing is imported before it is used.
"""
