"""What pages read with: caches that follow the store, and a store that is replaced while pages are shown."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.view.store import add_run
from verigym.core.records import Label, Report, Suite, Version
from verigym.store.database import Store
from verigym.view import heads
from verigym.view.judgements import environments_of_runs
from verigym.view.read import Reader


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "store.db")
    add_run(store, "eval-1", tasks=2, attempts=1)
    yield store
    store.close()


@pytest.fixture
def reader(store: Store, tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.close()


def test_a_document_that_replaces_the_newest_is_read_again(store: Store, reader: Reader) -> None:
    store.put_all("version", {"v1": Version(base="a", id="v1", name="first")})
    assert reader.label("v1").startswith("first")
    store.put_all("version", {"v1": Version(base="a", id="v1", name="second")})
    assert reader.label("v1").startswith("second")
    store.delete("version", "v1")
    assert reader.versions() == {}


def test_a_report_that_replaces_the_newest_is_read_again(store: Store, reader: Reader) -> None:
    suite = Suite(name="val", environment="desk", tasks=["task-0"], families=["f"], verifier="v", hash="h")
    report = Report(id="r1", run="eval-1", agent="one", suite=suite, metrics={}, results=[], buckets={})
    store.put_all("report", {"r1": report})
    assert heads.reports(reader)["r1"].agent == "one"
    store.put_all("report", {"r1": msgspec.structs.replace(report, agent="two")})
    assert heads.reports(reader)["r1"].agent == "two"


def test_a_run_in_the_row_of_a_deleted_one_is_seen(store: Store, reader: Reader) -> None:
    assert environments_of_runs(reader) == {"eval-1": "desk"}
    store.delete_run("eval-1")
    add_run(store, "eval-2", tasks=1, attempts=1, environment="other")
    assert environments_of_runs(reader) == {"eval-2": "other"}


def test_a_store_that_was_put_in_its_place_is_read_and_written(store: Store, reader: Reader, tmp_path: Path) -> None:
    label = Label(trajectory="t", judgement="good", who="ann")
    store.close()
    reader.writable.store.put("label", "old", label)
    with reader.one_page():
        assert [run.id for run in reader.store.runs()] == ["eval-1"]
        assert len(reader.documents("label", Label)) == 1
        reader.kept("something", None, lambda: "old")
        with reader.store.reading() as connection:
            connection.exec_driver_sql("PRAGMA query_only=OFF")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.exec_driver_sql("PRAGMA query_only=ON")
    other = Store(tmp_path / "other.db")
    add_run(other, "eval-2", tasks=1, attempts=1)
    other.put("label", "new", label)
    other.close()
    os.replace(tmp_path / "other.db", tmp_path / "store.db")
    reader.writable.store.put("label", "later", label)
    with reader.one_page():
        assert [run.id for run in reader.store.runs()] == ["eval-2"]
        assert len(reader.documents("label", Label)) == 2
        assert reader.kept("something", None, lambda: "new") == "new"
    reader.close()
    stored = Store(tmp_path / "store.db")
    assert [one.id for one in stored.bodies("label")] == ["new", "later"]
    stored.close()


def test_a_store_that_was_removed_is_empty_and_one_that_comes_is_read(reader: Reader, tmp_path: Path) -> None:
    for each in tmp_path.glob("store.db*"):
        each.unlink()
    with reader.one_page():
        assert reader.store.runs() == []
    made = Store(tmp_path / "store.db")
    add_run(made, "eval-3", tasks=1, attempts=1)
    made.close()
    with reader.one_page():
        assert [run.id for run in reader.store.runs()] == ["eval-3"]


def test_each_document_is_read_once_also_if_many_have_the_same_time(store: Store, reader: Reader) -> None:
    store.put_all("label", {f"l{at}": Label(trajectory=f"t{at}", judgement="good") for at in range(1203)})
    read = [(rowid, one.trajectory) for rowid, one in reader.each_document("label", Label)]
    assert [id for _, id in read] == [f"t{at}" for at in range(1203)]
    assert len({rowid for rowid, _ in read}) == 1203
    assert list(reader.each_document("feedback", Label)) == []
