"""Writes the rows of a design, the rejected rows, and a mark that names the command, so that other files are not overwritten."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused, words_of
from verigym.design.make import DesignResult
from verigym.design.spec import Design
from verigym.tasks.files import write_whole
from verigym.tasks.load import save_tasks


def check_out(design: Design, out: Path) -> None:
    """Checks the output file before the work starts."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder. Name a file with --out, such as {out / 'tasks.jsonl'}")
    kinds = (".jsonl", ".json", ".parquet") if design.makes_tasks else (".jsonl",)
    if out.suffix.lower() not in kinds:
        rows = "tasks" if design.makes_tasks else "rows without a prompt"
        raise BadInput(f"{out}: {rows} can be written only as {' or '.join(kinds)}. Name another file with --out")


def write(result: DesignResult, design: Design, out: Path) -> list[Path]:
    """Writes the rows and the rejected rows atomically."""
    check_out(design, out)
    if design.makes_tasks:
        save_tasks(out, result.tasks)
    else:
        lines = [_line(row) for row in result.rows]
        write_whole(out, lambda file: file.writelines(lines))
    return [out, write_rejected(result, out)]


def write_rejected(result: DesignResult, out: Path) -> Path:
    path = out.with_name(f"{out.name}.rejected.jsonl")
    try:
        rejected = [_line(row) for row in result.rejected]
    except (TypeError, ValueError) as error:
        raise BadInput(f"{path}: a rejected row cannot be written: {words_of(error)}") from error
    write_whole(path, lambda file: file.writelines(rejected))
    return path


def _line(value: Any) -> bytes:
    return msgspec.json.encode(codec.plain(value)) + b"\n"


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


def mark(out: Path, made_by: str) -> None:
    line = _line(_FileMark(made_by, _sha256(out)))
    write_whole(_mark_of(out), lambda file: file.writelines([line]))


def _mark_of(out: Path) -> Path:
    return out.with_name(f".{out.name}.made")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
