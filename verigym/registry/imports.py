"""Versions whose weights were trained elsewhere: what is stored of their origin, and in words what is not known of it."""

from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import Version
from verigym.store.database import Store

KEY = "imported"
"""Key of `Version.recipe`."""
UNKNOWN = "training data unknown"


class ImportedWeights(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where imported weights come from, as far as the files and the importer say."""

    trained_by: str
    """The trainer, such as verl."""
    files: dict[str, str]
    """File name to sha256, as the files were imported."""
    folder: str = ""
    named_base: str = ""
    """The base model that the files name."""
    data: str = ""
    """Name of the dataset that the importer says it was trained on. Empty if unknown."""
    note: str = ""
    """What the importer says about the training."""


def imported_weights(version: Version) -> ImportedWeights | None:
    """The origin of imported weights. None if they were trained here."""
    found: Any = version.recipe.get(KEY)
    return msgspec.convert(found, ImportedWeights) if found else None


def origin_words(version: Version) -> str:
    """`trained by verl, imported from out/step_100, training data unknown`. Empty if it was trained here."""
    origin = imported_weights(version)
    if origin is None:
        return ""
    data = f"trained on dataset {origin.data}, as its importer says" if origin.data else UNKNOWN
    note = f" ({origin.note})" if origin.note else ""
    return f"trained by {origin.trained_by}, imported from {origin.folder}, {data}{note}"


def with_unknown_data(store: Store, *versions: Version) -> list[str]:
    """What is not known of the training data of versions and of those that they were made from: one text for each import."""
    told: dict[str, str] = {}
    for version in versions:
        seen: set[str] = set()
        current: Version | None = version
        while current is not None and current.id not in seen:
            seen.add(current.id)
            origin = imported_weights(current)
            if origin is not None and not origin.data:
                label = f"{current.label} ({current.id})"
                told[current.adapter] = f"{label} was trained by {origin.trained_by} on data that Verigym did not see"
            current = store.get("version", current.parent, Version) if current.parent else None
    return list(told.values())
