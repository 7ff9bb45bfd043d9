"""The tables of the store, and migrations of older databases: `STEPS[n]` migrates version n to n + 1.

This module migrates columns. `core.codec` migrates records when they are read. A migration is one transaction, so a killed
process leaves the old database.
"""

from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Trajectory, Verdict

VERSION = 2

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
    sa.Column(
        "verifier", _text, nullable=False, server_default=""
    ),  # its verdicts count: the last one that scored the run
    sa.Column("counts", _bytes),  # cached for a finished run until something is added
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
    sa.Column("run", _text, primary_key=True),
    sa.Column("task", _text, nullable=False),
    sa.Column("place", _whole, nullable=False),
    sa.Column("fault", _text, nullable=False, server_default=""),  # empty if the episode ended well
    sa.Column("body", _bytes, nullable=False),
    sa.Column("packed", _bytes),
    sa.Index("trajectories_of_run", "run", "task", "place", "fault"),
)
VERDICTS = sa.Table(
    "verdicts",
    _meta,
    sa.Column("trajectory", _text, primary_key=True),
    sa.Column("verifier", _text, primary_key=True),
    sa.Column("run", _text, primary_key=True),
    sa.Column("reward", _number),
    sa.Column("passed", _whole, nullable=False),
    sa.Column("fault", _text, nullable=False, server_default=""),  # empty if it has a reward
    sa.Column("body", _bytes, nullable=False),
    sa.Index("verdicts_of_run", "run", "verifier", "passed", "reward"),
)
BLOBS = sa.Table(
    "blobs", _meta, sa.Column("sha256", _text, primary_key=True), sa.Column("body", _bytes, nullable=False)
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


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _to_2}


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
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            _migrate(connection)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise


def _migrate(connection: sa.Connection) -> None:
    version = connection.exec_driver_sql(
        "PRAGMA user_version"
    ).scalar_one()  # another process may have migrated it first
    if sa.inspect(connection).has_table("runs"):
        for step in range(max(version, 1), VERSION):
            STEPS[step](connection)
    _meta.create_all(connection)
    for trigger in _APPEND_ONLY:
        connection.execute(sa.text(trigger))
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
