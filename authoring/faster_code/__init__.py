"""Content of the `faster_code` environment, and what generates its rows."""
