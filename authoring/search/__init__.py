"""Content of the `search` environment, and what generates its rows."""
