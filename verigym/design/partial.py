"""What steps have found out about rows, kept beside the file that is to be written: a command that was stopped goes on."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Json, content_hash
from verigym.design.spec import Design
from verigym.design.steps import DesignRow
from verigym.tasks.files import write_whole


class _SavedRow(msgspec.Struct, omit_defaults=True):
    place: int
    values: Json = {}
    reason: str = ""
    problem: str = ""


class PartialResults:
    """What steps found out about rows, a line a row, written before anybody is told. A line that was cut short is not there."""

    def __init__(self, path: Path | None, dear: set[str]) -> None:
        self._path, self._dear = path, dear
        self.known: dict[int, _SavedRow] = {}
        if path is not None and path.exists():
            lines = path.read_bytes().split(b"\n")
            self.known = {one.place: one for line in lines[:-1] if (one := _saved(line)) is not None}
            whole = b"".join(line + b"\n" for line in lines[:-1])
            if whole != path.read_bytes():
                write_whole(path, lambda file: file.writelines([whole]))

    def restore(self, row: DesignRow) -> bool:
        saved = self.known.get(row.place)
        if saved is not None:
            row.values |= saved.values
            row.reason, row.problem = saved.reason, saved.problem
        return saved is not None

    def add(self, rows: Sequence[DesignRow]) -> None:
        if self._path is None or not rows:
            return
        lines: list[bytes] = []
        for row in rows:
            made = {name: row.values[name] for name in row.values if name in self._dear}
            lines.append(msgspec.json.encode(codec.plain(_SavedRow(row.place, made, row.reason, row.problem))) + b"\n")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written: {error.strerror}") from error


def _saved(line: bytes) -> _SavedRow | None:
    try:
        return msgspec.json.decode(line, type=_SavedRow)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def partial_of(design: Design, seed: int, out: Path) -> Path:
    """Beside the file to be written, named by what is made: another spec or seed begins anew."""
    return out.with_name(f".{out.name}.{content_hash([design.hash, seed])[:12]}.partial")
