"""How failures of production become tasks: traces, signals, expect, requests, family, proposals, review. Composed by `mine`."""
