"""Production traces from files into the store: `ingest(store, home, files, Redaction.load())`. One file per format."""

from verigym.traces.ingest import FORMATS, IngestSummary, ingest

__all__ = ["FORMATS", "IngestSummary", "ingest"]
