"""Moves the records of a workspace to another database, and checks that the copy is whole.

Adapters and resume states go to a URL that all machines reach, if one is named. Otherwise they are only in the folder.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from verigym.core.errors import BadInput, NotFound
from verigym.registry import ledger
from verigym.registry.integrity import files_of, sha256_of
from verigym.store.address import URL_FILE, has_password, store_in
from verigym.store.copy import copy_store
from verigym.store.database import Store
from verigym.workspace.shared_files import URL_FILE as FILES_FILE
from verigym.workspace.shared_files import SharedFiles, SharedResumeState


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
    files: int = 0
    """Adapters and resume states that this call copied."""


def copy_workspace_store(
    source: str,
    target: str,
    *,
    use: bool = False,
    files: str = "",
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> StoreCopy:
    """Copies the store of a workspace folder (or a file, or a URL) to a URL or a new file. `use` makes the folder use it. `files`
    is a URL for the adapters and resume states of the folder."""
    settings = _settings(source, target) if use else None
    shared, folder = _shared(source, files) if files else (None, None)
    where, to = _address(source, "source"), _address(target, "target")
    with contextlib.closing(Store(where, query_only=True)) as opened:
        if not opened.exists:
            raise NotFound(f"There is no store at {opened.path}. Name a workspace folder, its store.db or a URL")
        if where == to:
            raise BadInput(f"Source and target are the same store ({opened.path}). Name another target")
        with contextlib.closing(Store(to)) as into:
            result = copy_store(opened, into, progress)
            entries = ledger.verify_chain(into)
            copied = 0
            if shared is not None and folder is not None:
                copied = copy_files(folder, shared, {run.id for run in into.runs(parent=None) if run.finished is None})
            if settings is not None:
                settings.write_text(f"{into.path}\n")
                if shared is not None:
                    settings.with_name(FILES_FILE).write_text(f"{shared.url}\n")
            names = str(opened.path), str(into.path)
            return StoreCopy(*names, result.rows, result.copied, entries, str(settings) if settings else "", copied)


def copy_files(folder: Path, shared: SharedFiles, unfinished: set[str]) -> int:
    """Stores the adapters of a workspace folder, and the resume states of unfinished runs, that the URL does not have. Returns
    how many it stored."""
    copied = 0
    for adapter in sorted((folder / "adapters").glob("[0-9a-f]*")):
        weights, _ = files_of(adapter)
        if not weights.is_file() or shared.has(f"adapters/{adapter.name}"):
            continue
        if sha256_of(weights) != adapter.name:
            raise BadInput(
                f"{adapter} is damaged: the hash of the weights is not the name of the folder. Restore it, or delete it "
                "if nothing uses it, and repeat the command"
            )
        shared.put(f"adapters/{adapter.name}", sorted(adapter.iterdir()))
        copied += 1
    for run in sorted(unfinished):
        copied += SharedResumeState(shared, run, folder / "checkpoints" / run).store()
    return copied


def _shared(source: str, files: str) -> tuple[SharedFiles, Path]:
    if "://" in source:
        raise BadInput("--files needs a workspace folder as the source")
    folder, shared = Path(source), SharedFiles(files)
    shared.check()
    return shared, folder.parent if folder.suffix == ".db" else folder


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
