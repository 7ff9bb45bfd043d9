"""A workspace to take traces into."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from verigym.core.records import Trajectory
from verigym.store.database import Store
from verigym.traces import IngestSummary, ingest
from verigym.traces.redaction import Redaction


class Place:
    """A store in a folder; `take` ingests files into it."""

    def __init__(self, home: Path) -> None:
        self.home, self.store = home, Store(home / "store.db")

    def take(self, *files: Path | str, rules: Path | None = None, **options: Any) -> IngestSummary:
        return ingest(self.store, self.home, [str(file) for file in files], Redaction.load(rules), **options)

    def write(self, name: str, *lines: bytes | str) -> Path:
        path = self.home / name
        path.write_bytes(b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines))
        return path

    def stored(self, name: str = "ingested") -> list[Trajectory]:
        """In the order of their lines."""
        return sorted(self.store.trajectories(f"traces-{name}"), key=lambda one: _place(one.source))

    def bodies(self) -> dict[str, Trajectory]:
        return {one.id: one for run in self.store.runs() for one in self.store.trajectories(run.id)}


def _place(source: str) -> tuple[str, int, str]:
    file, _, line = source.rpartition(":")
    number, _, rest = line.partition("[")
    return file, int(number) if number.isdigit() else 0, rest


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Callable[[str], Place]]:
    """Workspaces by name."""
    made: dict[str, Place] = {}

    def by_name(name: str) -> Place:
        (tmp_path / name).mkdir(exist_ok=True)
        return made.setdefault(name, Place(tmp_path / name))

    yield by_name
    for each in made.values():
        each.store.close()
