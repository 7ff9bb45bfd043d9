"""Sends a folder with weights to Verigym's own engine server, which then needs no shared folder.

A folder is named by a hash over the names and contents of its files. A server that sees the same path with the same content uses
it as it is. Otherwise the files are sent in pieces. The server compares the hash before it uses them.
"""

import asyncio
import functools
import hashlib
import urllib.parse
from pathlib import Path

from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.policies.engines.http import EngineServer

_PIECE = 8 << 20
"""Bytes of a request."""
_LOOK_S = 600.0
"""Seconds that a server has to read and compare a folder."""


class FolderNamed(Struct, frozen=True):
    """A folder of the client: its path there, and its hash."""

    path: str
    sha256: str


class FolderFound(Struct, frozen=True):
    """Where the server has the folder. Empty if it does not have it."""

    folder: str


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def hash_of(folder: Path) -> str:
    """The hash over the names and contents of the files of a folder. It is computed once for all engines."""
    stats = ((path.name, path.stat()) for path in files_in(folder))
    return _hash_of(folder, tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats))


@functools.lru_cache(32)
def _hash_of(folder: Path, stamp: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for path in files_in(folder):
        with path.open("rb") as opened:
            whole.update(f"{path.name}\n{hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


async def sent(server: EngineServer, folder: Path) -> str:
    """The folder on the machine of the server, which gets its files if it lacks them."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder. Name the folder with the weights")
    sha256 = await asyncio.to_thread(hash_of, folder)
    asked = {"path": str(folder.absolute()), "sha256": sha256}
    found: FolderFound = server.decoded(await server.post("/verigym/folder", asked, _LOOK_S), FolderFound)
    if found.folder:
        return found.folder
    for path in files_in(folder):
        await _send(server, path, f"/verigym/files/{sha256}/{urllib.parse.quote(path.name)}")
    found = server.decoded(await server.post("/verigym/folder", asked, _LOOK_S), FolderFound)
    if not found.folder:
        raise server.failure(f"the files of {folder} were damaged on their way. Repeat the command")
    return found.folder


async def _send(server: EngineServer, path: Path, to: str) -> None:
    with path.open("rb") as opened:
        offset = 0
        while True:
            piece = await asyncio.to_thread(opened.read, _PIECE)
            answer = await server.post(f"{to}?offset={offset}", piece, 60.0)
            if not answer.ok:
                raise server.failure(f"{path} could not be sent (HTTP status {answer.status})", answer)
            offset += len(piece)
            if len(piece) < _PIECE:
                return
