"""Engines besides the model in this process: servers of vLLM and SGLang, many engines as one, and a fake.

Stability: internal. Import public names from `verigym`.
"""
