"""Content of the `safety` environment, and what generates its rows."""
