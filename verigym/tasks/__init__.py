"""Tasks: read from and written to files, counted, kept apart by family, freed of repeats. Making new ones is `design`."""
