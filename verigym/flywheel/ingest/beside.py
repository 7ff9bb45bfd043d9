"""Files beside the store, of JSON lines that each name an input file: quarantine, and raw input where it is kept.

Reading an input again replaces what an earlier reading wrote of it. The new file takes the old one's place when it is whole.
"""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    file: str
    line: str
    """A line's number; see `lines.Found`."""
    reason: str = ""
    """Why it was not taken."""
    text: str = ""
    """The input, redacted."""


class Beside:
    """`add` entries, then `close(files)` with the input files that were read."""

    def __init__(self, path: Path) -> None:
        self.path, self._new = path, path.with_suffix(".new")
        self.count = 0
        self._from_stdin: set[bytes] = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._new.open("wb")

    def add(self, entry: Entry) -> None:
        body = msgspec.json.encode(entry)
        if entry.file == "-":
            self._from_stdin.add(hashlib.sha256(body).digest())
        self._write(body)
        self.count += 1

    def close(self, files: set[str]) -> None:
        """Takes over what is known of other files. What came by standard input stays, since it is nowhere else."""
        if self.path.exists():
            with self.path.open("rb") as old:
                for line in old:
                    body = line.rstrip(b"\n")
                    file = msgspec.json.decode(body, type=Entry).file
                    if file not in files or (file == "-" and hashlib.sha256(body).digest() not in self._from_stdin):
                        self._write(body)
        written = self._file.tell()
        self._file.close()
        if written:
            self._new.replace(self.path)
        else:
            self._new.unlink()
            self.path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """What was kept before stays."""
        self._file.close()
        self._new.unlink(missing_ok=True)

    def _write(self, body: bytes) -> None:
        try:
            self._file.write(body + b"\n")
        except OSError as error:
            raise InfrastructureFailure(
                f"{self._new}: could not be written ({error.strerror}); run it again"
            ) from error
