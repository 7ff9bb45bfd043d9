"""Keeps pytest out of these folders. tests/authoring runs their tests."""

collect_ignore_glob = ["*"]
