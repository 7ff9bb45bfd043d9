"""Data sets: rows to learn from, made out of runs and files, kept as files named by their hash, found by name.

A data set is `data/<sha256>.jsonl` in the workspace and a `Dataset` document in the store. The file is written first, whole or
not at all: killed between the two, the same call goes on. The same rows are the same data set, however they were made.
"""

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused, not_found
from verigym.core.records import Dataset, Example, Label, Preference, Task, Toolset, ToolSpec, Trajectory, Verdict
from verigym.store.database import Run
from verigym.tasks.files import is_task_file, write_whole
from verigym.training.data import Counts, ToolsOf, demonstrations, graded_pairs, labelled_pairs
from verigym.training.dataset_files import Rows, read_rows
from verigym.workspace.workspace import WorkspaceFolder

_SEE = "See: verigym data list"


# -- making them --------------------------------------------------------------------------------------------------------


def from_demonstrations(
    ws: WorkspaceFolder, run: str, *, per_task: int = 4, min_reward: float | None = None, name: str = ""
) -> Dataset:
    """The episodes of a run that passed, to imitate."""
    found = _run(ws, run)
    tasks, episodes, verdicts = _records(ws, found)
    rows, counts = demonstrations(
        tasks, episodes, verdicts, _tools_of(ws, found), per_task=per_task, min_reward=min_reward
    )
    source = f"episodes of run {found.id} that passed, at most {per_task} a task"
    if min_reward is not None:
        source += f", of reward {min_reward:g} or more"
    remedy = f"see why they fail: verigym explain {found.id}"
    _check_some(rows, counts, f"run {found.id}: no episode to imitate", remedy)
    return keep(ws, rows, counts, environment=_environment(found), source=source, name=name)


def from_rewards(ws: WorkspaceFolder, run: str, *, gap: float = 0.1, per_task: int = 4, name: str = "") -> Dataset:
    """Pairs of episodes of one task, of which the verifier rewarded one more."""
    found = _run(ws, run)
    tasks, episodes, verdicts = _records(ws, found)
    rows, counts = graded_pairs(tasks, episodes, verdicts, _tools_of(ws, found), gap=gap, per_task=per_task)
    source = (
        f"episodes of run {found.id}, paired where rewards differ by {gap:g} or more, at most {per_task} pairs a task"
    )
    remedy = "lower --gap, or roll out more episodes of a task: verigym rollout ENV -m MODEL -k 8"
    _check_some(rows, counts, f"run {found.id}: no two episodes of a task are far enough apart", remedy)
    return keep(ws, rows, counts, environment=_environment(found), source=source, name=name)


def from_labels(ws: WorkspaceFolder, run: str, *, name: str = "") -> Dataset:
    """Pairs of episodes of one task, of which people preferred one."""
    found = _run(ws, run)
    tasks, episodes, verdicts = _records(ws, found)
    labels = ws.store.documents("label", Label)
    rows, counts = labelled_pairs(tasks, episodes, verdicts, labels, _tools_of(ws, found))
    _check_some(rows, counts, f"run {found.id}: no label prefers one output", f"label some: verigym label {found.id}")
    return keep(ws, rows, counts, environment=_environment(found), source=f"labels on run {found.id}", name=name)


def from_file(ws: WorkspaceFolder, path: Path, *, name: str = "") -> Dataset:
    """The rows of a file: demonstrations or preferences."""
    rows, counts = read_rows(path)
    _check_some(rows, counts, f"{path}: no row to learn from", "give it rows that are not labelled bad")
    return keep(ws, rows, counts, environment="", source=f"rows of {path}", name=name, stem=path.stem)


def _run(ws: WorkspaceFolder, name: str) -> Run:
    found = ws.store.run(name, kinds=("rollout", "eval", "collect"))
    if not found.trajectories:
        raise Refused(f"run {found.id} has no episodes yet; the command that began it goes on with it")
    return found


def _records(ws: WorkspaceFolder, run: Run) -> tuple[list[Task], Iterator[Trajectory], Iterator[Verdict]]:
    return ws.store.tasks(run.id), ws.store.each_trajectory(run.id), ws.store.each_verdict(run.id)


def _environment(run: Run) -> str:
    return str(run.config.get("environment", ""))


def _tools_of(ws: WorkspaceFolder, run: Run) -> ToolsOf:
    @functools.cache
    def tools_of(hash: str) -> list[ToolSpec]:
        found = ws.store.get("tools", hash, Toolset)
        if found is None and hash:
            raise BadInput(
                f"run {run.id}: the tools that were offered ({hash}) are not in {ws.store.path}; "
                "run it again here, or export it where it was made: verigym runs export"
            )
        return [] if found is None else found.tools

    return tools_of


def _check_some(rows: Rows, counts: Counts, what: str, remedy: str) -> None:
    if not rows:
        said = ", ".join(f"{name} {count}" for name, count in counts.items() if name != "kept")
        raise Refused(f"{what} ({said}); {remedy}")


# -- keeping them -------------------------------------------------------------------------------------------------------


def keep(
    ws: WorkspaceFolder, rows: Rows, counts: Counts, *, environment: str, source: str, name: str = "", stem: str = ""
) -> Dataset:
    """The rows as a data set; rows that are kept already keep their first name, and the store what was first said of them."""
    body = b"".join(codec.encode(row) + b"\n" for row in rows)
    id = hashlib.sha256(body).hexdigest()
    kind = "demonstrations" if isinstance(rows[0], Example) else "preferences"
    _check_name(ws, name, id)
    made = Dataset(
        id=id,
        kind=kind,
        name=name or f"{stem or ('demos' if kind == 'demonstrations' else 'pairs')}-{id[:8]}",
        environment=environment,
        source=source,
        rows=len(rows),
        tasks=len({row.task for row in rows}),
        families=sorted({row.family or row.task for row in rows}),
        counts=counts,
    )
    write_whole(path_of(ws, id), lambda file: file.writelines([body]))
    ws.store.put("dataset", id, made)
    first = ws.store.get("dataset", id, Dataset) or made
    return msgspec.structs.replace(made, name=first.name)


def path_of(ws: WorkspaceFolder, id: str) -> Path:
    return ws.home / "data" / f"{id}.jsonl"


def known(ws: WorkspaceFolder) -> list[Dataset]:
    """Newest last."""
    return ws.store.documents("dataset", Dataset)


def find(ws: WorkspaceFolder, text: str) -> Dataset:
    """By `latest`, id, name or the beginning of an id, in this order; a file becomes a data set."""
    sets = known(ws)
    if text == "latest" and sets:
        return sets[-1]
    fitting = [one for one in sets if text in (one.id, one.name)] or [
        one for one in sets if text and one.id.startswith(text)
    ]
    if len(fitting) > 1:
        ids = ", ".join(f"{one.name} ({one.id[:12]})" for one in fitting)
        raise BadInput(f'"{text}" fits {len(fitting)} data sets: {ids}; write more of the id')
    if fitting:
        return fitting[0]
    if is_task_file(text):
        return from_file(ws, Path(text))
    raise not_found("data set", text, [one.name for one in sets], _SEE)


def rows(ws: WorkspaceFolder, dataset: Dataset) -> Iterator[Example | Preference]:
    """One after another. A file that is not as it was written is refused before the first."""
    path = path_of(ws, dataset.id)
    kind = Example if dataset.kind == "demonstrations" else Preference
    again = f"make it again ({dataset.source})"
    try:
        file = path.open("rb")
    except OSError as error:
        raise NotFound(f"{path}: the rows of {dataset.name} cannot be read ({error.strerror}); {again}") from error
    with file:
        if hashlib.file_digest(file, "sha256").hexdigest() != dataset.id:
            raise Refused(f"{path}: the rows of {dataset.name} are not what was written; put them back, or {again}")
        file.seek(0)
        for line in file:
            yield codec.decode(line, kind)


def _check_name(ws: WorkspaceFolder, name: str, id: str) -> None:
    if name == "latest":
        raise BadInput("a data set cannot be named latest: that is the newest one; take another --name")
    taken = next((one for one in known(ws) if name and one.name == name and one.id != id), None)
    if taken is not None:
        raise Refused(f'"{name}" is the name of other rows ({taken.id[:12]}: {taken.source}); take another --name')
