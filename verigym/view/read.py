"""What pages read with: a workspace whose store cannot be written, SQL with a time limit, and what several pages ask.

The derived index (`derived.py`) makes some answers fast. Every page also works without it.
"""

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from verigym.core import codec
from verigym.core.errors import InfrastructureFailure, NotFound
from verigym.core.records import Version
from verigym.registry import ledger
from verigym.registry.ledger import LedgerEntry
from verigym.store.address import SHARED, page_file, store_of
from verigym.store.connection import StoreFailure
from verigym.store.database import Run, Store
from verigym.view.derived import Derived
from verigym.view.derived_tables import identity
from verigym.view.page import Link, url
from verigym.view.worker import Workers
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.store.mirror import Mirror

T = TypeVar("T")
_SECONDS = 2.0
"""Maximum time of one query. A reader that stays longer keeps the database from cleaning up its log."""
_CHUNK = 500
"""Documents that are read at a time."""
_STEPS = 20_000
"""Instructions of the database between two looks at the clock."""


class TooLong(InfrastructureFailure):
    """A query took longer than a page may take."""


class DocumentsState(NamedTuple):
    """What decides if the documents of a kind must be read again."""

    number: int
    newest: int
    """The last row. A document that replaces the last one gets the same row."""
    created: float
    """The latest time."""


_FORM_S = 5.0
"""How long a form waits for a database that is away. A person waits for the answer."""


class Reader:
    """Shared by all requests. Each thread has a connection of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = WorkspaceFolder(home)
        self._mirror = _open_mirror(home)
        self._path = page_file(home)
        self.folder.store.close()
        self.folder.store = Store(self._path, query_only=True)
        self.derived = Derived(home)
        self._kept: dict[str, tuple[Any, Any]] = {}
        self._file = _identity(self._path)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._writable: WorkspaceFolder | None = None
        self.workers = Workers()
        """Processes for the code of environments, which this process never imports."""

    @property
    def store(self) -> Store:
        return self.folder.store

    def close(self) -> None:
        self.derived.stop()
        self.workers.stop()
        self.store.close()
        if self._writable is not None:
            self._writable.store.close()
        if self._mirror is not None:
            self._mirror.close()

    @property
    def writable(self) -> WorkspaceFolder:
        """The workspace for the few writes that forms make. Opened with the first of them."""
        self._follow_file()
        with self._lock:
            if self._writable is None:
                self._writable = WorkspaceFolder(self.home)
                store = self._writable.store
                store.waits_s = min(store.waits_s, _FORM_S)
            return self._writable

    def _follow_file(self) -> None:
        """Another file may have been put in the place of the store, such as a backup. Then everything is read again."""
        found = _identity(self._path)
        with self._lock:
            if found == self._file:
                return
            self._file, self._kept = found, {}
            self.store.reopen()
            if self._writable is not None:
                self._writable.store.reopen()

    def rows(self, sql: str, *params: object, seconds: float = _SECONDS) -> list[Any]:
        """The rows of a query on the store, `?` for parameters. Raises `TooLong` instead of taking longer than `seconds`."""
        deadline = time.monotonic() + seconds
        with self.store.reading() as connection:
            raw: Any = connection.connection.dbapi_connection
            raw.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            try:
                return list(connection.exec_driver_sql(sql, params).all())
            except InfrastructureFailure as error:
                if isinstance(error.__cause__, sqlite3.OperationalError) and "interrupted" in str(error.__cause__):
                    raise TooLong(
                        f"The answer would take longer than {seconds:g} s. Narrow the page with its filters"
                    ) from error
                raise
            finally:
                raw.set_progress_handler(None, 0)

    def one(self, sql: str, *params: object) -> Any:
        """The first value of the first row. None without rows."""
        rows = self.rows(sql, *params)
        return rows[0][0] if rows else None

    def kept(self, name: str, state: object, make: Callable[[], T]) -> T:
        """The last result of `make` under this name, as long as `state` is what it was then."""
        with self._lock:
            known = self._kept
            stored = known.get(name)
        if stored is not None and stored[0] == state:
            return stored[1]
        made = make()
        with self._lock:
            known[name] = state, made  # not in the new ones, if the store was replaced meanwhile
        return made

    def state_of(self, kind: str) -> DocumentsState:
        """It changes when a document of the kind is added, replaced or deleted."""
        states: dict[str, DocumentsState] | None = getattr(self._local, "states", None)
        if states is not None and kind in states:
            return states[kind]
        sql = "SELECT count(*), coalesce(max(rowid), 0), coalesce(max(created), 0.0) FROM documents WHERE kind = ?"
        state = DocumentsState(*self.rows(sql, kind)[0])
        if states is not None:
            states[kind] = state
        return state

    def runs_state(self) -> tuple[int, int, float]:
        """It changes when a run is added or deleted, also if a new run gets the row of a deleted one."""
        sql = "SELECT count(*), coalesce(max(rowid), 0), coalesce(max(created), 0.0) FROM runs"
        number, newest, created = self.rows(sql)[0]
        return number, newest, created

    @contextlib.contextmanager
    def one_page(self) -> Iterator[None]:
        """Within this block, this thread looks only once if documents of a kind were added. Begins with a look if the store is
        still the same file."""
        if self._mirror is not None:
            with contextlib.suppress(StoreFailure):  # without the server, the page shows what was read before
                self._mirror.follow()
        self._follow_file()
        self._local.states = {}
        try:
            yield
        finally:
            self._local.states = None

    def documents(self, kind: str, type: type[Any]) -> list[Any]:
        """The documents of a kind, oldest first. They are decoded again only if one was added. For kinds of small documents."""
        return self.kept(f"documents {kind}", self.state_of(kind), lambda: self.store.documents(kind, type))

    def each_document(self, kind: str, type: type[T]) -> Iterator[tuple[int, T]]:
        """Row and record of each document of a kind, oldest first. Few are in memory at a time, so `type` should hold only what
        is needed."""
        sql = (
            "SELECT created, rowid, body FROM documents WHERE kind = ? AND (created, rowid) > (?, ?) "
            "ORDER BY created, rowid LIMIT ?"
        )
        last: tuple[float, int] = -1e300, 0
        while rows := self.rows(sql, kind, *last, _CHUNK):
            yield from ((rowid, codec.decode(body, type)) for _, rowid, body in rows)
            last = rows[-1][0], rows[-1][1]

    def versions(self) -> dict[str, Version]:
        """Every registered version by id, oldest first."""
        state = self.state_of("version")
        documents = self.documents("version", Version)
        return self.kept("versions by id", state, lambda: {version.id: version for version in documents})

    def label(self, version: str) -> str:
        """The name of a version, or what was given if it has none."""
        known = self.versions().get(version)
        return known.label if known is not None else version

    def version_link(self, version: str) -> Link:
        """A version by its name. One that was deleted, or an agent without a version, has no page."""
        return Link(self.label(version) or "none", url("/versions/", version) if version in self.versions() else "")

    def newest_runs(self, where: str, n: int, skip: int, *params: object) -> list[Run]:
        """Runs, newest first."""
        sql = f"SELECT id FROM runs WHERE {where} ORDER BY created DESC, rowid DESC LIMIT ? OFFSET ?"
        return [self.store.run(id) for (id,) in self.rows(sql, *params, n, skip)]

    def entries(self, before: int = 0, n: int = 50) -> list[LedgerEntry]:
        """Entries of the ledger, newest first: those with a smaller number than `before`, or the newest ones."""
        sql = "SELECT body FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT ?"
        return [codec.decode(body, LedgerEntry) for (body,) in self.rows(sql, before or 2**62, n)]

    def entry(self, seq: int) -> LedgerEntry:
        rows = self.rows("SELECT body FROM ledger WHERE seq = ?", seq)
        if not rows:
            raise NotFound(f"The ledger has no entry {seq}. List the entries: verigym models ledger")
        return codec.decode(rows[0][0], LedgerEntry)

    def champion(self) -> str:
        """The id of the champion. Empty if there is none."""
        last = self.one("SELECT max(seq) FROM ledger") or 0
        return self.kept("champion", last, lambda: ledger.champion(self.store) or "")

    def links_are_current(self) -> bool:
        """Whether the derived index knows the newest document and the newest decision."""
        newest = self.one("SELECT max(rowid) FROM documents") or 0
        return self.derived.links_reach(newest, self.one("SELECT max(seq) FROM ledger") or 0)


def _identity(path: Path) -> tuple[int, int] | None:
    """None if there is no file."""
    try:
        return identity(path)
    except OSError:
        return None


def _open_mirror(home: Path) -> "Mirror | None":
    """What brings a local file up to date with a database. None if the store is a file."""
    where = store_of(home)
    if isinstance(where, Path):
        return None
    from verigym.store.mirror import Mirror

    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    mirror = Mirror(where, page_file(home), home / "running")
    mirror.follow()
    mirror.start()
    return mirror


def run_state(home: Path, run: str, finished: float | None) -> str:
    """running, finished or interrupted. The lock is never touched: holding it for a moment would refuse a starting run."""
    if finished is not None:
        return "finished"
    file = home / "running" / hashlib.sha256(run.encode(errors="surrogatepass")).hexdigest()[:16]
    if file.with_suffix(SHARED).exists():
        return "running"
    try:
        os.kill(int(file.read_text().removeprefix("pid ")), 0)
    except PermissionError:  # a process of another user is alive
        return "running"
    except (OSError, ValueError, OverflowError):
        return "interrupted"
    return "running"


def config_of(run: Run | bytes) -> dict[str, Any]:
    """The settings of a run, or of its stored column. Empty if they are no settings of ours."""
    config: Any = run.config if isinstance(run, Run) else decoded(run)
    return config if isinstance(config, dict) else {}


def decoded(body: bytes) -> Any:
    """Stored JSON as plain values."""
    return msgspec.json.decode(body)
