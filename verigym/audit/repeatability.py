"""Whether the same output always gets the same verdict: again, in another order, in another process, on another day.

What differs says where to look, so each way of asking again has words of its own.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from verigym.audit.scripted_episodes import Answer
from verigym.audit.subprocess_scoring import ScoringGroup, ScoringJob, in_fresh_process, score
from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Verdict
from verigym.harness.environment import EnvironmentSpec

_PATIENCE_S = 120.0
_NOISY = 0.1
"""Share of verdicts that a judge may change when it is asked again."""


def same(one: Verdict, other: Verdict) -> bool:
    """Equal but for the words."""
    if one.reward is None or other.reward is None:
        return one.reward is other.reward
    ways = [
        (one.reward, other.reward),
        *((one.parts.get(name, math.nan), value) for name, value in other.parts.items()),
    ]
    return ((one.passed, one.unsafe, one.parts.keys()) == (other.passed, other.unsafe, other.parts.keys())) and all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in ways
    )


async def repeats(
    environment: EnvironmentSpec,
    groups: Sequence[ScoringGroup],
    context: Context,
    first: Mapping[str, Verdict],
    stored: Mapping[str, Verdict],
    processes: int,
) -> Answer:
    """`first` are the verdicts as they came the first time, `stored` those that this very version of the verifier left. Of other
    processes there are several: a set of two has the same order in every second one."""
    n, verifier = len(first), environment.verifier
    again = await score(verifier, groups, context)
    if words := _differing(first, again, "scored twice in a row"):
        return "fail", f"{words}. The verifier uses random numbers or the clock, or keeps state between calls"
    turned = [msgspec.structs.replace(group, trajectories=group.trajectories[::-1]) for group in reversed(groups)]
    if words := _differing(first, await score(verifier, turned, context), "scored in another order"):
        return "fail", f"{words}. The verifier depends on the order of outputs, or keeps state between calls"
    named = {one.verifier for one in first.values()}
    before = {id: verdict for id, verdict in stored.items() if verdict.verifier in named and verdict.reward is not None}
    if words := _differing(before, first, "scored again after the run"):
        return "fail", f"{words}. The verifier has the same version, so it depends on something outside the trajectory"
    work = _work(environment, groups, context)
    for seed in range(1, processes + 1):
        try:
            fresh = in_fresh_process(work, seed, _PATIENCE_S)
        except VerifierFailure as error:
            return "fail", str(error)
        if words := _differing(first, fresh.elsewhere, "scored in another process"):
            return (
                "fail",
                f"{words}. The verifier depends on the order of a set or on hash(), which differ between processes",
            )
        if words := _differing(fresh.elsewhere, fresh.a_year_later, "scored with the clock a year ahead"):
            return "fail", f"{words}. The verifier depends on today's date. Take the date from the task"
    return (
        "pass",
        f"{n} outputs scored again, in another order, in {processes} other processes and with the clock a year ahead",
    )


async def judge_repeats(
    environment: EnvironmentSpec, groups: Sequence[ScoringGroup], context: Context, first: Mapping[str, Verdict]
) -> Answer:
    """A judge may waver; how often is measured, in the same and in another order."""
    turned = [msgspec.structs.replace(group, trajectories=group.trajectories[::-1]) for group in reversed(groups)]
    changes: set[str] = set()
    for order in (groups, turned):
        found = await score(environment.verifier, order, context)
        changes |= {id for id, one in found.items() if id in first and one.passed != first[id].passed}
    if not any(one.reward is not None for one in first.values()):
        return "unclear", "the judge gave no verdict to compare with"
    share = len(changes) / len(first)
    words = f"asked three times, the judge changed its verdict on {len(changes)} of {len(first)} outputs ({100 * share:.0f}%)"
    if share > _NOISY:
        return "fail", f"{words}. Use more votes (Judge(votes=5)), a lower temperature or a better judge"
    return ("unclear" if changes else "pass"), words


def _work(environment: EnvironmentSpec, groups: Sequence[ScoringGroup], context: Context) -> ScoringJob:
    hashes = {sha256 for group in groups for one in group.trajectories for sha256 in one.blobs.values()}
    blobs = {sha256: context.blob(sha256) for sha256 in hashes}
    bare = [ScoringGroup(group.task, group.trajectories) for group in groups]
    return ScoringJob(environment.name, next(iter(environment.verifiers)), bare, blobs)


def _differing(one: Mapping[str, Verdict], other: Mapping[str, Verdict], how: str) -> str:
    """`scored twice in a row, 3 of 80 differ (run/task/0: 0.4, then 1)`; empty where none does."""
    ids = [id for id in one if id in other and not same(one[id], other[id])]
    if not ids:
        return ""
    said = [_said(verdicts[ids[0]]) for verdicts in (one, other)]
    return f"{how}, {len(ids)} of {len(one)} differ ({ids[0]}: {said[0]}, then {said[1]})"


def _said(verdict: Verdict) -> str:
    if verdict.reward is None:
        return f"no verdict ({verdict.error.message[:100] if verdict.error else ''})"
    return f"{verdict.reward:g}{' passed' if verdict.passed else ''}"
