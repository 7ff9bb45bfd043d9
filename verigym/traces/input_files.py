"""Files as JSON values with their places: lines, values over several lines, lists, gzip, ZIPs of samples, standard input.

A value that cannot be read is a `Bad` one and the next is read on; memory holds one value at a time. What a value means is the
readers' business.
"""

import gzip
import io
import json
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from verigym.core import codec

LONGEST = 256 * 1024 * 1024
"""Bytes of one value; a longer one cannot be held."""
_DATA = re.compile(rb"data:\s*(?=[\[{])")


class InputValue(NamedTuple):
    place: str
    """`7` is a line, `7[2]` the third value of a list on it, `samples/1.json` a part of a ZIP."""
    value: Any


class UnreadableValue(NamedTuple):
    place: str
    reason: str
    raw: str


class InputFile:
    """A file, or standard input for `-`. `at` and `size` are bytes of the file itself, for a progress bar."""

    def __init__(self, name: str) -> None:
        self.name, self.at = name, 0
        self.size = Path(name).stat().st_size if Path(name).is_file() else 0

    def values(self) -> Iterator[InputValue | UnreadableValue]:
        if self.name == "-":
            file = io.BufferedReader(sys.stdin.buffer)  # type: ignore[arg-type]
            yield from self._values_of(file)
            file.detach()  # it is not ours to close
            return
        try:
            with Path(self.name).open("rb") as file:
                yield from self._values_of(file)
        except OSError as error:
            yield UnreadableValue("file", f"it cannot be read: {error.strerror or error}", "")

    def _values_of(self, file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
        magic = file.peek(2)[:2]  # type: ignore[attr-defined]
        if magic == b"PK":
            found = _samples(file if self.name != "-" else _spooled(file))
        else:
            found = _unzipped(file) if magic == b"\x1f\x8b" else _values(file)
        for each in found:
            self.at = file.tell() if self.size else 0
            yield each


def _spooled(file: IO[bytes]) -> IO[bytes]:
    """A ZIP's list of members is at its end: what cannot be gone back in is put aside first."""
    aside = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(file, aside)
    aside.seek(0)
    return aside


def _values(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """Line by line. A line that opens a bracket and does not close it begins a value over several lines, which ends with its
    bracket, or is bad where a new value begins at a line's beginning."""
    open_: list[bytes] = []
    depth, first, size, number = 0, 0, 0, 0
    for line in _lines(file):
        number += 1
        if line is None:
            yield UnreadableValue(str(number), f"a line of more than {LONGEST:,} bytes; write one value a line", "")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
        if open_ and line[:1] in (b"{", b"["):
            yield _unfinished(first, open_)
            open_, depth, size = [], 0, 0
        if not open_:
            if not line.strip() or line.strip() == b"data: [DONE]":
                continue
            line = _DATA.sub(b"", line, 1) if line.startswith(b"data:") else line  # noqa: PLW2901
            value, reason = _decoded(line)
            if not reason:
                yield from _each(str(number), value, line)
                continue
            depth = _depth(line)
            if depth <= 0 or not line.startswith((b"{", b"[")):
                yield UnreadableValue(str(number), reason, _shown(line))
                continue
            first = number
        else:
            depth += _depth(line)
        open_.append(line)
        size += len(line)
        if size > LONGEST:
            yield UnreadableValue(str(first), f"a value of more than {LONGEST:,} bytes; write one value a line", "")
            open_, depth, size = [], 0, 0
        elif depth <= 0:
            raw = b"".join(open_)
            value, reason = _decoded(raw)
            if reason:
                yield UnreadableValue(str(first), reason, _shown(raw))
            else:
                yield from _each(str(first), value, raw)
            open_, depth, size = [], 0, 0
    if open_:
        yield _unfinished(first, open_)


def _lines(file: IO[bytes]) -> Iterator[bytes | None]:
    """None for a line that is too long."""
    while line := file.readline(LONGEST + 1):
        if len(line) <= LONGEST:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST)
        yield None


def _unzipped(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """One that breaks off gives what could be read of it."""
    try:
        yield from _values(gzip.GzipFile(fileobj=file))  # type: ignore[arg-type]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield UnreadableValue("end", f"it breaks off here: {error}", "")


def _unfinished(first: int, lines: list[bytes]) -> UnreadableValue:
    return UnreadableValue(str(first), "not JSON: it is cut off", _shown(b"".join(lines)))


def _each(place: str, value: Any, raw: bytes) -> Iterator[InputValue | UnreadableValue]:
    """The value, or each of a list that is no conversation itself."""
    if isinstance(value, list) and not _is_conversation(value):
        for n, each in enumerate(value):
            yield InputValue(f"{place}[{n}]", each)
        if not value:
            yield UnreadableValue(place, "an empty list", _shown(raw))
    else:
        yield InputValue(place, value)


def _is_conversation(value: list[Any]) -> bool:
    kinds = ("message", "reasoning", "function_call", "function_call_output")
    return bool(value) and all(
        isinstance(each, dict)
        and ("role" in each or ("from" in each and "value" in each) or each.get("type") in kinds)
        and "messages" not in each
        for each in value
    )


def _decoded(raw: bytes) -> tuple[Any, str]:
    """The value, or why there is none. Bytes and escapes that are no text, which logs hold, are replaced."""
    try:
        return codec.read_json(raw.decode()), ""
    except RecursionError:
        return None, "it is nested too deeply"
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = f"not JSON: {error}" if isinstance(error, msgspec.DecodeError) else "not JSON: not UTF-8"
    try:
        mended = json.loads(raw.decode(errors="replace"), parse_constant=lambda _: None)
        return codec.read_json(msgspec.json.encode(codec.plain(mended)).decode()), ""
    except (ValueError, RecursionError, OverflowError):
        return None, reason


_BRACKETS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]')


def _depth(line: bytes) -> int:
    """How many brackets a line opens more than it closes; those in strings do not count."""
    depth = 0
    for found in _BRACKETS.finditer(line):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(found[0], 0)
    return depth


def _shown(raw: bytes) -> str:
    return raw.decode(errors="replace").rstrip("\n")


def _samples(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """The samples of an inspect_ai log; other members are its header and summaries."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if re.search(r"(^|/)samples/[^/]+\.json$", name)]
            if not names:
                yield UnreadableValue("zip", "a ZIP without samples; an inspect_ai log has one JSON a sample in it", "")
            for name in names:
                yield _member(archive, name)
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        yield UnreadableValue("zip", f"a ZIP that cannot be read: {error}", "")


def _member(archive: zipfile.ZipFile, name: str) -> InputValue | UnreadableValue:
    try:
        with archive.open(name) as member:
            raw = member.read(LONGEST + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as error:
        return UnreadableValue(name, f"cannot be taken out of the ZIP: {error}", "")
    if len(raw) > LONGEST:
        return UnreadableValue(name, f"a sample of more than {LONGEST:,} bytes", "")
    value, reason = _decoded(raw)
    return UnreadableValue(name, reason, _shown(raw)) if reason else InputValue(name, value)
