"""The gate on stored reports: which two can be compared, and what the gate says of them. Judging is `gates`, recording `registry`."""

from verigym.core.errors import Refused
from verigym.core.records import Decision, Report, Version
from verigym.flywheel.workspace import Workspace
from verigym.gates.decide import decide


def shared_reports(ws: Workspace, candidate: Version, champion: Version) -> tuple[Report, Report]:
    """The newest reports of both that can be compared: candidate, champion."""
    reports = ws.store.documents("report", Report)[::-1]
    for ours in reports:
        for theirs in reports:
            if ours.agent == candidate.id and theirs.agent == champion.id and _comparable(ws, ours, theirs):
                return ours, theirs
    raise Refused(
        f"{candidate.name or candidate.id} and {champion.name or champion.id} have no report on the same held-out tasks; "
        f"run: verigym eval ENV -m {candidate.id} and verigym eval ENV -m {champion.id}, with the same options"
    )


def _comparable(ws: Workspace, one: Report, other: Report) -> bool:
    """The same tasks and verifier, decoded and repeated alike."""
    settings = [ws.store.run(report.run).config for report in (one, other)]
    alike = all(settings[0].get(field) == settings[1].get(field) for field in ("sampling", "k"))
    return one.suite.hash == other.suite.hash and alike


def gate(ws: Workspace, candidate: Version, champion: Version) -> Decision:
    ours, theirs = shared_reports(ws, candidate, champion)
    return decide(candidate, champion, ours, theirs)
