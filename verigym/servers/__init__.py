"""The gateway: an OpenAI-compatible server in front of the champion or of another server, with capture.

Stability: experimental. It may change in any minor version.
"""
