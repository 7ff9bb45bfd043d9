"""The command line: one thin file per command group, which parses, calls and prints. Nothing is decided here."""
