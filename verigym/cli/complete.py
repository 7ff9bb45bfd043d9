"""Shell completion of names: environments, models, versions, runs, datasets and servers. Reads files, loads no model.

Completion never creates a workspace and never fails: without a store there is nothing to complete.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import typer

from verigym.core.errors import VerigymError
from verigym.store.address import store_of

_MOST = 200
_NAMED = "SELECT id, body FROM documents WHERE kind = ? ORDER BY rowid DESC LIMIT ?"
_TASK_FILES = (".py", ".jsonl", ".json", ".csv", ".parquet")


class _NamedRecord(msgspec.Struct):
    name: str = ""


def _home(context: typer.Context) -> Path:
    return context.params.get("home") or Path(os.environ.get("VERIGYM_HOME", ".verigym"))


def _rows(context: typer.Context, query: str, *values: object) -> Iterator[tuple[str, ...]]:
    try:
        path = store_of(_home(context))
    except VerigymError:
        return
    if not isinstance(path, Path) or not path.is_file():  # a server may take longer than a key press
        return
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            yield from connection.execute(query, values)
    except sqlite3.Error:
        return


def _documents(context: typer.Context, kind: str) -> list[str]:
    """Names and ids, newest first."""
    names: list[str] = []
    for id, body in _rows(context, _NAMED, kind, _MOST):
        with suppress(msgspec.DecodeError):
            names.append(msgspec.json.decode(body, type=_NamedRecord).name)
        names.append(id)
    return [name for name in dict.fromkeys(names) if name]


def _starting(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def environments(incomplete: str) -> list[str]:
    """Shipped environments, and Python and task files of the folder that is being typed."""
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    shipped = Path(__file__).parents[1] / "environments"
    names = sorted(path.parent.name for path in shipped.glob("*/__init__.py") if path.parent.name != "bridges")
    files = [str(path) for path in folder.glob("*") if path.suffix in _TASK_FILES] if folder.is_dir() else []
    bridges = ["bfcl:", "nemogym:", "reasoning-gym:"]
    return _starting([*names, *bridges, *sorted(files)], incomplete)


def versions(context: typer.Context, incomplete: str) -> list[str]:
    return _starting(["champion", "latest", *_documents(context, "version")], incomplete)


def models(context: typer.Context, incomplete: str) -> list[str]:
    """Everything that `-m` takes by name."""
    from verigym.model import embedded

    return _starting([embedded.NAME, *servers(context, ""), *versions(context, "")], incomplete)


def servers(context: typer.Context, incomplete: str) -> list[str]:
    from verigym.core.errors import VerigymError
    from verigym.workspace.servers import read_servers

    try:
        return _starting(sorted(read_servers(_home(context))), incomplete)
    except VerigymError:
        return []


def runs(context: typer.Context, incomplete: str) -> list[str]:
    query = "SELECT id FROM runs WHERE parent = '' ORDER BY rowid DESC LIMIT ?"
    return _starting(["latest", *(id for (id,) in _rows(context, query, _MOST))], incomplete)


def datasets(context: typer.Context, incomplete: str) -> list[str]:
    return _starting(["latest", *_documents(context, "dataset")], incomplete)
