"""A workspace without records."""

from pathlib import Path

from verigym.store.database import Store


def empty_workspace(home: Path) -> Path:
    store = Store(home / "store.db")
    store.delete_run("none")  # any write creates the file
    store.close()
    return home
