"""Content of the `data_analysis` environment, and what generates its rows."""
