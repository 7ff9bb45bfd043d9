"""Versions as the nodes of a tree: who was made from whom, the last verdict about each, and who was champion when.

`draw/lineage.py` draws them.
"""

from collections.abc import Callable, Sequence

from verigym.core.records import Version
from verigym.draw.lineage import Kind, Node
from verigym.registry.ledger import LedgerEntry

_CONSTRAINTS = ("constraints", "sampling", "harness", "program")


def lineage_nodes(
    versions: Sequence[Version], entries: Sequence[LedgerEntry], href: Callable[[str], str] = lambda id: ""
) -> list[Node]:
    """One node per version. `href` makes the address of a version's page from its id."""
    verdicts: dict[str, str] = {}
    since: dict[str, str] = {}
    for entry in entries:
        if entry.decision.kind in ("gate", "override"):
            verdicts[entry.decision.candidate] = entry.decision.verdict
        if entry.champion_after and entry.champion_after != entry.champion_before:
            since.setdefault(entry.champion_after, entry.when[:10])
    champion = entries[-1].champion_after if entries else None
    return [
        Node(
            id=version.id,
            name=version.label,
            parent=version.parent,
            kind=_kind(version),
            verdict=verdicts.get(version.id, ""),
            since=since.get(version.id, ""),
            champion=version.id == champion,
            href=href(version.id),
        )
        for version in versions
    ]


def _kind(version: Version) -> Kind:
    """What the version changes, the most far-reaching change first."""
    if version.adapter:
        return "weights"
    if (
        version.system_prompt is not None
        or version.tool_descriptions
        or version.tools
        or version.examples
        or version.skills
    ):
        return "prompt"
    if any(getattr(version, name) for name in _CONSTRAINTS):
        return "constraint"
    return "base"
