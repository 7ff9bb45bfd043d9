"""Decisions of the gate for tests: versions that are stored, and the report that a decision names."""

from typing import Any

from tests.registry.kept import report
from verigym.core.records import Decision, Version
from verigym.store.database import Store

REPORT = "aaaaaaaaaaaa"


def store_versions(store: Store, *ids: str) -> None:
    """Stores versions with these ids, and the report that `decision` names."""
    for id in ids:
        store.put("version", id, Version(base=id, id=id))
    store.put("report", REPORT, report(ids[0]))


def decision(store: Store, candidate: str, champion: str, verdict: Any = "PROMOTE", **fields: Any) -> Decision:
    """A decision of the gate about stored versions."""
    if store.get("report", REPORT, type(report(candidate))) is None:
        store.put("report", REPORT, report(candidate))
    return Decision(candidate=candidate, champion=champion, verdict=verdict, reports=[REPORT], **fields)
