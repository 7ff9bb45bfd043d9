"""Counts how often a held-out set was used. Every choice based on a set makes the chosen result look slightly too good.

The counts come from what is stored: reports, evaluations during training, and decisions.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from verigym.core.errors import NotFound, not_found
from verigym.core.records import Decision, Estimate, Suite
from verigym.evaluation.stats import expected_best

MANY_VERSIONS = 10
"""With more versions than this, the best of them is overestimated by more than one and a half standard errors."""


class SuiteUse(NamedTuple):
    """One measurement on a suite."""

    suite: Suite
    agent: str
    """Version id. Empty for an evaluation during training."""
    report: str
    """Report id. Empty if none was stored."""
    when: float


class HeldOutSet(Struct, frozen=True, kw_only=True):
    """A held-out set and how it was used."""

    suite: Suite
    version: int
    """1 for the first set with this name, 2 for the next with other tasks or another verifier, ..."""
    versions: list[str]
    """Versions measured on it, in order of first use."""
    training: int
    """Evaluations on it during training."""
    decisions: int
    """Ledger decisions that rest on a report on it."""
    seen_by: int
    """Versions measured on any set that shares a family with it."""
    last_used: float

    @property
    def title(self) -> str:
        return f"{self.suite.name}@{self.version}"


def held_out_sets(looks: Iterable[SuiteUse], decisions: Iterable[Decision]) -> list[HeldOutSet]:
    """By name and version."""
    by_hash: dict[str, list[SuiteUse]] = {}
    for look in sorted(looks, key=lambda look: look.when):
        by_hash.setdefault(look.suite.hash, []).append(look)
    relied = [_reports(decision) for decision in decisions]
    versions_of: dict[tuple[str, str], int] = {}
    found: list[HeldOutSet] = []
    for of_set in by_hash.values():
        suite = next((look.suite for look in of_set if look.agent), of_set[0].suite)
        key = suite.environment, suite.name
        versions_of[key] = versions_of.get(key, 0) + 1
        families, reports = set(suite.families), {look.report for look in of_set if look.report}
        near = [other for other in by_hash.values() if not families.isdisjoint(other[0].suite.families)]
        found.append(
            HeldOutSet(
                suite=suite,
                version=versions_of[key],
                versions=_agents(of_set),
                training=sum(not look.agent for look in of_set),
                decisions=sum(not reports.isdisjoint(one) for one in relied),
                seen_by=len(_agents([look for other in near for look in other])),
                last_used=of_set[-1].when,
            )
        )
    return sorted(found, key=lambda one: (one.suite.environment, one.suite.name, one.version))


def find(sets: Sequence[HeldOutSet], text: str) -> HeldOutSet:
    """Finds a set by NAME (its newest version), NAME@VERSION, or a prefix of its hash."""
    exact = [one for one in sets if one.title == text]
    named = exact or [one for one in sets if one.suite.name == text]
    if len({one.suite.environment for one in named}) > 1:
        hashes = ", ".join(f"{one.suite.hash[:8]} ({one.suite.environment})" for one in named)
        raise NotFound(f'"{text}" names sets of several environments. Name it by its hash:  {hashes}')
    named = named or [one for one in sets if len(text) >= 6 and one.suite.hash.startswith(text)]
    if not named:
        raise not_found("held-out set", text, [one.title for one in sets], "See: verigym suites")
    return named[-1]


def uses(one: HeldOutSet) -> str:
    """`4 versions measured, 12 evaluations while training, 2 decisions`"""
    counts = [(len(one.versions), "version{} measured"), (one.training, "evaluation{} while training")]
    counts.append((one.decisions, "decision{}"))
    used = ", ".join(f"{n} {words.format('' if n == 1 else 's')}" for n, words in counts if n)
    more = one.seen_by > len(one.versions)
    return used + (f" (some of its families by {one.seen_by} versions)" if more else "")


def overuse_warning(one: HeldOutSet, success: Estimate) -> str:
    """A warning. Empty while the set was not used too often."""
    if one.seen_by <= MANY_VERSIONS:
        return ""
    points = 100 * expected_best(one.seen_by) * (success.high - success.low) / 2 / 1.96
    return (
        f"{one.seen_by} versions were measured on these families (more than {MANY_VERSIONS}). By chance alone, the best "
        f"of {one.seen_by} equal versions looks up to {points:.0f} points better than it is. Judge your final choice once, "
        "on families that guided no choice: add some, or reserve a part for the end (--part 1/3 now, --part 2/3 later)"
    )


def _agents(looks: Iterable[SuiteUse]) -> list[str]:
    return list(dict.fromkeys(look.agent for look in looks if look.agent))


def _reports(decision: Decision) -> set[str]:
    return {*decision.reports, *(id for one in decision.measured for id in (one.candidate, one.champion))}
