"""Content of the `rewriting` environment, and what generates its rows."""
