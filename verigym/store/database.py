"""One database file (SQLite, WAL), through SQLAlchemy Core. A call that returns has committed: kill -9 loses nothing of it.

Records are kept whole, as the codec writes them, ids and logprobs packed beside them; the other columns are what listings
and resumption need. The ledger can be appended to and read, and the database itself refuses anything else. A file of an
older verigym is brought up to date when it is opened (`schema`). Batches with a bounded delay are made by `writer`.
"""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.dialects import sqlite

from verigym.core import codec
from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused, not_found
from verigym.core.printable import Printable
from verigym.core.records import Failure, Fault, Json, Stop, Task, Trajectory, Verdict
from verigym.store.packing import pack, unpack
from verigym.store.schema import (
    BLOBS,
    DOCUMENTS,
    LEDGER,
    METRICS,
    RUNS,
    TASKS,
    TRAJECTORIES,
    VERDICTS,
    fault_of,
    prepare,
)

T = TypeVar("T", bound=msgspec.Struct)

_ADD_TRAJECTORY = (
    "INSERT OR REPLACE INTO trajectories (id, run, task, place, fault, body, packed) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_ADD_VERDICT = (
    "INSERT INTO verdicts (trajectory, verifier, run, reward, passed, fault, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (trajectory, verifier, run) DO UPDATE SET "
    "reward = excluded.reward, passed = excluded.passed, fault = excluded.fault, body = excluded.body "
    "WHERE excluded.reward IS NOT NULL OR verdicts.reward IS NULL"  # a judge that is down takes no judgement back
)
_LONGEST = 500_000_000
"""Bytes of one record: the database takes little more."""
_PAGE = 1000
"""Rows read at a time where a whole run is walked through."""


class Run(Printable, msgspec.Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    parent: str
    created: float
    finished: float | None
    config: Json
    verifier: str = ""
    """name@version of the one whose verdicts count: the last that scored the run"""
    trajectories: int = 0
    passed: int = 0
    scored: int = 0


class EpisodeStatus(NamedTuple):
    """What is known of one stored episode without reading it."""

    task: str
    place: int
    """Which of the group's episodes."""
    fault: str
    """Whose fault broke it; empty when it ended well."""
    judged: bool
    reward: float | None
    passed: bool
    verdict_fault: str


class StoredDocument(NamedTuple):
    """A document as it is stored."""

    id: str
    created: float
    body: bytes


class Store:
    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfrastructureFailure(
                f"The folder {path.parent} cannot be created ({error}). Choose another --home"
            ) from error
        self.path = path
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
        event.listen(self._engine, "connect", _set_up)
        try:
            prepare(self._engine, path)
        except exc.DatabaseError as error:
            raise InfrastructureFailure(
                f"{path} cannot be used as a store ({error.orig}). Move the file or choose another --home"
            ) from error

    def close(self) -> None:
        self._engine.dispose()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """A transaction. What the disk or the database refuses is said in words; nothing of it is half written."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except exc.OperationalError as error:
            raise InfrastructureFailure(
                f"{self.path} could not be written ({error.orig}). Earlier commits are kept"
            ) from error

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
        """Starts a run, or goes on with it; going on with other settings under the same id is refused."""
        body = msgspec.json.encode(config, order="sorted")
        with self._writing() as connection:
            if _is_begun(connection, id, body):
                return
            when = time.time() if created is None else created
            row = {"id": id, "kind": kind, "parent": parent, "created": when, "config": body}
            connection.execute(RUNS.insert(), row)
            rows = [{"run": id, "id": task.id, "body": codec.encode(task)} for task in tasks]
            if rows:
                connection.execute(TASKS.insert(), rows)

    def check_same(self, id: str, config: Json, created: float) -> None:
        """Raises `BadInput` where there is another run of this id: with other settings, or made at another time."""
        with self._engine.connect() as connection:
            if _is_begun(connection, id, msgspec.json.encode(config, order="sorted")):
                made = connection.execute(sa.select(RUNS.c.created).where(RUNS.c.id == id)).scalar_one()
                if made != created:
                    raise BadInput(f'A different run "{id}" exists here. Import into another --home')

    def finish_run(self, id: str, when: float | None = None) -> None:
        one = RUNS.update().where(RUNS.c.id == id)
        with self._writing() as connection:
            now = time.time() if when is None else when
            connection.execute(one.where(RUNS.c.finished.is_(None)).values(finished=now))
            row = connection.execute(sa.select(RUNS).where(RUNS.c.id == id)).first()
            if row is not None:
                connection.execute(one.values(counts=msgspec.json.encode(_counts(connection, row))))

    @contextlib.contextmanager
    def claim(self, run: str) -> Iterator[None]:
        """This process alone makes the run, until it leaves or dies: two at once would do and pay everything twice."""
        folder = self.path.parent / "running"
        folder.mkdir(exist_ok=True)
        with (folder / hashlib.sha256(run.encode()).hexdigest()[:16]).open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.seek(0)
                raise Refused(
                    f"Another process ({file.read().strip() or 'unknown'}) is working on run {run}. Wait for it, or stop it"
                ) from error
            file.truncate(0)
            file.write(f"pid {os.getpid()}")
            file.flush()
            yield
            file.truncate(0)

    def runs(self, parent: str | None = "") -> list[Run]:
        """Newest last. `parent` picks the runs that belong to another; none for all."""
        query = sa.select(RUNS).order_by(RUNS.c.created)
        if parent is not None:
            query = query.where(RUNS.c.parent == parent)
        with self._engine.connect() as connection:
            return [_counted(connection, row) for row in connection.execute(query).all()]

    def finished_runs(self) -> set[str]:
        with self._engine.connect() as connection:
            return set(connection.execute(sa.select(RUNS.c.id).where(RUNS.c.finished.is_not(None))).scalars())

    def run(self, name: str, kinds: Sequence[str] = ()) -> Run:
        """By id, unique beginning of an id, or `latest`."""
        with self._engine.connect() as connection:
            query = sa.select(RUNS).order_by(RUNS.c.created)
            runs = connection.execute(query.where(RUNS.c.kind.in_(kinds)) if kinds else query).all()
            tops = [run for run in runs if not run.parent]
            if name == "latest" and tops:
                return _counted(connection, tops[-1])
            near = [run for run in runs if run.id.startswith(name)]
            found = [run for run in runs if run.id == name] or [run for run in near if not run.parent] or near
            if len(found) > 1:
                ids = [run.id for run in found]
                some = ", ".join(ids if len(ids) < 7 else [*ids[:3], "...", *ids[-3:]])
                raise NotFound(f'"{name}" matches {len(found)} runs: {some}. Write more of the id')
            if not found:
                raise not_found("run", name, [run.id for run in runs if not run.parent], "See: verigym runs list")
            return _counted(connection, found[0])

    def delete_run(self, id: str) -> None:
        """Takes a run out, with its trajectories, verdicts, tasks and metrics; blobs stay, others may share them."""
        with self._writing() as connection:
            for table in (TRAJECTORIES, VERDICTS, TASKS, METRICS):
                connection.execute(table.delete().where(table.c.run == id))
            connection.execute(RUNS.delete().where(RUNS.c.id == id))

    def scored_by(self, run: str, verifier: str) -> None:
        """From now on this verifier's verdicts are the run's."""
        with self._writing() as connection:
            connection.execute(RUNS.update().where(RUNS.c.id == run).values(verifier=verifier, counts=None))

    def tasks(self, run: str) -> list[Task]:
        query = sa.select(TASKS.c.body).where(TASKS.c.run == run).order_by(sa.literal_column("rowid"))
        with self._engine.connect() as connection:
            return [codec.decode(body, Task) for body in connection.execute(query).scalars()]

    # -- trajectories and verdicts ----------------------------------------------------------------------------------

    def add(
        self,
        run: str,
        trajectories: Iterable[Trajectory] = (),
        verdicts: Iterable[Verdict] = (),
        blobs: Mapping[str, bytes] = {},
    ) -> None:
        """All of it or nothing."""
        made = [_trajectory_row(run, one) for one in trajectories]
        judged = [_verdict_row(run, one) for one in verdicts]
        with self._writing() as connection:
            if blobs:
                rows = [{"sha256": sha256, "body": body} for sha256, body in blobs.items()]
                connection.execute(sqlite.insert(BLOBS).on_conflict_do_nothing(), rows)
            if made:
                connection.exec_driver_sql(_ADD_TRAJECTORY, made)
            if judged:
                connection.exec_driver_sql(_ADD_VERDICT, judged)
                first = RUNS.update().where(RUNS.c.id == run, RUNS.c.verifier == "")
                connection.execute(first.values(verifier=judged[0][1]))
            stale = RUNS.update().where(RUNS.c.id == run, RUNS.c.counts.is_not(None))
            connection.execute(stale.values(counts=None))

    def trajectories(self, run: str, task: str | None = None) -> list[Trajectory]:
        """By task and index; of one task where it is named."""
        return list(self.each_trajectory(run, task))

    def each_trajectory(self, run: str, task: str | None = None) -> Iterator[Trajectory]:
        """One after another, for runs that do not fit in memory."""
        query = sa.select(TRAJECTORIES.c.body, TRAJECTORIES.c.packed).where(TRAJECTORIES.c.run == run)
        query = query.order_by(TRAJECTORIES.c.task, TRAJECTORIES.c.place)
        if task is not None:
            query = query.where(TRAJECTORIES.c.task == task)
        with self._engine.connect() as connection:
            for body, packed in connection.execution_options(yield_per=_PAGE).execute(query):
                yield unpack(codec.decode(body, Trajectory), packed)

    def trajectory(self, id: str) -> tuple[str, Trajectory]:
        """The trajectory and its run, by id or unique beginning of an id."""
        table = TRAJECTORIES.c
        query = sa.select(table.run, table.body, table.packed)
        last = id[:-1] + chr(ord(id[-1]) + 1) if id else ""
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(table.id == id)).all()
            rows = rows or connection.execute(query.where(table.id >= id, table.id < last).limit(2)).all()
            if len(rows) != 1:
                some = connection.execute(sa.select(table.id).limit(5)).scalars().all()
                raise not_found(
                    "trajectory" if not rows else "single trajectory",
                    id,
                    some,
                    "List a run's: verigym trajectories list RUN",
                )
        return rows[0].run, unpack(codec.decode(rows[0].body, Trajectory), rows[0].packed)

    def known_trajectories(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids that are stored, whatever their run."""
        wanted, known = list(ids), set[str]()
        with self._engine.connect() as connection:
            for start in range(0, len(wanted), _PAGE):
                some = TRAJECTORIES.c.id.in_(wanted[start : start + _PAGE])
                known |= set(connection.execute(sa.select(TRAJECTORIES.c.id).where(some)).scalars())
        return known

    def verdicts(self, run: str, verifier: str | None = None) -> list[Verdict]:
        """Those that count; another verifier's where it is named, everybody's where it is `*`."""
        return list(self.each_verdict(run, verifier))

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
                yield codec.decode(body, Verdict)

    def verdicts_on(self, run: str, trajectory: str) -> list[Verdict]:
        """Everybody's verdict on one trajectory."""
        query = sa.select(VERDICTS.c.body).where(VERDICTS.c.trajectory == trajectory, VERDICTS.c.run == run)
        with self._engine.connect() as connection:
            return [codec.decode(body, Verdict) for body in connection.execute(query).scalars()]

    def standing(self, run: str, verifier: str) -> Iterator[EpisodeStatus]:
        """What is stored of a run, episode by episode, and how this verifier judged it: all that resumption needs."""
        made, judged = TRAJECTORIES.c, VERDICTS.c
        mine = sa.and_(judged.trajectory == made.id, judged.run == made.run, judged.verifier == verifier)
        query = (
            sa.select(made.task, made.place, made.fault, judged.trajectory, judged.reward, judged.passed, judged.fault)
            .select_from(TRAJECTORIES.outerjoin(VERDICTS, mine))
            .where(made.run == run)
        )
        with self._engine.connect() as connection:
            for task, place, fault, has, reward, passed, verdict_fault in connection.execution_options(
                yield_per=_PAGE
            ).execute(query):
                yield EpisodeStatus(task, place, fault, has is not None, reward, bool(passed), verdict_fault or "")

    def blob(self, sha256: str) -> bytes:
        with self._engine.connect() as connection:
            body = connection.execute(sa.select(BLOBS.c.body).where(BLOBS.c.sha256 == sha256)).scalar()
        if body is None:
            raise NotFound(f"{self.path} has no blob {sha256}")
        return body

    # -- metrics ----------------------------------------------------------------------------------------------------

    def add_metrics(self, run: str, step: int, values: dict[str, float]) -> None:
        rows = [{"run": run, "step": step, "name": name, "value": value} for name, value in values.items()]
        with self._writing() as connection:
            connection.execute(METRICS.insert().prefix_with("OR REPLACE"), rows)

    def metrics(self, run: str) -> dict[int, dict[str, float]]:
        found: dict[int, dict[str, float]] = {}
        query = sa.select(METRICS).where(METRICS.c.run == run).order_by(METRICS.c.step, METRICS.c.name)
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                found.setdefault(row.step, {})[row.name] = row.value
        return found

    # -- documents and the ledger -----------------------------------------------------------------------------------

    def put(self, kind: str, id: str, record: msgspec.Struct) -> None:
        row = {"kind": kind, "id": id, "created": time.time(), "body": codec.encode(record)}
        with self._writing() as connection:
            connection.execute(sqlite.insert(DOCUMENTS).on_conflict_do_nothing(), row)

    def get(self, kind: str, id: str, type: type[T]) -> T | None:
        query = sa.select(DOCUMENTS.c.body).where(DOCUMENTS.c.kind == kind, DOCUMENTS.c.id == id)
        with self._engine.connect() as connection:
            body = connection.execute(query).scalar()
        return None if body is None else codec.decode(body, type)

    def documents(self, kind: str, type: type[T]) -> list[T]:
        query = (
            sa.select(DOCUMENTS.c.body)
            .where(DOCUMENTS.c.kind == kind)
            .order_by(DOCUMENTS.c.created, sa.literal_column("rowid"))
        )
        with self._engine.connect() as connection:
            return [codec.decode(body, type) for body in connection.execute(query).scalars()]

    def bodies(self, kind: str) -> list[StoredDocument]:
        """The documents of a kind as they are stored, for whoever checks them; oldest first."""
        columns = (DOCUMENTS.c.id, DOCUMENTS.c.created, DOCUMENTS.c.body)
        query = sa.select(*columns).where(DOCUMENTS.c.kind == kind)
        query = query.order_by(DOCUMENTS.c.created, sa.literal_column("rowid"))
        with self._engine.connect() as connection:
            return [StoredDocument(*row) for row in connection.execute(query)]

    def damage(self) -> str:
        """What the database finds wrong with its own file; empty when it is sound."""
        try:
            with self._engine.connect() as connection:
                found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        except exc.DatabaseError as error:
            return str(error.orig)
        return "" if found == "ok" else str(found)

    def append_ledger(self, make: Callable[[bytes | None], bytes]) -> int:
        """Appends what `make` returns for the last entry, in one transaction that nobody else can interleave with."""
        with self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                last = connection.execute(
                    sa.select(LEDGER.c.seq, LEDGER.c.body).order_by(LEDGER.c.seq.desc()).limit(1)
                ).first()
                seq = 1 if last is None else last.seq + 1
                connection.execute(LEDGER.insert(), {"seq": seq, "body": make(None if last is None else last.body)})
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
        return seq

    def ledger(self) -> list[bytes]:
        with self._engine.connect() as connection:
            return list(connection.execute(sa.select(LEDGER.c.body).order_by(LEDGER.c.seq)).scalars())

    def last_of_ledger(self) -> bytes | None:
        """For whoever looks every moment."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(LEDGER.c.body).order_by(LEDGER.c.seq.desc()).limit(1)).scalar()


def _is_begun(connection: sa.Connection, id: str, config: bytes) -> bool:
    known = connection.execute(sa.select(RUNS.c.config).where(RUNS.c.id == id)).scalar()
    if known is not None and known != config:
        raise BadInput(f'Run "{id}" exists with other settings. Choose another name (--name)')
    return known is not None


def _trajectory_row(run: str, trajectory: Trajectory) -> tuple[Any, ...]:
    try:
        bare, packed = pack(trajectory)
        body = _sound(bare, Trajectory)
    except (BadInput, TypeError, ValueError, OverflowError, RecursionError) as error:
        broken = Failure(Fault.ENVIRONMENT, type(error).__name__, f"the episode could not be written: {error}")
        bare = Trajectory(
            id=trajectory.id,
            task=trajectory.task,
            group=trajectory.group,
            index=trajectory.index,
            seed=trajectory.seed,
            stop=Stop.ERROR,
            error=broken,
        )
        body, packed = codec.encode(bare), None
    return trajectory.id, run, trajectory.task, trajectory.index, fault_of(bare), body, packed


def _verdict_row(run: str, verdict: Verdict) -> tuple[Any, ...]:
    try:
        body = _sound(verdict, Verdict)
    except (BadInput, TypeError, ValueError, OverflowError, RecursionError) as error:
        broken = Failure(Fault.VERIFIER, type(error).__name__, f"the verdict could not be written: {error}")
        verdict = Verdict(trajectory=verdict.trajectory, verifier=verdict.verifier, reward=None, error=broken)
        body = codec.encode(verdict)
    return verdict.trajectory, verdict.verifier, run, verdict.reward, verdict.passed, fault_of(verdict), body


def _sound(record: T, kind: type[T]) -> bytes:
    """The record as bytes that were read back: what other people's code put into it may be of any type."""
    body = codec.encode(record)
    codec.decode(body, kind)
    if len(body) > _LONGEST:
        raise BadInput(f"the record has {len(body):,} bytes, and the store takes at most {_LONGEST:,}")
    return body


class _Counts(NamedTuple):
    trajectories: int
    passed: int
    scored: int


def _counts(connection: sa.Connection, row: Any) -> _Counts:
    """Read from indices alone; a million rows take some tenths of a second."""
    made = sa.select(sa.func.count()).select_from(TRAJECTORIES).where(TRAJECTORIES.c.run == row.id)
    judged = sa.select(sa.func.sum(VERDICTS.c.passed), sa.func.count(VERDICTS.c.reward)).where(
        VERDICTS.c.run == row.id, VERDICTS.c.verifier == row.verifier
    )
    passed, scored = connection.execute(judged).one()
    return _Counts(connection.execute(made).scalar_one(), passed or 0, scored)


def _counted(connection: sa.Connection, row: Any) -> Run:
    counts = msgspec.json.decode(row.counts, type=_Counts) if row.counts else _counts(connection, row)
    return Run(
        id=row.id,
        kind=row.kind,
        parent=row.parent,
        created=row.created,
        finished=row.finished,
        config=msgspec.json.decode(row.config),
        verifier=row.verifier,
        **counts._asdict(),
    )


def _set_up(connection: Any, _: Any) -> None:
    """WAL: readers and a writer at once, and a killed process loses no commit."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=30000")
    connection.execute("PRAGMA cache_size=-32768")  # 32 MiB of pages: a big run's indices, and no more memory than that
