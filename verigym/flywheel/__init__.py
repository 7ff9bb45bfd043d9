"""The loop and the quickstart: the whole cycle on one screen.

Stability: experimental. It may change in any minor version.
"""
