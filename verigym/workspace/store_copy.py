"""Moves the records of a workspace to another database, and checks that the copy is whole.

Adapters and checkpoints stay in the folder. For many machines, put the folder where all of them see it.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from verigym.core.errors import BadInput, NotFound
from verigym.registry import ledger
from verigym.store.address import URL_FILE, has_password, store_in
from verigym.store.copy import copy_store
from verigym.store.database import Store


class StoreCopy(NamedTuple):
    source: str
    target: str
    rows: dict[str, int]
    """Rows of each table."""
    copied: int
    """Rows that this call copied. The others were there."""
    ledger_entries: int
    """Entries of the ledger whose chain of hashes was checked in the target."""
    settings: str = ""
    """The file that now names the target, if the workspace uses it."""


def copy_workspace_store(
    source: str, target: str, *, use: bool = False, progress: Callable[[str, int, int], None] = lambda *_: None
) -> StoreCopy:
    """Copies the store of a workspace folder (or a file, or a URL) to a URL or a new file. `use` makes the folder use it."""
    settings = _settings(source, target) if use else None
    where, to = _address(source, "source"), _address(target, "target")
    with contextlib.closing(Store(where, query_only=True)) as opened:
        if not opened.exists:
            raise NotFound(f"There is no store at {opened.path}. Name a workspace folder, its store.db or a URL")
        if where == to:
            raise BadInput(f"Source and target are the same store ({opened.path}). Name another target")
        with contextlib.closing(Store(to)) as into:
            result = copy_store(opened, into, progress)
            entries = ledger.verify_chain(into)
            if settings is not None:
                settings.write_text(f"{into.path}\n")
            names = str(opened.path), str(into.path)
            return StoreCopy(*names, result.rows, result.copied, entries, str(settings) if settings else "")


def _address(text: str, what: str) -> Path | str:
    if not text.strip():
        raise BadInput(f"The {what} is empty. Name a workspace folder, a file that ends in .db, or a URL")
    if "://" in text:
        return text
    path = Path(text)
    if path.suffix == ".db":
        return path
    if what == "target" or (path.exists() and not path.is_dir()):
        raise BadInput(
            f'The {what} "{text}" is not a store. Write postgresql+psycopg://USER@HOST/DATABASE, or a file that ends in .db'
        )
    return store_in(path)


def _settings(source: str, target: str) -> Path:
    """The file of the source's folder that names a store."""
    if "://" not in target or "://" in source:
        raise BadInput("--use needs a workspace folder as the source and a URL as the target")
    if has_password(target):
        raise BadInput(
            "--use would write the password into the workspace. Leave it out of the URL, and set it in the environment "
            "variable PGPASSWORD"
        )
    folder = Path(source)
    return (folder.parent if folder.suffix == ".db" else folder) / URL_FILE
