"""Puts hostile text into every text of a stored workspace: ids, names, keys, messages, evidence, file names.

Equal texts stay equal, so that records still refer to each other. Texts whose type allows only some values stay as they are.
The types of the records tell which texts are free, so a new field of a record is poisoned without being listed here.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from verigym.core import codec
from verigym.core.records import Dataset, Feedback, Label, Report, Task, Toolset, Trajectory, Verdict, Version
from verigym.flywheel.trials import StoredTrial
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review
from verigym.registry.ledger import LedgerEntry

Change = Callable[[str], str]
KINDS: dict[str, type[Any]] = {
    "version": Version, "trained": Version, "role": Version, "report": Report, "feedback": Feedback, "label": Label,
    "proposal": Proposal, "review": Review, "taken": AcceptedBatch, "mining": MiningSummary, "tools": Toolset, "dataset": Dataset,
    "trial": StoredTrial,
}  # fmt: skip
"""Kinds of documents whose texts are changed. The others are stored by code that no page shows."""
_KEPT = ("type", "http", "verigym_format")


class Poison:
    """Changes texts, the same text always in the same way."""

    def __init__(self, payloads: list[str], start: int) -> None:
        self._payloads, self._next = payloads, start
        self._changed: dict[str, str] = {}
        self.used: set[str] = set()

    def __call__(self, text: str) -> str:
        if not text:
            return text
        if text not in self._changed:
            payload = self._payloads[self._next % len(self._payloads)]
            self._next += 1
            self.used.add(payload)
            self._changed[text] = text + payload
        return self._changed[text]


def change(value: Any, kind: inspect.Type, poison: Change) -> Any:
    """The value with every free text in it changed."""
    if isinstance(kind, inspect.Metadata):
        return change(value, kind.type, poison)
    if isinstance(kind, inspect.StrType) and isinstance(value, str):
        return poison(value)
    if isinstance(kind, inspect.UnionType):
        return _of_union(value, kind, poison)
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        fields = {field.encode_name: field.type for field in kind.fields}
        return {name: change(one, fields[name], poison) if name in fields else one for name, one in value.items()}
    if isinstance(kind, inspect.ListType | inspect.VarTupleType | inspect.SetType) and isinstance(value, list):
        return [change(one, kind.item_type, poison) for one in value]
    if isinstance(kind, inspect.TupleType) and isinstance(value, list):
        return [change(one, item, poison) for one, item in zip(value, kind.item_types, strict=False)]
    if isinstance(kind, inspect.DictType) and isinstance(value, dict):
        return {
            change(name, kind.key_type, poison): change(one, kind.value_type, poison) for name, one in value.items()
        }
    if isinstance(kind, inspect.AnyType):
        return _any(value, poison)
    return value


def _of_union(value: Any, kind: inspect.UnionType, poison: Change) -> Any:
    if isinstance(value, dict):
        structs = [one for one in kind.types if isinstance(one, inspect.StructType)]
        for one in structs:
            if one.tag is None or value.get(one.tag_field) == one.tag:
                return change(value, one, poison)
    if isinstance(value, str) and any(isinstance(one, inspect.LiteralType | inspect.EnumType) for one in kind.types):
        return value
    wanted = {str: inspect.StrType, list: inspect.ListType, dict: inspect.DictType}.get(type(value))
    for one in kind.types:
        if wanted is not None and isinstance(one, wanted):
            return change(value, one, poison)
    return _any(value, poison) if any(isinstance(one, inspect.AnyType) for one in kind.types) else value


def _any(value: Any, poison: Change) -> Any:
    if isinstance(value, str):
        return poison(value)
    if isinstance(value, list):
        return [_any(one, poison) for one in value]
    if isinstance(value, dict):
        return {poison(name): _any(one, poison) for name, one in value.items()}
    return value


def poisoned(body: bytes, type: type[Any], poison: Change) -> bytes:
    changed = change(msgspec.json.decode(body), inspect.type_info(type), poison)
    written = msgspec.json.encode(changed)
    codec.decode(written, type)
    return written


def poison_store(home: Path, poison: Change) -> None:
    """Changes every text of the store in place."""
    with sqlite3.connect(home / "store.db") as store:
        for name in ("ledger_no_update", "ledger_no_delete", "ledger_no_replace"):
            store.execute(f"DROP TRIGGER IF EXISTS {name}")
        for rowid, id, parent, verifier, config in store.execute(
            "SELECT rowid, id, parent, verifier, config FROM runs"
        ).fetchall():
            values = (poison(id), poison(parent), poison(verifier), msgspec.json.encode(_config(config, poison)), rowid)
            store.execute(
                "UPDATE runs SET id = ?, parent = ?, verifier = ?, config = ?, counts = NULL WHERE rowid = ?", values
            )
        for rowid, run, id, body in store.execute("SELECT rowid, run, id, body FROM tasks").fetchall():
            values = (poison(run), poison(id), poisoned(body, Task, poison), rowid)
            store.execute("UPDATE tasks SET run = ?, id = ?, body = ? WHERE rowid = ?", values)
        for rowid, id, run, task, body in store.execute(
            "SELECT rowid, id, run, task, body FROM trajectories"
        ).fetchall():
            values = (poison(id), poison(run), poison(task), poisoned(body, Trajectory, poison), rowid)
            store.execute("UPDATE trajectories SET id = ?, run = ?, task = ?, body = ? WHERE rowid = ?", values)
        for rowid, one, verifier, run, body in store.execute(
            "SELECT rowid, trajectory, verifier, run, body FROM verdicts"
        ).fetchall():
            values = (poison(one), poison(verifier), poison(run), poisoned(body, Verdict, poison), rowid)
            store.execute("UPDATE verdicts SET trajectory = ?, verifier = ?, run = ?, body = ? WHERE rowid = ?", values)
        for rowid, run in store.execute("SELECT rowid, run FROM metrics").fetchall():
            store.execute("UPDATE metrics SET run = ? WHERE rowid = ?", (poison(run), rowid))
        for rowid, kind, id, body in store.execute("SELECT rowid, kind, id, body FROM documents").fetchall():
            if kind in KINDS:
                values = (poison(id), poisoned(body, KINDS[kind], poison), rowid)
                store.execute("UPDATE documents SET id = ?, body = ? WHERE rowid = ?", values)
        for seq, body in store.execute("SELECT seq, body FROM ledger").fetchall():
            store.execute("UPDATE ledger SET body = ? WHERE seq = ?", (poisoned(body, LedgerEntry, poison), seq))


def _config(config: bytes, poison: Change) -> Any:
    """Settings of a run. Names of settings stay, because pages ask for them."""
    return {name: _any(value, poison) for name, value in msgspec.json.decode(config).items()}
