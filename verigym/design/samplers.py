"""Fills sampled columns: many values at once, as an array, from a random generator per column."""

import csv
import datetime
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.core.settings import read_yaml
from verigym.design import spec
from verigym.design.expressions import array_of, written
from verigym.tasks.files import rows_of

_NAMES = read_yaml(Path(__file__).with_name("names.yaml"), "lists of invented names")


def values_of(column: Any, folder: Path) -> Any:
    """The values that the column chooses from, or None if it has no list."""
    match column:
        case spec.Category(values=values):
            return array_of(values)
        case spec.Subcategory(values=values):
            return {key: array_of(some) for key, some in values.items()}
        case spec.File(path=path, key=key):
            return array_of(_rows(folder / path, key))
        case _:
            return None


def draw(column: Any, chance: Any, at: Any, columns: Mapping[str, Any], values: Any) -> Any:
    """One value for each draw number in `at`. `columns` has the columns that it depends on."""
    import numpy as np

    count = len(at)
    match column:
        case spec.Category(weights=weights):
            return _pick(values, chance, count, weights)
        case spec.Subcategory(of=of):
            return _by_parent(column, columns[of].tolist(), chance, values)
        case spec.File():
            return _pick(values, chance, count, [])
        case spec.Uniform(low=low, high=high, decimals=decimals):
            return _rounded(low + (high - low) * chance.random(count), decimals)
        case spec.Normal(mean=mean, std=std, decimals=decimals):
            return _rounded(mean + std * chance.standard_normal(count), decimals)
        case spec.Int(low=low, high=high):
            return chance.integers(low, high, count, endpoint=True)
        case spec.Bernoulli(p=p):
            return chance.random(count) < p
        case spec.Date(first=first, last=last, form=form):
            days = chance.integers(0, (last - first).days, count, endpoint=True).tolist()
            return array_of([(first + datetime.timedelta(days=day)).strftime(form) for day in days])
        case spec.Uuid():
            raw = chance.bytes(16 * count)
            return array_of([str(uuid.UUID(bytes=raw[16 * n : 16 * n + 16], version=4)) for n in range(count)])
        case spec.Sequence(start=start, step=step):
            return start + step * np.asarray(at)
        case spec.Person(part=part):
            first, last = (_pick(array_of(_NAMES[key]), chance, count, []) for key in ("first", "last"))
            return first if part == "first" else last if part == "last" else first + " " + last
        case spec.Company():
            name, trade = (_pick(array_of(_NAMES[key]), chance, count, []) for key in ("company", "trade"))
            return name + " " + trade
        case _:
            raise AssertionError(f"no sampler: {column}")


def _pick(values: Any, chance: Any, count: int, weights: list[float]) -> Any:
    import numpy as np

    if not weights:
        return values[chance.integers(0, len(values), count)]
    edges = np.cumsum(weights) / np.sum(weights)
    return values[np.minimum(np.searchsorted(edges, chance.random(count), side="right"), len(values) - 1)]


def _by_parent(column: spec.Subcategory, parents: list[Any], chance: Any, values: Any) -> Any:
    import numpy as np

    keys = [written(parent) for parent in parents]
    unknown = set(keys) - values.keys()
    if unknown:
        raise not_found(f"value of {column.of}", min(unknown), values, "A subcategory needs values for each of them.")
    chances = chance.random(len(keys))
    options = [values[key] for key in keys]
    picked = [some[min(int(at * len(some)), len(some) - 1)] for some, at in zip(options, chances, strict=True)]
    return array_of([value.item() if isinstance(value, np.generic) else value for value in picked])


def _rounded(numbers: Any, decimals: int | None) -> Any:
    return numbers if decimals is None else numbers.round(decimals)


def _rows(path: Path, key: str) -> list[Any]:
    rows = _read(path)
    if not rows:
        raise BadInput(f"{path} has no rows. Add some, or name another file")
    if not key:
        return rows
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or key not in row:
            keys = f"It has {', '.join(row)}" if isinstance(row, dict) else "It is not an object"
            raise BadInput(f'{path} row {number} has no "{key}". {keys}')
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
        raise BadInput(f"{path}: this file type cannot be read. Use .jsonl, .json, .csv or .txt")
    rows = list(rows_of(path))
    for row in rows:
        if row.problem:
            raise BadInput(f"{path} {row.position}: {row.problem}")
    return msgspec.to_builtins([row.value for row in rows])
