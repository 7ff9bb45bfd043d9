"""A store of an older verigym is brought up to date when it is opened; one of a newer verigym is left alone."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, FunctionCall, Version
from verigym.store.database import EpisodeStatus, Store
from verigym.store.schema import VERSION

INDICES = {"runs_of_parent", "documents_by_age", "trajectories_of_task"}
"""Added by version 3."""


def written_by(version: int, path: Path) -> Path:
    """A store as an older version wrote it."""
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / f"v{version}.sql").read_text())
    connection.close()
    return path


def indices_of(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
    connection.close()
    return {name for (name,) in rows}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Written by the first version of the store."""
    return written_by(1, tmp_path / "store.db")


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """Written by the second version of the store."""
    return written_by(2, tmp_path / "second.db")


def test_everything_in_a_store_of_version_1_is_read(old: Path) -> None:
    store = Store(old)
    [run] = store.runs()
    assert (run.id, run.kind, run.trajectories, run.passed, run.scored) == ("eval-old", "eval", 2, 1, 1)
    assert run.finished is not None and run.verifier == "passed@1" and run.config["environment"] == "shop"
    assert [task.id for task in store.tasks("eval-old")] == ["t1", "t2"]
    one, two = store.trajectories("eval-old")
    assert [turn.saw for turn in one.turns] == [[(0, 2)], [(0, 5)]]
    assert [turn.completion_ids for turn in one.turns] == [[40000, 5], [7]]
    assert [turn.logprobs for turn in one.turns] == [[-0.5, -0.10000000149011612], [-1.1]]
    assert isinstance(one.items[3], FunctionCall) and one.end_state == {"basket": {"tea": 1}}
    assert two.error == Failure(Fault.INFRASTRUCTURE, "InfrastructureFailure", "no server")
    assert {verdict.trajectory: verdict.reward for verdict in store.verdicts("eval-old")} == {one.id: 1.0, two.id: None}
    assert store.metrics("eval-old") == {1: {"loss": 0.5}}
    version = store.get("version", "v1", Version)
    assert version is not None and version.name == "base"
    assert store.ledger() == [b'{"seq":1}']


def test_what_resumption_needs_to_know_is_filled_in(old: Path) -> None:
    assert list(Store(old).statuses("eval-old", "passed@1")) == [
        EpisodeStatus("t1", 0, "", True, 1.0, True, ""),
        EpisodeStatus("t2", 0, "infrastructure", True, None, False, "infrastructure"),
    ]


def test_a_store_of_version_2_gains_three_indices_and_changes_nothing_else(second: Path) -> None:
    def rows() -> dict[str, list[tuple[object, ...]]]:
        with sqlite3.connect(second) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {table: connection.execute(f"SELECT rowid, * FROM {table}").fetchall() for table in tables}

    before, names = rows(), indices_of(second)
    store = Store(second)
    assert indices_of(second) - names == INDICES
    assert rows() == before
    assert [run.id for run in store.runs("train-old")] == ["train-old/step-0001"]
    store.close()


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("SELECT id FROM runs WHERE parent = '' ORDER BY created DESC LIMIT 50", "runs_of_parent"),
        ("SELECT id FROM documents WHERE kind = 'report' ORDER BY created DESC LIMIT 50", "documents_by_age"),
        ("SELECT run, id FROM trajectories WHERE task = 't1'", "trajectories_of_task"),
        ("SELECT body FROM trajectories WHERE run = 'r' AND task = 't' ORDER BY place", "trajectories_of_run"),
        ("SELECT task, place, fault FROM trajectories WHERE run = 'r' ORDER BY task, place", "trajectories_of_run"),
    ],
    ids=["newest runs", "newest documents", "attempts at a task", "siblings", "tasks of a run"],
)
def test_a_question_of_a_page_is_answered_by_an_index_without_sorting(second: Path, question: str, index: str) -> None:
    Store(second).close()
    with sqlite3.connect(second) as connection:
        plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {question}"))
    assert f"INDEX {index}" in plan and "SCAN" not in plan and "TEMP B-TREE" not in plan


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_that_was_brought_up_to_date_is_as_a_new_one(version: int, tmp_path: Path) -> None:
    def shape(path: Path) -> list[tuple[str, ...]]:
        store = Store(path)
        store.add_metrics("r", 1, {"loss": 1.0})
        store.close()
        with sqlite3.connect(path) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns = [
                (table, row[1], row[2].upper(), str(row[3]))
                for table in sorted(tables)
                for row in sorted(connection.execute(f"PRAGMA table_info({table})"), key=lambda row: row[1])
            ]
            others = connection.execute(
                "SELECT type, name FROM sqlite_master WHERE type != 'table' ORDER BY name"
            ).fetchall()
            version = connection.execute("PRAGMA user_version").fetchone()
        return [*columns, *others, version]

    assert shape(written_by(version, tmp_path / "old.db")) == shape(tmp_path / "new.db")


def test_the_ledger_of_an_old_store_stays_append_only(old: Path) -> None:
    Store(old).close()
    with sqlite3.connect(old) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM ledger")


@pytest.mark.parametrize(("version", "number"), [(1, 0), (2, 2)])
def test_a_process_killed_during_a_migration_leaves_the_old_store(version: int, number: int, tmp_path: Path) -> None:
    old = written_by(version, tmp_path / "store.db")
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom verigym.store import schema\nfrom verigym.store.database import Store\n"
        "done = schema.STEPS[2]\ndef die(connection):\n    done(connection); os.kill(os.getpid(), 9)\n"
        "schema.STEPS[2] = die\nStore(Path(sys.argv[1]))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(old)]).returncode == -9
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (number,)
    assert Store(old).run("eval-old").passed == 1


def test_a_store_of_a_newer_verigym_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(BadInput, match=rf"newer verigym \(store version {VERSION + 1}, supported {VERSION}\)"):
        Store(path)


def test_there_is_a_step_from_every_version_to_the_next() -> None:
    from verigym.core import codec
    from verigym.store.schema import STEPS

    assert sorted(STEPS) == list(range(1, VERSION))
    assert sorted(codec.MIGRATIONS) == list(range(1, codec.SCHEMA_VERSION))


def test_a_store_that_cannot_be_lifted_is_left_as_it_was(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("""UPDATE trajectories SET body = CAST('{"error": "not a failure"}' AS BLOB)""")
    connection.close()
    with pytest.raises(BadInput, match="not a Trajectory"):
        Store(old)
    with sqlite3.connect(old) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(trajectories)")]
    connection.close()
    assert "fault" not in columns and "packed" not in columns
