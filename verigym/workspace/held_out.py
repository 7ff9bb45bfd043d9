"""The held-out sets of a workspace and how often each was used, derived from its store."""

import msgspec

from verigym.core.records import Report
from verigym.environments.load import held_out_name
from verigym.evaluation.suites import HeldOutSet, SuiteUse, held_out_sets, make_suite
from verigym.registry import ledger
from verigym.store.database import Run
from verigym.training.recipe import Checkpoints, choice_suite
from verigym.workspace.workspace import WorkspaceFolder


def sets_of(ws: WorkspaceFolder) -> list[HeldOutSet]:
    """The held-out sets, sorted by name and version."""
    runs = {run.id: run for run in ws.store.runs(parent=None)}
    uses = [
        SuiteUse(report.suite, report.agent, report.id, runs[report.run].created if report.run in runs else 0.0)
        for report in ws.store.documents("report", Report)
    ]
    decisions = [entry.decision for entry in ledger.entries(ws.store)]
    return held_out_sets(uses + _while_training(ws, runs), decisions)


def _while_training(ws: WorkspaceFolder, runs: dict[str, Run]) -> list[SuiteUse]:
    """Uses of suites by evaluations during training. A training run evaluates on the same tasks each time."""
    suites, uses = {}, []
    for run in runs.values():
        if run.kind != "eval" or run.parent not in runs:
            continue
        environment, verifier = held_out_name(run.config.get("environment", "")), run.verifier
        key = run.parent, environment, verifier
        if key not in suites:
            tasks = ws.store.tasks(run.id)
            recipe = runs[run.parent].config.get("recipe", {})
            checkpoints = msgspec.convert(recipe.get("checkpoints", {}), Checkpoints)
            named = choice_suite(recipe.get("held_out_eval", ""), checkpoints)
            name = named if named and named.split()[0] != "all" else f"{environment}:{tasks[0].split}"
            suites[key] = make_suite(name, environment, tasks, verifier)
        uses.append(SuiteUse(suites[key], "", "", run.created))
    return uses
