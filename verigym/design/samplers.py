"""Columns that chance fills: many values at a time, as an array, from a generator of the column's own."""

import csv
import datetime
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.design.expressions import array_of
from verigym.design.names import COMPANY, FIRST, LAST, TRADE
from verigym.design.spec import (
    Bernoulli,
    Category,
    Company,
    Date,
    File,
    Int,
    Normal,
    Person,
    Sequence,
    Subcategory,
    Uniform,
    Uuid,
    key_of,
)
from verigym.tasks.files import rows_of

Values = dict[str, Any]
"""What a column picks from, read once: by column."""


def values_of(column: Any, folder: Path) -> Any:
    """What the column picks from; none where it picks from no list."""
    match column:
        case Category(values=values):
            return array_of(values)
        case Subcategory(values=values):
            return {key: array_of(some) for key, some in values.items()}
        case File(path=path, key=key):
            return array_of(_rows(folder / path, key))
        case _:
            return None


def draw(column: Any, chance: Any, at: Any, made: Mapping[str, Any], values: Any) -> Any:
    """One value for each place in `at` (which draw of the column it is). `made` has the columns that it depends on."""
    import numpy as np

    count = len(at)
    match column:
        case Category(weights=weights):
            return _pick(values, chance, count, weights)
        case Subcategory(of=of):
            return _by_parent(column, made[of].tolist(), chance, values)
        case File():
            return _pick(values, chance, count, [])
        case Uniform(low=low, high=high, decimals=decimals):
            return _rounded(low + (high - low) * chance.random(count), decimals)
        case Normal(mean=mean, std=std, decimals=decimals):
            return _rounded(mean + std * chance.standard_normal(count), decimals)
        case Int(low=low, high=high):
            return chance.integers(low, high, count, endpoint=True)
        case Bernoulli(p=p):
            return chance.random(count) < p
        case Date(first=first, last=last, form=form):
            days = chance.integers(0, (last - first).days, count, endpoint=True).tolist()
            return array_of([(first + datetime.timedelta(days=day)).strftime(form) for day in days])
        case Uuid():
            raw = chance.bytes(16 * count)
            return array_of([str(uuid.UUID(bytes=raw[16 * n : 16 * n + 16], version=4)) for n in range(count)])
        case Sequence(start=start, step=step):
            return start + step * np.asarray(at)
        case Person(part=part):
            first, last = _pick(array_of(FIRST), chance, count, []), _pick(array_of(LAST), chance, count, [])
            return first if part == "first" else last if part == "last" else first + " " + last
        case Company():
            return _pick(array_of(COMPANY), chance, count, []) + " " + _pick(array_of(TRADE), chance, count, [])
        case _:
            raise AssertionError(f"no sampler: {column}")


def _pick(values: Any, chance: Any, count: int, weights: list[float]) -> Any:
    import numpy as np

    if not weights:
        return values[chance.integers(0, len(values), count)]
    edges = np.cumsum(weights) / np.sum(weights)
    return values[np.minimum(np.searchsorted(edges, chance.random(count), side="right"), len(values) - 1)]


def _by_parent(column: Subcategory, parents: list[Any], chance: Any, values: Any) -> Any:
    import numpy as np

    keys = [key_of(parent) for parent in parents]
    unknown = set(keys) - values.keys()
    if unknown:
        raise not_found(f"value of {column.of}", min(unknown), values, "A subcategory has values for each.")
    chances = chance.random(len(keys))
    picked = [
        values[key][min(int(one * len(values[key])), len(values[key]) - 1)]
        for key, one in zip(keys, chances, strict=True)
    ]
    return array_of([one.item() if isinstance(one, np.generic) else one for one in picked])


def _rounded(numbers: Any, decimals: int | None) -> Any:
    return numbers if decimals is None else numbers.round(decimals)


def _rows(path: Path, key: str) -> list[Any]:
    rows = _read(path)
    if not rows:
        raise BadInput(f"{path} has no rows to draw from")
    if not key:
        return rows
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or key not in row:
            known = ", ".join(row) if isinstance(row, dict) else "it is no object"
            raise BadInput(f'{path} row {place} has no "{key}" ({known})')
    return [row[key] for row in rows]


def _read(path: Path) -> list[Any]:
    kind = path.suffix.lower()
    try:
        if kind == ".txt":
            return [line for line in path.read_text().splitlines() if line.strip()]
        if kind == ".csv":
            with path.open(newline="") as file:
                return [dict(row) for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    if kind not in (".jsonl", ".json"):
        raise BadInput(f"{path}: a column's file is .jsonl, .json, .csv or .txt")
    found = list(rows_of(path))
    for row in found:
        if row.problem:
            raise BadInput(f"{path} {row.place}: {row.problem}")
    return msgspec.to_builtins([row.value for row in found])
