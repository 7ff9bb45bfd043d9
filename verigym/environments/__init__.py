"""The collection: one folder an environment, each complete in itself. Nothing is registered; a name is a folder."""
