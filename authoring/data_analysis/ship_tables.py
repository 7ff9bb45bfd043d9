"""Writes the tables of every data set into `tables.zip`, which the environment reads."""

from datetime import date
from typing import get_args
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from authoring.data_analysis import worlds
from authoring.data_analysis.tables import ENGINES, FACT_ROLES, PLACE_ROLES, cells, dataset, names
from verigym.environments.data_analysis.engines import TABLES, Table

_TYPES = {
    "csv": dict.fromkeys((*FACT_ROLES, *PLACE_ROLES), "TEXT"),
    "sqlite": {"id": "INTEGER", "place": "INTEGER", "n": "INTEGER", "m": "REAL", "r": "INTEGER"},
    "duckdb": {
        "id": "INTEGER", "place": "INTEGER", "n": "INTEGER", "m": "DOUBLE", "r": "INTEGER", "date": "DATE", "since": "DATE"
    },
}  # fmt: skip
_WORLD_TYPES = {
    "csv": {},
    "sqlite": {int: "INTEGER", float: "REAL"},
    "duckdb": {int: "INTEGER", float: "DOUBLE", date: "DATE"},
}
"""By the type of a field; all else is text."""


def all_names() -> list[str]:
    """Every data set, of the businesses and of the worlds."""
    about_worlds = [
        f"{world}-{engine}-{number}" for world in worlds.BY_NAME for engine in ENGINES for number in worlds.NUMBERS
    ]
    return sorted([*names("train"), *names("val"), *about_worlds])


def tables_of(name: str) -> dict[str, Table]:
    if name.split("-")[0] in worlds.BY_NAME:
        return _world_tables(name)
    data = dataset(name)
    domain, types = data.domain, _TYPES[data.engine]
    return {
        table: Table(
            table, {domain.columns[role]: types.get(role, "TEXT") for role in roles}, [cells(row) for row in rows]
        )
        for table, roles, rows in ((domain.facts, FACT_ROLES, data.facts), (domain.places, PLACE_ROLES, data.places))
    }


def _world_tables(name: str) -> dict[str, Table]:
    made = worlds.made(name)
    types, tables = _WORLD_TYPES[made.engine], {}
    for table, rows in made.rows.items():
        fields = type(rows[0]).__annotations__
        columns = {field: types.get((get_args(kind) or (kind,))[0], "TEXT") for field, kind in fields.items()}
        written = [[value.isoformat() if isinstance(value, date) else value for value in row] for row in rows]
        tables[table] = Table(table, columns, written)
    return tables


def write() -> None:
    with ZipFile(TABLES, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name in all_names():
            entry = ZipInfo(f"{name}.json", (1980, 1, 1, 0, 0, 0))  # a fixed time, so that the file is reproducible
            archive.writestr(entry, msgspec.json.encode(tables_of(name)), ZIP_DEFLATED, 9)
