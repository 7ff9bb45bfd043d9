"""One database file (SQLite, WAL), through SQLAlchemy Core. A call that returns has committed: kill -9 loses nothing of it.

Records are kept whole, as the codec writes them; the columns beside them are what listings and resumption need. The ledger
can be appended to and read, and the database itself refuses anything else.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.dialects import sqlite

from verigym.core import codec
from verigym.core.errors import BadInput, InfrastructureFailure, not_found
from verigym.core.records import Json, Task, Trajectory, Verdict

T = TypeVar("T", bound=msgspec.Struct)

_meta = sa.MetaData()
_text, _number, _whole, _bytes = sa.Text, sa.Float, sa.Integer, sa.LargeBinary
RUNS = sa.Table(
    "runs",
    _meta,
    sa.Column("id", _text, primary_key=True),
    sa.Column("kind", _text, nullable=False),
    sa.Column("parent", _text, nullable=False, server_default=""),
    sa.Column("created", _number, nullable=False),
    sa.Column("finished", _number),
    sa.Column("config", _bytes, nullable=False),
)
TASKS = sa.Table(
    "tasks",
    _meta,
    sa.Column("run", _text, primary_key=True),
    sa.Column("id", _text, primary_key=True),
    sa.Column("body", _bytes, nullable=False),
)
TRAJECTORIES = sa.Table(
    "trajectories",
    _meta,
    sa.Column("id", _text, primary_key=True),
    sa.Column("run", _text, nullable=False, index=True),
    sa.Column("task", _text, nullable=False),
    sa.Column("place", _whole, nullable=False),
    sa.Column("body", _bytes, nullable=False),
)
VERDICTS = sa.Table(
    "verdicts",
    _meta,
    sa.Column("trajectory", _text, primary_key=True),
    sa.Column("verifier", _text, primary_key=True),
    sa.Column("run", _text, nullable=False, index=True),
    sa.Column("reward", _number),
    sa.Column("passed", _whole, nullable=False),
    sa.Column("body", _bytes, nullable=False),
)
METRICS = sa.Table(
    "metrics",
    _meta,
    sa.Column("run", _text, primary_key=True),
    sa.Column("step", _whole, primary_key=True),
    sa.Column("name", _text, primary_key=True),
    sa.Column("value", _number),
)
DOCUMENTS = sa.Table(
    "documents",
    _meta,
    sa.Column("kind", _text, primary_key=True),
    sa.Column("id", _text, primary_key=True),
    sa.Column("created", _number, nullable=False),
    sa.Column("body", _bytes, nullable=False),
)
LEDGER = sa.Table(
    "ledger", _meta, sa.Column("seq", _whole, primary_key=True), sa.Column("body", _bytes, nullable=False)
)
_APPEND_ONLY = [
    f"CREATE TRIGGER IF NOT EXISTS ledger_no_{verb} BEFORE {verb} ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for verb in ("update", "delete")
] + [
    "CREATE TRIGGER IF NOT EXISTS ledger_no_replace BEFORE INSERT ON ledger "
    "WHEN EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq) "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    parent: str
    created: float
    finished: float | None
    config: Json
    trajectories: int = 0
    passed: int = 0
    scored: int = 0


class Store:
    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfrastructureFailure(
                f"{path.parent}: cannot be made a folder ({error}); name another --home"
            ) from error
        self.path = path
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
        event.listen(self._engine, "connect", _set_up)
        try:
            with self._engine.begin() as connection:
                _meta.create_all(connection)
                for trigger in _APPEND_ONLY:
                    connection.execute(sa.text(trigger))
        except exc.DatabaseError as error:
            raise InfrastructureFailure(
                f"{path}: cannot be used as a store ({error.orig}); move it away or name another --home"
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
                f"{self.path}: could not be written ({error.orig}); what was committed before is kept"
            ) from error

    # -- runs -------------------------------------------------------------------------------------------------------

    def begin_run(self, id: str, kind: str, config: Json, tasks: Iterable[Task] = (), parent: str = "") -> None:
        """Starts a run, or goes on with it; going on with other settings under the same id is refused."""
        body = msgspec.json.encode(config, order="sorted")
        with self._writing() as connection:
            known = connection.execute(sa.select(RUNS.c.config).where(RUNS.c.id == id)).scalar()
            if known is not None:
                if known != body:
                    raise BadInput(f'run "{id}" exists with other settings; give this one another name (--name)')
                return
            row = {"id": id, "kind": kind, "parent": parent, "created": time.time(), "config": body}
            connection.execute(RUNS.insert(), row)
            rows = [{"run": id, "id": task.id, "body": codec.encode(task)} for task in tasks]
            if rows:
                connection.execute(TASKS.insert(), rows)

    def finish_run(self, id: str) -> None:
        with self._writing() as connection:
            connection.execute(
                RUNS.update().where(RUNS.c.id == id, RUNS.c.finished.is_(None)).values(finished=time.time())
            )

    def runs(self, parent: str | None = "") -> list[Run]:
        """Newest last. `parent` picks the runs that belong to another; none for all."""
        made = sa.select(TRAJECTORIES.c.run, sa.func.count().label("n")).group_by(TRAJECTORIES.c.run).subquery()
        judged = (
            sa.select(
                VERDICTS.c.run,
                sa.func.sum(VERDICTS.c.passed).label("passed"),
                sa.func.count(VERDICTS.c.reward).label("scored"),
            )
            .group_by(VERDICTS.c.run)
            .subquery()
        )
        query = (
            sa.select(RUNS, made.c.n, judged.c.passed, judged.c.scored)
            .outerjoin(made, made.c.run == RUNS.c.id)
            .outerjoin(judged, judged.c.run == RUNS.c.id)
            .order_by(RUNS.c.created)
        )
        if parent is not None:
            query = query.where(RUNS.c.parent == parent)
        with self._engine.connect() as connection:
            return [
                Run(
                    id=row.id,
                    kind=row.kind,
                    parent=row.parent,
                    created=row.created,
                    finished=row.finished,
                    config=msgspec.json.decode(row.config),
                    trajectories=row.n or 0,
                    passed=row.passed or 0,
                    scored=row.scored or 0,
                )
                for row in connection.execute(query)
            ]

    def finished_runs(self) -> set[str]:
        with self._engine.connect() as connection:
            return set(connection.execute(sa.select(RUNS.c.id).where(RUNS.c.finished.is_not(None))).scalars())

    def run(self, name: str, kinds: Sequence[str] = ()) -> Run:
        """By id, unique beginning of an id, or `latest`."""
        runs = [run for run in self.runs(parent=None) if not kinds or run.kind in kinds]
        if name == "latest":
            tops = [run for run in runs if not run.parent]
            if tops:
                return tops[-1]
        near = [run for run in runs if run.id.startswith(name)]
        found = [run for run in runs if run.id == name] or [run for run in near if not run.parent] or near
        if len(found) != 1:
            raise not_found("run", name, [run.id for run in found or runs if not run.parent], "See: verigym runs")
        return found[0]

    def tasks(self, run: str) -> list[Task]:
        query = sa.select(TASKS.c.body).where(TASKS.c.run == run).order_by(sa.literal_column("rowid"))
        with self._engine.connect() as connection:
            return [codec.decode(body, Task) for body in connection.execute(query).scalars()]

    # -- trajectories and verdicts ----------------------------------------------------------------------------------

    def add(self, run: str, trajectories: Sequence[Trajectory] = (), verdicts: Sequence[Verdict] = ()) -> None:
        made = [
            {"id": t.id, "run": run, "task": t.task, "place": t.index, "body": codec.encode(t)} for t in trajectories
        ]
        judged = [
            {
                "trajectory": v.trajectory,
                "verifier": v.verifier,
                "run": run,
                "reward": v.reward,
                "passed": v.passed,
                "body": codec.encode(v),
            }
            for v in verdicts
        ]
        with self._writing() as connection:
            if made:
                connection.execute(TRAJECTORIES.insert().prefix_with("OR REPLACE"), made)
            if judged:
                connection.execute(VERDICTS.insert().prefix_with("OR REPLACE"), judged)

    def trajectories(self, run: str) -> list[Trajectory]:
        query = sa.select(TRAJECTORIES.c.body).where(TRAJECTORIES.c.run == run)
        query = query.order_by(TRAJECTORIES.c.task, TRAJECTORIES.c.place)
        with self._engine.connect() as connection:
            return [codec.decode(body, Trajectory) for body in connection.execute(query).scalars()]

    def trajectory(self, id: str) -> tuple[str, Trajectory]:
        """The trajectory and its run, by id or unique beginning of an id."""
        query = sa.select(TRAJECTORIES.c.run, TRAJECTORIES.c.body).where(TRAJECTORIES.c.id == id)
        near = (
            sa.select(TRAJECTORIES.c.run, TRAJECTORIES.c.body)
            .where(TRAJECTORIES.c.id.startswith(id, autoescape=True))
            .limit(2)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all() or connection.execute(near).all()
            if len(rows) != 1:
                some = connection.execute(sa.select(TRAJECTORIES.c.id).limit(5)).scalars().all()
                raise not_found(
                    "trajectory" if not rows else "single trajectory",
                    id,
                    some,
                    "List a run's: verigym trajectories list RUN",
                )
        return rows[0].run, codec.decode(rows[0].body, Trajectory)

    def verdicts(self, run: str, verifier: str | None = None) -> list[Verdict]:
        query = sa.select(VERDICTS.c.body).where(VERDICTS.c.run == run)
        if verifier is not None:
            query = query.where(VERDICTS.c.verifier == verifier)
        with self._engine.connect() as connection:
            return [codec.decode(body, Verdict) for body in connection.execute(query).scalars()]

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


def _set_up(connection: Any, _: Any) -> None:
    """WAL: readers and a writer at once, and a killed process loses no commit."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=30000")
