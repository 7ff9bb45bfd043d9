"""The tables of the store, and migrations of older databases: `STEPS[n]` migrates version n to n + 1.

This module migrates columns. `core.codec` migrates records when they are read. A migration is one transaction, so a killed
process leaves the old database.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Trajectory, Verdict

VERSION = 3
READABLE = 2
"""The oldest version that can be read without a migration, for a file that cannot be written: 3 only adds indices."""

_meta = TABLES = sa.MetaData()
_text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that is compared by its bytes, as SQLite does it."""
_whole = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
_number, _bytes = sa.Float(), sa.LargeBinary()


def _keys(*names: str) -> list[sa.Column[str]]:
    """Columns that form the primary key."""
    return [sa.Column(name, _text, primary_key=True) for name in names]


def _column(name: str, kind: sa.types.TypeEngine[Any] = _text, default: str | None = None) -> sa.Column[Any]:
    """A column that always has a value."""
    return sa.Column(name, kind, nullable=False, server_default=default)


RUNS = sa.Table(
    "runs",
    _meta,
    *_keys("id"),
    _column("kind"),
    _column("parent", default=""),
    _column("created", _number),
    sa.Column("finished", _number),
    _column("config", _bytes),
    _column("verifier", default=""),  # its verdicts count: the last one that scored the run
    sa.Column("counts", _bytes),  # cached for a finished run until something is added
    sa.Index("runs_of_parent", "parent", "created"),
)
TASKS = sa.Table("tasks", _meta, *_keys("run", "id"), _column("body", _bytes))
TRAJECTORIES = sa.Table(
    "trajectories",
    _meta,
    *_keys("id", "run"),
    _column("task"),
    _column("place", _whole),
    _column("fault", default=""),  # empty if the episode ended well
    _column("body", _bytes),
    sa.Column("packed", _bytes),
    sa.Index("trajectories_of_run", "run", "task", "place", "fault"),
    sa.Index("trajectories_of_task", "task", "run"),  # all attempts at a task, over all runs
)
VERDICTS = sa.Table(
    "verdicts",
    _meta,
    *_keys("trajectory", "verifier", "run"),
    sa.Column("reward", _number),
    _column("passed", _whole),
    _column("fault", default=""),  # empty if it has a reward
    _column("body", _bytes),
    sa.Index("verdicts_of_run", "run", "verifier", "passed", "reward"),
)
BLOBS = sa.Table("blobs", _meta, *_keys("sha256"), _column("body", _bytes))
METRICS = sa.Table(
    "metrics",
    _meta,
    *_keys("run"),
    sa.Column("step", _whole, primary_key=True),
    *_keys("name"),
    sa.Column("value", _number),
)
DOCUMENTS = sa.Table(
    "documents",
    _meta,
    *_keys("kind", "id"),
    _column("created", _number),
    _column("body", _bytes),
    sa.Index("documents_by_age", "kind", "created"),
)
LEDGER = sa.Table("ledger", _meta, sa.Column("seq", _whole, primary_key=True), _column("body", _bytes))
_APPEND_ONLY = [
    f"CREATE TRIGGER IF NOT EXISTS ledger_no_{verb} BEFORE {verb} ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for verb in ("update", "delete")
] + [
    "CREATE TRIGGER IF NOT EXISTS ledger_no_replace BEFORE INSERT ON ledger "
    "WHEN EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq) "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
]


def fault_of(record: Trajectory | Verdict) -> str:
    return "" if record.error is None else record.error.fault.value


def _to_2(connection: sa.Connection) -> None:
    """Allows one trajectory id in several runs. Adds faults as columns, so that resuming reads no bodies. Adds blobs, packed ids
    and the verifier whose verdicts count."""
    run = connection.exec_driver_sql
    run("ALTER TABLE runs ADD COLUMN verifier TEXT NOT NULL DEFAULT ''")
    run("ALTER TABLE runs ADD COLUMN counts BLOB")
    kept = {
        TRAJECTORIES: (Trajectory, "id, run, task, place, body"),
        VERDICTS: (Verdict, "trajectory, verifier, run, reward, passed, body"),
    }
    for table, (kind, columns) in kept.items():
        run(f"DROP INDEX IF EXISTS ix_{table.name}_run")
        run(f"ALTER TABLE {table.name} RENAME TO old_{table.name}")
        table.create(connection)
        run(f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM old_{table.name} ORDER BY rowid")
        run(f"DROP TABLE old_{table.name}")
        has_error = sa.func.instr(table.c.body, sa.literal(b'"error":', sa.LargeBinary)) > 0
        rows = connection.execute(sa.select(sa.literal_column("rowid"), table.c.body).where(has_error)).all()
        for rowid, body in rows:
            fault = fault_of(codec.decode(body, kind))
            run(f"UPDATE {table.name} SET fault = ? WHERE rowid = ?", (fault, rowid))
    run("UPDATE runs SET verifier = coalesce((SELECT max(verifier) FROM verdicts WHERE verdicts.run = runs.id), '')")


def _to_3(connection: sa.Connection) -> None:
    """Adds the indices that pages need: child runs by age, documents of a kind by age, all attempts at a task."""
    for table in (RUNS, TRAJECTORIES, DOCUMENTS):
        for index in table.indexes:
            index.create(connection, checkfirst=True)


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _to_2, 2: _to_3}


def prepare(engine: sa.Engine, path: Path) -> None:
    """Creates the tables, or migrates them."""
    with engine.connect() as connection:
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if version == VERSION:
            return
        if version > VERSION:
            raise BadInput(
                f"{path} was written by a newer verigym (store version {version}, supported {VERSION}). Upgrade verigym"
            )
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # without a commit, closing the connection rolls back
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()  # another process may have been first
        if sa.inspect(connection).has_table("runs"):
            for step in range(max(version, 1), VERSION):
                STEPS[step](connection)
        create_tables(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
        connection.commit()


def create_tables(connection: sa.Connection) -> None:
    _meta.create_all(connection)
    for trigger in _APPEND_ONLY:
        connection.execute(sa.text(trigger))
