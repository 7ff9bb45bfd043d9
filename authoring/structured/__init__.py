"""Content of the `structured` environment, and what generates its rows."""
