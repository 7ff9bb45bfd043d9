"""Where a version is weak: the results of a report by family, tag or difficulty, the worst first."""

from collections import defaultdict
from collections.abc import Callable
from statistics import fmean

from msgspec import Struct

from verigym.core.errors import Refused
from verigym.core.records import Estimate, Report, TaskResult
from verigym.evaluation.stats import clustered_mean

DIFFICULTY = "difficulty:"
"""How a task says how hard it is: by a tag, such as `difficulty:hard`."""
UNNAMED = "(none)"

DIVISIONS: dict[str, Callable[[TaskResult], list[str]]] = {
    "family": lambda one: [one.family],
    "tag": lambda one: [tag for tag in one.tags if not tag.startswith(DIFFICULTY)],
    "difficulty": lambda one: [tag.removeprefix(DIFFICULTY) for tag in one.tags if tag.startswith(DIFFICULTY)],
}
"""What the tasks can be divided by, and the slices that a task is in."""


class Slice(Struct, frozen=True, kw_only=True):
    name: str
    tasks: int
    families: int
    success: Estimate
    """Clustered by family; of one family alone, its tasks taken as independent."""
    reward: float


def breakdown(report: Report, by: str) -> list[Slice]:
    """By one of `DIVISIONS`. A task with several tags is in several slices, one without any in `(none)`, one that could not be
    scored nowhere."""
    members: dict[str, list[TaskResult]] = defaultdict(list)
    for result in report.results:
        if not result.error:
            for name in DIVISIONS[by](result) or [UNNAMED]:
                members[name].append(result)
    if set(members) == {UNNAMED}:
        raise Refused(
            f'no task of suite "{report.suite.name}" '
            + ("has a tag" if by == "tag" else f"says how hard it is: tag tasks {DIFFICULTY}easy, {DIFFICULTY}hard")
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
