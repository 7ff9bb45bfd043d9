"""A process that moves the champion back and forth until it is killed; it imports the registry and the store alone."""

import random
from pathlib import Path
from typing import Any

from verigym.core.records import Decision
from verigym.registry import ledger
from verigym.store.database import Store

ONE, OTHER, REPORT = "a" * 12, "b" * 12, "a" * 12


def move(path: Path, said: Any, seed: int) -> None:
    """Promotes the one that is not champion, or rolls back; says each entry's number once it is written."""
    store, chance = Store(path), random.Random(seed)
    while True:
        now = ledger.champion(store)
        assert now in (ONE, OTHER)
        if chance.random() < 0.5:
            decision = Decision(
                candidate=OTHER if now == ONE else ONE,
                champion=now,
                verdict="PROMOTE",
                words="x" * 2000,
                reports=[REPORT],
            )
            entry = ledger.promote(store, decision)
        else:
            entry = ledger.rollback(store, OTHER if now == ONE else ONE)
        said.send(entry.seq)


def promote_once(path: Path, candidate: str, ready: Any, said: Any) -> None:
    """Promotes over the champion as it is when both are `ready`; says how that went."""
    from verigym.core.errors import Refused

    store = Store(path)
    now = ledger.champion(store)
    assert now is not None
    ready.wait(600)
    try:
        ledger.promote(store, Decision(candidate=candidate, champion=now, verdict="PROMOTE", reports=[REPORT]))
        said.send("champion")
    except Refused as refused:
        said.send(str(refused))
