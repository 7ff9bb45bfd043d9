"""Content of the `code` environment, and what generates its rows."""
