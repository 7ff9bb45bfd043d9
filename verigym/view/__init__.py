"""`verigym view`: web pages for looking at a workspace. A page is a query, a struct and a template.

Stability: internal. Use `verigym view`. Addresses and the JSON of pages may change between minor releases.
"""
