"""The store on a disk that is absent, full, read-only or damaged: what can be read is read, and the rest is said in words."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from tests.nobody import as_nobody
from tests.store.test_database import TASKS, episode, verdict
from verigym.core.errors import NotFound, VerigymError
from verigym.core.records import Label, Version
from verigym.registry import ledger
from verigym.store.connection import StoreBusy, StoreDamaged, StoreFailure
from verigym.store.database import Store


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A store with one finished run of 30 episodes and a version."""
    path = tmp_path / "home" / "store.db"
    store = Store(path)
    store.begin_run("r", "eval", {}, TASKS)
    made = [episode("r", "a", index, "word " * 400) for index in range(30)]
    store.add("r", made, [verdict(one) for one in made])
    store.finish_run("r")
    store.put("version", "v1", Version(id="v1", base="tiny"))
    store.close()
    yield path
    for each in [path.parent, *path.parent.iterdir()]:
        each.chmod(0o755)


def test_reading_a_missing_store_finds_nothing_and_creates_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "home" / "store.db")
    assert store.runs() == [] and store.bodies("version") == [] and store.ledger() == []
    assert ledger.champion(store) is None and store.damage() == ""
    with pytest.raises(NotFound, match="No run exists yet"):
        store.run("latest")
    assert not store.exists and not (tmp_path / "home").exists()
    store.begin_run("r", "eval", {})
    assert store.exists and [run.id for run in Store(store.path).runs()] == ["r"]


def test_a_store_that_another_process_creates_is_found(tmp_path: Path) -> None:
    reader, writer = Store(tmp_path / "store.db"), Store(tmp_path / "store.db")
    assert reader.runs() == []
    writer.begin_run("r", "eval", {})
    assert reader.run("latest").id == "r"


@pytest.fixture
def anywhere(path: Path) -> Iterator[Path]:
    """The same store where every user can reach it."""
    folder = Path("/var/tmp") / f"verigym-store-{os.getpid()}-{path.parent.parent.name}"
    shutil.copytree(path.parent, folder)
    yield folder / "store.db"
    for each in [folder, *folder.iterdir()]:
        each.chmod(0o755)
    shutil.rmtree(folder)


def words_of(write: Callable[[], Any]) -> str:
    with pytest.raises(VerigymError) as said:
        write()
    return str(said.value)


def test_a_read_only_store_of_the_last_version_is_read_without_a_migration(anywhere: Path) -> None:
    with sqlite3.connect(anywhere) as connection:
        for index in ("runs_of_parent", "documents_by_age", "trajectories_of_task"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    for each in [anywhere, anywhere.parent]:
        each.chmod(0o444 if each.is_file() else 0o555)
    assert as_nobody(lambda: Store(anywhere).run("r").trajectories) == 30
    with sqlite3.connect(anywhere) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_read_only_folder_can_be_read_and_says_so_when_written(anywhere: Path) -> None:
    def claim(store: Store) -> None:
        with store.claim("r"):
            pass

    def read() -> tuple[list[Any], list[str]]:
        store = Store(anywhere)
        found = [store.run("latest").id, len(store.trajectories("r")), len(store.bodies("version"))]
        writes = (
            lambda: store.begin_run("s", "eval", {}),
            lambda: store.append_ledger(lambda last: b"{}"),
            lambda: claim(store),
        )
        return found, [words_of(write) for write in writes]

    anywhere.chmod(0o444)
    anywhere.parent.chmod(0o555)
    found, words = as_nobody(read)
    assert found == ["r", 30, 1]
    for line in words[:2]:
        assert line.startswith(f"{anywhere} is read-only, so nothing was stored. Make the file and its folder writable")
    assert "running cannot be written (Permission denied), so run r cannot be locked" in words[2]
    assert [each.name for each in anywhere.parent.iterdir()] == ["store.db"]


def test_a_folder_that_may_not_be_read_is_not_a_missing_workspace(anywhere: Path) -> None:
    anywhere.parent.chmod(0o700 if os.getuid() == 0 else 0o000)
    words = as_nobody(lambda: words_of(lambda: Store(anywhere)))
    assert words.startswith(f"{anywhere} cannot be read (Permission denied)")


def full(path: Path, pages: int) -> Store:
    """A store whose file cannot grow beyond so many pages, as on a full disk."""
    store = Store(path)
    event.listen(store._engine, "connect", lambda connection, _: connection.execute(f"PRAGMA max_page_count={pages}"))
    store._engine.dispose()
    return store


def test_a_full_disk_is_said_by_every_write_and_keeps_what_was_stored(path: Path) -> None:
    store = full(path, 1)  # never less than it has
    many = [episode("r", "a", index, "word " * 4000) for index in range(100, 130)]
    writes = {
        "trajectories": lambda: store.add("r", many),
        "document": lambda: store.put("label", "1", Label(trajectory="t", judgement="good", note="word " * 20000)),
        "ledger": lambda: store.append_ledger(lambda last: b"x" * 100_000),
    }
    for write in writes.values():
        with pytest.raises(
            StoreBusy, match=r"store\.db could not be written, because the disk is full \(.* free\)"
        ) as said:
            write()
        assert "Earlier results are kept. Free some disk space and repeat the command" in str(said.value)
        assert "move" not in str(said.value).lower()
    assert len(store.trajectories("r")) == 30 and store.damage() == ""
    store.close()


def damage(path: Path, page: int) -> None:
    """Overwrites one page of 4096 bytes."""
    with path.open("r+b") as file:
        file.seek(4096 * page)
        file.write(b"\xa5" * 4096)


def test_each_damaged_page_is_said_with_the_file_and_what_to_do(path: Path) -> None:
    pages = path.stat().st_size // 4096
    said = 0
    for page in range(pages):
        broken = path.with_name("broken.db")
        shutil.copy(path, broken)
        damage(broken, page)
        try:
            store = Store(broken)
            store.runs()
            store.tasks("r")
            list(store.each_trajectory("r"))
            store.verdicts("r")
            store.metrics("r")
            store.documents("version", Version)
            ledger.entries(store)
            store.put("version", f"p{page}", Version(id="x", base="y"))
            store.close()
        except StoreDamaged as error:
            said += 1
            assert "broken.db is damaged" in str(error) and "check-integrity" in str(error)
        except StoreFailure as error:
            assert page == 0 and "broken.db is not a Verigym store" in str(error)
        for file in path.parent.glob("broken.db*"):
            file.unlink()
    assert said > pages / 4
