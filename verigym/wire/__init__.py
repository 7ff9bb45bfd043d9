"""Chat Completions, Responses and Messages as JSON: requests, replies, streams and tools, to and from items.

`chat`, `responses` and `messages` hold one API each, for clients and for servers. They are strict: they read typed structs
and refuse the rest. `items` reads conversations of unknown origin: `read_items` for files that people write, and lenient
readers for logs. No module here uses the network.

Stability: internal. Import public names from `verigym`.
"""
