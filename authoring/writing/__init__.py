"""Content of the `writing` environment, and what generates its rows."""
