"""Content of the `retention` environment, and what generates its rows."""
