"""Scores stored runs again and brings their reports up to date. It needs no model, unless the verifier asks a judge.

A report is tied to one version of its verifier. After the verifier changes, old and new reports cannot be compared.
`rescore` closes that gap for one run, `outdated_reports` finds every run that needs it.
"""

from collections.abc import Callable
from typing import NamedTuple

from verigym.core import event_loop
from verigym.core.errors import BadInput, VerigymError
from verigym.core.records import Report, Version
from verigym.environments.load import environment_of
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import make_suite
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout import rescore as scoring
from verigym.rollout.many import Progress
from verigym.rollout.rescore import RescoreResult
from verigym.rollout.settings import RunSettings
from verigym.workspace import measure
from verigym.workspace.workspace import WorkspaceFolder


class RescoredRun(NamedTuple):
    run: str
    scores: RescoreResult
    report: Report | None
    """The report by these scores. None if the run is not an evaluation, so that it has no report."""
    renewed: bool = False
    """Whether the report differs from the one before."""


class OutdatedReport(NamedTuple):
    report: Report
    verifier: str
    """name@version of the verifier today. Empty if the environment cannot be loaded."""
    problem: str = ""


def rescore(
    ws: WorkspaceFolder,
    run: str,
    environment: str | EnvironmentSpec = "",
    verifier: str = "",
    judge: Version | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    *,
    require_sandbox: bool = False,
) -> RescoredRun:
    """Scores a stored run with the environment's current verifier, or another of its verifiers.

    If the run has a report, the report is made again and becomes its newest, so that lists and comparisons agree with the run.
    Earlier reports are kept.
    """
    stored = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    report = {report.run: report for report in ws.store.documents("report", Report)}.get(stored.id)  # the newest
    recorded = stored.config.get("environment") or (report.suite.environment if report is not None else "")
    environment = environment or recorded
    if not environment:
        raise BadInput(
            f"Run {stored.id} does not record its environment. Name it: --env ENV, or environment=... in Python"
        )
    spec = environment_of(environment, ws.store.tasks(stored.id)) if isinstance(environment, str) else environment
    if not verifier and report is not None and environment == recorded:
        verifier = _same_verifier(spec, report)
    spec = measure.judged_by(spec, verifier)
    if judge is None and stored.config.get("judge"):
        judge = ws.find_role(stored.config["judge"])

    async def score_again() -> RescoreResult:
        async with measure.context_of(ws, RunSettings(judge=judge, require_sandbox=require_sandbox)) as context:
            return await scoring.rescore(ws.store, stored.id, spec.verifier, context, on_progress=on_progress)

    scores = event_loop.run(score_again())
    if report is None:
        return RescoredRun(stored.id, scores, None)
    current = _write_report(ws, report, spec)
    return RescoredRun(stored.id, scores, current, renewed=current.id != report.id)


def outdated_reports(ws: WorkspaceFolder) -> list[OutdatedReport]:
    """The newest report of each run whose verifier has changed since, and of each run whose environment cannot be loaded."""
    newest = {report.run: report for report in ws.store.documents("report", Report)}
    outdated: list[OutdatedReport] = []
    for report in newest.values():
        try:
            environment = ws.store.run(report.run).config.get("environment") or report.suite.environment
            spec = environment_of(environment, ws.store.tasks(report.run))
        except VerigymError as error:
            outdated.append(OutdatedReport(report, "", str(error)))
            continue
        current = measure.judged_by(spec, _same_verifier(spec, report)).verifier.name
        if _is_older_version(report.suite.verifier, current):
            outdated.append(OutdatedReport(report, current))
    return outdated


def _same_verifier(spec: EnvironmentSpec, report: Report) -> str:
    """The environment's verifier with the name of the report's. Empty for the default verifier."""
    name = report.suite.verifier.partition("@")[0]
    return next((key for key, verifier in spec.verifiers.items() if verifier.name.partition("@")[0] == name), "")


def _is_older_version(before: str, now: str) -> bool:
    return before != now and before.partition("@")[0] == now.partition("@")[0]


def _write_report(ws: WorkspaceFolder, report: Report, spec: EnvironmentSpec) -> Report:
    tasks = ws.store.tasks(report.run)
    suite = make_suite(report.suite.name, report.suite.environment, tasks, spec.verifier.name)
    verdicts = ws.store.verdicts(report.run, spec.verifier.name)
    trajectories = ws.store.trajectories(report.run)
    current = make_report(report.run, report.agent, suite, tasks, trajectories, verdicts, report.seed, spec.explain)
    if current.id != report.id:
        ws.store.put_last("report", current.id, current)
    return current
