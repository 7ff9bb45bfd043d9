"""Exports runs from a store and imports them into another, without loss: JSON lines, or Parquet with the same records.

Each line is one record, `{"record": "run", ...}` (or task, tools, blob, trajectory, verdict, metrics), in the order in which
the import needs them. Child runs follow their parent. A Parquet row has the record in `body` and common fields in columns.
An import checks the whole file before it writes the first row.
"""

import base64
import contextlib
import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.install import install_command
from verigym.core.names import check_run
from verigym.core.records import Task, Toolset, Trajectory, Verdict
from verigym.store.connection import StoreDamaged, StoreFailure
from verigym.store.database import Run, Store
from verigym.store.packing import pack, unpack
from verigym.store.writer import Batch

_BATCH = 1000
_SHOWN = 160
"""Two values that differ are shown if they have at most this many characters together."""
_COLUMNS = ("record", "run", "id", "task", "index", "reward", "passed", "stop", "seconds", "reply", "body")


class TransferResult(NamedTuple):
    """A file that was exported or imported."""

    file: Path
    runs: list[str]
    counts: dict[str, int]
    """Records by kind."""


class _TransferRow(msgspec.Struct):
    record: str
    run: str
    record_body: bytes
    """JSON without the kind of record."""
    columns: dict[str, Any] = {}
    """Further columns of a Parquet row."""

    @property
    def body(self) -> bytes:
        return b'{"record":"%s",' % self.record.encode() + self.record_body[1:]


class _RowHead(msgspec.Struct):
    record: str
    packed: str = ""


class _RunLine(msgspec.Struct):
    id: str
    kind: str
    parent: str
    created: float
    finished: float | None
    config: dict[str, Any]
    verifier: str = ""


class _Metrics(msgspec.Struct):
    run: str
    step: int
    values: dict[str, float | Literal["inf", "-inf"] | None]
    """NaN is null, as in the store. JSON has no infinity."""


class _Blob(msgspec.Struct):
    sha256: str
    base64: bytes


_RECORDS = {"task": Task, "trajectory": Trajectory, "verdict": Verdict, "tools": Toolset}
_OTHERS = {"run": _RunLine, "metrics": _Metrics, "blob": _Blob}


def export_run(store: Store, run: Run, path: Path) -> dict[str, int]:
    """Writes a run and its child runs to a new .jsonl or .parquet file. Returns the number of records of each kind."""
    write = _format(path, {".jsonl": _write_jsonl, ".parquet": _write_parquet})
    _check_free(path)
    counts: Counter[str] = Counter()
    draft = path.with_name(f".{path.name}.{os.getpid()}")

    def counted() -> Iterator[_TransferRow]:
        for row in _rows(store, run, counts):
            counts[row.record] += 1
            yield row

    try:
        write(draft, counted())
        _check_free(path)
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}. Nothing was changed") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return dict(counts)


def unreadable(store: Store, run: Run) -> str:
    """Why a run of a damaged store cannot be exported. Empty if it can be."""
    try:
        for _ in _rows(store, run, Counter()):
            pass
    except (StoreFailure, NotFound) as error:
        return str(error)
    return ""


def _check_free(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise Refused(f"{path} exists and was not overwritten. Name another file with --out")


def import_runs(store: Store, path: Path) -> tuple[list[str], dict[str, int]]:
    """Reads a file of `export_run`. Returns the runs and the number of records of each kind. Importing a file twice changes
    nothing. A record that differs from the stored one with the same id is refused, and nothing is imported."""
    read = _format(path, {".jsonl": _read_jsonl, ".parquet": _read_parquet})
    counts: Counter[str] = Counter()
    runs: list[str] = []
    parents: dict[str, str] = {}
    tasks: set[str] = set()
    stored: _StoredRun | None = None
    for position, body in _opened(read, path):
        try:
            kind, record = _decoded(body)
            if isinstance(record, _RunLine):
                check_run(record.id)
                parents[record.id] = above = record.parent
                while above and above != record.id:
                    above = parents.get(above) or (store.run(above).parent if store.has_run(above) else "")
                if above:
                    raise BadInput(f'run "{record.id}" is its own parent')
                store.check_same(record.id, record.config, record.created)
                runs.append(record.id)
                tasks = set()
                stored = _StoredRun.find(store, record)
            elif not runs:
                raise BadInput(f"a {kind} record comes before the first run record")
            elif isinstance(record, Task):
                if record.id in tasks:
                    raise BadInput(f'task "{record.id}" is a duplicate')
                tasks.add(record.id)
            elif isinstance(record, Toolset):
                _compare(f"tools {record.hash}", store.get("tools", record.hash, Toolset), record)
            if stored is not None:
                stored.check_same(record)
        except (BadInput, msgspec.DecodeError, ValueError, RecursionError) as error:
            raise BadInput(
                f"{path} {position}: {str(error).rstrip('.')}. Nothing was imported. The file must "
                "be as verigym runs export wrote it"
            ) from error
        counts[kind] += 1
    if not runs:
        raise BadInput(f"{path} contains no run. Create a file with verigym runs export RUN --out FILE")
    here = {run: store.run(run).trajectories for run in runs if store.has_run(run)}
    for run in runs:
        if run not in here:
            store.put("imported", run, ImportedRun(path.name))
    importer = _RunImporter(store)
    for _, body in read(path):
        importer.add(_decoded(body)[1])
    importer.finish()
    for run, trajectories in here.items():
        if store.run(run).trajectories != trajectories:
            store.put("imported", run, ImportedRun(path.name))
    return runs, dict(counts)


class ImportedRun(msgspec.Struct, frozen=True):
    """Kept for a run that came from a file, in whole or in part. Nobody knows who scored it until it is scored again here."""

    file: str
    scored_here: str = ""
    """The verifier that scored it again."""


class _StoredRun:
    """A run of the file that is in the store already. Records may be added to it, and none may be changed."""

    def __init__(self, store: Store, run: Run) -> None:
        self.store, self.run = store, run
        self.tasks = {task.id: task for task in store.tasks(run.id)}
        self.metrics = store.metrics(run.id)

    @staticmethod
    def find(store: Store, line: _RunLine) -> "_StoredRun | None":
        return _StoredRun(store, store.run(line.id)) if store.has_run(line.id) else None

    def check_same(self, record: Any) -> None:
        match record:
            case _RunLine():
                stored = _line_of(self.run)
                if not stored.verifier or stored.finished is None:  # it was not scored or finished yet
                    stored.verifier, stored.finished = record.verifier, record.finished
                _compare(f'run "{record.id}"', stored, record)
            case Task():
                if record.id not in self.tasks:
                    raise BadInput(f'task "{record.id}" is not a task of the stored run "{self.run.id}"')
                _compare(f'task "{record.id}"', self.tasks[record.id], record)
            case Trajectory():
                _compare(f"trajectory {record.id}", self.store.trajectory_in(self.run.id, record.id), record)
            case Verdict():
                verdicts = self.store.verdicts_on(self.run.id, record.trajectory)
                stored = next((one for one in verdicts if one.verifier == record.verifier), None)
                _compare(f"the verdict of {record.verifier} on {record.trajectory}", stored, record)
            case _Metrics():
                stored = self.metrics.get(record.step, {})
                for name, value in _metric_values(record).items():  # the store keeps NaN as null
                    if name in stored and stored[name] != value and not (stored[name] is None and math.isnan(value)):
                        differs = f'step {record.step} of run "{self.run.id}" differs: {name} is'
                        raise BadInput(f"{differs} {stored[name]} in the store and {value} in the file")


def _compare(what: str, stored: msgspec.Struct | None, record: msgspec.Struct) -> None:
    if stored is None or _comparable(stored) == _comparable(record):
        return
    ours, theirs = (
        {name: msgspec.json.encode(value).decode() for name, value in msgspec.structs.asdict(one).items()}
        for one in (stored, record)
    )
    changed = [name for name in ours if ours[name] != theirs[name]] or ["turns"]
    shown = [
        f"{name} is {ours[name]} in the store and {theirs[name]} in the file"
        if len(ours[name]) + len(theirs[name]) <= _SHOWN
        else name
        for name in changed
    ]
    raise BadInput(f"{what} differs: {', '.join(shown)}. Import into another --home to keep both")


def _comparable(record: msgspec.Struct) -> bytes:
    return _encoded(record) if isinstance(record, Trajectory) else msgspec.json.encode(record)


class _RunImporter:
    """Adds records of one run after another to the store, committed in batches."""

    def __init__(self, store: Store) -> None:
        self.store, self.line = store, None
        self.tasks: list[Task] = []
        self.batch = Batch()

    def add(self, record: Any) -> None:
        match record:
            case _RunLine():
                self.finish()
                self.line = record
            case Task():
                self.tasks.append(record)
            case Trajectory():
                self.batch.trajectories.append(record)
            case Verdict():
                self.batch.verdicts.append(record)
            case Toolset():
                self.store.put("tools", record.hash, record)
            case _Blob():
                self.batch.blobs[record.sha256] = record.base64
            case _:
                self._commit()
                self.store.add_metrics(record.run, record.step, _metric_values(record))
        if len(self.batch) >= _BATCH:
            self._commit()

    def _commit(self) -> None:
        line, batch = self.line, self.batch
        assert line is not None
        self.store.begin_run(line.id, line.kind, line.config, self.tasks, parent=line.parent, created=line.created)
        self.store.add(line.id, batch.trajectories, batch.verdicts, batch.blobs)
        self.tasks, self.batch = [], Batch()

    def finish(self) -> None:
        """Completes the current run, if there is one."""
        if self.line is None:
            return
        self._commit()
        if self.line.verifier:
            self.store.scored_by(self.line.id, self.line.verifier)
        if self.line.finished is not None:
            self.store.finish_run(self.line.id, self.line.finished)


def _metric_values(record: _Metrics) -> dict[str, float]:
    return {name: math.nan if value is None else float(value) for name, value in record.values.items()}


def _line_of(run: Run) -> _RunLine:
    return _RunLine(run.id, run.kind, run.parent, run.created, run.finished, run.config, run.verifier)


def _rows(store: Store, run: Run, counts: Counter[str]) -> Iterator[_TransferRow]:
    """The records of a run. Toolsets of a damaged store that cannot be read are left out and counted."""
    yield _TransferRow("run", run.id, msgspec.json.encode(_line_of(run)), {"id": run.id})
    for task in store.tasks(run.id):
        yield _TransferRow("task", run.id, codec.encode(task), {"id": task.id, "task": task.id})
    sent: set[str] = set()
    for trajectory in store.each_trajectory(run.id):
        for sha256 in set(trajectory.blobs.values()) - sent:
            sent.add(sha256)
            blob = _Blob(sha256, store.blob(sha256))
            yield _TransferRow("blob", run.id, msgspec.json.encode(blob), {"id": sha256})
        for hash in {trajectory.tools, *(turn.tools for turn in trajectory.turns if turn.tools)} - sent:
            sent.add(hash)
            try:
                tools = store.get("tools", hash, Toolset)
            except StoreDamaged:
                tools = None
                counts["unreadable"] += 1
            if tools is not None:
                yield _TransferRow("tools", run.id, codec.encode(tools), {"id": hash})
        columns = {name: getattr(trajectory, name) for name in ("id", "task", "index", "stop", "seconds", "reply")}
        yield _TransferRow("trajectory", run.id, _encoded(trajectory), {**columns, "stop": trajectory.stop.value})
    for verdict in store.each_verdict(run.id, "*"):
        columns = {"id": verdict.trajectory, "reward": verdict.reward, "passed": verdict.passed}
        yield _TransferRow("verdict", run.id, codec.encode(verdict), columns)
    for step, values in store.metrics(run.id).items():
        written = {name: str(value) if value in (math.inf, -math.inf) else value for name, value in values.items()}
        yield _TransferRow("metrics", run.id, msgspec.json.encode({"run": run.id, "step": step, "values": written}))
    for child in store.runs(parent=run.id):
        yield from _rows(store, child, counts)


def _encoded(trajectory: Trajectory) -> bytes:
    """JSON. If a logprob is infinite, which JSON cannot express, ids and logprobs are packed in base64."""
    if all(math.isfinite(value) for turn in trajectory.turns for value in turn.logprobs):
        return codec.encode(trajectory)
    bare, packed = pack(trajectory)
    return codec.encode(bare)[:-1] + b',"packed":"%s"}' % base64.b64encode(packed or b"")


def _decoded(body: bytes) -> tuple[str, Any]:
    """The kind of record, and the record."""
    head = msgspec.json.decode(body, type=_RowHead)
    if head.record in _OTHERS:
        record = msgspec.json.decode(body, type=_OTHERS[head.record])
        if isinstance(record, _Blob) and hashlib.sha256(record.base64).hexdigest() != record.sha256:
            raise BadInput(f"the blob's bytes do not match its hash {record.sha256}")
        return head.record, record
    if head.record not in _RECORDS:
        raise BadInput(f'unknown record "{head.record}". It must be one of {", ".join([*_RECORDS, *_OTHERS])}')
    record = codec.decode(body, _RECORDS[head.record])
    if head.packed and isinstance(record, Trajectory):
        record = unpack(record, base64.b64decode(head.packed, validate=True))
    return head.record, record


def _format(path: Path, formats: dict[str, Any]) -> Any:
    if path.suffix not in formats:
        raise BadInput(f"{path}: the file name must end in {' or '.join(formats)}")
    return formats[path.suffix]


def _opened(read: Any, path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        yield from read(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error


def _write_jsonl(path: Path, rows: Iterable[_TransferRow]) -> None:
    with path.open("wb") as file:
        file.writelines(row.body + b"\n" for row in rows)
        file.flush()
        os.fsync(file.fileno())


def _read_jsonl(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"line {number}", line


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BadInput(f"Parquet files need pyarrow. Run: {install_command('parquet')}") from error
    return pyarrow


def _write_parquet(path: Path, rows: Iterable[_TransferRow]) -> None:
    arrow = _pyarrow()
    kinds = [arrow.string()] * 4 + [arrow.int32(), arrow.float64(), arrow.bool_(), arrow.string(), arrow.float64()]
    schema = arrow.schema(list(zip(_COLUMNS, [*kinds, arrow.string(), arrow.string()], strict=True)))
    with arrow.parquet.ParquetWriter(path, schema) as file:
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append({"record": row.record, "run": row.run, "body": row.body.decode(), **row.columns})
            if len(batch) >= _BATCH:
                file.write_table(arrow.Table.from_pylist(batch, schema))
                batch = []
        file.write_table(arrow.Table.from_pylist(batch, schema))


def _read_parquet(path: Path) -> Iterator[tuple[str, bytes]]:
    arrow = _pyarrow()
    try:
        file = arrow.parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise BadInput(f"{path} is not a Parquet file: {error}") from error
    if "body" not in file.schema_arrow.names:
        raise BadInput(f'{path} has no column "body", so it is not an exported run. To read tasks, use verigym tasks')
    number = 0
    try:
        for batch in file.iter_batches(_BATCH, columns=["body"]):
            for body in batch.column(0).to_pylist():
                number += 1
                yield f"row {number}", str(body).encode()
    except (arrow.ArrowException, OSError) as error:
        raise BadInput(f"{path} cannot be read after row {number}: {error}") from error
