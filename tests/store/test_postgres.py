"""The store in PostgreSQL: what only a server can do, refuse or lose. The suite of `test_database` runs over it as well."""

import asyncio
import itertools
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from tests.store.conftest import new_schema
from tests.store.server import PostgresServer
from tests.store.test_database import TASKS, append, episode, verdict
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Label, Task, Version
from verigym.store import postgres
from verigym.store.connection import StoreBusy, StoreFailure
from verigym.store.database import Store
from verigym.store.postgres_claim import KEY, claimed
from verigym.store.space import compact, free_bytes, run_bytes
from verigym.store.writer import Writer

pytestmark = pytest.mark.cluster
numbers = itertools.count()


@pytest.fixture
def url(server: PostgresServer) -> str:
    return new_schema(server, f"p{next(numbers)}")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger SET body = 'x' WHERE seq = 1",
        "DELETE FROM ledger",
        "TRUNCATE ledger",
        "INSERT INTO ledger (seq, body) VALUES (1, 'x') ON CONFLICT (seq) DO UPDATE SET body = 'x'",
    ],
    ids=["update", "delete", "truncate", "upsert"],
)
@pytest.mark.parametrize("user", ["postgres", "worker"], ids=["superuser", "owner"])
def test_the_database_itself_refuses_to_change_the_ledger(server: PostgresServer, user: str, statement: str) -> None:
    schema = f"p{next(numbers)}"
    address = new_schema(server, schema)
    admin = sa.create_engine(server.url(), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        if user == "worker":
            connection.exec_driver_sql(
                "DO $$ BEGIN CREATE ROLE worker LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
            )
            connection.exec_driver_sql(f"GRANT ALL ON SCHEMA {schema} TO worker")
            address = server.url(schema, "worker")
    store = Store(address)
    append(store, "a")
    append(store, "b")
    engine = sa.create_engine(address)
    words = "the ledger is append-only|permission denied for table ledger"
    with engine.connect() as connection, pytest.raises(DBAPIError, match=words):
        connection.exec_driver_sql(statement)
    engine.dispose()
    admin.dispose()
    assert store.ledger() == [b"a", b"ab"]
    store.close()


def _hold(url: str, held: Any) -> None:
    with Store(url).claim("r"):
        held.put(os.getpid())
        time.sleep(600)


def test_a_claim_is_free_after_the_process_was_killed(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Queue()
    process = context.Process(target=_hold, args=(url, held))
    process.start()
    pid = held.get(timeout=120)
    store = Store(url)
    with pytest.raises(Refused, match=rf"Another process \(\S+ pid {pid}\) is using run r"), store.claim("r"):
        pass
    os.kill(pid, signal.SIGKILL)
    process.join()
    deadline = time.monotonic() + 60
    while True:
        try:
            with store.claim("r"):
                break
        except Refused:
            assert time.monotonic() < deadline
    store.close()


def test_a_claim_holds_in_one_store_and_not_in_another(server: PostgresServer, url: str) -> None:
    other = Store(new_schema(server, f"p{next(numbers)}"))
    with Store(url).claim("r"), other.claim("r"):
        for claimed in (Store(url), Store(str(other.path))):
            with pytest.raises(Refused), claimed.claim("r"):
                pass
            claimed.close()


def test_a_name_with_a_nul_is_refused_in_words_and_nothing_is_stored(url: str) -> None:
    store = Store(url)
    with pytest.raises(BadInput, match="has a NUL character, which PostgreSQL cannot store"):
        store.begin_run("r", "eval", {}, [*TASKS, Task(id="a\x00b", prompt="p")])
    assert not store.has_run("r")
    store.begin_run("r", "eval", {}, [Task(id="fine", prompt="a\x00b")])
    assert store.tasks("r")[0].prompt == "a\x00b"
    store.close()


def test_a_key_that_comes_twice_in_a_batch_is_stored_once_as_it_came_last(url: str) -> None:
    store = Store(url)
    store.begin_run("r", "eval", {})
    made = [episode("r", "a", text=text) for text in ("first", "second")]
    store.add("r", made, [verdict(made[0], 0.0), verdict(made[1], 1.0), verdict(made[1], None)])
    assert store.trajectories("r") == [made[1]]
    assert [one.reward for one in store.verdicts("r")] == [1.0]
    store.close()


def test_names_are_ordered_by_their_bytes_as_in_a_file(url: str, tmp_path: Path) -> None:
    names = ["b", "B", "a", "é", "Z", "_", "1", "aa", "a-", "a/b"]
    listed: list[list[str]] = []
    for where in (url, tmp_path / "store.db"):
        store = Store(where)
        store.begin_run("r", "eval", {})
        store.add("r", [episode("r", name) for name in names])
        for name in names:
            store.begin_run(f"r-{names.index(name)}", "eval", {})
        listed.append([one.task for one in store.trajectories("r")] + [run.id for run in store.runs_from("r-")])
        store.close()
    assert listed[0] == listed[1]


def _open(url: str, gate: Any) -> None:
    gate.wait(120)
    store = Store(url)
    store.begin_run("r", "eval", {"k": 1}, TASKS)
    store.close()


def test_processes_that_start_together_make_one_schema_and_one_run(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(4)
    processes = [context.Process(target=_open, args=(url, gate)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    store = Store(url)
    assert [run.id for run in store.runs()] == ["r"] and store.tasks("r") == TASKS
    store.close()


def test_an_older_schema_is_migrated_in_one_transaction(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(url)
    store.begin_run("r", "eval", {})
    store.close()

    def fails(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN note TEXT")
        raise RuntimeError("killed")

    def works(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'new'")

    def note() -> Any:
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            found = sa.inspect(connection).get_columns("runs")
            version = connection.exec_driver_sql("SELECT version FROM store_version").scalars().all()
        engine.dispose()
        return [column["name"] for column in found if column["name"] == "note"], version

    now = postgres.VERSION
    monkeypatch.setattr(postgres, "VERSION", now + 1)
    monkeypatch.setitem(postgres.STEPS, now, fails)
    with pytest.raises(RuntimeError, match="killed"):
        Store(url)
    assert note() == ([], [now])
    monkeypatch.setitem(postgres.STEPS, now, works)
    assert Store(url).has_run("r")
    assert note() == (["note"], [now + 1])
    monkeypatch.setattr(postgres, "VERSION", now)
    with pytest.raises(BadInput, match=rf"was written by a newer verigym \(store version {now + 1}, supported {now}\)"):
        Store(url)


def test_a_reader_cannot_write(url: str) -> None:
    Store(url).begin_run("r", "eval", {})
    reader = Store(url, query_only=True)
    assert reader.run("latest").id == "r"
    with pytest.raises(StoreFailure, match="read-only transaction"):
        reader.begin_run("s", "eval", {})
    reader.close()


def test_a_server_that_restarts_is_used_again_and_keeps_what_was_committed() -> None:
    with PostgresServer() as server:
        store = Store(server.url())
        store.begin_run("r", "eval", {})
        store.add("r", [episode("r", "a")])
        server.stop("immediate")
        with pytest.raises(StoreBusy, match="cannot be used now") as busy:
            store.add_once("r", [episode("r", "b")])
        assert busy.value.passing
        with pytest.raises(StoreBusy, match="cannot be used now"):  # a command that starts now says so at once
            Store(server.url())
        server.start()
        store.add_once("r", [episode("r", "b")])
        assert [one.task for one in store.trajectories("r")] == ["a", "b"]
        store.close()


def test_a_server_that_is_killed_five_times_in_the_middle_of_calls_costs_none_of_them() -> None:
    """Every kind of call waits for the server, and an entry of the ledger is appended once."""
    with PostgresServer() as server:
        store, chance, stop = Store(server.url()), random.Random(5), threading.Event()
        store.begin_run("r", "eval", {})

        def kill() -> None:
            for _ in range(5):
                time.sleep(chance.uniform(0.05, 0.5))
                server.stop("immediate")
                time.sleep(chance.uniform(0.0, 0.5))
                server.start()
            stop.set()

        killer, rounds = threading.Thread(target=kill), 0
        killer.start()
        while not stop.is_set() or rounds < 20:
            name = f"r-{rounds}"
            with store.claim(name):
                store.begin_run(name, "eval", {}, (task for task in TASKS))
                made = episode(name, "a")
                store.add(name, [made], [verdict(made)])
                store.add_metrics(name, 1, {"loss": float(rounds)})
                store.put_last("version", "v", Version(id="v", base="b"))
                store.append_ledger(lambda last, name=name: name.encode())
                assert [one.passed for one in store.statuses(name, verdict(made).verifier)] == [True]
                store.finish_run(name)
            assert store.tasks(name) == TASKS and store.metrics(name) == {1: {"loss": float(rounds)}}
            rounds += 1
        killer.join()
        names = [f"r-{number}" for number in range(rounds)]
        assert [run.id for run in store.runs() if run.finished and run.passed == 1] == names
        assert [body.decode() for body in store.ledger()] == names
        store.close()


def test_a_claim_outlives_a_restart_of_the_server_or_the_next_write_is_refused() -> None:
    with PostgresServer() as server:
        store, other = Store(server.url()), Store(server.url())
        store.begin_run("r", "eval", {})
        with store.claim("r"):
            server.stop("immediate")
            server.start()
            wait_until(lambda: _is_claimed(other))
            assert _is_refused(other, "r")
            store.add("r", [episode("r", "a")])
            engine = sa.create_engine(server.url(), isolation_level="AUTOCOMMIT")
            with engine.connect() as thief:  # another process is faster
                lock = f"SELECT pg_try_advisory_lock({KEY})"
                end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%%claims%%'"

                def steals() -> bool:
                    thief.exec_driver_sql(end)
                    return thief.exec_driver_sql(lock, ("claim r",)).scalar_one()

                wait_until(steals)
                wait_until(lambda: _fails(Refused, lambda: store.add("r", [episode("r", "b")])))
            engine.dispose()
        store.add("r", [episode("r", "c")])
        for one in (store, other):
            one.close()


def test_a_server_that_is_killed_five_times_costs_a_run_nothing() -> None:
    """A run goes on while the server is away, and each episode is stored once."""

    async def rollout(store: Store, server: PostgresServer) -> None:
        chance = random.Random(3)
        async with Writer(store, "r") as writer:
            for kill in range(5):
                for index in range(400):
                    made = episode("r", f"t{kill}", index)
                    await writer.add(made, [verdict(made)])
                    if index == 100:
                        await asyncio.sleep(chance.uniform(0.1, 0.5))
                        await asyncio.to_thread(server.stop, "immediate")
                    if index == 300:
                        await asyncio.sleep(chance.uniform(0.1, 0.5))
                        await asyncio.to_thread(server.start)

    with PostgresServer() as server:
        store = Store(server.url())
        store.begin_run("r", "eval", {})
        with store.claim("r"):
            asyncio.run(rollout(store, server))
        run = store.run("r")
        assert (run.trajectories, run.passed, run.scored) == (2000, 2000, 2000)
        assert {one.id for one in store.trajectories("r")} == {
            episode("r", f"t{kill}", index).id for kill in range(5) for index in range(400)
        }
        store.close()


def _is_claimed(store: Store) -> bool:
    with store.reading() as connection:  # a new transaction, because one sees the same sessions to its end
        return bool(claimed(connection))


def _is_refused(store: Store, run: str) -> bool:
    def claim() -> None:
        with store.claim(run):
            pass

    return _fails(Refused, claim)


def _fails(kind: type[Exception], work: Callable[[], None]) -> bool:
    try:
        work()
    except kind:
        return True
    return False


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("/postgres?", "/absent?"), "Check the user and the database|Create the database"),
        (("postgres@", "nobody_here@"), "Check the user"),
        (("host=/tmp/", "host=/tmp/absent"), "cannot be used now"),
    ],
    ids=["database", "user", "server"],
)
def test_an_address_that_leads_nowhere_is_said_in_words(
    server: PostgresServer, change: tuple[str, str], words: str
) -> None:
    with pytest.raises(StoreFailure, match=words):
        Store(server.url().replace(*change))


def test_sizes_are_counted_and_space_is_given_back(url: str) -> None:
    store = Store(url)
    store.begin_run("r", "eval", {}, TASKS)
    store.add("r", [episode("r", "a")])
    assert run_bytes(store)["r"] > 100 and free_bytes(store) == 0 and store.damage() == ""
    compact(store)
    store.close()


def test_documents_are_replaced_moved_and_found(open_store: Callable[[str], Store]) -> None:
    store = open_store("home")
    for name in ("a", "b", "c"):
        store.put("version", name, Version(id=name, base=f"base-{name}"))
    store.put_last("version", "a", Version(id="a", base="base-a"))
    assert [version.id for version in store.documents("version", Version)] == ["b", "c", "a"]
    store.put_all("version", {"b": Version(id="b", base="other"), "c": None})
    assert [version.id for version in store.documents("version", Version)] == ["a", "b"]
    assert store.mentions("base-a") == [("version", "a")] and store.mentions("é") == []
    assert store.get("version", "x", Label) is None
