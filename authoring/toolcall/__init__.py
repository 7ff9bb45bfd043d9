"""Content of the `toolcall` environment, and what generates its rows."""
