"""Writes rows to a new file or folder: JSON Lines, Parquet, or a dataset folder with a card. Nothing is held in memory but a
batch, nothing is overwritten, and what fails leaves nothing behind."""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Json
from verigym.tasks.parquet import pyarrow_modules
from verigym.training.formats.format import Format, Kind
from verigym.training.formats.tables import arrow_type

_BATCH = 200
ENDINGS = {"jsonl": ".jsonl", "parquet": ".parquet", "folder": ""}


def check_free(to: Path, form: Format) -> None:
    """Refuses a path that exists, or whose ending is that of another kind of file."""
    ending = ENDINGS[form.file]
    if not to.name:
        raise BadInput(
            f"--out {to} is invalid. Name a {'folder' if not ending else f'{ending} file'} that does not exist"
        )
    if ending and to.suffix != ending:
        raise BadInput(
            f"--as {form.name} writes {ending} files, and {to} has another ending. Name it {to.stem}{ending}"
        )
    if not ending and to.suffix in ENDINGS.values() and to.suffix:
        raise BadInput(f"--as {form.name} writes a folder, and {to} has the ending of a file. Name it {to.stem}")
    if to.exists() or to.is_symlink():
        raise Refused(f"{to} exists and is not overwritten. Name another with --out")


def write_new(to: Path, form: Format, kind: Kind, rows: Iterable[Json], card: str) -> None:
    """Writes all rows. Raises what the rows raise, and then leaves nothing."""
    draft = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        if form.file == "parquet":
            assert form.columns is not None
            _write_parquet(draft, form.columns(kind), rows)
        elif form.file == "jsonl":
            _write_lines(draft, rows)
        else:
            (draft / "data").mkdir(parents=True)
            _write_lines(draft / "data" / "train.jsonl", rows)
            (draft / "README.md").write_text(card, encoding="utf-8")
        check_free(to, form)
        draft.replace(to)
    except OSError as error:
        raise BadInput(f"{to} cannot be written: {error.strerror or error}. Nothing was left there") from error
    finally:
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        with contextlib.suppress(OSError):
            draft.unlink()


def _write_lines(path: Path, rows: Iterable[Json]) -> None:
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _write_parquet(path: Path, columns: dict[str, str], rows: Iterable[Json]) -> None:
    arrow, parquet = pyarrow_modules()
    schema = arrow.schema([(name, arrow_type(arrow, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(rows):
            writer.write_table(arrow.Table.from_pylist(batch, schema))


def _batches(rows: Iterable[Json]) -> Iterator[list[Json]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
