"""A store in another database: every row with the same bytes, resumed after a kill, and refused if the target differs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.conftest import new_schema
from tests.store.server import PostgresServer
from tests.store.test_database import append, episode
from tests.store.test_transfer import contents, fill
from verigym.core.errors import Refused
from verigym.core.records import Version
from verigym.store.copy import copy_store
from verigym.store.database import Store


@pytest.fixture
def source(tmp_path: Path) -> Store:
    store = Store(tmp_path / "from.db")
    fill(store)
    for number in range(1100):
        store.put("version", str(number), Version(id=str(number), base="x"))
    store.put_last("version", "3", Version(id="3", base="x"))
    for letter in "abc":
        append(store, letter)
    return store


@pytest.fixture
def target(open_store: Callable[[str], Store]) -> Store:
    return open_store("target")


def test_a_copy_has_every_row_and_goes_on_as_the_source_would(source: Store, target: Store) -> None:
    result = copy_store(source, target)
    assert contents(target) == contents(source) and target.ledger() == source.ledger()
    assert target.bodies("version") == source.bodies("version")
    assert result.copied == sum(result.rows.values()) and result.rows["ledger"] == 3
    for store in (source, target):
        store.begin_run("later", "eval", {}, created=1.0)
        store.add("later", [episode("later", "a")])
        store.put("version", "new", Version(id="new", base="x"))
        append(store, "d")
    assert contents(target) == contents(source) and target.ledger() == source.ledger()
    assert target.bodies("version")[-1].id == "new"


def test_a_copy_that_was_stopped_is_resumed(source: Store, target: Store) -> None:
    def stop(table: str, done: int, total: int) -> None:
        if table == "documents" and done == 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(source, target, stop)
    assert target.runs() == [] and target.ledger() == [], "a half copy does not look like a workspace"
    rest = copy_store(source, target)
    assert 0 < rest.copied < sum(rest.rows.values())
    assert contents(target) == contents(source) and target.ledger() == source.ledger()
    assert copy_store(source, target).copied == 0


@pytest.mark.parametrize("what", ["run", "document", "ledger"])
def test_a_target_with_other_content_is_refused_and_left_as_it_is(source: Store, target: Store, what: str) -> None:
    if what == "run":
        target.begin_run("mine", "eval", {})
    elif what == "document":
        target.put("version", "0", Version(id="0", base="mine"))
    else:
        append(target, "z")
    before = contents(target), target.ledger(), target.bodies("version")
    with pytest.raises(Refused, match=r"is not empty \(1 row in .*\), and they are not a copy of"):
        copy_store(source, target)
    assert (contents(target), target.ledger(), target.bodies("version")) == before


def test_an_empty_store_is_copied(tmp_path: Path, target: Store) -> None:
    result = copy_store(Store(tmp_path / "absent.db"), target)
    assert result.copied == 0 and not any(result.rows.values())


def test_two_copies_at_once_are_refused(source: Store, target: Store) -> None:
    with target.claim("store copy"), pytest.raises(Refused, match="is using run store copy"):
        copy_store(source, target)


@pytest.mark.cluster
def test_a_database_is_copied_back_into_a_file(source: Store, server: PostgresServer, tmp_path: Path) -> None:
    between, back = Store(new_schema(server, "back")), Store(tmp_path / "back.db")
    copy_store(source, between)
    result = copy_store(between, back)
    assert result.copied == sum(result.rows.values()) > 1000
    assert contents(back) == contents(source) and back.ledger() == source.ledger()
    assert back.bodies("version") == source.bodies("version")
    for store in (between, back):
        store.close()
