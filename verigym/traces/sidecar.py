"""Files beside the store, of JSON lines that each name an input file: quarantine, and raw input where it is kept.

Reading an input again replaces what an earlier reading wrote of it. The new file takes the old one's place when it is whole.
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
    """A line's number; see `input_files.InputValue`."""
    reason: str = ""
    """Why it was not taken."""
    text: str = ""
    """The input, redacted."""


class SidecarFile:
    """`add` entries, then `close(files)` with the input files that were read."""

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
        """Takes over what is known of other files. What came by standard input stays, since it is nowhere else."""
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
        """What was kept before stays."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._new.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InfrastructureFailure(
                f"{self.path}: could not be written ({error.strerror}); what was stored is kept: make room, and run it again"
            ) from error


def _rows(path: Path) -> Iterator[bytes]:
    if path.exists():
        with path.open("rb") as old:
            for line in old:
                yield line.rstrip(b"\n")
