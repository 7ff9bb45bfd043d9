"""The Pareto front of success, tokens and safety."""

from collections.abc import Sequence

from verigym.optimize.records import CandidateFigures


def dominates(one: CandidateFigures, other: CandidateFigures) -> bool:
    """Whether `one` is at least as good in all three and better in one."""
    mine, theirs = _goals(one), _goals(other)
    return all(a >= b for a, b in zip(mine, theirs, strict=True)) and mine != theirs


def front(candidates: Sequence[CandidateFigures]) -> set[str]:
    """Ids of the versions that no other dominates."""
    return {one.version for one in candidates if not any(dominates(other, one) for other in candidates)}


def _goals(one: CandidateFigures) -> tuple[float, float, float]:
    return one.success, -one.tokens, -one.unsafe
