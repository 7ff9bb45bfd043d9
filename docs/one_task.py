"""Prints docs/explanation/one-task.md from the workspace of a finished quickstart: one task, followed through every record.

    python docs/one_task.py .verigym > docs/explanation/one-task.md

Long lists and texts are shortened. Nothing else is changed.
"""

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.records import Report, Version
from verigym.evaluation import failures
from verigym.registry import ledger
from verigym.training.advantages import advantages, differ
from verigym.training.samples import from_trajectory
from verigym.workspace.workspace import WorkspaceFolder

LONGEST = 10
"""Keys of a nested object above which only the first SHOWN are printed. A list of records may have half as many."""
SHOWN = 2
HEAD = """# One task through every record

This page follows one held-out task through every record of a quickstart. `python docs/one_task.py .verigym` makes it.
The script shortens long lists, objects and texts with `…`. [Prepare training data](../how-to/data.md) shows a `Label`,
an `Example` and a `Preference`.
"""


def cut(value: Any, nested: bool = False) -> Any:
    if isinstance(value, list):
        longest, shown = (LONGEST // 2, 2) if value and isinstance(value[0], dict) else (6, SHOWN)
        kept = value[:shown] if len(value) > longest else value
        return [cut(each, True) for each in kept] + [f"… {len(value) - shown} more"] * (len(value) > longest)
    if isinstance(value, dict):
        kept = list(value.items())[: SHOWN if nested and len(value) > LONGEST else None]
        more = {"…": f"{len(value) - len(kept)} more"} if len(kept) < len(value) else {}
        return {key: cut(each, True) for key, each in kept} | more
    if isinstance(value, str) and len(value) > 260:
        return f"{value[:240]}… ({len(value)} characters)"
    return float(f"{value:.4g}") if isinstance(value, float) else value


def show(title: str, words: str, record: Any) -> None:
    text = msgspec.json.format(msgspec.json.encode(cut(msgspec.to_builtins(record)))).decode()
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: "[" + re.sub(r"\s*\n\s*", " ", found[1]) + "]", text)
    print(f"## {title}\n\n" + (f"{words}\n\n" if words else "") + f"```json\n{text}\n```\n")


def without(record: Any, *fields: str) -> dict[str, Any]:
    return {key: value for key, value in msgspec.to_builtins(record).items() if key not in fields}


ws = WorkspaceFolder(Path(sys.argv[1]))
versions = ws.store.documents("version", Version)
base, tuned = versions[0], versions[-1]
of_notes = [report for report in ws.store.documents("report", Report) if report.suite.environment == "notes"]
reports = {report.agent: report for report in reversed(of_notes)}  # the first of each: on the same tasks
before, after = reports[base.id], reports[tuned.id]
result = next(new for old, new in zip(before.results, after.results, strict=True) if new.passed and not old.passed)
task = next(task for task in ws.store.tasks(after.run) if task.id == result.task)
failed = next(one for one in ws.store.trajectories(before.run) if one.task == task.id)
passed = next(one for one in ws.store.trajectories(after.run) if one.task == task.id)
verdicts = {verdict.trajectory: verdict for run in (before.run, after.run) for verdict in ws.store.verdicts(run)}

print(HEAD)
show("Task", "A held-out task. No training task has its story, its names or its places.", task)
show("Trajectory", "The base model's episode: its replies and how the episode ended.", without(failed, "turns"))
show("Turn", "The only model call of the episode. The ids are the tokens that were sampled.", failed.turns[0])
show("Verdict", "Scored from the record alone.", verdicts[failed.id])
finding = failures.explain([task], [failed], [verdicts[failed.id]]).findings[0]
show(
    "Finding", "The failure bucket, computed for this one episode, without the clusters.", without(finding, "clusters")
)
after_training = {**without(passed, "turns"), "items": passed.items[2:]}
show("Trajectory, after training", "The trained version's episode, without the same first two items.", after_training)
show("Verdict, after training", "", verdicts[passed.id])

steps = [run for run in ws.store.runs(parent=None) if run.kind == "collect" and "/step-" in run.id]
groups: dict[str, list[Any]] = {}
for trajectory in ws.store.trajectories(steps[0].id):
    groups.setdefault(trajectory.task, []).append(trajectory)
scores = {verdict.trajectory: verdict.reward for verdict in ws.store.verdicts(steps[0].id)}
group = next(group for group in groups.values() if differ([scores[one.id] for one in group]))
rewards = [scores[one.id] for one in group]
sample = from_trajectory(group[0], advantages([rewards])[0][0])[0]
first = sample.mask.index(1)
tail = msgspec.structs.replace(
    sample, ids=sample.ids[first - 1 :], mask=sample.mask[first - 1 :], logprobs=sample.logprobs[first - 1 :]
)
shown = [round(reward, 2) for reward in rewards if reward is not None]
words = f"From a GRPO group on a training task, rewards {shown}. The first {first - 1} prompt ids are omitted."
show("Sample", words, tail)
show("Suite", "The frozen held-out tasks. The hash covers the tasks and the verifier.", after.suite)
show("TaskResult", "The result of this task in the report of the trained version.", result)
show(
    "Report", "The trained version on the suite, without the suite and the results.", without(after, "suite", "results")
)
show("Version", "The trained agent: everything that determines its behaviour, and its provenance.", tuned)
moved = next(entry for entry in reversed(ledger.entries(ws.store)) if entry.decision.candidate == tuned.id)
words = "The ledger entry of the decision, without the measurements. Its hash chains it to the previous entry."
show("Decision", words, {**without(moved), "decision": without(moved.decision, "measured")})
