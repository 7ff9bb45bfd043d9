"""Content of the `triage` environment, and what generates its rows."""
