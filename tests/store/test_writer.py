"""Batched writes: committed soon, many at once, all of it, and the disk's own words when it refuses."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.store.test_database import episode, verdict
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Trajectory, Verdict
from verigym.store import writer as module
from verigym.store.database import Store
from verigym.store.writer import Batch, Writer


@pytest.fixture
def store(open_store: Callable[[str], Store]) -> Store:
    made = open_store("home")
    made.begin_run("r", "rollout", {})
    return made


def test_what_is_added_is_committed_soon_though_nothing_follows_it(store: Store) -> None:
    async def one() -> None:
        async with Writer(store, "r") as writer:
            await writer.add(episode("r", "a"), [verdict(episode("r", "a"))])
            while not store.trajectories("r"):  # before the writer is closed
                await asyncio.sleep(0.01)

    asyncio.run(one())
    assert len(store.verdicts("r")) == 1


def test_many_rows_are_one_transaction_and_each_is_counted_once_it_is_safe(store: Store) -> None:
    batches: list[int] = []

    def counted(batch: Batch) -> None:
        assert len(store.trajectories("r")) >= sum(batches) + len(batch.trajectories)
        batches.append(len(batch.trajectories))

    async def all_of_them() -> None:
        async with Writer(store, "r", counted) as writer:
            for index in range(1000):
                await writer.add(episode("r", "a", index))

    asyncio.run(all_of_them())
    assert sum(batches) == len(store.trajectories("r")) == 1000
    assert len(batches) < 20


def test_blobs_come_with_the_rows_that_name_them(store: Store) -> None:
    async def one() -> None:
        async with Writer(store, "r") as writer:
            writer.keep_blob("abc", b"\x00bytes")
            await writer.add(episode("r", "a"))

    asyncio.run(one())
    assert store.blob("abc") == b"\x00bytes"


class Slow:
    """A disk that takes its time."""

    def __init__(self, store: Store) -> None:
        self.store, self.most = store, 0

    def add_once(self, run: str, made: Sequence[Trajectory], judged: Sequence[Verdict], *more: Any) -> None:
        self.most = max(self.most, len(made))
        time.sleep(0.05)
        self.store.add(run, made, judged, *more)


def test_who_adds_faster_than_the_disk_writes_has_to_wait(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_WAITING", 100)
    monkeypatch.setattr(module, "_BATCH", 10)
    slow = Slow(store)

    async def add(writer: Writer, worker: int) -> None:
        for index in range(50):
            await writer.add(episode("r", f"w{worker}", index))

    async def all_of_them() -> None:
        async with Writer(slow, "r") as writer:  # type: ignore[arg-type]
            await asyncio.gather(*(add(writer, worker) for worker in range(20)))

    asyncio.run(all_of_them())
    assert len(store.trajectories("r")) == 1000
    assert slow.most <= 100 + 20  # those that were let in, and one more of each


class Full:
    """A disk that is full from the second transaction on."""

    def __init__(self, store: Store) -> None:
        self.store, self.writes = store, 0

    def add_once(self, *rows: Any) -> None:
        self.writes += 1
        if self.writes > 1:
            raise InfrastructureFailure("store.db: could not be written (database or disk is full)")
        self.store.add(*rows)


def test_a_store_that_is_locked_for_a_while_is_waited_for(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    class Locked(Full):
        def add_once(self, *rows: Any) -> None:
            self.writes += 1
            if self.writes == 1:
                raise InfrastructureFailure("store.db: could not be written (database is locked)")
            self.store.add(*rows)

    async def ten() -> None:
        async with Writer(Locked(store), "r") as writer:  # type: ignore[arg-type]
            for index in range(10):
                await writer.add(episode("r", "a", index))
            await asyncio.sleep(2)

    asyncio.run(ten())
    assert len(store.trajectories("r")) == 10
    assert "database is locked). Retrying for 120 s" in capsys.readouterr().err


def test_a_full_disk_fails_the_next_add_and_keeps_commits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE_S", 0)

    async def until_it_breaks() -> int:
        added = 0
        async with Writer(Full(store), "r") as writer:  # type: ignore[arg-type]
            for index in range(10_000):
                await writer.add(episode("r", "a", index))
                added += 1
                await asyncio.sleep(0.001)
        return added

    with pytest.raises(InfrastructureFailure, match="disk is full"):
        asyncio.run(until_it_breaks())
    assert 0 < len(store.trajectories("r")) < 10_000


def test_a_cancelled_run_commits_what_it_had(store: Store) -> None:
    async def cut() -> None:
        async with Writer(store, "r") as writer:
            for index in range(10):
                await writer.add(episode("r", "a", index))
            for task in asyncio.all_tasks():
                task.cancel()
            await asyncio.sleep(10)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cut())
    assert len(store.trajectories("r")) == 10


def test_a_run_can_be_read_while_it_is_written(store: Store) -> None:
    reader = Store(store.path, query_only=True)
    seen: list[int] = []

    async def both() -> None:
        async with Writer(store, "r") as writer:
            for index in range(600):
                await writer.add(episode("r", "a", index))
                if index % 100 == 99:
                    while (count := reader.run("r").trajectories) <= index:
                        await asyncio.sleep(0.01)
                    seen.append(count)

    asyncio.run(both())
    reader.close()
    assert seen == [100, 200, 300, 400, 500, 600]


@pytest.mark.parametrize("error", [ValueError("odd"), BrokenPipeError("nobody reads")], ids=lambda e: type(e).__name__)
def test_one_who_is_told_and_raises_is_heard_and_nobody_waits_forever(
    store: Store, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_WAITING", 20)
    monkeypatch.setattr(module, "_BATCH", 10)

    def told(batch: Batch) -> None:
        raise error

    async def until_it_breaks() -> None:
        async with Writer(store, "r", told) as writer:
            for index in range(10_000):
                await writer.add(episode("r", "a", index))

    with pytest.raises(type(error)):
        asyncio.run(until_it_breaks())
    assert 0 < len(store.trajectories("r")) < 10_000


def test_a_cancelled_close_still_commits_everything_once(store: Store) -> None:
    counted: list[int] = []

    async def cut() -> None:
        writer = Writer(Slow(store), "r", lambda batch: counted.append(len(batch.trajectories)))  # type: ignore[arg-type]
        async with writer:
            for index in range(10):
                await writer.add(episode("r", "a", index))

    async def cancel() -> None:
        work = asyncio.create_task(cut())
        await asyncio.sleep(0.02)
        work.cancel()
        await work

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert sum(counted) == len(store.trajectories("r")) == 10
