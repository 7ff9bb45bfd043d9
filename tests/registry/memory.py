"""A store in memory, with only the methods that the registry needs."""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct

from verigym.store.database import Store

T = TypeVar("T", bound=Struct)


class MemoryStore(Store):
    def __init__(self) -> None:  # opens no database
        self.records: dict[tuple[str, str], Any] = {}
        self.entries: list[bytes] = []

    def put(self, kind: str, id: str, record: Struct) -> None:
        self.records.setdefault((kind, id), record)

    def get(self, kind: str, id: str, type: type[T]) -> T | None:  # type: ignore[override]
        return self.records.get((kind, id))

    def documents(self, kind: str, type: type[T]) -> list[T]:
        return [record for (known, _), record in self.records.items() if known == kind]

    def append_ledger(self, make: Callable[[bytes | None], bytes]) -> int:
        self.entries.append(make(self.entries[-1] if self.entries else None))
        return len(self.entries)

    def ledger(self) -> list[bytes]:
        return [*self.entries]

    def last_of_ledger(self) -> bytes | None:
        return self.entries[-1] if self.entries else None
