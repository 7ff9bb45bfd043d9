"""What to check before training starts. Nothing is refused here: `train.TrainingJob` refuses."""

import shlex

from verigym.environments.load import held_out_name
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe
from verigym.workspace import datasets
from verigym.workspace.audit import last_audit, was_checked
from verigym.workspace.leak_check import leak_warnings
from verigym.workspace.measure import reports_of
from verigym.workspace.recipe_facts import notes_of
from verigym.workspace.train import parent_of
from verigym.workspace.training_environments import training_environments
from verigym.workspace.workspace import WorkspaceFolder


def recipe_warnings(ws: WorkspaceFolder, recipe: Recipe) -> list[str]:
    """Settings that have no effect, and rows of data for which the gate would refuse the version."""
    warnings = notes_of(recipe, parent_of(ws, recipe))
    if recipe.data and not recipe.samples and recipe.algorithm != "reward":
        dataset, rows = datasets.read(ws, recipe.data, thumbs=recipe.algorithm == "kto")
        warnings += leak_warnings(ws, dataset, rows, [each.name for each in training_environments(recipe)])
    return warnings


def warnings_of(ws: WorkspaceFolder, recipe: Recipe) -> list[str]:
    """All warnings: those of the recipe, a missing evaluation of the start, and verifiers that were not checked or audited."""
    parent = parent_of(ws, recipe)
    ws.check_base(parent.base)
    if recipe.algorithm == "reward":
        return recipe_warnings(ws, recipe)
    evaluated = {held_out_name(report.suite.environment) for report in reports_of(ws, parent)}
    warnings = recipe_warnings(ws, recipe)
    for each in training_environments(recipe):
        name = each.name
        if (held_out := held_out_name(name)) not in evaluated:
            warnings.append(
                f"{parent.label} has no evaluation in {held_out}, so the effect of training cannot be measured. "
                f"Run: verigym eval {shlex.quote(held_out)} -m {shlex.quote(recipe.start or recipe.model)}"
            )
        warnings += _unaudited(ws, each) if recipe.samples else []
    return warnings


def _unaudited(ws: WorkspaceFolder, trained: TrainingEnvironment) -> list[str]:
    """Warnings about a verifier that was never checked or audited, or that failed its audit."""
    verifier, audit = trained.environment.verifier.name, last_audit(ws, trained.environment)
    missing = [] if was_checked(ws, trained.environment) else [("checked", "check")]
    missing += [("audited", "audit run")] if audit is None else []
    warnings: list[str] = []
    if audit and audit.fix:
        warnings.append(f"{verifier} FAILED its audit, so training would learn wrong rewards: {audit.fix[0]}")
    if missing:
        done = " or ".join(word for word, _ in missing)
        commands = ", then ".join(f"verigym {command} {shlex.quote(trained.name)}" for _, command in missing)
        warnings.append(f"{verifier} was never {done}, so training may learn wrong rewards. Run: {commands}")
    return warnings
