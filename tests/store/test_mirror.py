"""A file that follows a PostgreSQL store has what the store has, whatever is added, replaced or deleted, in any order."""

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.store.conftest import new_schema
from tests.store.server import PostgresServer
from tests.store.test_database import TASKS, append, episode, verdict
from tests.store.test_transfer import contents, fill
from verigym.core.records import Version
from verigym.store import mirror as module
from verigym.store.database import Store
from verigym.store.mirror import Mirror
from verigym.view.read import run_state

pytestmark = pytest.mark.cluster
numbers = itertools.count()


@pytest.fixture
def url(server: PostgresServer) -> str:
    return new_schema(server, f"m{next(numbers)}")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url)
    fill(made)
    append(made, "a")
    made.put("version", "1", Version(id="1", base="x"))
    yield made
    made.close()


@pytest.fixture
def mirror(store: Store, url: str, tmp_path: Path) -> Iterator[Mirror]:
    made = Mirror(url, tmp_path / "view.db", tmp_path / "running")
    made.follow()
    yield made
    made.close()


def check(mirror: Mirror, store: Store) -> None:
    mirror.follow()
    file = Store(mirror.path, query_only=True)
    assert contents(file) == contents(store) and file.ledger() == store.ledger()
    assert file.bodies("version") == store.bodies("version")
    file.close()


@pytest.mark.parametrize("settled_s", [0.0, 1e9], ids=["marks-move", "marks-stay"])
def test_every_kind_of_change_is_followed(
    mirror: Mirror, store: Store, monkeypatch: pytest.MonkeyPatch, settled_s: float
) -> None:
    monkeypatch.setattr(module, "_SETTLED_S", settled_s)
    check(mirror, store)
    run = "grpo/step-1"
    store.add(run, [episode(run, "a", text="again")], [verdict(episode(run, "a"), 0.25)], {"f" * 64: b"blob"})
    check(mirror, store)
    store.add_metrics("grpo", 2, {"loss": 0.125})
    store.put_all("version", {"1": None, "2": Version(id="2", base="y"), "3": Version(id="3", base="z")})
    check(mirror, store)
    store.put_last("version", "2", Version(id="2", base="y"))
    append(store, "b")
    store.finish_run(run, 5.0)
    store.scored_by(run, "v@1")
    check(mirror, store)
    store.delete_run(run)
    store.begin_run(run, "collect", {"other": True}, TASKS, "grpo", created=7.0)
    store.add(run, [episode(run, "c")])
    check(mirror, store)
    store.delete_run("grpo/step-2")
    store.delete("version", "3")
    check(mirror, store)


def test_a_number_that_is_committed_late_is_not_missed(
    mirror: Mirror, store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SETTLED_S", 0.0)
    engine = sa.create_engine(url)
    with engine.connect() as slow:
        slow.exec_driver_sql("INSERT INTO documents (kind, id, created, body) VALUES ('version', 'late', 1.0, '{}')")
        for number in range(5):
            store.put("version", f"later {number}", Version(id=str(number), base="x"))
            mirror.follow()
        slow.commit()
    engine.dispose()
    check(mirror, store)


def test_a_file_is_used_again_and_one_of_another_store_is_not(
    mirror: Mirror, store: Store, url: str, server: PostgresServer, tmp_path: Path
) -> None:
    mirror.close()
    store.add("grpo/step-1", [episode("grpo/step-1", "b", 3)])
    again = Mirror(url, tmp_path / "view.db", tmp_path / "running")
    check(again, store)
    again.close()
    other = Store(new_schema(server, f"m{next(numbers)}"))
    other.begin_run("only", "eval", {})
    follows = Mirror(str(other.path), tmp_path / "view.db", tmp_path / "running")
    check(follows, other)
    follows.close()
    other.close()


def test_a_look_at_an_unchanged_store_writes_nothing(mirror: Mirror, store: Store) -> None:
    mirror.follow()
    with sqlite3.connect(mirror.path) as connection:
        before = connection.execute("PRAGMA data_version").fetchone()
        mirror.follow()
        assert connection.execute("PRAGMA data_version").fetchone() == before


def test_a_run_that_is_claimed_anywhere_has_a_file(mirror: Mirror, store: Store, tmp_path: Path) -> None:
    with store.claim("grpo"):
        mirror.follow()
        assert run_state(tmp_path, "grpo", None) == "running"
        assert run_state(tmp_path, "grpo/step-1", None) == "interrupted"
    mirror.follow()
    assert run_state(tmp_path, "grpo", None) == "interrupted"
