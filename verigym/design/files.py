"""The files of a design: its rows, those that were rejected, and a mark that says which command made them, so that no other file
is ever overwritten."""

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
    """That the file can be one of such rows: asked before the work, not after it."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder; name a file with --out, such as {out / 'tasks.jsonl'}")
    kinds = (".jsonl", ".json", ".parquet") if design.makes_tasks else (".jsonl",)
    if out.suffix.lower() not in kinds:
        rows = "tasks" if design.makes_tasks else "rows without a prompt"
        raise BadInput(f"{out}: {rows} are written as {' or '.join(kinds)}")


def write(made: DesignResult, design: Design, out: Path) -> list[Path]:
    """The rows, and beside them those that were rejected: both whole or not at all."""
    check_out(design, out)
    if design.makes_tasks:
        save_tasks(out, made.tasks)
    else:
        lines = [_line(row) for row in made.rows]
        write_whole(out, lambda file: file.writelines(lines))
    return [out, write_rejected(made, out)]


def write_rejected(made: DesignResult, out: Path) -> Path:
    aside = out.with_name(f"{out.name}.rejected.jsonl")
    try:
        rejected = [_line(one) for one in made.rejected]
    except (TypeError, ValueError) as error:
        raise BadInput(f"{aside}: a rejected row cannot be written: {words_of(error)}") from error
    write_whole(aside, lambda file: file.writelines(rejected))
    return aside


def _line(value: Any) -> bytes:
    return msgspec.json.encode(codec.plain(value)) + b"\n"


# -- whose file it is --------------------------------------------------------------------------------------------------------


class _FileMark(msgspec.Struct):
    made_by: str
    sha256: str


def check_ours(out: Path, made_by: str) -> None:
    """That a file which is there already is just as this command left it: asked before the work."""
    if not out.exists():
        return
    try:
        mark = msgspec.json.decode(_mark_of(out).read_bytes(), type=_FileMark)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        mark = _FileMark("", "")
    if mark.made_by != made_by:
        raise Refused(f"{out} exists and was made otherwise; it is not overwritten: name another file with --out")
    if mark.sha256 != _sha256(out):
        raise Refused(f"{out} was changed since it was made; it is not overwritten: name another file with --out")


def mark(out: Path, made_by: str) -> None:
    line = _line(_FileMark(made_by, _sha256(out)))
    write_whole(_mark_of(out), lambda file: file.writelines([line]))


def _mark_of(out: Path) -> Path:
    return out.with_name(f".{out.name}.made")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
