"""Content of the `science` environment, and what generates its rows."""
