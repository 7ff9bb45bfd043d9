"""Deleting old runs and freeing disk space, without touching anything that a record still needs."""

import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from verigym.core.records import Dataset, Label, Report, Version
from verigym.registry import ledger
from verigym.registry.checkpoints import KIND, kept_checkpoints
from verigym.store import space
from verigym.store.database import Run
from verigym.workspace.checkpoints import drop, forget_kept, used_adapters
from verigym.workspace.workspace import WorkspaceFolder

DAY_S = 86400
Reasons = dict[str, list[str]]
"""Run to the reasons why it must stay. Empty: it can be deleted."""


class GarbageItem(msgspec.Struct, frozen=True, kw_only=True):
    """Things of one kind that nothing needs."""

    title: str
    count: int
    bytes: int


class GarbagePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What `collect_garbage` deletes."""

    runs: list[str]
    blobs: list[str]
    paths: list[str]
    items: list[GarbageItem]
    shared: list[str] = []
    """Folders behind the URL of the shared files."""
    freed: int = 0
    """Bytes freed on disk. 0 in a plan that was not carried out."""

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.items)


class _Proposal(msgspec.Struct):
    """The part of a mined proposal that names its traces."""

    trajectories: list[str] = []


def run_sizes(ws: WorkspaceFolder) -> dict[str, int]:
    """Bytes in the store by top-level run: its own, and those of its child runs."""
    parents = {run.id: run.parent or run.id for run in ws.store.runs(parent=None)}
    totals: Counter[str] = Counter()
    for run, size in space.run_bytes(ws.store).items():
        totals[parents.get(run, run)] += size
    return totals


def removable(ws: WorkspaceFolder, runs: Sequence[str]) -> Reasons:
    """Why each of these runs is still needed. A run is needed if one of its child runs is."""
    stored = ws.store.runs(parent=None)
    reasons = _reasons(ws, stored)
    families = {run: [run, *(child.id for child in stored if child.parent == run)] for run in runs}
    return {
        run: [*dict.fromkeys(reason for id in family for reason in reasons.get(id, []))]
        for run, family in families.items()
    }


def _reasons(ws: WorkspaceFolder, runs: Sequence[Run]) -> Reasons:
    """Needed runs with the reasons."""
    reasons: Reasons = defaultdict(list)
    by_id = {run.id: run for run in runs}
    children: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        if run.kind == "collect":
            children[run.parent].append(run.id)
    decided: dict[str, int] = {}
    for entry in ledger.entries(ws.store):
        measured = [id for suite in entry.decision.measured for id in (suite.candidate, suite.champion)]
        decided |= dict.fromkeys([*entry.decision.reports, *measured], entry.seq)
    for report in ws.store.documents("report", Report):
        entry = f", on which ledger entry {decided[report.id]} rests" if report.id in decided else ""
        reasons[report.run].append(f"report {report.id} needs it{entry}")
    for version in ws.store.documents("version", Version):
        if run := version.recipe.get("run"):
            reasons[run].append(f"version {version.id} was trained by it")
    for dataset in ws.store.documents("dataset", Dataset):
        for run in by_id.keys() & set(dataset.source.replace(",", " ").split(" ")):
            reasons[run].append(f"dataset {dataset.name} was made from it")
    labels = ws.store.documents("label", Label)
    proposals = [msgspec.json.decode(document.body, type=_Proposal) for document in ws.store.bodies("proposal")]
    named = {
        "a label refers to it": {id for label in labels for id in (label.trajectory, label.other)},
        "a mined task comes from it": {id for proposal in proposals for id in proposal.trajectories},
    }
    for run in runs:
        for reason, trajectories in named.items():
            if any(id.startswith(f"{run.id}/") for id in trajectories):
                reasons[run.id].append(reason)
        if (source := str(run.config.get("data", ""))) in by_id:
            for child in (source, *children.get(source, ())):  # the episodes of a training run are in its child runs
                reasons[child].append(f"training run {run.id} trains on its episodes")
        parent = by_id.get(run.parent)
        if parent is not None and parent.finished is None:
            reasons[run.id].append(f"training run {parent.id} is not finished and resumes from it")
    return reasons


def delete_runs(ws: WorkspaceFolder, runs: Sequence[str], *, dry_run: bool = False) -> int:
    """Deletes runs with their child runs and checkpoints. Returns the bytes in the store that become free."""
    sizes = space.run_bytes(ws.store)
    families = {id: [*(child.id for child in ws.store.runs(parent=id)), id] for id in runs}
    for id, family in families.items() if not dry_run else ():
        with ws.store.claim(id):  # refuses a run that another process is making
            for run in family:
                ws.store.delete_run(run)
                ws.forget_checkpoints(run)
            forget_kept(ws, id)
    return sum(sizes.get(run, 0) for family in families.values() for run in family)


def needed_by(ws: WorkspaceFolder, version: Version) -> list[str]:
    """What refers to a version. A version that nothing refers to can be deleted."""
    reasons: list[str] = []
    history = ledger.entries(ws.store)
    if history and history[-1].champion_after == version.id:
        reasons.append("it is the champion")
    named = [
        entry.seq
        for entry in history
        if version.id
        in (entry.decision.candidate, entry.decision.champion, entry.champion_before, entry.champion_after)
    ]
    if named:
        reasons.append(f"ledger entry {named[-1]} names it")
    own = {("version", version.id), ("trained", str(version.recipe.get("run", "")))}
    own |= {(KIND, one.name) for one in kept_checkpoints(ws.store) if one.version.id == version.id}
    for kind, id in ws.store.mentions(version.id):
        if (kind, id) not in own:
            reasons.append(f"{kind} {id} refers to it")
    for run in ws.store.runs(parent=None):
        if run.scored and version.id in run.config.values():
            reasons.append(f"run {run.id} has scored episodes of it")
    return reasons


def delete_version(ws: WorkspaceFolder, version: Version) -> None:
    """Deletes a version or a kept checkpoint. The adapter of a version becomes garbage. Its recipe would be trained anew."""
    run = str(version.recipe.get("run", ""))
    made = ws.store.get("trained", run, Version)
    if made is not None and made.id == version.id:
        ws.store.delete("trained", run)
    ws.store.delete("version", version.id)
    for checkpoint in kept_checkpoints(ws.store, run):
        if checkpoint.version.id == version.id:
            drop(ws, checkpoint)


def plan_garbage(ws: WorkspaceFolder, older_than_days: int | None = None) -> GarbagePlan:
    """What can be deleted now. Runs are included only with an age, and production traces never."""
    runs = _old_runs(ws, older_than_days) if older_than_days is not None else []
    sizes = space.run_bytes(ws.store)
    blobs = space.unused_blobs(ws.store, without=runs)
    needed, unfinished = used_adapters(ws), _unfinished(ws)
    paths = _unused_paths(ws, needed, unfinished)
    shared = _unused_shared(ws, needed, unfinished)
    items = [
        GarbageItem(title="runs", count=len(runs), bytes=sum(sizes.get(run, 0) for run in runs)),
        GarbageItem(title="blobs", count=len(blobs), bytes=sum(blobs.values())),
        *(GarbageItem(title=title, count=len(found), bytes=sum(map(_size, found))) for title, found in paths.items()),
        *(
            GarbageItem(title=f"shared {title}", count=len(sizes), bytes=sum(sizes.values()))
            for title, sizes in shared.items()
        ),
        GarbageItem(title="free pages of the store", count=1, bytes=space.free_bytes(ws.store)),
    ]
    return GarbagePlan(
        runs=runs,
        blobs=list(blobs),
        paths=[str(path) for found in paths.values() for path in found],
        items=[item for item in items if item.count],
        shared=[f"{under}/{name}" for under, found in shared.items() for name in found],
    )


def collect_garbage(ws: WorkspaceFolder, plan: GarbagePlan) -> GarbagePlan:
    """Deletes what a plan names and compacts the store. Returns the plan with the bytes freed on disk."""
    before = _size(ws.home)
    for run in plan.runs:
        with ws.store.claim(run):
            ws.store.delete_run(run)
            ws.forget_checkpoints(run)
        forget_kept(ws, run)
    space.delete_blobs(ws.store, plan.blobs)
    needed, unfinished = used_adapters(ws), _unfinished(ws)  # another process may use something again
    for path in map(Path, plan.paths):
        if path.parent == ws.home / "adapters" and path.name in needed:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if ws.shared is not None:
        for name in plan.shared:
            if name.partition("/")[2] not in needed | unfinished:
                ws.shared.delete(name)
    space.compact(ws.store)
    return msgspec.structs.replace(plan, freed=max(0, before - _size(ws.home)))


def _old_runs(ws: WorkspaceFolder, days: int) -> list[str]:
    """Finished runs and episodes of finished training, older than this, that nothing needs. Child runs come first."""
    runs = ws.store.runs(parent=None)
    reasons = _reasons(ws, runs)
    limit = time.time() - days * DAY_S
    old = [run for run in runs if run.kind != "traces" and run.finished and run.created <= limit]
    free = {run.id for run in old if run.id not in reasons}
    held = {run.parent for run in runs if run.parent and run.id not in free}
    return [run.id for run in sorted(old, key=lambda run: not run.parent) if run.id in free - held]


def _unfinished(ws: WorkspaceFolder) -> set[str]:
    """Top-level names of the runs that may be resumed."""
    return {run.id.partition("/")[0] for run in ws.store.runs(parent=None) if run.finished is None}


def _unused_shared(ws: WorkspaceFolder, needed: set[str], unfinished: set[str]) -> dict[str, dict[str, int]]:
    """Shared adapters and resume states that no record names, by kind, with their bytes. This folder may have no copy."""
    if ws.shared is None:
        return {}
    used = {"adapters": needed, "checkpoints": unfinished}
    return {
        under: ws.shared.older(under, [name for name in ws.shared.names(under) if name not in kept], DAY_S)
        for under, kept in used.items()
    }


def _unused_paths(ws: WorkspaceFolder, needed: set[str], unfinished: set[str]) -> dict[str, list[Path]]:
    """Files and folders that no record names, by kind."""
    used_data = {document.id for document in ws.store.bodies("dataset")}
    adapters = _old_entries(ws.home / "adapters")
    return {
        "adapters": [path for path in adapters if path.name not in needed and not path.name.startswith(".")],
        "checkpoints": [path for path in _old_entries(ws.home / "checkpoints") if path.name not in unfinished],
        "dataset files": [
            path for path in _old_entries(ws.home / "data") if path.suffix == ".jsonl" and path.stem not in used_data
        ],
        "temporary files": [
            path for path in [*adapters, *_old_entries(ws.home)] if path.name.startswith((".new-", ".servers"))
        ],
    }


def _old_entries(folder: Path) -> list[Path]:
    """Nothing younger than a day is deleted: a process may be about to register it."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in paths if path.stat().st_mtime < time.time() - DAY_S]


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size
