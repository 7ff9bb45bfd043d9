"""JSON-lines files beside the store whose lines name an input file: the quarantine and, if kept, the raw input.

Reading an input file again replaces its earlier lines. The new file replaces the old one only when it is complete.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure


class SidecarEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    file: str
    line: str
    """Line number. See `input_files.InputValue`."""
    reason: str = ""
    """Why it was quarantined."""
    text: str = ""
    """The input, redacted."""


class SidecarFile:
    """Call `add` for each entry, then `close(files)` with the input files that were read."""

    def __init__(self, path: Path) -> None:
        self.path, self._new = path, path.with_suffix(".new")
        self.count = 0
        self._from_stdin: set[bytes] = set()
        with self._writing():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._new.open("wb")

    def add(self, entry: SidecarEntry) -> None:
        body = msgspec.json.encode(entry)
        if entry.file == "-":
            self._from_stdin.add(hashlib.sha256(body).digest())
        with self._writing():
            self._file.write(body + b"\n")
        self.count += 1

    def close(self, files: set[str]) -> None:
        """Copies the earlier entries of other files, and of standard input, which cannot be read again."""
        with self._writing():
            for body in _rows(self.path):
                file = msgspec.json.decode(body, type=SidecarEntry).file
                if file not in files or (file == "-" and hashlib.sha256(body).digest() not in self._from_stdin):
                    self._file.write(body + b"\n")
            written = self._file.tell()
            self._file.close()
            if written:
                self._new.replace(self.path)
            else:
                self._new.unlink()
                self.path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Discards the new file and keeps the old one."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._new.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InfrastructureFailure(
                f"{self.path} could not be written ({error.strerror}). Stored traces are kept. Free disk space and run it again"
            ) from error


def _rows(path: Path) -> Iterator[bytes]:
    if path.exists():
        with path.open("rb") as old:
            for line in old:
                yield line.rstrip(b"\n")
