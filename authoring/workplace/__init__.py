"""Content of the `workplace` environment, and what generates its rows."""
