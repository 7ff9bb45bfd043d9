"""Operations on task files: load with invalid rows set aside, split by family, deduplicate, and group into sides."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Task
from verigym.core.words import counted
from verigym.tasks.dedup import DedupResult, deduplicate
from verigym.tasks.files import check_ours, mark_ours, remove_ours
from verigym.tasks.load import BadRow, load_tasks, save_tasks
from verigym.tasks.near_duplicates import Progress
from verigym.tasks.split import SplitStats, dominated, sides, split_tasks, with_families

OnBadRows = Callable[[Sequence[BadRow], Path | None], None]
"""Gets the invalid rows and the output folder. If it is None, the first invalid row is an error."""


class SplitFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files that a task file was split into."""

    files: dict[str, str]
    """Split to path."""
    splits: list[SplitStats]
    warnings: list[str]


def load_file(path: Path, on_bad: OnBadRows | None = None, folder: Path | None = None) -> list[Task]:
    """The tasks of a file. A row without a split keeps none."""
    bad: list[BadRow] | None = None if on_bad is None else []
    tasks = load_tasks(path, split="", bad=bad)
    if on_bad is not None and bad:
        on_bad(bad, folder)
    return tasks


def split_file(
    path: Path,
    shares: dict[str, float],
    *,
    out: Path | None = None,
    seed: int = 0,
    near: float = 0.5,
    on_bad: OnBadRows | None = None,
    on_progress: Progress = lambda done, total: None,
) -> SplitFiles:
    """Writes one file per split into a folder. `shares` are those of the held-out splits, and train gets the rest."""
    if sum(shares.values()) >= 1:
        given = " and ".join(f"--{name} {share}" for name, share in shares.items())
        raise BadInput(f"{given} leave nothing to train on. Together they must be below 1")
    folder = out or path.with_suffix("")
    if folder.is_file():
        raise BadInput(f"{folder} is a file. Name a folder with --out")
    tasks = load_file(path, on_bad, folder)
    tasks = split_tasks(with_families(tasks, near, on_progress), shares, seed)
    splits = sides(tasks)
    _check_complete(path, splits, shares, len(tasks))
    suffix = output_suffix(path)
    files = {side.split: folder / f"{side.split}{suffix}" for side in splits}
    if path.resolve() in {file.resolve() for file in files.values()}:
        raise BadInput(f"{path} would be overwritten. Name another folder with --out")
    made_by = f"tasks split {os.path.relpath(path.resolve(), folder.resolve())}"
    for file in files.values():
        check_ours(file, made_by)
    for name, file in files.items():
        save_tasks(file, [task for task in tasks if task.split == name])
        mark_ours(file, made_by)
    for name in {"train", *shares} - files.keys():
        remove_ours(folder / f"{name}{suffix}", made_by)  # left by an earlier split with other shares
    warnings = [
        f'{side.largest_share:.0%} of {side.split} is one family, "{side.largest[:60]}", so its figures are about that family'
        for side in splits
        if dominated(side)
    ]
    return SplitFiles(files={name: str(file) for name, file in files.items()}, splits=splits, warnings=warnings)


def _check_complete(path: Path, splits: Sequence[SplitStats], shares: dict[str, float], num_tasks: int) -> None:
    """Every split with a share must get a family."""
    present = {side.split for side in splits}
    missing = [name for name in ("train", *shares) if shares.get(name, 1) and name not in present]
    if not missing:
        return
    families = sum(side.families for side in splits)
    if families == 1:
        reason = f'all tasks are in one family, "{splits[0].largest[:60]}", and a family is never split'
        raise BadInput(f'{path}: {reason}. Give unrelated tasks different families ("family" in a row or a design)')
    counts = f"{counted(num_tasks, 'task')} of {counted(families, 'family')}"
    remedy = "Add tasks, raise its share, or use another --seed"
    raise BadInput(f'{path}: no family falls into "{missing[0]}" ({counts}). {remedy}')


def deduplicate_file(
    path: Path,
    *,
    out: Path | None = None,
    near: float = 0.8,
    ignore: Collection[str] = (),
    keep_conflicts: bool = False,
    on_bad: OnBadRows | None = None,
    on_progress: Progress = lambda done, total: None,
) -> tuple[Path, DedupResult]:
    """Writes the tasks of a file without duplicates and conflicts to another file, and returns both."""
    target = out or path.with_name(f"{path.stem}.clean{output_suffix(path)}")
    if target.resolve() == path.resolve():
        raise BadInput(f"{path} would be overwritten. Name another file with --out")
    made_by = f"tasks dedup {os.path.relpath(path.resolve(), target.parent.resolve())}"
    check_ours(target, made_by)
    tasks = load_file(path, on_bad, target.parent)
    result = deduplicate(tasks, near, ignore=ignore, keep_conflicts=keep_conflicts, on_progress=on_progress)
    if not result.kept:
        raise BadInput(f"{path}: all tasks are conflicts. Pass --keep-conflicts to keep them")
    save_tasks(target, result.kept)
    mark_ours(target, made_by)
    return target, result


def load_sides(files: Sequence[Path], on_bad: OnBadRows | None = None) -> dict[str, list[Task]]:
    """The sides to compare for leaks: one per file, or the splits of a single file."""
    if len(files) > 1:
        names = [f"{file}{f' ({n + 1})' if file in files[:n] else ''}" for n, file in enumerate(files)]
        return {name: load_file(file, on_bad) for name, file in zip(names, files, strict=True)}
    by_split: dict[str, list[Task]] = {}
    for task in load_file(files[0], on_bad):
        by_split.setdefault(task.split or "no split", []).append(task)
    if len(by_split) < 2:
        raise BadInput(f"{files[0]} has only one split ({next(iter(by_split))}). Name a second file to compare with")
    return by_split


def output_suffix(path: Path) -> str:
    """The suffix of files that are made from this one: its own if it can be written, else .jsonl."""
    return ".jsonl" if path.suffix.lower() == ".csv" else path.suffix.lower()
