"""Versions: agents identified by the hash of everything that affects their behaviour. `ledger` names the champion."""

import importlib.metadata
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

import verigym
from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.records import Version, content_hash
from verigym.model import embedded
from verigym.registry.ledger import champion
from verigym.store.database import Store


def version_id(version: Version) -> str:
    """12 hex digits over everything that affects behaviour. Name, parent, recipe and time do not count."""
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
    """`base`, or how it differs from its base model: `adapter`, `prompt`, `adapter + constrained`, ..."""
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
    """Stores the version permanently with its id, creation time, software versions and seal. A known version is returned as first
    registered."""
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
    """Finds a version by `champion`, `latest`, id, base model, name or id prefix, in this order. The embedded model keeps its
    name, whatever a server or folder calls its model."""
    versions = store.documents("version", Version)
    if text == "champion":
        current = champion(store)
        if current is None:
            raise NotFound("No champion exists yet. Register a base agent and make it the first champion")
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
        raise BadInput(f'"{text}" matches {len(fitting)} versions: {ids}. Name one by its id')
    return fitting[0]
