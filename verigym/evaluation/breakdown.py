"""Breaks the results of a report down by family, tag or difficulty, the worst first."""

from collections import defaultdict
from collections.abc import Callable
from statistics import fmean

from msgspec import Struct

from verigym.core.errors import Refused
from verigym.core.records import Estimate, Report, TaskResult
from verigym.evaluation.stats import clustered_mean

DIFFICULTY = "difficulty:"
"""A tag sets the difficulty of a task, such as `difficulty:hard`."""
UNNAMED = "(none)"

DIVISIONS: dict[str, Callable[[TaskResult], list[str]]] = {
    "family": lambda one: [one.family],
    "tag": lambda one: [tag for tag in one.tags if not tag.startswith(DIFFICULTY)],
    "difficulty": lambda one: [tag.removeprefix(DIFFICULTY) for tag in one.tags if tag.startswith(DIFFICULTY)],
}
"""Each way to divide tasks, with a function that names the slices of a task."""


class Slice(Struct, frozen=True, kw_only=True):
    name: str
    tasks: int
    families: int
    success: Estimate
    """Clustered by family. For a single family, its tasks count as independent."""
    reward: float


def breakdown(report: Report, by: str) -> list[Slice]:
    """The results by one of `DIVISIONS`. A task with several tags is in several slices, a task without any in `(none)`, and a
    task that could not be scored in none."""
    members: dict[str, list[TaskResult]] = defaultdict(list)
    for result in report.results:
        if not result.error:
            for name in DIVISIONS[by](result) or [UNNAMED]:
                members[name].append(result)
    if set(members) == {UNNAMED}:
        raise Refused(
            f'no task of suite "{report.suite.name}" '
            + ("has a tag" if by == "tag" else f"has a difficulty. Tag tasks with {DIFFICULTY}easy, {DIFFICULTY}hard")
        )
    slices = [_slice(name, of) for name, of in members.items()]
    return sorted(slices, key=lambda one: (one.success.value, one.reward, one.name))


def _slice(name: str, results: list[TaskResult]) -> Slice:
    families = {one.family for one in results}
    clusters = [one.family if len(families) > 1 else one.task for one in results]
    return Slice(
        name=name,
        tasks=len(results),
        families=len(families),
        success=clustered_mean([one.passed for one in results], clusters, rate=True),
        reward=fmean(one.reward for one in results),
    )
