"""Reads input files as JSON values with their positions: lines, values over several lines, lists, gzip, ZIPs, standard input.

A value that cannot be read becomes an `UnreadableValue`, and reading continues. Memory holds one value at a time. The
formats interpret the values.
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
"""Maximum bytes per value."""
_DATA = re.compile(rb"data:\s*(?=[\[{])")


class InputValue(NamedTuple):
    position: str
    """`7` is a line, `7[2]` the third value of the list on it, `samples/1.json` a file in a ZIP."""
    value: Any


class UnreadableValue(NamedTuple):
    position: str
    reason: str
    raw: str = ""


class InputFile:
    """A file, or standard input for `-`. `at` and `size` are bytes of the file, for a progress bar."""

    def __init__(self, name: str) -> None:
        self.name, self.at = name, 0
        self.size = Path(name).stat().st_size if Path(name).is_file() else 0

    def values(self) -> Iterator[InputValue | UnreadableValue]:
        if self.name == "-":
            file = io.BufferedReader(sys.stdin.buffer)  # type: ignore[arg-type]
            yield from self._values_of(file)
            file.detach()  # not ours to close
            return
        try:
            with Path(self.name).open("rb") as file:
                yield from self._values_of(file)
        except OSError as error:
            yield UnreadableValue("file", f"the file cannot be read: {error.strerror or error}")

    def _values_of(self, file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
        magic = file.peek(2)[:2]  # type: ignore[attr-defined]
        if magic == b"PK":
            values = _samples(file if self.name != "-" else _spooled(file))
        else:
            values = _unzipped(file) if magic == b"\x1f\x8b" else _values(file)
        for value in values:
            self.at = file.tell() if self.size else 0
            yield value


def _spooled(file: IO[bytes]) -> IO[bytes]:
    """A seekable copy: a ZIP's list of members is at its end."""
    aside = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(file, aside)
    aside.seek(0)
    return aside


def _values(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """Values line by line. A line with an unclosed bracket begins a value over several lines. That value ends at its closing
    bracket, and is unreadable if another value begins before that."""
    lines: list[bytes] = []
    depth, first, size, number = 0, 0, 0, 0
    for line in _lines(file):
        number += 1
        if line is None:
            yield UnreadableValue(str(number), f"the line has more than {LONGEST:,} bytes. Write one value per line")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
        if lines and line[:1] in (b"{", b"["):
            yield _unfinished(first, lines)
            lines, depth, size = [], 0, 0
        if not lines:
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
        lines.append(line)
        size += len(line)
        if size > LONGEST:
            yield UnreadableValue(str(first), f"the value has more than {LONGEST:,} bytes. Write one value per line")
            lines, depth, size = [], 0, 0
        elif depth <= 0:
            raw = b"".join(lines)
            value, reason = _decoded(raw)
            if reason:
                yield UnreadableValue(str(first), reason, _shown(raw))
            else:
                yield from _each(str(first), value, raw)
            lines, depth, size = [], 0, 0
    if lines:
        yield _unfinished(first, lines)


def _lines(file: IO[bytes]) -> Iterator[bytes | None]:
    """The lines, and None for a line that is too long."""
    while line := file.readline(LONGEST + 1):
        if len(line) <= LONGEST:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST)
        yield None


def _unzipped(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """The values of a gzip file. A truncated file yields the values before the break."""
    try:
        yield from _values(gzip.GzipFile(fileobj=file))  # type: ignore[arg-type]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield UnreadableValue("end", f"the gzip file is truncated: {error}")


def _unfinished(first: int, lines: list[bytes]) -> UnreadableValue:
    return UnreadableValue(str(first), "not JSON: the value is cut off", _shown(b"".join(lines)))


def _each(position: str, value: Any, raw: bytes) -> Iterator[InputValue | UnreadableValue]:
    """The value, or each element of a list that is not a conversation itself."""
    if isinstance(value, list) and not _is_conversation(value):
        for index, element in enumerate(value):
            yield InputValue(f"{position}[{index}]", element)
        if not value:
            yield UnreadableValue(position, "an empty list", _shown(raw))
    else:
        yield InputValue(position, value)


def _is_conversation(value: list[Any]) -> bool:
    kinds = ("message", "reasoning", "function_call", "function_call_output")
    return bool(value) and all(
        isinstance(element, dict)
        and ("role" in element or ("from" in element and "value" in element) or element.get("type") in kinds)
        and "messages" not in element
        for element in value
    )


def _decoded(raw: bytes) -> tuple[Any, str]:
    """The value, or the reason why it cannot be read. Bytes and escapes that are not valid text are replaced."""
    try:
        return codec.read_json(raw.decode()), ""
    except RecursionError:
        return None, "the value is nested too deeply"
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = f"not JSON: {error}" if isinstance(error, msgspec.DecodeError) else "not JSON: not UTF-8"
    try:
        mended = json.loads(raw.decode(errors="replace"), parse_constant=lambda _: None)
        return codec.read_json(msgspec.json.encode(codec.plain(mended)).decode()), ""
    except (ValueError, RecursionError, OverflowError):
        return None, reason


_BRACKETS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]')


def _depth(line: bytes) -> int:
    """The number of brackets that a line opens minus those that it closes, without those in strings."""
    steps = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
    return sum(steps.get(match[0], 0) for match in _BRACKETS.finditer(line))


def _shown(raw: bytes) -> str:
    return raw.decode(errors="replace").rstrip("\n")


def _samples(file: IO[bytes]) -> Iterator[InputValue | UnreadableValue]:
    """The samples of an inspect_ai log. Other members are its header and summaries."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if re.search(r"(^|/)samples/[^/]+\.json$", name)]
            if not names:
                yield UnreadableValue("zip", "the ZIP has no samples. An inspect_ai log holds one JSON file per sample")
            for name in names:
                yield _member(archive, name)
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        yield UnreadableValue("zip", f"the ZIP cannot be read: {error}")


def _member(archive: zipfile.ZipFile, name: str) -> InputValue | UnreadableValue:
    try:
        with archive.open(name) as member:
            raw = member.read(LONGEST + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as error:
        return UnreadableValue(name, f"it cannot be read from the ZIP: {error}")
    if len(raw) > LONGEST:
        return UnreadableValue(name, f"the sample has more than {LONGEST:,} bytes")
    value, reason = _decoded(raw)
    return UnreadableValue(name, reason, _shown(raw)) if reason else InputValue(name, value)
