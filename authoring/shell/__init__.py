"""Content of the `shell` environment, and what generates its rows."""
