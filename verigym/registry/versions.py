"""Versions: agents by the hash of what makes them behave as they do. Who is champion is `ledger`'s."""

import importlib.metadata
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

import verigym
from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.records import Version, content_hash
from verigym.model import embedded
from verigym.registry.ledger import LedgerStore, champion

T = TypeVar("T", bound=Struct)


class Store(LedgerStore, Protocol):
    """What the registry needs of a store."""

    def put(self, kind: str, id: str, record: Struct, /) -> None:
        """Of two records with one id, the first is kept."""
        ...

    def get(self, kind: str, id: str, type: type[T], /) -> T | None: ...

    def documents(self, kind: str, type: type[T], /) -> Sequence[T]:
        """In the order in which they were put."""
        ...


def version_id(version: Version) -> str:
    """12 hex digits over what makes it behave; name, parent, recipe and when it was made do not count."""
    behaviour = {
        "base": version.base,
        "adapter": version.adapter,
        "system_prompt": version.system_prompt,
        "tool_descriptions": version.tool_descriptions,
        "constraints": version.constraints,
        "sampling": version.sampling,
    }
    return content_hash(behaviour)[:12]


def kind_of(version: Version) -> str:
    """`base`, or what sets it apart from its base model: `adapter`, `prompt`, `adapter + constrained`, ..."""
    if version.recipe.get("algorithm") == "reward":
        return "reward model"
    parts = {
        "adapter": bool(version.adapter),
        "prompt": version.system_prompt is not None,
        "tools": bool(version.tool_descriptions),
        "constrained": bool(version.constraints),
        "sampling": version.sampling is not None,
    }
    return " + ".join(name for name, has in parts.items() if has) or "base"


def register(store: Store, version: Version) -> Version:
    """The version with its id, when and with what it was made, and its seal, kept in the store for good; one that is known
    already is returned as it was first registered."""
    id = version_id(version)
    known = store.get("version", id, Version)
    if known is not None:
        return known
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = msgspec.structs.replace(version, id=id, made=now, software=software(), seal="")
    made = msgspec.structs.replace(made, seal=content_hash(made))
    store.put("version", id, made)
    return store.get("version", id, Version) or made  # another process may have been first


def software() -> dict[str, str]:
    found = {"verigym": verigym.__version__, "python": platform.python_version()}
    for name in ("torch", "transformers"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def resolve(store: Store, text: str) -> Version:
    """By `champion`, `latest`, id, base model, name or the beginning of an id, in this order. The embedded model's name is
    its own, whatever a server or a folder calls its model."""
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
        or [one for one in versions if version_id(Version(base=text)) == one.id]
        or [one for one in versions if one.name == text != embedded.NAME]
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
