"""Frames of the `notes` tasks, and the builder of their rows."""
