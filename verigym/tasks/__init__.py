"""Tasks: read from and written to files, and kept apart by family. Making new ones is `design`."""
