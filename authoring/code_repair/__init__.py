"""Content of the `code_repair` environment, and what generates its rows."""
