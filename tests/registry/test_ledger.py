import getpass
from typing import Literal

import msgspec
import pytest

from tests.registry.decided import REPORT, store_versions
from tests.registry.memory import MemoryStore
from verigym.core import codec
from verigym.core.errors import NotFound, Refused
from verigym.core.records import Check, Decision, content_hash
from verigym.registry.ledger import (
    BrokenChain,
    LedgerEntry,
    champion,
    entries,
    promote,
    record,
    rollback,
    set_first_champion,
    verify_chain,
)


def _decision(
    candidate: str, champion: str, verdict: Literal["PROMOTE", "REJECT", "NEED MORE DATA"] = "PROMOTE"
) -> Decision:
    return Decision(candidate=candidate, champion=champion, verdict=verdict, reports=[REPORT])


@pytest.fixture
def store() -> MemoryStore:
    """a was crowned, b and then c promoted."""
    store = MemoryStore()
    store_versions(store, *"abcde")
    set_first_champion(store, "a")
    promote(store, _decision("b", "a"))
    promote(store, _decision("c", "b"))
    return store


def test_an_empty_ledger_has_no_champion_and_is_sound():
    assert champion(MemoryStore()) is None
    assert verify_chain(MemoryStore()) == 0


def test_an_entry_says_who_when_why_from_what_and_to_what(store: MemoryStore):
    entry = promote(store, _decision("d", "c"), who="ada", why="fewer refusals")
    assert (entry.seq, entry.champion_before, entry.champion_after) == (4, "c", "d")
    assert (entry.who, entry.why) == ("ada", "fewer refusals")
    assert entry.when.endswith("+00:00")
    assert entries(store)[-1] == entry
    assert entries(store)[0].who == getpass.getuser()


def test_the_first_champion_is_crowned_once(store: MemoryStore):
    assert entries(store)[0].decision.kind == "first"
    with pytest.raises(Refused, match="the champion is now c"):
        set_first_champion(store, "d")


@pytest.mark.parametrize("verdict", ["REJECT", "NEED MORE DATA"])
def test_only_a_promote_moves_the_champion(store: MemoryStore, verdict: Literal["REJECT", "NEED MORE DATA"]):
    with pytest.raises(Refused, match=f"The gate decided {verdict}"):
        promote(store, _decision("d", "c", verdict))
    assert champion(store) == "c"


def test_a_rejection_is_recorded_and_moves_nothing(store: MemoryStore):
    entry = record(store, _decision("d", "c", "REJECT"), moves=False)
    assert (entry.champion_before, entry.champion_after) == ("c", "c")
    assert champion(store) == "c"


def test_an_override_moves_the_champion_only_with_a_reason(store: MemoryStore):
    override = msgspec.structs.replace(_decision("d", "c", "REJECT"), kind="override")
    with pytest.raises(Refused, match="needs a reason"):
        promote(store, override)
    assert promote(store, override, why="the suite is outdated").champion_after == "d"


def test_a_stale_decision_is_refused_and_leaves_no_entry(store: MemoryStore):
    with pytest.raises(Refused, match="compares d with b, but the champion is now c"):
        promote(store, _decision("d", "b"))
    assert len(entries(store)) == 3


def test_nothing_is_promoted_before_the_first_was_crowned():
    with pytest.raises(Refused, match="not set"):
        store = MemoryStore()
        store_versions(store, "a", "b")
        promote(store, _decision("b", "a"))


def test_rolling_back_twice_goes_two_steps_back(store: MemoryStore):
    record(store, _decision("d", "c", "REJECT"), moves=False)
    assert rollback(store, why="complaints").champion_after == "b"
    assert rollback(store).champion_after == "a"
    with pytest.raises(Refused, match=r"There is no earlier champion to roll back to\. a is the champion"):
        rollback(store)
    assert [entry.decision.kind for entry in entries(store)[-2:]] == ["rollback", "rollback"]


def test_after_a_rollback_and_a_promotion_the_way_back_is_the_way_come(store: MemoryStore):
    rollback(store)
    promote(store, _decision("d", "b"))
    assert rollback(store).champion_after == "b"


def test_a_rollback_can_name_any_earlier_champion(store: MemoryStore):
    assert rollback(store, "a").champion_after == "a"
    assert rollback(store, "c").champion_after == "c"
    with pytest.raises(NotFound, match='no earlier champion "x"\\. Available: a, b, c'):
        rollback(store, "x")
    with pytest.raises(Refused, match="c is the champion"):
        rollback(store, "c")


def test_an_empty_ledger_has_nothing_to_roll_back_to():
    with pytest.raises(Refused, match="No champion exists yet"):
        rollback(MemoryStore())


def test_a_sound_chain_is_verified(store: MemoryStore):
    assert verify_chain(store) == 3
    assert [entry.prev for entry in entries(store)] == ["", *(entry.hash for entry in entries(store)[:-1])]


def _rehashed(entry: LedgerEntry) -> bytes:
    bare = msgspec.structs.replace(entry, hash="")
    return codec.encode(msgspec.structs.replace(bare, hash=content_hash(bare)))


def test_a_changed_entry_is_found(store: MemoryStore):
    store.entries[1] = store.entries[1].replace(b'"why":""', b'"why":"a better story"')
    with pytest.raises(BrokenChain, match="Ledger entry 2 does not match its own hash") as caught:
        verify_chain(store)
    assert caught.value.seq == 2


def test_a_changed_entry_with_a_new_hash_breaks_the_next(store: MemoryStore):
    store.entries[1] = _rehashed(msgspec.structs.replace(entries(store)[1], who="mallory"))
    with pytest.raises(BrokenChain, match="Ledger entry 3 does not follow"):
        verify_chain(store)


def test_a_removed_entry_is_found(store: MemoryStore):
    del store.entries[1]
    with pytest.raises(BrokenChain, match="Ledger entry 2 does not follow"):
        verify_chain(store)


def test_a_champion_that_nothing_moved_is_found(store: MemoryStore):
    store.entries[2] = _rehashed(msgspec.structs.replace(entries(store)[2], champion_before="z"))
    with pytest.raises(BrokenChain, match="Ledger entry 3 does not start from the champion"):
        verify_chain(store)


def _forged(store: MemoryStore, decision: Decision, after: str | None, why: str = "") -> None:
    """Appends an entry with the right hashes, which `record` would refuse."""
    last = entries(store)[-1]
    changed = {"seq": last.seq + 1, "prev": last.hash, "champion_before": last.champion_after, "champion_after": after}
    store.entries.append(_rehashed(msgspec.structs.replace(last, decision=decision, why=why, **changed)))


FAILED = Check(name="better on held-out tasks", outcome="fail", words="worse")
FORGED: dict[str, tuple[Decision, str | None, str]] = {
    "rejected": (_decision("d", "c", "REJECT"), "d", "but its verdict is REJECT"),
    "unclear": (_decision("d", "c", "NEED MORE DATA"), "d", "but its verdict is NEED MORE DATA"),
    "another candidate": (_decision("d", "c"), "e", "that is not its candidate"),
    "no champion": (_decision("d", "c"), None, "that is not its candidate"),
    "about another champion": (_decision("d", "b"), "d", "by a decision about another one"),
    "no reason": (Decision(candidate="d", champion="c", verdict="REJECT", kind="override"), "d", "without a reason"),
    "never champion": (
        Decision(candidate="d", champion="c", verdict="PROMOTE", kind="rollback"),
        "d",
        "never champion",
    ),
    "a second first": (
        Decision(candidate="d", champion="c", verdict="PROMOTE", kind="first"),
        "d",
        "after another one",
    ),
    "a check failed": (
        msgspec.structs.replace(_decision("d", "c"), checks=[FAILED]),
        "d",
        'its check "better on held-out tasks" was not passed',
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_an_entry_that_cannot_have_moved_the_champion_is_found(store: MemoryStore, name: str):
    decision, after, words = FORGED[name]
    _forged(store, decision, after)
    with pytest.raises(BrokenChain, match=f"Ledger entry 4 .*{words}"):
        verify_chain(store)


def test_decisions_that_may_move_the_champion_are_sound(store: MemoryStore):
    record(store, _decision("d", "c", "REJECT"), moves=False)
    rejected = msgspec.structs.replace(_decision("d", "c", "REJECT"), kind="override", checks=[FAILED])
    promote(store, rejected, why="the suite is outdated")
    rollback(store, "a")
    assert verify_chain(store) == 6


def test_a_promotion_whose_checks_failed_is_refused(store: MemoryStore):
    with pytest.raises(Refused, match='"better on held-out tasks" was not passed'):
        promote(store, msgspec.structs.replace(_decision("d", "c"), checks=[FAILED]))


def test_an_entry_that_cannot_be_read_is_found(store: MemoryStore):
    store.entries[0] = b"{"
    with pytest.raises(BrokenChain, match="Ledger entry 1 cannot be read"):
        verify_chain(store)


def test_a_decision_about_an_unknown_version_is_refused(store: MemoryStore):
    for decision in (_decision("nobody", "c"), _decision("d", "nobody", "REJECT")):
        with pytest.raises(NotFound, match='"nobody"'):
            record(store, decision, moves=decision.verdict == "PROMOTE")
    with pytest.raises(NotFound, match='"nobody"'):
        set_first_champion(MemoryStore(), "nobody")
    assert len(entries(store)) == 3


def test_a_decision_of_the_gate_without_stored_reports_is_refused(store: MemoryStore):
    bare = Decision(candidate="d", champion="c", verdict="PROMOTE")
    with pytest.raises(Refused, match=r"names no reports\. Run verigym gate d"):
        promote(store, bare)
    with pytest.raises(NotFound, match='"forged"'):
        promote(store, msgspec.structs.replace(bare, reports=["forged"]))
    assert champion(store) == "c"
    promote(store, msgspec.structs.replace(bare, kind="override"), why="it is urgent")
    assert champion(store) == "d"
