"""Content of the `math` environment, and what generates its rows."""
