"""Writes the rows of a design and the rejected rows."""

from pathlib import Path
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, words_of
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
