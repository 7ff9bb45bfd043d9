"""Everything that can answer as an agent: a local model, a server, a script. Each implements `core.protocols.Policy`.

Stability: internal. Import public names from `verigym`.
"""
