"""Versions: agents by the hash of what makes them behave as they do. Who is champion is `ledger`'s."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.records import Version, content_hash
from verigym.registry.ledger import LedgerStore, champion

T = TypeVar("T", bound=Struct)


class Store(LedgerStore, Protocol):
    """What the registry needs of a store."""

    def put(self, kind: str, id: str, record: Struct, /) -> None: ...

    def get(self, kind: str, id: str, type: type[T], /) -> T | None: ...

    def documents(self, kind: str, type: type[T], /) -> Sequence[T]:
        """In the order in which they were put."""
        ...


def version_id(version: Version) -> str:
    """12 hex digits over what makes it behave; name, parent, recipe and reports do not count."""
    behaviour = {
        "base": version.base,
        "adapter": version.adapter,
        "system_prompt": version.system_prompt,
        "tool_descriptions": version.tool_descriptions,
        "constraints": version.constraints,
        "sampling": version.sampling,
    }
    return content_hash(behaviour)[:12]


def register(store: Store, version: Version) -> Version:
    """The version with its id, kept in the store; one that is known already is returned as it was first registered."""
    id = version_id(version)
    known = store.get("version", id, Version)
    if known is not None:
        return known
    made = msgspec.structs.replace(version, id=id)
    store.put("version", id, made)
    return made


def resolve(store: Store, text: str) -> Version:
    """By `champion`, `latest`, id, name or the beginning of an id, in this order."""
    versions = store.documents("version", Version)
    if text == "champion":
        current = champion(store)
        if current is None:
            raise NotFound("there is no champion yet: register the base agent and crown it first")
        return _only(current, [one for one in versions if one.id == current], versions)
    if text == "latest" and versions:
        return versions[-1]
    fitting = (
        [one for one in versions if one.id == text]
        or [one for one in versions if one.name == text]
        or [one for one in versions if version_id(Version(base=text)) == one.id]
        or [one for one in versions if text and one.id.startswith(text)]
    )
    return _only(text, fitting, versions)


def _only(text: str, fitting: Sequence[Version], versions: Sequence[Version]) -> Version:
    if not fitting:
        raise not_found("version", text, [name for one in versions for name in (one.id, one.name) if name])
    if len(fitting) > 1:
        ids = ", ".join(one.id for one in fitting)
        raise BadInput(f'"{text}" fits {len(fitting)} versions: {ids}; name one by its id')
    return fitting[0]
