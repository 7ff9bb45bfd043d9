"""Server-sent events: pages that show something unfinished are told what changed, within a second.

    GET /events?of=run:ID        one stream for each page
    id: 812.790
    data: {"set": {"count-ID": "812"}}

One poller serves all pages. It asks the database every half second whether anything was committed, which reads no table, and
only while somebody listens. `watch.py` knows what to look at then. A page that is too slow to read its messages is
disconnected. Its browser connects again and gets a snapshot.
"""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import anyio.to_thread
import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from verigym.core.errors import BadInput, VerigymError, words_of
from verigym.core.printable import warn
from verigym.store.address import page_file
from verigym.view.read import Reader
from verigym.view.watch import Change, Watch, watch_of

_POLL_S = 0.5
_QUIET_S = 10.0
"""A look is made this often also without a commit, because a killed process commits nothing."""
_BEAT_S = 15.0
"""Seconds between comments that keep an idle connection open."""
_LISTENERS = 64
_WAITING = 200
"""Messages that may wait for one page."""
_WARNINGS = 100
"""Warnings of one server. The same one is printed once."""
_LONGEST = 1000
"""Maximum bytes of one message."""


class Listener:
    """One page that listens. Belongs to the event loop."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        self.queue: asyncio.Queue[bytes] = asyncio.Queue(_WAITING)
        self.gone = False

    def tell(self, messages: list[bytes]) -> None:
        """Never waits. A page that does not keep up is disconnected."""
        try:
            for message in messages:
                self.queue.put_nowait(message)
        except asyncio.QueueFull:
            self.gone = True

    def end(self) -> None:
        self.gone = True
        if self.queue.empty():  # it waits for a message
            self.queue.put_nowait(b": the end\n\n")


class Events:
    """All listeners of one view, and the poller."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._listeners: set[Listener] = set()
        self._watches: dict[str, Watch] = {}
        self._broken: set[str] = set()
        """Channels whose watch failed. Their pages are disconnected."""
        self._warned: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        """Held while watches look, so that a page that joins misses nothing and sees nothing twice."""
        self._poller: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = False

    # -- a page listens ---------------------------------------------------------------------------------------------

    async def answer(self, request: Request) -> Response:
        if self._stopped or len(self._listeners) >= _LISTENERS:
            return Response("Too many pages listen. Close some", 503, {"retry-after": "30"}, "text/plain")
        channel = request.query_params.get("of", "")
        listener = Listener(channel)
        self._listeners.add(listener)  # counted from here on
        self._loop = asyncio.get_running_loop()
        try:
            after = request.headers.get("last-event-id", "")
            messages = await anyio.to_thread.run_sync(self._join, channel, after)
        except BadInput as error:
            self._leave(listener)
            return Response(str(error), 400, media_type="text/plain")
        except Exception as error:  # what a run stored may be anything
            self._leave(listener)
            self._warn_once(channel, error)
            return Response(f"{channel[:100]} cannot be watched. Load the page again", 500, media_type="text/plain")
        except BaseException:
            self._leave(listener)
            raise
        listener.tell(messages)
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll())
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._stream(listener), headers=headers, media_type="text/event-stream")

    def _join(self, channel: str, after: str) -> list[bytes]:
        with self._lock:
            watch = self._watches.get(channel)
            if watch is None:
                watch = watch_of(channel)
            changes = watch.snapshot(self._reader, after[:100])
            self._watches[channel] = watch
            self._broken.discard(channel)
            return list(_encoded(changes, watch.position))

    def _leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        if all(one.channel != listener.channel for one in self._listeners):
            self._watches.pop(listener.channel, None)
            self._broken.discard(listener.channel)

    async def _stream(self, listener: Listener) -> AsyncIterator[bytes]:
        yield b"retry: 2000\n\n"
        try:
            while not listener.gone:
                try:
                    async with asyncio.timeout(_BEAT_S):
                        message = await listener.queue.get()
                except TimeoutError:
                    message = b": still here\n\n"
                yield message
        finally:
            self._leave(listener)

    # -- the poller -------------------------------------------------------------------------------------------------

    async def _poll(self) -> None:
        with contextlib.closing(_Version(self._reader)) as version:
            looked = time.monotonic()
            while self._listeners and not self._stopped:
                await asyncio.sleep(_POLL_S)
                is_due = time.monotonic() - looked >= _QUIET_S
                told = await anyio.to_thread.run_sync(self._look, version, is_due)
                if told is None:
                    continue
                looked = time.monotonic()
                for listener in list(self._listeners):
                    if listener.channel in told:
                        listener.tell(told[listener.channel])
                    elif listener.channel in self._broken:
                        listener.end()

    def _look(self, version: "_Version", is_due: bool) -> dict[str, list[bytes]] | None:
        """The messages of each channel. None if nothing was committed since the last look."""
        if not version.changed() and not is_due:
            return None
        told: dict[str, list[bytes]] = {}
        with self._lock:
            for channel, watch in list(self._watches.items()):
                try:
                    changes = watch.look(self._reader)
                    told[channel] = list(_encoded(changes, watch.position))
                except VerigymError as error:  # a full disk, a query that takes too long: the next look may succeed
                    self._warn_once(channel, error)
                except Exception as error:  # a record that nobody expected must not end the updates of the other pages
                    self._warn_once(channel, error)
                    self._watches.pop(channel, None)
                    self._broken.add(channel)
        return told

    def _warn_once(self, channel: str, error: Exception) -> None:
        words = f"{type(error).__name__}: {words_of(error)}"
        if (channel, words) not in self._warned and len(self._warned) < _WARNINGS:
            self._warned.add((channel, words))
            warn(f"view: {channel[:200]} cannot be watched: {words[:500]}")

    def stop(self) -> None:
        """Ends all streams at once, so that the server can stop. Any thread may call it."""
        self._stopped = True
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # the loop was closed in between
                self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        for listener in self._listeners:
            listener.end()
        if self._poller is not None:
            self._poller.cancel()


class _Version:
    """Asks the database whether another connection committed. The connection is its own, because the answer depends on what the
    connection saw before."""

    def __init__(self, reader: Reader) -> None:
        self._path = page_file(reader.home)
        self._connection: sqlite3.Connection | None = None
        self._last = -1

    def changed(self) -> bool:
        try:
            if self._connection is None:
                if not self._path.exists():
                    return False
                self._connection = sqlite3.connect(self._path, timeout=1, check_same_thread=False)
                self._connection.execute("PRAGMA query_only=ON")
            [now] = self._connection.execute("PRAGMA data_version").fetchone()
        except (sqlite3.Error, OSError):  # replaced or locked: the looks without a commit go on
            self.close()
            return False
        before, self._last = self._last, now
        return now != before

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _encoded(changes: list[Change], position: str) -> Iterator[bytes]:
    """Messages of at most a kilobyte."""
    for change in changes:
        for part in _parts(change):
            body = msgspec.json.encode(part)
            if len(body) <= _LONGEST:  # a name can be too long for a message. It is seen with the next load
                yield b"id: " + position.encode() + b"\ndata: " + body + b"\n\n"


def _parts(change: Change) -> Iterator[Change]:
    """A change in parts that fit. Only its largest mapping is divided."""
    if len(msgspec.json.encode(change)) <= _LONGEST:
        yield change
        return
    name = next((name for name, value in change.items() if isinstance(value, dict)), None)
    if name is None:
        yield change
        return
    rest: dict[str, Any] = {key: value for key, value in change.items() if key != name}
    frame = len(msgspec.json.encode({**rest, name: {}}))
    some: dict[str, Any] = {}
    length = frame
    for key, value in change[name].items():
        entry = len(msgspec.json.encode({key: value}))
        if frame + entry > _LONGEST:
            continue
        if some and length + entry > _LONGEST:
            yield {**rest, name: some}
            some, length = {}, frame
        some[key] = value
        length += entry
    if some:
        yield {**rest, name: some}
