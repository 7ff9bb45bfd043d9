"""Training runs that cannot learn: why, and when to stop them."""

from collections.abc import Mapping

from verigym.core.errors import InfrastructureFailure
from verigym.core.words import counted, percent
from verigym.training.alarms import remedy_of
from verigym.workspace.measure import frequent_reason
from verigym.workspace.workspace import WorkspaceFolder

UNSCORED_STEPS = 3
"""Training stops after so many steps in a row in which no episode could be scored."""


def check_scored(ws: WorkspaceFolder, run: str, history: Mapping[int, Mapping[str, float]]) -> None:
    """Raises an error with the most frequent reason if no episode of the last steps could be scored."""
    steps = sorted(history)[-UNSCORED_STEPS:]
    rows = [history[step] for step in steps]
    if len(rows) == UNSCORED_STEPS and all(row.get("unscored") and "reward" not in row for row in rows):
        raise InfrastructureFailure(
            f"No episode of the last {UNSCORED_STEPS} steps could be scored.{_reason(ws, f'{run}/step-{steps[-1]:04d}')} "
            "Fix the cause and repeat the command to continue"
        )


def _reason(ws: WorkspaceFolder, prefix: str) -> str:
    """Why episodes of the runs with this prefix could not be scored, as a sentence."""
    reasons = (frequent_reason(ws, child.id) for child in ws.store.runs_from(prefix))
    found = next(filter(None, reasons), "")
    return f" Most frequent reason: {found.removesuffix('.')}." if found else ""


def why_nothing_learnt(ws: WorkspaceFolder, run: str) -> str:
    """Why no step of a training run changed the weights. Empty if one did."""
    rows = list(ws.store.metrics(run).values())
    if not rows or any("loss" in row for row in rows):
        return ""
    passed = [row["passed"] for row in rows if "passed" in row]
    steps = counted(len(rows), "step")
    if not passed:
        return f"No episode of {steps} could be scored.{_reason(ws, f'{run}/step-')} {remedy_of('nothing scored')}"
    if any("kept" in row for row in rows):
        return f"No episode of {steps} passed, so there was nothing to imitate. {remedy_of('tasks too hard')}"
    if any("value" in row or "untaught" in row for row in rows):
        return (
            f"No episode of {steps} could be learnt from: each was truncated and left out (episodes.mask_truncated), or the "
            "teacher could not score it. Raise max_tokens, or remove episodes.mask_truncated"
        )
    share = sum(passed) / len(passed)
    kind = "tasks too hard" if share < 0.25 else "tasks too easy" if share > 0.75 else "no signal"
    return (
        f"In {steps}, the episodes of each group got equal rewards, so no group says what is better ({percent(share, 0)} of "
        f"episodes passed). {remedy_of(kind)}"
    )
