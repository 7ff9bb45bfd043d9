"""The private folder of one box on the host. Its content is not trusted, because hostile code may have written it.

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
"""Its folders, and their paths inside the sandbox. The code can write nowhere else."""

_DEEPEST = 32
"""Maximum depth of folders that are listed."""
_DEEPEST_USED = 256
"""Maximum depth of folders in a box. A command that nests them deeper is killed, because deep folders are slow to delete."""


class FolderEntry(NamedTuple):
    """A file, folder, link or other entry in the box."""

    kind: Literal["file", "folder", "link", "other"]
    mode: int
    """Permission bits."""
    data: bytes = b""
    """Content of a file, or target of a link."""


class Folder:
    def __init__(self, uid: int | None = None) -> None:
        """`uid` is the user that runs commands in it, if it is not the current user."""
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
            # O_NONBLOCK: opening a named pipe would wait forever for a writer.
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError as error:
            raise _bad(path, error) from None
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise BadInput(f'"{path}" in the sandbox is not a plain file')
        with open(fd, "rb") as file:
            return file.read()

    def write(self, path: str, data: str | bytes) -> None:
        """Creates a new file. An existing entry of any kind is unlinked first."""
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
        """The open folder that contains the last part of a path, and that part."""
        parts = PurePosixPath(path).parts
        if not parts or parts[0] == "/" or ".." in parts or "\0" in path:
            raise BadInput(f'"{path}" is not a valid path in the sandbox. Use a relative path without ".."')
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
        """Everything in the working folder, by path, and the folder itself as `.`. Refused if it is too large or too deep.
        Entries without read permission are made readable, as their owner could do, and stay readable."""
        entries = {".": FolderEntry("folder", stat.S_IMODE(os.fstat(self._fd).st_mode))}
        for path, entry in _entries(os.dup(self._fd), "", most_bytes):
            entries[path] = entry
            most_bytes -= len(entry.data)
            if len(entries) > most_files + 1 or most_bytes < 0 or path.count("/") >= _DEEPEST:
                raise BadInput(
                    "The files in the sandbox cannot be listed. "
                    "There are too many files, or they are too large or nested too deeply"
                )
        return entries

    def used(self, most_files: int) -> tuple[int, int]:
        """Bytes on disk and number of files. Counting ends after `most_files`. Folders that are nested too deeply count as more
        than that."""
        size = count = 0
        pending = [(str(self.top / part), 1) for part in PARTS]
        while pending and count <= most_files:
            path, depth = pending.pop()
            if depth > _DEEPEST_USED:
                return size, most_files + 1
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        count += 1
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            pending.append((entry.path, depth + 1))
                        if count > most_files:
                            break
            except OSError as error:  # it was removed or is not readable. `Watch` still counts what is written there
                if error.errno == errno.ENAMETOOLONG:
                    return size, most_files + 1
        return size, count

    def delete(self) -> None:
        """Deletes the folder, whatever its depth and permissions. Each inner folder is moved to the top before it is emptied, so
        that the depth does not matter."""
        os.close(self._fd)
        top = os.open(self.top, _FOLDER)
        try:
            names = _strip(top)
            num_moved = 0
            while names:
                name = names.pop()
                folder = _opened(name, _FOLDER, top)
                try:
                    if os.fstat(folder).st_mode & 0o700 != 0o700:
                        os.fchmod(folder, 0o700)
                    for inner in _strip(folder):
                        num_moved += 1
                        _move(inner, folder, f"deleted-{num_moved}", top)
                        names.append(f"deleted-{num_moved}")
                finally:
                    os.close(folder)
                os.rmdir(name, dir_fd=top)
        except OSError as error:
            raise InfrastructureFailure(
                f"{self.top} changed while it was deleted: {os.strerror(error.errno or 0)}. Delete what is left by hand"
            ) from error
        finally:
            os.close(top)
        os.rmdir(self.top)


def _entries(folder: int, above: str, most_bytes: int) -> Iterator[tuple[str, FolderEntry]]:
    """The entries of an open folder and below, by path. At most `most_bytes` + 1 bytes of a file are read. Closes the folder."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = above + os.fsencode(name).decode("utf-8", "replace")
            about = os.stat(name, dir_fd=folder, follow_symlinks=False)
            mode = stat.S_IMODE(about.st_mode)
            if stat.S_ISDIR(about.st_mode):
                yield path, FolderEntry("folder", mode)
                yield from _entries(_opened(name, _FOLDER, folder), f"{path}/", most_bytes)
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
    """Opens an entry even if its owner has no permission to."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except PermissionError:
        _allow(name, folder)
        return os.open(name, flags, dir_fd=folder)


def _strip(folder: int) -> list[str]:
    """Deletes everything in a folder except its folders. Returns their names."""
    with os.scandir(folder) as entries:
        names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in names if is_folder]


def _move(name: str, folder: int, new_name: str, new_folder: int) -> None:
    """Moves a folder even if its owner has no permission to."""
    try:
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)
    except PermissionError:
        _allow(name, folder)
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)


def _allow(name: str, folder: int) -> None:
    """Gives us permission to list and change a folder or file. Never follows a link."""
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    os.chmod(f"/proc/self/fd/{fd}", 0o700)
    os.close(fd)


def _bad(path: str, error: OSError) -> BadInput:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return BadInput(f'"{path}" in the sandbox goes through a link or a file. Links are not followed')
    return BadInput(f'"{path}" in the sandbox: {os.strerror(error.errno or 0)}')
