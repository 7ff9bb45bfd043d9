"""Turns failures in production traces into verified tasks. `mine` combines the other modules.

Stability: experimental. It may change in any minor version.
"""
