"""The ledger: an append-only chain of decisions. It alone determines which version is champion.

Each entry holds the hash of the previous one, so a changed entry is detected. A truncated ledger is not: store the last hash
elsewhere to detect that. `gates` decides whether a candidate deserves promotion. Only a decision moves the champion.
"""

import getpass
import os
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, Refused, VerigymError, not_found
from verigym.core.printable import Printable
from verigym.core.records import Decision, Report, Version, content_hash
from verigym.store.database import Store


class BrokenChain(VerigymError):
    """The ledger was changed after it was written."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(
            f"Ledger entry {seq} {reason}. It was changed after it was written, or verigym did not write it. "
            "Restore the store from a backup"
        )
        self.seq = seq


class LedgerEntry(Printable, Struct, frozen=True, kw_only=True):
    seq: int
    """1, 2, 3, ..."""
    prev: str
    """Hash of the previous entry. Empty for the first."""
    decision: Decision
    champion_before: str | None
    champion_after: str | None
    """The same as before if the decision moved nothing."""
    when: str
    """UTC, ISO 8601."""
    who: str
    why: str
    hash: str
    """Hash of all fields above."""


def entries(store: Store) -> list[LedgerEntry]:
    """All entries, oldest first."""
    return [codec.decode(data, LedgerEntry) for data in store.ledger()]


def champion(store: Store) -> str | None:
    """Version id of the champion. None before the first."""
    last = store.last_of_ledger()
    return codec.decode(last, LedgerEntry).champion_after if last is not None else None


def record(store: Store, decision: Decision, moves: bool, who: str = "", why: str = "") -> LedgerEntry:
    """Appends a decision about stored versions. With `moves`, its candidate becomes champion if the decision allows it and is not
    stale. A decision of the gate must name the stored reports that it compares."""
    why = why or decision.why
    decision = msgspec.structs.replace(decision, seals=_seals(store, decision))
    _check_reports(store, decision)
    if moves:
        _check_may_move(decision, why)
    written: list[LedgerEntry] = []

    def make(last: bytes | None) -> bytes:
        previous = codec.decode(last, LedgerEntry) if last is not None else None
        before = previous.champion_after if previous else None
        if moves and (before or "") != decision.champion:
            raise Refused(
                f"This decision is outdated. It compares {decision.candidate} with {decision.champion or 'no champion'}, but the "
                f"champion is now {before or 'not set'}. Repeat it: verigym gate {decision.candidate}"
            )
        entry = LedgerEntry(
            seq=previous.seq + 1 if previous else 1,
            prev=previous.hash if previous else "",
            decision=decision,
            champion_before=before,
            champion_after=decision.candidate if moves else before,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            who=who or current_user(),
            why=why,
            hash="",
        )
        written[:] = [msgspec.structs.replace(entry, hash=_hash(entry))]
        return codec.encode(written[0])

    store.append_ledger(make)
    return written[0]


def promote(store: Store, decision: Decision, who: str = "", why: str = "") -> LedgerEntry:
    """Makes the candidate champion. Needs a PROMOTE from the gate, or an override with a reason."""
    return record(store, decision, moves=True, who=who, why=why)


def set_first_champion(store: Store, version_id: str, who: str = "", why: str = "") -> LedgerEntry:
    """Sets the first champion, usually the base agent, which has nothing to beat."""
    decision = Decision(
        candidate=version_id, champion="", verdict="PROMOTE", kind="first", words=f"{version_id} is the first champion."
    )
    return record(store, decision, moves=True, who=who, why=why)


def rollback_target(history: list[LedgerEntry], to: str | None = None) -> str:
    """The target of a rollback: the previous champion, or a named earlier one. Rolling back twice goes two steps back, not back
    and forth."""
    now = history[-1].champion_after if history else None
    target = _named_champion(history, to) if to is not None else _champion_before(history)
    if target == now or target is None:
        raise Refused(
            f"There is no earlier champion to roll back to. {f'{now} is the champion' if now else 'No champion exists yet'}"
        )
    return target


def rollback(store: Store, to: str | None = None, who: str = "", why: str = "") -> LedgerEntry:
    """Makes an earlier champion the champion again. See `rollback_target`."""
    history = entries(store)
    target = rollback_target(history, to)
    now = history[-1].champion_after or ""
    decision = Decision(
        candidate=target, champion=now, verdict="PROMOTE", kind="rollback", words=f"Rolled back from {now} to {target}."
    )
    return record(store, decision, moves=True, who=who, why=why)


def verify_chain(store: Store) -> int:
    """The number of entries, if all are intact. Raises `BrokenChain` for the first that is not."""
    previous: LedgerEntry | None = None
    champions: set[str | None] = set()
    for seq, data in enumerate(store.ledger(), start=1):
        previous = verify_entry(seq, data, previous, champions)
        champions.add(previous.champion_after)
    return previous.seq if previous else 0


def verify_entry(seq: int, data: bytes, previous: LedgerEntry | None, champions: set[str | None]) -> LedgerEntry:
    """The entry, if it is intact and follows the previous one. `champions` are all earlier champions. Raises `BrokenChain`."""
    try:
        entry = codec.decode(data, LedgerEntry)
    except BadInput as error:
        raise BrokenChain(seq, "cannot be read") from error
    if entry.hash != _hash(entry):
        raise BrokenChain(seq, "does not match its own hash")
    if entry.seq != seq or entry.prev != (previous.hash if previous else ""):
        raise BrokenChain(seq, "does not follow the previous entry")
    if entry.champion_before != (previous.champion_after if previous else None):
        raise BrokenChain(seq, "does not start from the champion of the previous entry")
    if entry.champion_after != entry.champion_before and (wrong := _wrong_move(entry, champions)):
        raise BrokenChain(seq, wrong)
    return entry


def _seals(store: Store, decision: Decision) -> dict[str, str]:
    """The seals of the versions that the decision is about. Refuses unknown ones."""
    seals: dict[str, str] = {}
    for id in filter(None, (decision.candidate, decision.champion)):
        version = store.get("version", id, Version)
        if version is None:
            names = [version.id for version in store.documents("version", Version)]
            raise not_found("version", id, names, "List them: verigym models list")
        if version.seal:
            seals[id] = version.seal
    return seals


def _check_reports(store: Store, decision: Decision) -> None:
    if decision.kind != "gate":
        return
    if not decision.reports:
        raise Refused(
            f"This decision of the gate for {decision.candidate} names no reports. Run verigym gate {decision.candidate}, "
            "which measures first. To promote it without a measurement, pass --override REASON"
        )
    for id in decision.reports:
        if store.get("report", id, Report) is None:
            raise not_found("report", id, [], "A decision of the gate must name stored reports")


def _check_may_move(decision: Decision, why: str) -> None:
    if decision.kind == "override":
        if not why:
            raise Refused(f"An override of the gate for {decision.candidate} needs a reason. Pass --override REASON")
    elif decision.verdict != "PROMOTE":
        raise Refused(
            f"The gate decided {decision.verdict} for {decision.candidate}. It was not promoted. "
            "To promote it anyway, pass --override REASON"
        )
    elif failed := _not_passed(decision):
        raise Refused(
            f'The gate decided PROMOTE for {decision.candidate}, but its check "{failed}" was not passed. Repeat it: '
            f"verigym gate {decision.candidate}"
        )


def _not_passed(decision: Decision) -> str:
    """A check that contradicts PROMOTE. Empty if none does."""
    names = (check.name for check in decision.checks if check.outcome in ("fail", "unclear"))
    return next(names, "") if decision.kind == "gate" else ""


def _wrong_move(entry: LedgerEntry, champions: set[str | None]) -> str:
    """Why the entry cannot have moved the champion. Empty if it can. `champions` are the earlier ones."""
    decision = entry.decision
    if entry.champion_after != decision.candidate:
        return "makes a version champion that is not its candidate"
    if decision.champion != (entry.champion_before or ""):
        return "moves the champion by a decision about another one"
    if decision.kind == "override":
        return "" if entry.why or decision.why else "moves the champion by an override without a reason"
    if decision.verdict != "PROMOTE":
        return f"moves the champion, but its verdict is {decision.verdict}"
    if decision.kind == "rollback" and decision.candidate not in champions:
        return "rolls back to a version that was never champion"
    if decision.kind == "first" and champions - {None}:
        return "names a first champion after another one"
    failed = _not_passed(decision)
    return f'says PROMOTE, but its check "{failed}" was not passed' if failed else ""


def _champion_before(history: list[LedgerEntry]) -> str | None:
    line: list[str] = []
    for entry in history:
        after = entry.champion_after
        if after is None or after == entry.champion_before:
            continue
        if entry.decision.kind == "rollback" and after in line:
            line = line[: line.index(after) + 1]
        else:
            line.append(after)
    return line[-2] if len(line) > 1 else None


def _named_champion(history: list[LedgerEntry], name: str) -> str:
    once = {entry.champion_after for entry in history if entry.champion_after is not None}
    if name not in once:
        raise not_found("earlier champion", name, once, "List them: verigym models ledger")
    return name


def current_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return str(os.getuid())


def _hash(entry: LedgerEntry) -> str:
    return content_hash(msgspec.structs.replace(entry, hash=""))
