"""Datasets: training rows from runs and files, stored by hash and found by name.

A dataset is `data/<sha256>.jsonl` in the workspace and a `Dataset` document in the store. The file is written first and
atomically. If the call is killed in between, the same call resumes. Equal rows are the same dataset, whatever their source.
"""

import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused, not_found
from verigym.core.records import Dataset, Example, Feedback, Label, Preference, Toolset, ToolSpec
from verigym.store.database import Run
from verigym.tasks.files import is_task_file, write_whole
from verigym.training.data import (
    Counts,
    Rows,
    RunRecords,
    demonstrations,
    graded_pairs,
    labelled_pairs,
    rated,
    read_rows,
)
from verigym.verifiers.ending import is_regression
from verigym.workspace.workspace import WorkspaceFolder


def from_demonstrations(
    ws: WorkspaceFolder, run: str, *, per_task: int = 4, min_reward: float | None = None, name: str = ""
) -> Dataset:
    """Stores the passed episodes of a run as demonstrations."""
    stored = _run(ws, run)
    rows, counts = demonstrations(records_of(ws, stored), per_task=per_task, min_reward=min_reward)
    source = f"episodes of run {stored.id} that passed, at most {per_task} a task"
    if min_reward is not None:
        source += f", of reward {min_reward:g} or more"
    remedy = f"Find out why: verigym explain {stored.id}"
    _check_some(rows, counts, f"Run {stored.id} has no episode to imitate", remedy)
    return keep(ws, rows, counts, environment=_environment(stored), source=source, name=name)


def from_rewards(ws: WorkspaceFolder, run: str, *, gap: float = 0.1, per_task: int = 4, name: str = "") -> Dataset:
    """Stores pairs of episodes of one task whose rewards differ."""
    stored = _run(ws, run)
    rows, counts = graded_pairs(records_of(ws, stored), gap=gap, per_task=per_task)
    pairs = f"paired where rewards differ by {gap:g} or more, at most {per_task} pairs a task"
    remedy = "Lower --gap, or sample more episodes per task: verigym rollout ENV -m MODEL -k 8"
    _check_some(rows, counts, f"Run {stored.id} has no two episodes of a task whose rewards differ by --gap", remedy)
    return keep(
        ws, rows, counts, environment=_environment(stored), source=f"episodes of run {stored.id}, {pairs}", name=name
    )


def from_labels(ws: WorkspaceFolder, run: str, *, name: str = "") -> Dataset:
    """Stores pairs of episodes of one task that people labelled with a preference."""
    stored = _run(ws, run)
    rows, counts = labelled_pairs(records_of(ws, stored), ws.store.documents("label", Label))
    _check_some(
        rows, counts, f"Run {stored.id} has no label with a preference", f"Add labels: verigym label {stored.id}"
    )
    return keep(ws, rows, counts, environment=_environment(stored), source=f"labels on run {stored.id}", name=name)


def from_thumbs(ws: WorkspaceFolder, run: str, *, verdicts: bool = False, name: str = "") -> Dataset:
    """Stores episodes of a run, or production traces, with a thumb up or down. With `verdicts`, the verifier gives the thumbs."""
    stored = _run(ws, run, traces=True)
    labels, feedback = ws.store.documents("label", Label), ws.store.documents("feedback", Feedback)
    rows, counts = rated(records_of(ws, stored), labels, feedback, verdicts=verdicts)
    remedy = f"Rate some: verigym label {stored.id} --single, or pass --verdicts to let the verifier rate them"
    _check_some(rows, counts, f"Run {stored.id} has no episode with a thumb", remedy)
    by = "verdicts" if verdicts else "labels and feedback"
    source = f"thumbs on run {stored.id}, from {by}"
    return keep(ws, rows, counts, environment=_environment(stored), source=source, name=name)


def read(ws: WorkspaceFolder, text: str, *, thumbs: bool = False) -> tuple[Dataset, Iterable[Example | Preference]]:
    """The dataset that `find` finds, and its rows. Stores nothing, also if the text names a file."""
    try:
        dataset = find_stored(ws, text)
    except NotFound:
        if is_task_file(text):
            return read_file(Path(text), thumbs=thumbs)
        raise
    return dataset, rows(ws, dataset)


def read_file(path: Path, *, thumbs: bool = False) -> tuple[Dataset, Rows]:
    """The dataset that a file would become, and its rows. Stores nothing."""
    rows, counts = _rows_of(path, thumbs)
    body = b"".join(codec.encode(row) + b"\n" for row in rows)
    return _describe(rows, counts, body, environment="", source=f"rows of {path}", stem=path.stem), rows


def _rows_of(path: Path, thumbs: bool = False) -> tuple[Rows, Counts]:
    rows, counts = read_rows(path, thumbs=thumbs)
    _check_some(rows, counts, f"{path} has no row to train on", "Add rows that are not labelled as bad")
    return rows, counts


def from_file(ws: WorkspaceFolder, path: Path, *, thumbs: bool = False, name: str = "") -> Dataset:
    """Stores the rows of a file, which are demonstrations or preferences. With `thumbs`, labels of demonstrations are kept."""
    rows, counts = _rows_of(path, thumbs)
    return keep(ws, rows, counts, environment="", source=f"rows of {path}", name=name, stem=path.stem)


def _run(ws: WorkspaceFolder, name: str, *, traces: bool = False) -> Run:
    run = ws.store.run(name, kinds=("rollout", "eval", "collect", *(["traces"] if traces else [])))
    if not run.trajectories:
        raise Refused(f"Run {run.id} has no episodes yet. Repeat the command that started it to resume")
    if any(is_regression(task) for task in ws.store.tasks(run.id)):
        raise Refused(
            f"Run {run.id} is on regressions. They say only how an episode must not end, so nothing can be learnt from them. "
            "Name a run on other tasks"
        )
    return run


def _environment(run: Run) -> str:
    return str(run.config.get("environment", ""))


def records_of(ws: WorkspaceFolder, run: Run) -> RunRecords:
    @functools.cache
    def tools_of(hash: str) -> list[ToolSpec]:
        toolset = ws.store.get("tools", hash, Toolset)
        if toolset is None and hash:
            raise BadInput(
                f"Run {run.id}: its tool descriptions ({hash}) are missing from {ws.store.path}. "
                "Repeat the run here, or export it again from its own workspace: verigym runs export"
            )
        return [] if toolset is None else toolset.tools

    store = ws.store
    return RunRecords(store.tasks(run.id), store.each_trajectory(run.id), store.each_verdict(run.id), tools_of)


def _check_some(rows: Rows, counts: Counts, what: str, remedy: str) -> None:
    if not rows:
        dropped = ", ".join(f"{name} {count}" for name, count in counts.items() if name != "kept")
        raise Refused(f"{what} ({dropped}). {remedy}")


def keep(
    ws: WorkspaceFolder, rows: Rows, counts: Counts, *, environment: str, source: str, name: str = "", stem: str = ""
) -> Dataset:
    """Stores rows as a dataset. Rows that are already stored keep their first name and source."""
    body = b"".join(codec.encode(row) + b"\n" for row in rows)
    dataset = _describe(rows, counts, body, environment=environment, source=source, name=name, stem=stem)
    _check_name(ws, name, dataset.id)
    write_whole(path_of(ws, dataset.id), lambda file: file.writelines([body]))
    ws.store.put("dataset", dataset.id, dataset)
    first = ws.store.get("dataset", dataset.id, Dataset) or dataset
    return msgspec.structs.replace(dataset, name=first.name)


def _describe(
    rows: Rows, counts: Counts, body: bytes, *, environment: str, source: str, name: str = "", stem: str = ""
) -> Dataset:
    id = hashlib.sha256(body).hexdigest()
    first = rows[0]
    kind = "preferences" if isinstance(first, Preference) else "demonstrations" if first.good is None else "thumbs"
    return Dataset(
        id=id,
        kind=kind,
        name=name or f"{stem or _STEMS[kind]}-{id[:8]}",
        environment=environment,
        source=source,
        rows=len(rows),
        tasks=len({row.task for row in rows}),
        families=sorted({row.family or row.task for row in rows}),
        counts=counts,
    )


_STEMS = {"demonstrations": "demos", "preferences": "pairs", "thumbs": "thumbs"}


def path_of(ws: WorkspaceFolder, id: str) -> Path:
    return ws.home / "data" / f"{id}.jsonl"


def known(ws: WorkspaceFolder) -> list[Dataset]:
    """All datasets, newest last."""
    return ws.store.documents("dataset", Dataset)


def find(ws: WorkspaceFolder, text: str, *, thumbs: bool = False) -> Dataset:
    """Finds a dataset by `latest`, id, name or prefix of an id, in this order. A file becomes a dataset. With `thumbs`, its
    labels are kept."""
    try:
        return find_stored(ws, text)
    except NotFound:
        if is_task_file(text):
            return from_file(ws, Path(text), thumbs=thumbs)
        raise


def find_stored(ws: WorkspaceFolder, text: str) -> Dataset:
    """Finds a stored dataset by `latest`, id, name or prefix of an id."""
    sets = known(ws)
    if text == "latest" and sets:
        return sets[-1]
    matches = [one for one in sets if text in (one.id, one.name)]
    matches = matches or [one for one in sets if text and one.id.startswith(text)]
    if len(matches) > 1:
        ids = ", ".join(f"{one.name} ({one.id[:12]})" for one in matches)
        raise BadInput(f'"{text}" matches {len(matches)} datasets: {ids}. Write a longer prefix')
    if matches:
        return matches[0]
    remedy = "List them: verigym data list. verigym data demos, pairs, thumbs and import create datasets."
    raise not_found("dataset", text, [one.name for one in sets], remedy)


def rows(ws: WorkspaceFolder, dataset: Dataset) -> Iterator[Example | Preference]:
    """Iterates over the rows. Refuses a file that has changed since it was written."""
    path = path_of(ws, dataset.id)
    kind = Preference if dataset.kind == "preferences" else Example
    again = f"Restore the file, or create the dataset again ({dataset.source})"
    try:
        file = path.open("rb")
    except OSError as error:
        raise NotFound(
            f"{path}: the rows of dataset {dataset.name} cannot be read ({error.strerror}). {again}"
        ) from error
    with file:
        if hashlib.file_digest(file, "sha256").hexdigest() != dataset.id:
            raise Refused(f"{path}: the rows of dataset {dataset.name} have changed since they were written. {again}")
        file.seek(0)
        for line in file:
            yield codec.decode(line, kind)


def _check_name(ws: WorkspaceFolder, name: str, id: str) -> None:
    if name == "latest":
        raise BadInput("A dataset cannot be named latest, which means the newest one. Choose another --name")
    for other in known(ws):
        if name and other.name == name and other.id != id:
            raise Refused(
                f'The name "{name}" is taken by another dataset ({other.id[:12]}: {other.source}). Choose another --name'
            )
