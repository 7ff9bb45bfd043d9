"""Checks the integrity of stored files and records: the ledger's chain, versions, adapters, reports, datasets, recipes.

Everything is named by the hash of its content, so damage is detected without a copy. The ledger holds the seals of the versions
that it names. Not covered: trajectories and verdicts, the metrics of a training run, reports that were deleted and that no entry
names, the base model's files, and an attacker who rewrites an item together with every hash that depends on it. The ledger's
last hash, stored elsewhere, protects the ledger against that, and with it the versions and reports that it names.
"""

import hashlib
import math
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, VerigymError
from verigym.core.records import Dataset, Json, Version, content_hash
from verigym.registry import ledger
from verigym.registry.versions import version_id
from verigym.store.connection import StoreFailure
from verigym.store.database import Store, StoredDocument
from verigym.store.transfer import unreadable

T = TypeVar("T")
ADAPTER_FILE = "adapter_model.safetensors"
CONFIG_FILE = "adapter_config.json"
MODEL_FILE, MODEL_CONFIG_FILE = "model.safetensors", "config.json"
"""Of a version all of whose parameters were trained."""
_CLOCK_NS = 2 * 10**9
"""A file that was written this recently could be written again without a change of its times."""
_SHORTEST = 8
"""Minimum number of digits to identify a hash."""


class IntegrityCheck(Struct, frozen=True, kw_only=True):
    """The result for one checked item."""

    what: str
    """`ledger`, `version`, `adapter`, `recipe`, `report`, `data`, or of a damaged file `store` and `run`."""
    id: str
    sound: bool
    words: str


def check_integrity(store: Store, home: Path, only: Version | None = None, expect: str = "") -> list[IntegrityCheck]:
    """Checks everything in `home`, or the ledger and what belongs to one version. `expect` is a ledger hash noted earlier. If no
    entry has it, entries were removed or replaced since."""
    if damage := store.damage():
        broken = f"{store.path} is damaged ({damage})"
        remedy = "Copy the folder to another disk first. Then restore a backup, or save the runs that can still be read"
        return [_damaged("store", str(store.path), broken, remedy), *_readable_runs(store)]
    sealed_since = _sealed_since(store)
    stored, reports, data = store.bodies("version"), store.bodies("report"), store.bodies("dataset")
    if only is not None:
        stored = [document for document in stored if document.id == only.id]
        reports = [document for document in reports if _plain(document).get("agent") == only.id]
    versions = [version for document in stored if (version := _read(document, Version)) is not None]
    if only is not None:
        data = [document for document in data if document.id in {version.data_hash for version in versions}]
    return [
        *_ledger(store, expect),
        *(_version(document, sealed_since) for document in stored),
        *_adapters(home / "adapters", versions),
        *(_recipe(store, version) for version in versions if "run" in version.recipe),
        *map(_report, reports),
        *(_data(home / "data", document) for document in data),
    ]


def _readable_runs(store: Store) -> Iterator[IntegrityCheck]:
    """Which runs of a damaged store can be saved."""
    try:
        runs = store.runs()
    except StoreFailure as error:
        yield _damaged("store", str(store.path), f"its list of runs cannot be read ({error})", "Restore a backup")
        return
    for run in runs:
        if wrong := unreadable(store, run):
            yield IntegrityCheck(what="run", id=run.id, sound=False, words=f"cannot be read whole. {wrong}")
        else:
            file = f"{run.id.replace('/', '-')}.jsonl"
            words = f"can still be read. Save it: verigym runs export {run.id} --out {file}"
            yield _sound("run", run.id, words)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class RememberedHashes:
    """The hashes of large files, computed again only if a file was written since, for repeated checks in one process. Damage of
    the disk that leaves the times of a file unchanged is found by `check_integrity`, which reads every byte."""

    def __init__(self) -> None:
        self._hashes: dict[Path, tuple[tuple[int, ...], str]] = {}

    def sha256_of(self, path: Path) -> str:
        stat = path.stat()
        state = stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
        known = self._hashes.get(path)
        if known is not None and known[0] == state:
            return known[1]
        found = sha256_of(path)
        if time.time_ns() - max(stat.st_mtime_ns, stat.st_ctime_ns) > _CLOCK_NS:
            self._hashes[path] = state, found
        return found


def files_of(folder: Path) -> tuple[Path, Path]:
    """The weights and the settings of a stored adapter, or of a stored model."""
    if (folder / MODEL_FILE).exists():
        return folder / MODEL_FILE, folder / MODEL_CONFIG_FILE
    return folder / ADAPTER_FILE, folder / CONFIG_FILE


def _ledger(store: Store, expect: str) -> Iterator[IntegrityCheck]:
    try:
        count = ledger.verify_chain(store)
    except ledger.BrokenChain as broken:
        yield IntegrityCheck(what="ledger", id=str(broken.seq), sound=False, words=str(broken))
        return
    entries = ledger.entries(store)
    last = entries[-1].hash if entries else ""
    yield _sound("ledger", last, f"{count} entries, chain sound, last hash {last}" if last else "no entries yet")
    if expect:
        yield _expected(entries, expect)
    bodies = {kind: {document.id: document for document in store.bodies(kind)} for kind in ("version", "report")}
    stored = {kind: set(documents) for kind, documents in bodies.items()}
    plain = {id: _plain(document) for id, document in bodies["version"].items()}
    seals = {id: version.get("seal", "") for id, version in plain.items() if version}
    for entry in entries:
        for id, seal in entry.decision.seals.items():
            if seals.get(id, seal) != seal:
                del seals[id]  # each version is reported once
                changed = (
                    f"entry {entry.seq} holds another seal of version {id}: its provenance or its seal was changed"
                )
                yield _damaged("ledger", str(entry.seq), changed)
        measured = [id for suite in entry.decision.measured for id in (suite.candidate, suite.champion)]
        named = {
            "version": {entry.champion_before, entry.champion_after, entry.decision.candidate},
            "report": {*entry.decision.reports, *measured},
        }
        for kind, ids in named.items():
            for id in sorted(id for id in ids if id and id not in stored[kind]):
                gone = f"entry {entry.seq} names {kind} {id}, which is no longer in the store"
                yield _damaged("ledger", str(entry.seq), gone)


def _expected(entries: list[ledger.LedgerEntry], expect: str) -> IntegrityCheck:
    if len(expect) < _SHORTEST or not set(expect.lower()) <= set("0123456789abcdef"):
        raise BadInput(
            f'--expect "{expect}" is not valid. Pass at least {_SHORTEST} digits of the hash that models check-integrity printed'
        )
    for entry in entries:
        if entry.hash.startswith(expect.lower()):
            words = f"the hash {expect[:12]} is that of entry {entry.seq} of {len(entries)}"
            return _sound("ledger", entry.hash, words)
    removed = f"No entry has the hash {expect[:12]}. Entries were removed or replaced after it was noted"
    return _damaged("ledger", expect, removed)


def _read(document: StoredDocument, kind: type[T]) -> T | None:
    try:
        return codec.decode(document.body, kind)
    except BadInput:
        return None


def _plain(document: StoredDocument) -> Json:
    """The stored data, whatever fields records have now. Empty if it cannot be read."""
    try:
        data: Any = msgspec.json.decode(document.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return {name: value for name, value in data.items() if name != "schema"} if isinstance(data, dict) else {}


def _schema(document: StoredDocument) -> int:
    """The schema version of a stored record. 1 if the record does not say."""
    try:
        return msgspec.json.decode(document.body, type=_SchemaField).schema
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 1


class _SchemaField(Struct):
    schema: int = 1


def _sealed_since(store: Store) -> float:
    """When the first version with a seal was stored. Every later one was stored by a verigym that seals."""
    sealed = (document.created for document in store.bodies("version") if _plain(document).get("seal"))
    return min(sealed, default=math.inf)


def _version(document: StoredDocument, sealed_since: float) -> IntegrityCheck:
    id, version = document.id, _read(document, Version)
    if version is None:
        return _damaged("version", id, "cannot be read")
    if id != version.id or version_id(version) != id:
        changed = f"its behaviour fields were changed: its content has the id {version_id(version)}"
        return _damaged("version", id, changed)
    plain = _plain(document)
    seal = plain.pop("seal", "")
    # The fields made and software are as old as seals.
    newer = _schema(document) >= codec.SCHEMA_VERSION or version.made or version.software
    if not seal and (newer or document.created > sealed_since):
        return _damaged("version", id, "its seal was removed, so its provenance cannot be checked")
    if seal and content_hash(plain) != seal:
        return _damaged("version", id, "its provenance was changed: name, parent, recipe, data or families")
    words = "unchanged" if seal else "unchanged, except that its provenance is too old to check"
    return _sound("version", id, f"{version.name or version.base}: {words}")


def _report(document: StoredDocument) -> IntegrityCheck:
    id, plain = document.id, _plain(document)
    if not plain:
        return _damaged("report", id, "cannot be read")
    if plain.get("id") != id or content_hash({**plain, "id": ""})[:12] != id:
        return _damaged("report", id, "its figures or results were changed")
    return _sound("report", id, f"{plain['agent']} on {plain['suite']['name']}: unchanged")


def _data(folder: Path, document: StoredDocument) -> IntegrityCheck:
    id, dataset = document.id, _read(document, Dataset)
    if dataset is None:
        return _damaged("data", id, "cannot be read")
    path = folder / f"{id}.jsonl"
    again = f"Restore it, or make it again ({dataset.source})"
    if not path.is_file():
        return _damaged("data", id, f"{path} is missing", again)
    if sha256_of(path) != id:
        return _damaged("data", id, f"{path} was changed: its bytes have another hash", again)
    return _sound("data", id, f"{dataset.name}: {dataset.rows} rows, unchanged")


def _sound(what: str, id: str, words: str) -> IntegrityCheck:
    return IntegrityCheck(what=what, id=id, sound=True, words=words)


def _damaged(what: str, id: str, words: str, remedy: str = "Restore the store from a backup") -> IntegrityCheck:
    return IntegrityCheck(what=what, id=id, sound=False, words=f"{words}. {remedy}")


def _adapters(folder: Path, versions: list[Version]) -> Iterator[IntegrityCheck]:
    """Checks each adapter once, even if several versions use it."""
    for id, version in {version.adapter: version for version in reversed(versions) if version.adapter}.items():
        again = f"Restore it, or train {version.label} again: on the same machine its recipe gives the same weights"
        if "imported" in version.recipe:
            again = f"Restore it, or import it again from {version.recipe['imported'].get('folder')}"
        weights, settings = files_of(folder / id)
        if not weights.is_file():
            yield _damaged("adapter", id, f"{weights} is missing", again)
        elif sha256_of(weights) != id:
            yield _damaged("adapter", id, f"{weights} {_how_damaged(weights)}", again)
        elif not settings.is_file():
            yield _damaged("adapter", id, f"{settings} is missing", again)
        elif version.adapter_config and sha256_of(settings) != version.adapter_config:
            holds = "configuration of the model" if version.full else "rank and scale"
            yield _damaged("adapter", id, f"{settings} was changed: it holds the {holds}", again)
        else:
            yield _sound("adapter", id, f"{version.label}: {weights.stat().st_size:,} bytes, unchanged")


def _how_damaged(weights: Path) -> str:
    """Truncated or changed: a safetensors file starts with the length of its header, which says where the last tensor ends."""
    size = weights.stat().st_size
    try:
        with weights.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            head = msgspec.json.decode(file.read(length), type=dict[str, Any])
        whole = 8 + length + max(tensor["data_offsets"][1] for name, tensor in head.items() if name != "__metadata__")
    except (struct.error, msgspec.DecodeError, UnicodeDecodeError, OverflowError, MemoryError, LookupError, ValueError):
        return f"was changed: its header cannot be read ({size:,} bytes)"
    return f"was truncated: {size:,} of {whole:,} bytes" if size < whole else "was changed: its bytes have another hash"


def _recipe(store: Store, version: Version) -> IntegrityCheck:
    """Compares the recipe with the run that used it. A run is named by the hash of its settings."""
    recipe = {name: value for name, value in version.recipe.items() if name != "run"}
    run, wrong = str(version.recipe["run"]), ""
    try:
        config = store.run(run).config
    except VerigymError:
        return _damaged("recipe", run, f"recipe of {version.id}: run {run}, which made it, is not in the store")
    data = config.get("data") or config.get("tasks")
    if run.rpartition("-")[2] != content_hash(config)[:8]:
        wrong = f"the settings of run {run} were changed"
    elif recipe != config.get("recipe"):
        wrong = f"it is not the recipe of run {run}"
    elif data and data != version.data_hash:
        wrong = f"run {run} used other data ({data[:12]})"
    elif "data" in config and store.get("dataset", config["data"], Dataset) is None:
        wrong = f"its dataset {config['data'][:12]} is not in the store"
    if wrong:
        return _damaged("recipe", run, f"recipe of {version.id}: {wrong}")
    return _sound("recipe", run, f"{version.label}: matches run {run}, data {version.data_hash[:12] or 'none'}")
