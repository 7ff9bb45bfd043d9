"""The store in every database. PostgreSQL is marked `cluster`: make test-cluster installs it and runs these tests."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.store.server import PostgresServer
from verigym.store.database import Store

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.cluster)]
_numbers = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as made:
        yield made


@pytest.fixture(params=BOTH)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    """Opens a store by a name: a file, or a schema of the server."""
    opened: list[Store] = []
    prefix = f"s{next(_numbers)}"

    def open(name: str) -> Store:
        if request.param == "sqlite":
            where = tmp_path / name / "store.db"
        else:
            where = new_schema(request.getfixturevalue("server"), f"{prefix}_{name}")
        opened.append(Store(where))
        return opened[-1]

    yield open
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[str], Store]) -> Store:
    return open_store("deep")


def new_schema(server: PostgresServer, name: str) -> str:
    """The address of an empty store."""
    engine = sa.create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {name}")
    engine.dispose()
    return server.url(name)
