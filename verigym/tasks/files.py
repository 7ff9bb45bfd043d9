"""Reads JSONL, JSON, CSV and Parquet files as rows with their position. Writes files atomically.

A row that cannot be read carries a problem in plain text. The caller raises it or sets the row aside. `rows` interprets rows. A
file that does not hold rows is refused here.

CSV: every cell is text, never guessed to be a number, and an empty cell means a missing key. A cell that holds a JSON object or
list is parsed, except in text columns (prompt, answer), where only a list of messages is.
"""

import contextlib
import csv
import errno
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.wire.values import kind_of

SUFFIXES = (".jsonl", ".json", ".csv", ".parquet")
_KNOWN_BY = ("prompt", "messages", "chosen", "responses_create_params")
"""A table of tasks has one of these columns."""
_TEXT = {"id", "prompt", "split", "family", "answer", "expected_tool", "completion", "chosen", "rejected"}
_MARK = b"\xef\xbb\xbf"


class FileRow(NamedTuple):
    """One row with its position. With a problem, `value` is the raw text or the cells."""

    number: int
    position: str
    """`line 12` of JSONL and CSV, `row 12` of JSON and Parquet. Both count from 1."""
    value: Any
    problem: str = ""


def is_task_file(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def rows_of(path: Path) -> Iterator[FileRow]:
    """The rows of a file, read according to its extension."""
    kind = path.suffix.lower()
    with _open(path) as file:
        if kind not in SUFFIXES:
            raise BadInput(f"{path}: tasks are read from {', '.join(SUFFIXES)} files. {_files_in(path.parent)}")
        if kind == ".jsonl":
            yield from _json_lines(file)
        elif kind == ".json":
            yield from _json_list(file, path)
        elif kind == ".csv":
            yield from _table(file, path)
        else:
            from verigym.tasks import parquet

            yield from (FileRow(number, f"row {number}", *rest) for number, *rest in parquet.read(file, path))


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Writes atomically: a reader sees the old file or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        remedy = ". Use a folder that you may write to" if denied else ""
        raise BadInput(f"{path} cannot be written: {error.strerror}{remedy}") from error


def write_new(files: Mapping[Path, bytes]) -> None:
    """Writes files that do not exist. A file with the same content stays. If one has other content, nothing is written."""
    for path, body in files.items():
        if path.is_dir():
            raise BadInput(f"{path} is a folder. Name a file")
        if path.exists() and path.read_bytes() != body:
            raise BadInput(
                f"{path} exists and has other content. Delete it, or choose another name. Nothing was written"
            )
    for path, body in files.items():
        write_whole(path, lambda file, body=body: file.write(body))


def write_beside(path: Path, body: bytes) -> Path:
    """Writes a file without overwriting another: if the name is taken by other content, a number is added to it."""
    name, number = path, 1
    while name.exists() and name.read_bytes() != body:
        number += 1
        name = path.with_name(f"{path.stem}-{number}{path.suffix}")
    write_whole(name, lambda file: file.write(body))
    return name


class _FileMark(msgspec.Struct):
    made_by: str
    sha256: str


def check_ours(out: Path, made_by: str) -> None:
    """Raises `Refused` if the file exists and is not exactly as this command left it."""
    if not out.exists():
        return
    try:
        mark = msgspec.json.decode(_mark_of(out).read_bytes(), type=_FileMark)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        mark = _FileMark("", "")
    if mark.made_by != made_by:
        raise Refused(
            f"{out} exists and was not written by this command. It is not overwritten. Name another file with --out"
        )
    if mark.sha256 != _sha256(out):
        raise Refused(f"{out} was changed after it was written. It is not overwritten. Name another file with --out")


def mark_ours(out: Path, made_by: str) -> None:
    """Notes beside a file which command made it, so that the same command may replace it."""
    line = msgspec.json.encode(_FileMark(made_by, _sha256(out))) + b"\n"
    write_whole(_mark_of(out), lambda file: file.write(line))


def remove_ours(out: Path, made_by: str) -> None:
    """Removes a file if this command made it."""
    if out.exists():
        with contextlib.suppress(Refused):
            check_ours(out, made_by)
            out.unlink()
            _mark_of(out).unlink(missing_ok=True)


def _mark_of(out: Path) -> Path:
    return out.with_name(f".{out.name}.made")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _json_lines(file: IO[bytes]) -> Iterator[FileRow]:
    for number, line in enumerate(_without_mark(file), start=1):
        if not line.strip():
            continue
        try:
            yield FileRow(number, f"line {number}", codec.read_json(line.decode()))
        except UnicodeDecodeError as error:
            text = line.decode(errors="backslashreplace")
            problem = f"byte {error.start + 1} is not UTF-8. Save the file as UTF-8"
            yield FileRow(number, f"line {number}", text, problem)
        except (msgspec.DecodeError, RecursionError) as error:
            text = line.decode()
            problem = f"{_why_not_json(text, error)}. Write one JSON object per line"
            yield FileRow(number, f"line {number}", text, problem)


def _json_list(file: IO[bytes], path: Path) -> Iterator[FileRow]:
    content = file.read().removeprefix(_MARK)
    if not content.strip():
        return
    try:
        value = codec.read_json(content.decode())
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start + 1} is not UTF-8. Save the file as UTF-8") from error
    except (msgspec.DecodeError, RecursionError) as error:
        remedy = f". The file has one object per line: rename it to {path.stem}.jsonl"
        reason = _why_not_json(content.decode(), error)
        raise BadInput(f"{path}: {reason}{remedy if _is_json_lines(content) else ''}") from error
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if not isinstance(value, list):
        what = kind_of(value)
        raise BadInput(f'{path}: a .json file must hold one list of rows, or {{"data": [...]}}. This is {what}')
    yield from (FileRow(number, f"row {number}", row) for number, row in enumerate(value, start=1))


def _is_json_lines(content: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(content.split(b"\n", 1)[0]), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


_JSON_WORDS = {
    "Invalid control character at": "a control character, such as a tab, inside a text. Write it as \\t",
    "Unterminated string starting at": "the text that starts here has no closing quotation mark",
    "Invalid \\escape": "a backslash that starts no escape. Write it twice",
}
"""Messages of the standard library that say too little without its own position."""


def _why_not_json(text: str, error: Exception) -> str:
    """The standard library reports the column. msgspec reports what the standard library accepts (NaN, lone surrogates)."""
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        line = f"line {problem.lineno} " if "\n" in text.rstrip("\r\n") else ""
        words = _JSON_WORDS.get(problem.msg, problem.msg)
        if problem.msg.startswith("Invalid control") and text[problem.pos] in "\r\n":
            words = "the line ends inside a text. Close the text with a quotation mark"
        return f"not JSON at {line}column {problem.colno}: {words}"
    except (ValueError, RecursionError):
        pass
    return f"not JSON: {error}"


def _table(file: IO[bytes], path: Path) -> Iterator[FileRow]:
    csv.field_size_limit(sys.maxsize)
    seen: list[str] = []
    """Lines of the row being read, to keep its raw text if it cannot be parsed."""

    def lines() -> Iterator[str]:
        for line in _without_mark(file):
            seen.append(line.decode(errors="surrogateescape"))
            yield seen[-1]

    reader = csv.reader(lines(), strict=True)
    header: list[str] | None = None
    while True:
        seen.clear()
        number = reader.line_num + 1
        problem, cells = "", []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f'not CSV: {error}. {len(seen)} lines were read as one row. Write "" for a quote in a cell'
        if not problem and not "".join(cells).strip():
            continue
        if header is None:
            header = _header(cells, problem, path, number)
        elif problem:
            yield FileRow(number, f"line {number}", _readable("".join(seen)), problem)
        else:
            yield _table_row(header, cells, number)


def _header(cells: list[str], problem: str, path: Path, number: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    where = f"{path} line {number}"
    if problem:
        raise BadInput(f"{where}: {problem}")
    if not any(name in _KNOWN_BY for name in names):
        remedy = "Separate columns by commas" if len(names) == 1 else f"One of them must be {' or '.join(_KNOWN_BY)}"
        shown = _readable(", ".join(names))[:200]
        raise BadInput(f"{where}: the first line of a CSV must name its columns. {remedy} (found: {shown})")
    for name in names:
        if not _is_utf8(name):
            raise BadInput(f'{where}: the column "{_readable(name)}" is not UTF-8. Save the file as UTF-8')
        if not name:
            raise BadInput(f"{where}: column {names.index('') + 1} has no name. In pandas, use to_csv(index=False)")
        if names.count(name) > 1:
            raise BadInput(f'{where}: two columns are named "{_readable(name)}". Give each column its own name')
    return names


def _table_row(header: list[str], cells: list[str], number: int) -> FileRow:
    position = f"line {number}"
    if len(cells) != len(header):
        problem = f"the row has {len(cells)} cells, but the first line names {len(header)} columns. Quote cells that hold a comma"
        return FileRow(number, position, [_readable(cell) for cell in cells], problem)
    for name, cell in zip(header, cells, strict=True):
        if not _is_utf8(cell):
            value = {name: _readable(cell) for name, cell in zip(header, cells, strict=True)}
            return FileRow(number, position, value, f'"{name}" is not UTF-8. Save the file as UTF-8')
    return FileRow(number, position, {n: _cell(n, cell) for n, cell in zip(header, cells, strict=True) if cell.strip()})


def _cell(name: str, text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = codec.read_json(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    if name in _TEXT:
        messages = isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
        return value if messages and all("role" in one or "type" in one for one in value) else text
    return value


def _is_utf8(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _readable(text: str) -> str:
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except IsADirectoryError as error:
        raise BadInput(f"{path} is a folder. {_files_in(path)}") from error
    except FileNotFoundError as error:
        raise BadInput(f"{path} does not exist. {_files_in(path.parent)}") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error


def _without_mark(file: IO[bytes]) -> Iterator[bytes]:
    """The lines, without a leading byte order mark."""
    for line in file:
        yield line.removeprefix(_MARK)
        break
    yield from file


def _files_in(folder: Path) -> str:
    names = sorted(file.name for file in folder.glob("*") if is_task_file(file.name)) if folder.is_dir() else []
    return f"The folder {folder} contains {', '.join(names) or 'no task file'}"
