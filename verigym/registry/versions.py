"""Versions: agents identified by the hash of everything that affects their behaviour. `ledger` names the champion."""

import contextlib
import importlib.metadata
import platform
from datetime import UTC, datetime

import msgspec

import verigym
from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.names import check_name
from verigym.core.records import Harness, Version, content_hash
from verigym.core.words import counted
from verigym.model import embedded
from verigym.registry.checkpoints import find_checkpoint
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
    newer = {
        name: getattr(version, name)
        for name in ("tools", "examples", "skills", "harness", "program", "quantized", "full")
    }
    behaviour |= {name: value for name, value in newer.items() if value}  # ids of older versions stay
    return content_hash(behaviour)[:12]


def kind_of(version: Version) -> str:
    """`base`, or how it differs from its base model: `adapter`, `prompt`, `adapter + constrained`, ..."""
    if version.recipe.get("algorithm") == "reward":
        return "reward model"
    parts = {
        "adapter": bool(version.adapter) and not version.full,
        "all parameters": version.full,
        "prompt": version.system_prompt is not None,
        "tools": bool(version.tool_descriptions),
        "constrained": bool(version.constraints),
        "sampling": version.sampling is not None,
        "added tools": bool(version.tools),
        "examples": bool(version.examples),
        "skills": bool(version.skills),
        "harness": version.harness is not None,
        "program": bool(version.program),
        "4-bit base": bool(version.quantized),
    }
    return " + ".join(name for name, has in parts.items() if has) or "base"


def weights_label(version: Version) -> str:
    """What the hash in `Version.adapter` names."""
    return "all parameters" if version.full else "adapter"


def harness_text(harness: Harness) -> str:
    """`16 turns, 2 format retries`"""
    words = {
        "turns": counted(harness.turns, "turn"),
        "compact_at": f"compaction at {harness.compact_at:,} tokens",
        "format_retries": f"{harness.format_retries} format retries",
    }
    return ", ".join(text for name, text in words.items() if getattr(harness, name)) or "the environment's settings"


def register(store: Store, version: Version) -> Version:
    """Stores the version permanently with its id, creation time, software versions and seal. A known version is returned as first
    registered."""
    id = version_id(version)
    registered = store.get("version", id, Version)
    if registered is not None:
        return registered
    check_name(version.name)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    version = msgspec.structs.replace(version, id=id, made=now, software=software(), seal="")
    version = msgspec.structs.replace(version, seal=content_hash(version))
    store.put("version", id, version)
    return store.get("version", id, Version) or version  # another process may have been first


def software() -> dict[str, str]:
    numbers = {"verigym": verigym.__version__, "python": platform.python_version()}
    for name in ("torch", "transformers"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            numbers[name] = importlib.metadata.version(name)
    return numbers


def resolve(store: Store, text: str) -> Version:
    """Finds a version by `champion`, `latest`, id, base model, name, id prefix or checkpoint (RUN@STEP), in this order. The
    embedded model keeps its name, whatever a server or folder calls its model."""
    versions = store.documents("version", Version)
    if text == "champion":
        current = champion(store)
        if current is None:
            raise NotFound(
                "No champion exists yet. Evaluate a model (verigym eval ENV -m MODEL), then promote it: verigym promote VERSION"
            )
        text = current
    if text == "latest" and versions:
        return versions[-1]
    base = version_id(Version(base=text))
    matches = (
        [version for version in versions if version.id == text]
        or [version for version in versions if version.id == base]
        or [version for version in versions if version.name == text != embedded.NAME]
        or [version for version in versions if text and version.id.startswith(text)]
    )
    if not matches and (checkpoint := find_checkpoint(store, text)):
        registered = next((version for version in versions if version.id == checkpoint.id), checkpoint)
        chosen_on = sorted({*registered.chosen_on, *checkpoint.chosen_on})
        return msgspec.structs.replace(registered, chosen_on=chosen_on)
    if not matches:
        names = [name for one in versions for name in (one.id, one.name) if name]
        remedy = "List them: verigym models list. verigym eval and verigym train create versions."
        raise not_found("version", text, names, remedy)
    if len(matches) > 1:
        ids = ", ".join(version.id for version in matches)
        raise BadInput(f'"{text}" matches {len(matches)} versions: {ids}. Name one by its id')
    return matches[0]
