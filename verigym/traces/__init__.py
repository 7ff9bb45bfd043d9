"""Production traces from files into the store: `ingest(store, home, files, Redaction.load())`. One file per format."""

from verigym.traces.ingest import FORMATS, Summary, ingest

__all__ = ["FORMATS", "Summary", "ingest"]
