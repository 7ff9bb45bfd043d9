"""Counts the uses of each version, so that an engine unloads a version only after its last use."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator


class VersionUses:
    """The requests and leases of each version. Requests may run in several event loops."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, version: str) -> int:
        return self._counts.get(version, 0)

    @contextlib.contextmanager
    def of(self, version: str) -> Iterator[None]:
        """Holds the version during the block."""
        with self._lock:
            self._counts[version] = self._counts.get(version, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[version] -= 1
                waiting = self._ended(version) if not self._counts[version] else []
            for future in waiting:
                future.get_loop().call_soon_threadsafe(_resolve, future)

    def _ended(self, version: str) -> list[asyncio.Future[None]]:
        del self._counts[version]
        return self._waiting.pop(version, [])

    async def end(self, version: str) -> None:
        """Waits until nobody uses the version."""
        while True:
            with self._lock:
                if version not in self._counts:
                    return
                future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.setdefault(version, []).append(future)
            await future


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
