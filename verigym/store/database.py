"""One database, through SQLAlchemy Core: a file (SQLite), or PostgreSQL by URL for many machines (`dialect` has what differs).
A call that returns has committed, so kill -9 loses nothing of it.

Records are stored whole, as the codec writes them, with ids and logprobs packed. The other columns serve listings and resuming.
The database refuses to change or delete ledger entries. Opening a file of an older verigym migrates it (`schema`). `writer`
writes batches with a bounded delay.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.names import check_run
from verigym.core.records import Json, Task, Toolset, Trajectory, Verdict
from verigym.store.connection import StoreDamaged, empty
from verigym.store.dialect import dialect_of
from verigym.store.inserts import trajectory_row, verdict_row
from verigym.store.packing import unpack
from verigym.store.patience import patient, patient_stream, repeat
from verigym.store.rows import EpisodeStatus as EpisodeStatus
from verigym.store.rows import Run as Run
from verigym.store.rows import StoredDocument as StoredDocument
from verigym.store.schema import (
    BLOBS,
    DOCUMENTS,
    LEDGER,
    METRICS,
    RUNS,
    TASKS,
    TRAJECTORIES,
    VERDICTS,
)

T = TypeVar("T", bound=msgspec.Struct)

_PAGE = 1000
"""Rows fetched at a time when a whole run is read."""
_OF_STEPS = ("alarm", "coverage", "kl_share")
"""Kinds of documents about a run and its steps. Their ids begin with the run's id and a slash."""
_INSERTED = sa.literal_column("rowid")
"""The order in which rows were added. A clock can go back, so times do not order them."""


class Store:
    """Reading a missing file finds nothing. The first write creates it."""

    def __init__(self, path: Path | str, *, query_only: bool = False) -> None:
        """The database is a file, or the URL of a PostgreSQL database."""
        self._dialect, self._query_only = dialect_of(path), query_only
        self.path: Path | str = path if isinstance(path, Path) else sa.make_url(path).render_as_string()
        """Names the database in messages. A URL is without its password."""
        self.waits_s = 0.0 if query_only else self._dialect.waits_s
        """How long a call waits for a database that is away."""
        self._opened = self._open() if self._dialect.exists() else None

    def _open(self) -> sa.Engine:
        return self._dialect.open(query_only=self._query_only)

    @property
    def exists(self) -> bool:
        return self._opened is not None or self._dialect.exists()

    def close(self) -> None:
        if self._opened is not None:
            self._opened.dispose()

    def reopen(self) -> None:
        """Closes the file. The next call opens the one that is there then, such as a backup that was put in its place."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.dispose()

    @property
    def _engine(self) -> sa.Engine:
        """The engine to read with."""
        opened = self._opened  # another thread may reopen the file
        if opened is None and self._dialect.exists():  # another process created it
            opened = self._opened = self._open()
        return opened or empty()

    @property
    def _writable(self) -> sa.Engine:
        """The engine to write with. Creates a missing file."""
        opened = self._opened
        if opened is None:
            opened = self._opened = self._dialect.create()
        return opened

    def reading(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """A connection for queries that this class does not have."""
        return self._engine.connect()

    def _writing(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """A transaction. A failed write raises `StoreFailure` and leaves nothing half written."""
        return self._writable.begin()

    def _decoded(self, body: bytes, kind: type[T], id: str = "") -> T:
        try:
            return codec.decode(body, kind)
        except codec.NewerRecord:
            raise
        except BadInput as error:
            raise self._damaged(kind.__name__, id, error) from error

    def _unpacked(self, body: bytes, packed: bytes | None, id: str = "") -> Trajectory:
        trajectory = self._decoded(body, Trajectory, id)
        try:
            return unpack(trajectory, packed)
        except (ValueError, IndexError) as error:
            raise self._damaged("Trajectory", trajectory.id, error) from error

    def _damaged(self, kind: str, id: str, error: Exception) -> StoreDamaged:
        return StoreDamaged(
            f"{self.path} is damaged: the stored {f'{kind} {id}'.strip()} cannot be read ({error}). "
            "To see what can still be read: verigym models check-integrity"
        )

    def insert_raw(self, table: sa.Table, order: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Adds rows as another store has them, with the number that orders them first."""
        names = [order, *(column.name for column in table.c if column.name != order)]
        marks = ", ".join([self._dialect.mark] * len(names))
        with self._writing() as connection:
            connection.exec_driver_sql(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})", list(rows))

    def continue_numbers(self, table: sa.Table) -> None:
        """After `insert_raw`, the next row follows the last."""
        with self._writing() as connection:
            self._dialect.continue_numbers(connection, table)

    # -- runs -------------------------------------------------------------------------------------------------------

    def begin_run(
        self,
        id: str,
        kind: str,
        config: Json,
        tasks: Iterable[Task] = (),
        parent: str = "",
        created: float | None = None,
    ) -> None:
        """Starts or resumes a run. Refuses to resume it with other settings. Tasks that it does not have yet are added."""
        body = msgspec.json.encode(config, order="sorted")
        rows = [{"run": id, "id": task.id, "body": codec.encode(task)} for task in tasks]
        when = time.time() if created is None else created
        self._begin({"id": id, "kind": kind, "parent": parent, "created": when, "config": body}, rows)

    @patient
    def _begin(self, run: dict[str, Any], tasks: list[dict[str, Any]]) -> None:
        with self._writing() as connection:
            self._dialect.lock(connection, f"run {run['id']}")
            if not _is_begun(connection, run["id"], run["config"]):
                check_run(run["id"])
                connection.execute(RUNS.insert(), run)
            if tasks:
                connection.execute(self._dialect.ignore_known(TASKS), tasks)

    @patient
    def check_same(self, id: str, config: Json, created: float) -> None:
        """Raises `BadInput` if another run has this id: one with other settings or another creation time."""
        with self._engine.connect() as connection:
            if _is_begun(connection, id, msgspec.json.encode(config, order="sorted")):
                stored = connection.execute(sa.select(RUNS.c.created).where(RUNS.c.id == id)).scalar_one()
                if stored != created:
                    raise BadInput(f'A different run "{id}" exists here. Import into another --home')

    @patient
    def finish_run(self, id: str, when: float | None = None) -> None:
        update = RUNS.update().where(RUNS.c.id == id)
        with self._writing() as connection:
            now = time.time() if when is None else when
            connection.execute(update.where(RUNS.c.finished.is_(None)).values(finished=now))
            row = connection.execute(sa.select(RUNS).where(RUNS.c.id == id)).first()
            if row is not None:
                connection.execute(update.values(counts=msgspec.json.encode(_counts(connection, row))))

    def claim(self, run: str) -> contextlib.AbstractContextManager[None]:
        """Locks the run for this process until the block ends or the process dies. Two processes would pay for it twice."""
        return self._dialect.claim(run)

    @patient
    def runs(self, parent: str | None = "") -> list[Run]:
        """The child runs of `parent`, newest last. An empty string selects runs without a parent, None all runs."""
        query = sa.select(RUNS).order_by(_INSERTED)
        if parent is not None:
            query = query.where(RUNS.c.parent == parent)
        with self._engine.connect() as connection:
            return [_counted(connection, row) for row in connection.execute(query).all()]

    @patient
    def runs_from(self, prefix: str) -> list[Run]:
        """The runs whose id begins with `prefix`, by id. Reads only these."""
        query = sa.select(RUNS).where(RUNS.c.id >= prefix, RUNS.c.id < _after(prefix)).order_by(RUNS.c.id)
        with self._engine.connect() as connection:
            return [_counted(connection, row) for row in connection.execute(query).all()]

    @patient
    def has_run(self, id: str) -> bool:
        with self._engine.connect() as connection:
            return connection.execute(sa.select(RUNS.c.id).where(RUNS.c.id == id)).first() is not None

    @patient
    def finished_runs(self) -> set[str]:
        with self._engine.connect() as connection:
            return set(connection.execute(sa.select(RUNS.c.id).where(RUNS.c.finished.is_not(None))).scalars())

    @patient
    def run(self, name: str, kinds: Sequence[str] = ()) -> Run:
        """Finds a run by id, unique prefix of an id, or `latest`."""
        with self._engine.connect() as connection:
            exact = connection.execute(sa.select(RUNS).where(RUNS.c.id == name)).first()
            if exact is not None and (not kinds or exact.kind in kinds) and name != "latest":
                return _counted(connection, exact)
            every = connection.execute(sa.select(RUNS).order_by(_INSERTED)).all()
            runs = [run for run in every if not kinds or run.kind in kinds]
            tops = [run for run in runs if not run.parent]
            if name == "latest" and tops:
                return _counted(connection, tops[-1])
            near = [run for run in runs if run.id.startswith(name)]
            matches = [run for run in runs if run.id == name] or [run for run in near if not run.parent] or near
            others = [run for run in every if run.id == name] or [run for run in every if run.id.startswith(name)]
            if others and others[0].kind not in (kinds or (others[0].kind,)) and (others[0].id == name or not matches):
                steps = [run.id for run in every if run.parent == others[0].id and run.kind in kinds]
                raise NotFound(_other_kind(others[0], kinds, steps))
            if len(matches) > 1:
                ids = [run.id for run in matches]
                some = ", ".join(ids if len(ids) < 7 else [*ids[:3], "...", *ids[-3:]])
                raise NotFound(f'"{name}" matches {len(ids)} runs: {some}. Write more of the id')
            if not matches:
                remedy = "List them: verigym runs list. verigym rollout and verigym eval create runs."
                raise not_found("run", name, [run.id for run in runs if not run.parent], remedy)
            return _counted(connection, matches[0])

    @patient
    def delete_run(self, id: str) -> None:
        """Deletes a run with its trajectories, verdicts, tasks, metrics and what is stored under its id for its steps. Blobs
        stay, because other runs may share them."""
        with self._writing() as connection:
            for table in (TRAJECTORIES, VERDICTS, TASKS, METRICS):
                connection.execute(table.delete().where(table.c.run == id))
            of_run = sa.and_(DOCUMENTS.c.id >= f"{id}/", DOCUMENTS.c.id < f"{id}0")  # "0" follows "/"
            connection.execute(DOCUMENTS.delete().where(DOCUMENTS.c.kind.in_(_OF_STEPS), of_run))
            connection.execute(RUNS.delete().where(RUNS.c.id == id))

    @patient
    def scored_by(self, run: str, verifier: str) -> None:
        """Makes the verdicts of this verifier count."""
        with self._writing() as connection:
            connection.execute(RUNS.update().where(RUNS.c.id == run).values(verifier=verifier, counts=None))

    @patient
    def tasks(self, run: str) -> list[Task]:
        query = sa.select(TASKS.c.body).where(TASKS.c.run == run).order_by(_INSERTED)
        with self._engine.connect() as connection:
            return [self._decoded(body, Task) for body in connection.execute(query).scalars()]

    # -- trajectories and verdicts ----------------------------------------------------------------------------------

    def add(
        self,
        run: str,
        trajectories: Iterable[Trajectory] = (),
        verdicts: Iterable[Verdict] = (),
        blobs: Mapping[str, bytes] = {},
        toolsets: Iterable[Toolset] = (),
    ) -> None:
        """Adds all records in one transaction."""
        rows = list(trajectories), list(verdicts), blobs, list(toolsets)
        repeat(lambda: self.add_once(run, *rows), self.waits_s)

    def add_once(
        self,
        run: str,
        trajectories: Sequence[Trajectory] = (),
        verdicts: Sequence[Verdict] = (),
        blobs: Mapping[str, bytes] = {},
        toolsets: Sequence[Toolset] = (),
    ) -> None:
        """Adds all records, for callers that repeat it themselves."""
        self._dialect.check_claim(run)
        row = self._dialect.row
        trajectory_rows = [row(trajectory_row(run, trajectory)) for trajectory in trajectories]
        verdict_rows = [row(verdict_row(run, verdict)) for verdict in verdicts]
        with self._writing() as connection:
            if blobs:
                rows = [{"sha256": sha256, "body": body} for sha256, body in blobs.items()]
                connection.execute(self._dialect.ignore_known(BLOBS), rows)
            for tools in toolsets:
                connection.execute(self._dialect.ignore_known(DOCUMENTS), _document("tools", tools.hash, tools))
            if trajectory_rows:
                connection.exec_driver_sql(self._dialect.add_trajectory, trajectory_rows)
            if verdict_rows:
                connection.exec_driver_sql(self._dialect.add_verdict, verdict_rows)
                first = RUNS.update().where(RUNS.c.id == run, RUNS.c.verifier == "")
                connection.execute(first.values(verifier=verdict_rows[0][1]))
            stale = RUNS.update().where(RUNS.c.id == run, RUNS.c.counts.is_not(None))
            connection.execute(stale.values(counts=None))

    @patient
    def trajectories(self, run: str, task: str | None = None) -> list[Trajectory]:
        """Sorted by task and index. `task` selects one task."""
        return list(self.each_trajectory(run, task))

    @patient_stream
    def each_trajectory(self, run: str, task: str | None = None) -> Iterator[Trajectory]:
        """Streams the trajectories, for runs that do not fit into memory."""
        query = sa.select(TRAJECTORIES.c.body, TRAJECTORIES.c.packed).where(TRAJECTORIES.c.run == run)
        query = query.order_by(TRAJECTORIES.c.task, TRAJECTORIES.c.place)
        if task is not None:
            query = query.where(TRAJECTORIES.c.task == task)
        with self._engine.connect() as connection:
            for body, packed in connection.execution_options(yield_per=_PAGE).execute(query):
                yield self._unpacked(body, packed)

    @patient
    def trajectory(self, id: str) -> tuple[str, Trajectory]:
        """The run and the trajectory, by id or unique prefix of an id."""
        table = TRAJECTORIES.c
        query = sa.select(table.id, table.run, table.body, table.packed)
        last = _after(id)
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(table.id == id)).all()
            rows = rows or connection.execute(query.where(table.id >= id, table.id < last).limit(2)).all()
            listing = "List the trajectories of a run: verigym trajectories list RUN"
            if len(rows) > 1:
                raise NotFound(f'"{id}" matches several trajectories. Write more of the id. {listing}')
            if not rows:
                some = connection.execute(sa.select(table.id).limit(5)).scalars().all()
                raise not_found("trajectory", id, some, listing)
        return rows[0].run, self._unpacked(rows[0].body, rows[0].packed, rows[0].id)

    @patient
    def trajectory_in(self, run: str, id: str) -> Trajectory | None:
        """The trajectory with this id in one run."""
        table = TRAJECTORIES.c
        query = sa.select(table.body, table.packed).where(table.id == id, table.run == run)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return None if row is None else self._unpacked(row.body, row.packed, id)

    def known_trajectories(self, ids: Iterable[str]) -> set[str]:
        """The ids that are stored, in any run."""
        return self._known_trajectories(list(ids))

    @patient
    def _known_trajectories(self, wanted: list[str]) -> set[str]:
        stored = set[str]()
        with self._engine.connect() as connection:
            for start in range(0, len(wanted), _PAGE):
                some = TRAJECTORIES.c.id.in_(wanted[start : start + _PAGE])
                stored |= set(connection.execute(sa.select(TRAJECTORIES.c.id).where(some)).scalars())
        return stored

    @patient
    def verdicts(self, run: str, verifier: str | None = None) -> list[Verdict]:
        """The verdicts that count, or those of another verifier. `*` selects all."""
        return list(self.each_verdict(run, verifier))

    @patient_stream
    def each_verdict(self, run: str, verifier: str | None = None) -> Iterator[Verdict]:
        query = sa.select(VERDICTS.c.body).where(VERDICTS.c.run == run)
        if verifier is None:
            query = query.where(
                VERDICTS.c.verifier == sa.select(RUNS.c.verifier).where(RUNS.c.id == run).scalar_subquery()
            )
        elif verifier != "*":
            query = query.where(VERDICTS.c.verifier == verifier)
        with self._engine.connect() as connection:
            for body in connection.execution_options(yield_per=_PAGE).execute(query).scalars():
                yield self._decoded(body, Verdict)

    @patient
    def verdicts_on(self, run: str, trajectory: str) -> list[Verdict]:
        """The verdicts of all verifiers on one trajectory."""
        in_run = self._dialect.run_of_verdict() == run
        query = sa.select(VERDICTS.c.body).where(VERDICTS.c.trajectory == trajectory, in_run)
        with self._engine.connect() as connection:
            return [self._decoded(body, Verdict) for body in connection.execute(query).scalars()]

    @patient_stream
    def statuses(self, run: str, verifier: str) -> Iterator[EpisodeStatus]:
        """The status of each stored episode and the verdict of this verifier, to resume a run."""
        episode, verdict = TRAJECTORIES.c, VERDICTS.c
        same = sa.and_(verdict.trajectory == episode.id, verdict.run == episode.run, verdict.verifier == verifier)
        columns = (episode.task, episode.place, episode.fault, verdict.trajectory, verdict.reward, verdict.passed)
        query = sa.select(*columns, verdict.fault).select_from(TRAJECTORIES.outerjoin(VERDICTS, same))
        query = query.where(episode.run == run)
        with self._engine.connect() as connection:
            rows = connection.execution_options(yield_per=_PAGE).execute(query)
            for task, repeat, fault, judged, reward, passed, verdict_fault in rows:
                yield EpisodeStatus(task, repeat, fault, judged is not None, reward, bool(passed), verdict_fault or "")

    @patient
    def blob(self, sha256: str) -> bytes:
        with self._engine.connect() as connection:
            body = connection.execute(sa.select(BLOBS.c.body).where(BLOBS.c.sha256 == sha256)).scalar()
        if body is None:
            raise NotFound(f"{self.path} has no blob {sha256}")
        return body

    # -- metrics ----------------------------------------------------------------------------------------------------

    @patient
    def add_metrics(self, run: str, step: int, values: dict[str, float]) -> None:
        number = self._dialect.number
        rows = [{"run": run, "step": step, "name": name, "value": number(value)} for name, value in values.items()]
        with self._writing() as connection:
            connection.execute(self._dialect.replace_metrics(), rows)

    @patient
    def metrics(self, run: str) -> dict[int, dict[str, float]]:
        metrics: dict[int, dict[str, float]] = {}
        query = sa.select(METRICS).where(METRICS.c.run == run).order_by(METRICS.c.step, METRICS.c.name)
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                metrics.setdefault(row.step, {})[row.name] = row.value
        return metrics

    # -- documents and the ledger -----------------------------------------------------------------------------------

    @patient
    def put(self, kind: str, id: str, record: msgspec.Struct) -> None:
        with self._writing() as connection:
            connection.execute(self._dialect.ignore_known(DOCUMENTS), _document(kind, id, record))

    @patient
    def put_all(self, kind: str, records: Mapping[str, msgspec.Struct | None]) -> None:
        """Stores documents in one transaction. A document that exists is replaced, and deleted if the record is None."""
        rows = [(kind, id, time.time(), codec.encode(each)) for id, each in records.items() if each is not None]
        with self._writing() as connection:
            connection.exec_driver_sql(self._dialect.delete_document, [(kind, id) for id in records])
            if rows:
                connection.exec_driver_sql(self._dialect.add_document, rows)

    @patient
    def put_last(self, kind: str, id: str, record: msgspec.Struct) -> None:
        """Stores a document as the newest of its kind, also if it was stored before."""
        self.put(kind, id, record)
        with self._writing() as connection:
            connection.exec_driver_sql(self._dialect.move_document, (kind, id))

    def delete(self, kind: str, id: str) -> None:
        self.put_all(kind, {id: None})

    @patient
    def mentions(self, text: str) -> list[tuple[str, str]]:
        """Kind and id of the documents whose id or content has this text, oldest first."""
        has = self._dialect.has_text
        found = sa.or_(has(DOCUMENTS.c.body, text.encode()), has(DOCUMENTS.c.id, text))
        query = sa.select(DOCUMENTS.c.kind, DOCUMENTS.c.id).where(found).order_by(_INSERTED)
        with self._engine.connect() as connection:
            return [(kind, id) for kind, id in connection.execute(query)]

    @patient
    def get(self, kind: str, id: str, type: type[T]) -> T | None:
        query = sa.select(DOCUMENTS.c.body).where(DOCUMENTS.c.kind == kind, DOCUMENTS.c.id == id)
        with self._engine.connect() as connection:
            body = connection.execute(query).scalar()
        return None if body is None else self._decoded(body, type, id)

    def documents(self, kind: str, type: type[T]) -> list[T]:
        """The documents of a kind, oldest first."""
        return [self._decoded(document.body, type, document.id) for document in self.bodies(kind)]

    @patient
    def bodies(self, kind: str) -> list[StoredDocument]:
        """The documents of a kind as stored bytes, oldest first."""
        columns = (DOCUMENTS.c.id, DOCUMENTS.c.created, DOCUMENTS.c.body)
        query = sa.select(*columns).where(DOCUMENTS.c.kind == kind)
        query = query.order_by(_INSERTED)
        with self._engine.connect() as connection:
            return [StoredDocument(*row) for row in connection.execute(query)]

    def damage(self, seconds: float | None = None) -> str:
        """The damage that the database finds in its file. Empty if there is none. With `seconds`, a quick look that ends after
        this time."""
        return self._dialect.damage(self._engine, seconds)

    def append_ledger(self, make: Callable[[bytes | None], bytes]) -> int:
        """Appends the entry that `make` builds from the last one, in one exclusive transaction."""
        tried: list[tuple[int, bytes]] = []
        return repeat(lambda: self._append_ledger(make, tried), self.waits_s)

    def _append_ledger(self, make: Callable[[bytes | None], bytes], tried: list[tuple[int, bytes]]) -> int:
        """`tried` has the entries of earlier attempts. One of them may be stored, although the server did not say so."""
        with self._writable.connect() as connection:
            self._dialect.begin_append(connection)
            try:
                for seq, body in tried:
                    if connection.execute(sa.select(LEDGER.c.body).where(LEDGER.c.seq == seq)).scalar() == body:
                        return seq
                last = connection.execute(
                    sa.select(LEDGER.c.seq, LEDGER.c.body).order_by(LEDGER.c.seq.desc()).limit(1)
                ).first()
                seq = 1 if last is None else last.seq + 1
                body = make(None if last is None else last.body)
                tried.append((seq, body))
                connection.execute(LEDGER.insert(), {"seq": seq, "body": body})
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
        return seq

    @patient
    def ledger(self) -> list[bytes]:
        with self._engine.connect() as connection:
            return list(connection.execute(sa.select(LEDGER.c.body).order_by(LEDGER.c.seq)).scalars())

    @patient
    def last_of_ledger(self) -> bytes | None:
        """The last entry, read without the others."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(LEDGER.c.body).order_by(LEDGER.c.seq.desc()).limit(1)).scalar()


def _is_begun(connection: sa.Connection, id: str, config: bytes) -> bool:
    stored = connection.execute(sa.select(RUNS.c.config).where(RUNS.c.id == id)).scalar()
    if stored is not None and stored != config:
        raise BadInput(f'Run "{id}" exists with other settings. Choose another --name, or another --home')
    return stored is not None


def _after(prefix: str) -> str:
    """The first text after all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else ""


def _document(kind: str, id: str, record: msgspec.Struct) -> dict[str, Any]:
    return {"kind": kind, "id": id, "created": time.time(), "body": codec.encode(record)}


class _Counts(NamedTuple):
    trajectories: int
    passed: int
    scored: int


def _counts(connection: sa.Connection, row: Any) -> _Counts:
    """Reads only indices. A million rows take some tenths of a second."""
    episodes = sa.select(sa.func.count()).select_from(TRAJECTORIES).where(TRAJECTORIES.c.run == row.id)
    judged = sa.select(sa.func.sum(VERDICTS.c.passed), sa.func.count(VERDICTS.c.reward)).where(
        VERDICTS.c.run == row.id, VERDICTS.c.verifier == row.verifier
    )
    passed, scored = connection.execute(judged).one()
    return _Counts(connection.execute(episodes).scalar_one(), int(passed or 0), scored)


def _other_kind(run: Any, kinds: Sequence[str], steps: Sequence[str]) -> str:
    """Why a command cannot use a run that exists."""
    if run.kind != "train":
        return (
            f"{run.id} is a run of kind {run.kind}. Name one of kind {' or '.join(kinds)}. List them: verigym runs list"
        )
    newest = f". Name one of its steps, such as {steps[-1]}" if steps else ""
    return f"{run.id} is a training run and has no episodes of its own. See verigym runs show {run.id}{newest}"


def _counted(connection: sa.Connection, row: Any) -> Run:
    try:
        config = msgspec.json.decode(row.config)
    except msgspec.DecodeError as error:
        raise StoreDamaged(
            f"The settings of run {row.id} cannot be read ({error}), so the store is damaged. "
            "Look for what else is: verigym models check-integrity"
        ) from error
    counts = msgspec.json.decode(row.counts, type=_Counts) if row.counts else _counts(connection, row)
    return Run(
        id=row.id,
        kind=row.kind,
        parent=row.parent,
        created=row.created,
        finished=row.finished,
        config=config,
        verifier=row.verifier,
        **counts._asdict(),
    )
