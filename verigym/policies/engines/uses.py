"""Counts the uses of each version, so that an engine unloads a version only after its last use."""

import asyncio
import threading


class VersionUses:
    """The requests and leases of each version. Requests may run in several event loops."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, version: str) -> int:
        return self._counts.get(version, 0)

    def of(self, version: str) -> "_Use":
        """Holds the version during the block: `with uses.of("run@3"): ...`."""
        return _Use(self, version)

    def begin(self, version: str) -> None:
        with self._lock:
            self._counts[version] = self._counts.get(version, 0) + 1

    def finish(self, version: str) -> None:
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


class _Use:
    """One use of a version. Tens of thousands wait at once, and a generator would take five times the memory."""

    __slots__ = ("_uses", "_version")

    def __init__(self, uses: VersionUses, version: str) -> None:
        self._uses, self._version = uses, version

    def __enter__(self) -> None:
        self._uses.begin(self._version)

    def __exit__(self, *raised: object) -> None:
        self._uses.finish(self._version)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
