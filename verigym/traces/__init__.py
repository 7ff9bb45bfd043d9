"""Reads production traces into the store. `formats/` has one reader per format, `capture/` records the gateway's traffic.

Stability: experimental. It may change in any minor version.
"""

from verigym.traces.ingest import FORMATS, IngestSummary, ingest

__all__ = ["FORMATS", "IngestSummary", "ingest"]
