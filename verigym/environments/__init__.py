"""The shipped environments, one folder each, and the loader. A name is a folder, and nothing is registered.

Stability: stable. Held-out rows and verifier names are stable. The modules are internal.
"""
