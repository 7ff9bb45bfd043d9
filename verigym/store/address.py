"""Where the records of a workspace are: in its file `store.db`, or in a PostgreSQL database that is named by a URL.

The URL is in the variable VERIGYM_STORE or in the file `store.url` of the folder. The file has no password: PGPASSWORD or
~/.pgpass has it. Adapters and checkpoints stay in the folder.
"""

import os
import urllib.parse
from pathlib import Path

from verigym.core.errors import BadInput

VARIABLE = "VERIGYM_STORE"
URL_FILE = "store.url"
SHARED = ".shared"
"""Ending of the empty files that name the runs which a process on any machine claims."""


def store_of(home: Path) -> Path | str:
    """The file of the store, or its URL."""
    return os.environ.get(VARIABLE, "").strip() or store_in(home)


def store_in(home: Path) -> Path | str:
    """What the folder itself names, whatever the environment says."""
    file = home / URL_FILE
    try:
        url = file.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        return home / "store.db"
    except PermissionError:
        return home / "store.db"  # opening it says what is wrong
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read ({error}). Write the URL of the store into it, or delete it") from error
    if not url:
        raise BadInput(f"{file} is empty. Write the URL of the store into it, or delete it")
    if has_password(url):
        raise BadInput(
            f"{file} has a password. Remove it from the file, and set it in the environment variable PGPASSWORD"
        )
    return url


def page_file(home: Path) -> Path:
    """The file that pages read: the store itself, or one that follows a database (`mirror`)."""
    where = store_of(home)
    return where if isinstance(where, Path) else home / "view.db"


def has_password(url: str) -> bool:
    parts = urllib.parse.urlsplit(url)
    return bool(parts.password) or "password" in urllib.parse.parse_qs(parts.query)


def has_store(home: Path) -> bool:
    """Whether the workspace has a store: a file that exists, or a URL."""
    from verigym.store.connection import exists

    where = store_of(home)
    return exists(where) if isinstance(where, Path) else True
