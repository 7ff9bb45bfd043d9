"""The tree of versions: kinds, verdicts, and who was champion when."""

from verigym.core.records import Decision, Harness, Version
from verigym.registry.ledger import LedgerEntry
from verigym.registry.lineage import lineage_nodes


def entry(seq: int, kind: str, candidate: str, verdict: str, before: str | None, after: str | None) -> LedgerEntry:
    decision = Decision(candidate=candidate, champion=before or "", verdict=verdict, kind=kind)  # pyright: ignore[reportArgumentType]
    when = f"2026-01-0{seq}T08:00:00+00:00"
    return LedgerEntry(
        seq=seq,
        prev="",
        decision=decision,
        champion_before=before,
        champion_after=after,
        when=when,
        who="",
        why="",
        hash="",
    )


def test_nodes_have_kind_verdict_and_the_date_of_promotion() -> None:
    versions = [
        Version(id="b", base="m"),
        Version(id="p", base="m", parent="b", system_prompt="Be brief."),
        Version(id="w", base="m", parent="p", adapter="sha", system_prompt="Be brief."),
        Version(id="h", base="m", parent="b", harness=Harness(turns=4)),
    ]
    entries = [
        entry(1, "first", "b", "PROMOTE", None, "b"),
        entry(2, "gate", "p", "REJECT", "b", "b"),
        entry(3, "gate", "p", "PROMOTE", "b", "p"),
        entry(4, "gate", "w", "NEED MORE DATA", "p", "p"),
    ]
    nodes = {node.id: node for node in lineage_nodes(versions, entries, lambda id: f"/versions/{id}")}
    assert [nodes[id].kind for id in "bpwh"] == ["base", "prompt", "weights", "constraint"]
    assert [nodes[id].verdict for id in "bpwh"] == ["", "PROMOTE", "NEED MORE DATA", ""]
    assert [nodes[id].since for id in "bpwh"] == ["2026-01-01", "2026-01-03", "", ""]
    assert [id for id, node in nodes.items() if node.champion] == ["p"] and nodes["w"].href == "/versions/w"


def test_an_empty_ledger_has_no_champion() -> None:
    assert not lineage_nodes([Version(id="b", base="m")], [])[0].champion
    assert lineage_nodes([], []) == []
