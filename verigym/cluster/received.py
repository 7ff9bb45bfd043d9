"""Folders with weights that clients send to an engine server (`policies/engines/upload.py`)."""

import asyncio
import re
import shutil
import tempfile
from pathlib import Path

import msgspec
from aiohttp import web

from verigym.core.errors import BadInput
from verigym.policies.engines.upload import FolderFound, FolderNamed, hash_of

_HASH = re.compile(r"[0-9a-f]{64}")


class ReceivedFolders:
    """The folders that were sent, in a temporary folder that ends with the server."""

    def __init__(self) -> None:
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/verigym/folder", self._find), web.post("/verigym/files/{sha256}/{name}", self._receive)]

    def drop(self, folder: Path) -> None:
        """Deletes a folder that was sent, once its weights are loaded. Leaves others alone."""
        if self._temporary is not None and folder.parent == Path(self._temporary.name):
            shutil.rmtree(folder, ignore_errors=True)

    def _at(self, sha256: str) -> Path:
        if not _HASH.fullmatch(sha256):
            raise BadInput(f'"{sha256[:80]}" is not the hash of a folder')
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="verigym-weights-")
        return Path(self._temporary.name) / sha256

    async def _find(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read(), type=FolderNamed)
        for folder in (Path(asked.path), self._at(asked.sha256)):
            if await asyncio.to_thread(_holds, folder, asked.sha256):
                return _answer(FolderFound(str(folder)))
        shutil.rmtree(self._at(asked.sha256), ignore_errors=True)  # what was damaged, or left half sent
        return _answer(FolderFound(""))

    async def _receive(self, request: web.Request) -> web.Response:
        folder, name = self._at(request.match_info["sha256"]), request.match_info["name"]
        if name in ("", ".", "..") or Path(name).name != name:
            raise BadInput(f'"{name[:80]}" is not the name of a file')
        piece, offset = await request.read(), int(request.query.get("offset", "0"))
        await asyncio.to_thread(_write, folder / name, offset, piece)
        return web.Response()


def _holds(folder: Path, sha256: str) -> bool:
    try:
        return folder.is_dir() and hash_of(folder) == sha256
    except OSError:  # it is not ours to read
        return False


def _write(path: Path, offset: int, piece: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("r+b" if path.exists() else "wb") as opened:
        opened.seek(offset)
        opened.write(piece)


def _answer(found: FolderFound) -> web.Response:
    return web.Response(body=msgspec.json.encode(found), content_type="application/json")
