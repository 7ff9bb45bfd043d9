"""The newest reports of two versions that can be compared with each other."""

from collections.abc import Iterator

from verigym.core.errors import Refused
from verigym.core.records import Json, Report, Version
from verigym.environments.load import held_out_name
from verigym.workspace.workspace import WorkspaceFolder

GUARDS = ("retention", "safety")
"""Environments of guardrail suites: reports on them are no primary ones, unless that is asked for."""
SETTINGS = ("sampling", "k", "judge", "user")
"""Settings in which two reports must agree to be compared."""


def is_guard(report: Report) -> bool:
    """Whether a report is on a guardrail suite, such as the regressions of an environment, which have no success."""
    return report.suite.environment in GUARDS or (bool(report.metrics) and "success" not in report.metrics)


def shared_reports(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str = ""
) -> tuple[Report, Report]:
    """The newest reports of both that can be compared: candidate, champion."""
    environment = held_out_name(environment)
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.hash == theirs.suite.hash and sampled_alike(ws, ours, theirs):
            return ours, theirs
    changed = _verifier_changed(ws, candidate, champion, environment)
    if changed is not None:
        ours, theirs = changed
        raise Refused(
            f"{candidate.label} was scored by {ours.suite.verifier} and {champion.label} by {theirs.suite.verifier}, on the "
            "same tasks. Score both again by the present verifier, which takes no model: "
            f"verigym rescore {ours.run} and verigym rescore {theirs.run}"
        )
    raise Refused(
        f"{candidate.label} and {champion.label} have no report on the same held-out tasks. Run: "
        + " and ".join(_missing_evals(ws, candidate, champion, environment))
    )


def _pairs(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> Iterator[tuple[Report, Report]]:
    """Newest first."""
    reports = [
        report
        for report in reversed(ws.store.documents("report", Report))
        if (report.suite.environment == environment if environment else not is_guard(report))
    ]
    theirs = [report for report in reports if report.agent == champion.id]
    for ours in reports:
        if ours.agent == candidate.id:
            yield from ((ours, one) for one in theirs)


def sampled_alike(ws: WorkspaceFolder, one: Report, other: Report, fields: tuple[str, ...] = SETTINGS) -> bool:
    """Decoded, repeated and judged alike."""
    settings = [ws.store.run(report.run).config for report in (one, other)]
    return all(settings[0].get(field) == settings[1].get(field) for field in fields)


def _verifier_changed(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> tuple[Report, Report] | None:
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.verifier != theirs.suite.verifier and sampled_alike(ws, ours, theirs, (*SETTINGS, "tasks")):
            return ours, theirs
    return None


def _missing_evals(ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str) -> Iterator[str]:
    """What to type: as the other was measured, where it was."""
    reports = [one for one in ws.store.documents("report", Report) if not is_guard(one)]
    known = {
        version.id: [one for one in reports if one.agent == version.id and environment in ("", one.suite.environment)]
        for version in (candidate, champion)
    }
    model = (known[champion.id] or known[candidate.id])[-1:]
    if not model:
        yield from (f"verigym eval {environment or 'ENV'} -m {one.id}" for one in (candidate, champion))
        return
    missing = candidate if known[champion.id] else champion
    config: Json = ws.store.run(model[0].run).config
    sampling = config.get("sampling", {})
    options = f"-n {config.get('num_tasks')} -k {config.get('k', 1)} --temperature {sampling.get('temperature', 1.0)}"
    options += f" --max-tokens {sampling.get('max_tokens', 256)}"
    if sampling.get("weights"):
        options += f" --weights {sampling['weights']}"
    yield f"verigym eval {config.get('environment')} -m {missing.id} {options}"
