"""Content of the `support` environment, and what generates its rows."""
