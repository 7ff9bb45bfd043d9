"""Reads any Parquet table as rows, and writes tasks so that they can be restored exactly.

Parquet gives every row every column and every struct every key, so a null is read as a missing key. `write` stores `data` and
prompts of items as JSON text, so that nothing is added or lost, and marks the file accordingly.
"""

import datetime
import decimal
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.install import install_command
from verigym.core.records import Json, Task

_MADE_HERE = b"verigym.tasks"
_ROWS_AT_ONCE = 10_000


def read(file: IO[bytes], path: Path) -> Iterator[tuple[int, Any, str]]:
    """Number, value and problem of each row."""
    arrow, pq = pyarrow_modules()
    try:
        table = pq.ParquetFile(file)
        made_here = _MADE_HERE in (table.schema_arrow.metadata or {})
        number = 0
        for batch in table.iter_batches(_ROWS_AT_ONCE):
            for row in batch.to_pylist(maps_as_pydicts="lossy"):
                number += 1
                try:
                    yield number, _restored(row) if made_here else _plain(row, "the row"), ""
                except (BadInput, msgspec.DecodeError) as error:
                    yield number, row, str(error)
    except (arrow.ArrowException, OSError) as error:
        raise BadInput(f"{path}: cannot be read as Parquet: {error}") from error


def write(file: IO[bytes], tasks: Iterable[Task]) -> None:
    arrow, pq = pyarrow_modules()
    text, texts = arrow.string(), arrow.list_(arrow.string())
    columns = {"schema": arrow.int64(), "id": text, "prompt": text, "items": text, "data": text}
    columns |= {"split": text, "family": text, "tags": texts, "lineage": texts, "difficulty": text}
    schema = arrow.schema(list(columns.items()), metadata={_MADE_HERE: b"1"})
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        rows: list[Json] = []
        for task in tasks:
            rows.append(_columns(task))
            if len(rows) == _ROWS_AT_ONCE:
                writer.write_table(arrow.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(arrow.Table.from_pylist(rows, schema))


def _columns(task: Task) -> Json:
    row = msgspec.json.decode(codec.encode(task))
    if isinstance(row["prompt"], list):
        row["items"] = _json(row.pop("prompt"))
    return {**row, "data": _json(row["data"])} if "data" in row else row


def _restored(row: Json) -> Json:
    row = {key: value for key, value in row.items() if value is not None}
    if "items" in row:
        row["prompt"] = msgspec.json.decode(row.pop("items"))
    return {**row, "data": msgspec.json.decode(row["data"])} if "data" in row else row


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _plain(value: Any, name: str) -> Any:
    """A value as JSON represents it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if not math.isfinite(value):
                raise BadInput(f"{name} is {value}, which JSON cannot represent. Use null")
            return value
        case dict():
            return {str(key): _plain(each, f'"{key}"') for key, each in value.items() if each is not None}
        case list() | tuple():
            return [_plain(each, name) for each in value]
        case datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            return str(value)
        case _:
            kind = "bytes" if isinstance(value, bytes) else type(value).__name__
            raise BadInput(f"{name} is {kind}. A task can contain only text, numbers, true or false, lists and objects")


def pyarrow_modules() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BadInput(f"Parquet files need pyarrow. Run: {install_command('parquet')}") from error
    return pyarrow, pyarrow.parquet
