"""The private folder of one box on the host, handled as what it is: a place where hostile code was at work.

Nothing here follows a link, opens anything but a plain file, or leaves the folder.
"""

import contextlib
import errno
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from verigym.core.errors import BadInput, InfrastructureFailure

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
PARTS = {"work": "/box", "tmp": "/tmp", "shm": "/dev/shm"}
"""Its folders, and where the code inside finds them: all that it can write to."""

_DEEPEST = 32
"""Folders inside each other that are listed."""


class FolderEntry(NamedTuple):
    """One thing in the box."""

    kind: Literal["file", "folder", "link", "other"]
    mode: int
    """Its permission bits."""
    data: bytes = b""
    """What a file holds; what a link points to."""


class Folder:
    def __init__(self, uid: int | None = None) -> None:
        """`uid`: who works in it, when that is not the user we are."""
        self.top = Path(tempfile.mkdtemp(prefix="verigym-box-"))
        self.work = self.top / "work"
        self.uid = uid
        self.turn = threading.Lock()
        for part in PARTS:
            (self.top / part).mkdir(mode=0o700)
        if uid is not None:
            for path in (self.top, *(self.top / part for part in PARTS)):
                os.chown(path, uid, uid)
        self._fd = os.open(self.work, _FOLDER)

    def read(self, path: str) -> bytes:
        folder, name = self._walk(path, make=False)
        try:
            # O_NONBLOCK: a named pipe would wait for a writer for ever.
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError as error:
            raise _bad(path, error) from None
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise BadInput(f'"{path}" in the box is not a plain file')
        with open(fd, "rb") as file:
            return file.read()

    def write(self, path: str, data: str | bytes) -> None:
        """A new file each time: one that was there is unlinked first, whatever it was."""
        folder, name = self._walk(path, make=True)
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=folder)
        except OSError as error:
            raise _bad(path, error) from None
        finally:
            os.close(folder)
        with open(fd, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode("utf-8", "replace"))
            if self.uid is not None:
                os.fchown(fd, self.uid, self.uid)

    def _walk(self, path: str, *, make: bool) -> tuple[int, str]:
        """The open folder that holds the last part of a path, and that part."""
        parts = PurePosixPath(path).parts
        if not parts or parts[0] == "/" or ".." in parts or "\0" in path:
            raise BadInput(f'"{path}" is not a valid path in the box. Use a relative path without ".."')
        folder = os.dup(self._fd)
        for part in parts[:-1]:
            try:
                inner = self._enter(folder, part, make=make)
            except OSError as error:
                raise _bad(path, error) from None
            finally:
                os.close(folder)
            folder = inner
        return folder, parts[-1]

    def _enter(self, folder: int, name: str, *, make: bool) -> int:
        try:
            return os.open(name, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            if not make:
                raise
        os.mkdir(name, 0o755, dir_fd=folder)
        if self.uid is not None:
            os.chown(name, self.uid, self.uid, dir_fd=folder, follow_symlinks=False)
        return os.open(name, _FOLDER, dir_fd=folder)

    def list(self, most_files: int, most_bytes: int) -> dict[str, FolderEntry]:
        """All that is in the working folder, by path, and itself as `.`; refused where it is more than that, or nested too deep.
        What is closed to us is opened on the way, as its owner could, and stays open."""
        found = {".": FolderEntry("folder", stat.S_IMODE(os.fstat(self._fd).st_mode))}
        for path, one in _things(os.dup(self._fd), "", most_bytes):
            found[path] = one
            most_bytes -= len(one.data)
            if len(found) > most_files + 1 or most_bytes < 0 or path.count("/") >= _DEEPEST:
                raise BadInput("The box cannot be listed. It has too many files, too large files or too deep folders")
        return found

    def used(self, most_files: int) -> tuple[int, int]:
        """Bytes on disk and number of files; counting ends after `most_files`, and a path longer than the system's limit is
        more than that."""
        size = count = 0
        pending = [str(self.top / part) for part in PARTS]
        while pending and count <= most_files:
            try:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        count += 1
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
                        if count > most_files:
                            break
            except OSError as error:  # gone since, or closed to us: what is written there still counts as written
                if error.errno == errno.ENAMETOOLONG:
                    return size, most_files + 1
        return size, count

    def delete(self) -> None:
        """However deep and whatever its permissions: one open folder at a time, down by name and up by `..`."""
        os.close(self._fd)
        here = os.open(self.top, _FOLDER)
        folders = _strip(here)
        trail: list[tuple[str, list[str], os.stat_result]] = []
        while folders or trail:
            if folders:
                name = folders.pop()
                _allow(name, here)
                there = os.open(name, _FOLDER, dir_fd=here)
                trail.append((name, folders, os.fstat(here)))
                folders = _strip(there)
            else:
                name, folders, above = trail.pop()
                there = os.open("..", _FOLDER, dir_fd=here)
                if not os.path.samestat(os.fstat(there), above):
                    raise InfrastructureFailure(
                        f"{self.top} was moved while it was deleted. Delete what is left by hand"
                    )
                os.rmdir(name, dir_fd=there)
            os.close(here)
            here = there
        os.close(here)
        os.rmdir(self.top)


def _things(folder: int, above: str, most_bytes: int) -> Iterator[tuple[str, FolderEntry]]:
    """What is in an open folder and below it, by name; of a file no more than `most_bytes` and one. Closes the folder."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = above + os.fsencode(name).decode("utf-8", "replace")
            about = os.stat(name, dir_fd=folder, follow_symlinks=False)
            mode = stat.S_IMODE(about.st_mode)
            if stat.S_ISDIR(about.st_mode):
                yield path, FolderEntry("folder", mode)
                yield from _things(_opened(name, _FOLDER, folder), f"{path}/", most_bytes)
            elif stat.S_ISLNK(about.st_mode):
                yield path, FolderEntry("link", mode, os.fsencode(os.readlink(name, dir_fd=folder)))
            elif stat.S_ISREG(about.st_mode):
                with open(_opened(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder), "rb") as file:
                    yield path, FolderEntry("file", mode, file.read(most_bytes + 1))
            else:
                yield path, FolderEntry("other", mode)
    finally:
        os.close(folder)


def _opened(name: str, flags: int, folder: int) -> int:
    """Also what has been closed to its owner."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except PermissionError:
        _allow(name, folder)
        return os.open(name, flags, dir_fd=folder)


def _strip(folder: int) -> list[str]:
    """Deletes all but the folders in it, and names these."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in found if is_folder]


def _allow(name: str, folder: int) -> None:
    """Makes a folder or file ours to list and change; never what a link points to."""
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    os.chmod(f"/proc/self/fd/{fd}", 0o700)
    os.close(fd)


def _bad(path: str, error: OSError) -> BadInput:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return BadInput(f'"{path}" in the box goes through a link or a file. Links are not followed')
    return BadInput(f'"{path}" in the box: {os.strerror(error.errno or 0)}')
