"""Whether the ledger is intact: the chain of hashes, verified once from the first entry and then only what was added.

Verifying takes about 0.1 ms an entry, so a long ledger is verified in a thread. A page waits a moment and says how far it is.
"""

import threading

from msgspec import Struct

from verigym.core.errors import VerigymError
from verigym.registry.ledger import BrokenChain, LedgerEntry, verify_entry
from verigym.view.read import Reader

_CHUNK = 200


class ChainState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    verified: int = 0
    """Entries that are intact, from the first on."""
    total: int = 0
    hash: str = ""
    """Hash of the last intact entry."""
    broken: int = 0
    """Number of the first entry that is not intact. 0 if there is none so far."""
    reason: str = ""

    @property
    def complete(self) -> bool:
        return not self.broken and self.verified >= self.total


class ChainCheck:
    """The verification of one workspace's ledger. It goes on where it stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._previous: LedgerEntry | None = None
        self._champions: set[str | None] = set()
        self._broken: BrokenChain | None = None
        self._rows = 0
        self._last = b""
        """The last intact entry as it is stored."""

    def look(self, reader: Reader, wait_s: float = 0.06) -> ChainState:
        """The state after waiting at most `wait_s` for entries that are not verified yet."""
        with self._lock:
            if not self._is_same(reader):
                self._previous, self._champions, self._broken, self._rows = None, set(), None, 0
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._go_on, args=(reader,), name="verigym-chain", daemon=True)
                self._thread.start()
            thread = self._thread
        thread.join(wait_s)
        total = reader.one("SELECT max(seq) FROM ledger") or 0
        broken, previous = self._broken, self._previous
        return ChainState(
            verified=self._rows,
            total=total,
            hash=previous.hash if previous is not None else "",
            broken=broken.seq if broken is not None else 0,
            reason=str(broken) if broken is not None else "",
        )

    def _is_same(self, reader: Reader) -> bool:
        """Whether the last intact entry is still stored as it was. A broken ledger is verified again from the start."""
        if self._broken is not None and (self._thread is None or not self._thread.is_alive()):
            return False
        if self._previous is None:
            return True
        body = reader.one("SELECT body FROM ledger WHERE seq = ?", self._previous.seq)
        return body == self._last

    def _go_on(self, reader: Reader) -> None:
        try:
            while self._broken is None:
                last = self._previous.seq if self._previous is not None else 0
                rows = reader.rows("SELECT seq, body FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?", last, _CHUNK)
                if not rows:
                    return
                for _, body in rows:
                    entry = verify_entry(self._rows + 1, body, self._previous, self._champions)
                    self._champions.add(entry.champion_after)
                    self._previous, self._last = entry, body
                    self._rows += 1
        except BrokenChain as error:
            self._broken = error
        except VerigymError:  # the store was closed, or a query took too long: the next look goes on
            return


def chain(reader: Reader, wait_s: float = 0.06) -> ChainState:
    """The state of the ledger of this workspace."""
    check: ChainCheck = reader.kept("chain", None, ChainCheck)
    return check.look(reader, wait_s)
