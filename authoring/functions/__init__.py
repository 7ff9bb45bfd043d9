"""What writes the held-out rows of the `functions` environment."""
