"""Batched writes with a bounded delay: rows are committed within a quarter of a second, many per transaction.

Commits run in a thread, so the disk never blocks an episode. If the disk is slower than the episodes, `add` waits, which bounds
memory. The next `add` and `close` raise the error of a write that keeps failing.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.core.printable import warn
from verigym.core.records import Toolset, Trajectory, Verdict
from verigym.store.connection import StoreFailure
from verigym.store.database import Store

_DELAY_S = 0.25
_BATCH = 256
"""Number of rows that are committed without waiting for more."""
_PATIENCE_S = 120.0
"""How long a failing write is retried."""
_MAX_WAITING = 4096
"""Maximum number of rows that wait for the disk. With more, `add` waits."""


class Batch(msgspec.Struct):
    """Rows to be committed together."""

    trajectories: list[Trajectory] = []
    verdicts: list[Verdict] = []
    blobs: dict[str, bytes] = {}
    toolsets: dict[str, Toolset] = {}

    def __len__(self) -> int:
        return len(self.trajectories) + len(self.verdicts) + len(self.blobs) + len(self.toolsets)


class Writer:
    """`async with Writer(store, run, on_commit) as writer: await writer.add(...)`. `on_commit` gets each committed batch."""

    def __init__(self, store: Store, run: str, on_commit: Callable[[Batch], None] = lambda batch: None) -> None:
        self._store, self._run, self._on_commit = store, run, on_commit
        self._batch = Batch()
        self._toolsets: set[str] = set()
        """Hashes of the tools that were kept."""
        self._writing: Batch | None = None
        """The batch that is being committed."""
        self._wanted = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._error: BaseException | None = None
        self._closing = False
        self._hurried = False
        """The work was interrupted, so the rest is retried for a shorter time."""
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "verigym-writer")
        """A thread of its own, because blocked environments may occupy all threads of the event loop."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._hurried = kind is not None
        await self.close()

    async def add(self, trajectory: Trajectory | None = None, verdicts: Sequence[Verdict] = ()) -> None:
        if self._error is not None:
            raise self._error
        if trajectory is not None:
            self._batch.trajectories.append(trajectory)
        self._batch.verdicts += verdicts
        size = len(self._batch)
        if size >= _BATCH:
            self._wanted.set()
        if size >= _MAX_WAITING:
            self._room.clear()
            await self._room.wait()

    def keep_blob(self, sha256: str, data: bytes) -> None:
        self._batch.blobs[sha256] = data

    def keep_tools(self, toolset: Toolset) -> None:
        """Stores tools that only one episode was offered. Those of this run that are stored already are left out."""
        if toolset.hash not in self._toolsets:
            self._toolsets.add(toolset.hash)
            self._batch.toolsets[toolset.hash] = toolset

    def blob(self, sha256: str) -> bytes:
        """A blob, committed or not."""
        for batch in (self._batch, self._writing):
            if batch is not None and sha256 in batch.blobs:
                return batch.blobs[sha256]
        return self._store.blob(sha256)

    async def close(self) -> None:
        """Commits the rest, even if the surrounding task was cancelled."""
        assert self._task is not None
        self._closing = True
        self._wanted.set()
        cancelled: asyncio.CancelledError | None = None
        while not self._task.done():
            try:
                await asyncio.shield(self._task)
            except asyncio.CancelledError as error:
                cancelled = error
        self._thread.shutdown(wait=False)
        if self._error is not None:
            raise self._error
        for batch in (self._writing, self._batch):
            if batch is not None and len(batch):
                self._store.add_once(
                    self._run, batch.trajectories, batch.verdicts, batch.blobs, [*batch.toolsets.values()]
                )
                self._on_commit(batch)
        task = asyncio.current_task()
        if cancelled is not None and task is not None and task.cancelling():  # not only the writer task was cancelled
            raise cancelled

    async def _work(self) -> None:
        while len(self._batch) or not self._closing:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), _DELAY_S)
            self._wanted.clear()
            batch, self._batch = self._batch, Batch()
            self._room.set()
            if not len(batch):
                continue
            self._writing = batch
            try:
                await self._write(batch)
                self._writing = None
                self._on_commit(batch)
            except Exception as error:  # the next add and close raise it
                self._error = error
                self._room.set()
                return

    async def _write(self, batch: Batch) -> None:
        """Retries while the store is locked or the disk is full, so that finished episodes are not lost."""
        add = (
            self._store.add_once,
            self._run,
            batch.trajectories,
            batch.verdicts,
            batch.blobs,
            [*batch.toolsets.values()],
        )
        started, wait_s = time.monotonic(), 1.0
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, *add)
            except InfrastructureFailure as error:
                lasts = isinstance(error, StoreFailure) and not error.passing
                patience_s = _PATIENCE_S / 10 if self._hurried else _PATIENCE_S
                if lasts or time.monotonic() - started + wait_s > patience_s:
                    raise
                if wait_s == 1.0:
                    warn(f"{error}. Retrying for {_PATIENCE_S:g} s")
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, 5.0)
