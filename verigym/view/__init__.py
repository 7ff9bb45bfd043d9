"""`verigym view`: web pages for looking at a workspace. A page is a query, a struct and a template.

Stability: the addresses and `?format=json` of pages may change between minor releases. The Python modules are internal.
"""
