"""Roles of PostgreSQL: a worker appends to the ledger and cannot change it, whatever it runs. A reader writes nothing."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from tests.cli.test_data import Shell
from tests.store.conftest import new_schema
from tests.store.server import PostgresServer
from tests.store.test_database import TASKS, append, episode, verdict
from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.store import postgres
from verigym.store.connection import StoreFailure
from verigym.store.database import Store
from verigym.store.postgres_roles import grants
from verigym.store.space import compact

numbers = itertools.count()


class Roles:
    """A store with a ledger of two entries that the owner made, and two roles that were given privileges."""

    def __init__(self, server: PostgresServer) -> None:
        self.server, self.schema = server, f"r{next(numbers)}"
        self.owner = new_schema(server, self.schema)
        for role in (self.worker, self.reader, self.stranger):
            self.run(f'CREATE ROLE "{role}" LOGIN')
        store = Store(self.owner)
        append(store, "a")
        append(store, "b")
        store.close()

    worker = property(lambda self: f"{self.schema} worker's")
    reader = property(lambda self: f"{self.schema}_reader")
    stranger = property(lambda self: f"{self.schema}_stranger")

    def run(self, statement: str, role: str = "postgres") -> None:
        engine = sa.create_engine(self.url(role), isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql(statement)
        finally:
            engine.dispose()

    def url(self, role: str) -> str:
        return self.server.url(self.schema, role.replace(" ", "%20").replace("'", "%27"))


@pytest.fixture
def roles(server: PostgresServer) -> Iterator[Roles]:
    made = Roles(server)
    for line in grants(made.worker, schema=made.schema) + grants(made.reader, schema=made.schema, read_only=True):
        made.run(line)
    yield made
    for role in (made.worker, made.reader, made.stranger):
        made.run(f'DROP OWNED BY "{role}"')
        made.run(f'DROP ROLE "{role}"')


@pytest.mark.cluster
def test_a_worker_does_all_that_a_run_needs(roles: Roles) -> None:
    store = Store(roles.url(roles.worker))
    with store.claim("r"):
        store.begin_run("r", "eval", {}, TASKS)
        made = episode("r", "a")
        store.add("r", [made], [verdict(made)], {"abc": b"bytes"})
        store.add("r", [made], [verdict(made)])
        store.add_metrics("r", 1, {"loss": 0.5})
        store.put_last("version", "v", Version(id="v", base="b"))
        store.put_all("version", {"v": Version(id="v", base="c")})
        store.finish_run("r")
    append(store, "c")
    compact(store)
    assert store.run("r").passed == 1 and store.ledger() == [b"a", b"ab", b"abc"]
    store.delete_run("r")
    store.close()


@pytest.mark.cluster
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger SET body = 'x' WHERE seq = 1",
        "DELETE FROM ledger",
        "TRUNCATE ledger",
        "INSERT INTO ledger (seq, body) VALUES (1, 'x') ON CONFLICT (seq) DO UPDATE SET body = 'x'",
        "DROP TRIGGER ledger_append_only ON ledger",
        "ALTER TABLE ledger DISABLE TRIGGER ALL",
        "DROP TABLE ledger",
        "GRANT UPDATE ON ledger TO CURRENT_USER",
        "CREATE OR REPLACE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "SET session_replication_role = replica",
    ],
)
def test_a_worker_cannot_change_the_ledger_or_what_guards_it(roles: Roles, statement: str) -> None:
    if statement.startswith("GRANT"):
        roles.run(statement, roles.worker)  # a warning: nothing was granted
        statement = "UPDATE ledger SET body = 'x'"
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        roles.run(statement, roles.worker)
    assert Store(roles.owner).ledger() == [b"a", b"ab"]


@pytest.mark.cluster
def test_a_reader_reads_and_is_told_who_may_write(roles: Roles) -> None:
    store = Store(roles.url(roles.reader))
    assert store.ledger() == [b"a", b"ab"] and store.runs() == []
    with pytest.raises(StoreFailure, match=r"permission denied for table ledger.*verigym store grants ROLE"):
        append(store, "c")
    with pytest.raises(StoreFailure, match=r"permission denied for table runs"):
        store.begin_run("r", "eval", {})
    store.close()


@pytest.mark.cluster
def test_a_role_without_privileges_is_told_what_to_run(roles: Roles) -> None:
    with pytest.raises(StoreFailure, match="This prints the SQL: verigym store grants ROLE"):
        Store(roles.url(roles.stranger))


@pytest.mark.cluster
def test_only_the_owner_upgrades_the_tables(roles: Roles, monkeypatch: pytest.MonkeyPatch) -> None:
    def step(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN note TEXT")

    monkeypatch.setitem(postgres.STEPS, postgres.VERSION, step)
    monkeypatch.setattr(postgres, "VERSION", postgres.VERSION + 1)
    with pytest.raises(StoreFailure, match=r"must be owner of table runs\). Run it as the owner of the tables"):
        Store(roles.url(roles.worker))
    Store(roles.owner).close()
    worker = Store(roles.url(roles.worker))
    append(worker, "c")
    assert len(worker.ledger()) == 3
    worker.close()


def test_the_command_prints_statements_for_any_name(tmp_path: Path) -> None:
    said = Shell(tmp_path)("store", "grants", 'odd "name"', "--schema", "lab").splitlines()
    assert said == grants('odd "name"', schema="lab") and all(line.endswith(";") for line in said)
    assert 'GRANT INSERT ON "lab".ledger TO "odd ""name""";' in said
    read_only = Shell(tmp_path)("store", "grants", "reader", "--read-only")
    assert "INSERT" not in read_only and '"public".store_version TO "reader";' in read_only


@pytest.mark.parametrize("name", ["", " ", "x" * 64, "a\x00b"], ids=["empty", "space", "long", "nul"])
def test_a_name_that_postgresql_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="PostgreSQL takes 1 to 63 bytes"):
        grants(name)
    with pytest.raises(BadInput, match="name of the schema"):
        grants("role", schema=name)
