"""Groups the parts of trajectories that are scattered over the input, in bounded memory.

Parts are held in memory up to a limit. Then they are written to files, divided by their key, so that each file can be read
alone at the end. The files have no name, so a killed process leaves none behind.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import msgspec

_LIMIT = 64 * 1024 * 1024
"""Maximum bytes in memory."""
_FILES = 64


class LocatedPart(NamedTuple):
    """A part with its position in the input."""

    file: str
    place: str
    value: Any


class PartAssembler:
    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit, self._size = limit, 0
        self._waiting: dict[tuple[str, str], list[bytes]] = {}
        self._files: list[IO[bytes]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting or self._files)

    def add(self, format: str, key: str, piece: LocatedPart) -> None:
        body = msgspec.json.encode(piece)
        self._waiting.setdefault((format, key), []).append(body)
        self._size += len(body) + 200
        if self._size > self._limit:
            self._spill()

    def groups(self) -> Iterator[tuple[str, str, list[LocatedPart]]]:
        """Format, key and parts of each group. Call it after adding everything. It empties the assembler."""
        if self._files:
            self._spill()
        files, self._files = self._files, []
        for file in files:
            file.seek(0)
            group: dict[tuple[str, str], list[bytes]] = {}
            for line in file:
                format, key, body = msgspec.json.decode(line, type=tuple[str, str, msgspec.Raw])
                group.setdefault((format, key), []).append(bytes(body))
            file.close()
            yield from _read(group)
        waiting, self._waiting = self._waiting, {}
        yield from _read(waiting)

    def _spill(self) -> None:
        if not self._files:
            self._files = [tempfile.TemporaryFile() for _ in range(_FILES)]  # noqa: SIM115
        for (format, key), bodies in self._waiting.items():
            file = self._files[hashlib.sha256(f"{format} {key}".encode(errors="replace")).digest()[0] % _FILES]
            for body in bodies:
                file.write(msgspec.json.encode((format, key, msgspec.Raw(body))) + b"\n")
        self._waiting, self._size = {}, 0


def _read(group: dict[tuple[str, str], list[bytes]]) -> Iterator[tuple[str, str, list[LocatedPart]]]:
    for (format, key), bodies in group.items():
        yield format, key, [msgspec.json.decode(body, type=LocatedPart) for body in bodies]
