"""Records for tests of evaluation, gates and registry: tasks, episodes and reports from a line of figures."""

from collections.abc import Sequence

from verigym.core.records import Report, Task, TaskResult, Trajectory, Verdict
from verigym.evaluation.failures import EnvironmentRule
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import make_suite


def tasks(n: int, num_families: int | None = None) -> list[Task]:
    """t0, t1, ... dealt in turn to families f0, f1, ...; by default each has its own."""
    return [
        Task(id=f"t{i}", prompt=f"do {i}", split="val", family=f"f{i % (num_families or n)}", tags=["easy"])
        for i in range(n)
    ]


def report(
    agent: str,
    passed: Sequence[float],
    num_families: int | None = None,
    unsafe: set[int] | None = None,
    invalid: set[int] | None = None,
    errors: int = 0,
    repeats: int = 1,
) -> Report:
    """What `agent` did by task: share of passed repeats, and the places of tasks with an unsafe or invalid output."""
    num_families = num_families or len(passed)
    results = [
        TaskResult(
            task=f"t{i}",
            family=f"f{i % num_families}",
            repeats=repeats,
            passed=one,
            reward=one,
            rates={"unsafe": float(i in (unsafe or ())), "valid": float(i not in (invalid or ()))},
            trajectory=f"of t{i}",
        )
        for i, one in enumerate(passed)
    ]
    return Report(
        id=f"report of {agent}",
        run="run",
        agent=agent,
        suite=make_suite("calendar", "desk", tasks(len(passed), num_families), "match@1"),
        metrics={},
        results=results,
        buckets={"wrong tool": sum(one < 1 for one in passed)},
        errors=errors,
        repeats=repeats,
    )


def measured(
    agent: str,
    given: list[Task],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    verifier: str = "match@1",
    rule: EnvironmentRule | None = None,
) -> Report:
    suite = make_suite("calendar", "desk", given, verifier)
    return make_report("run", agent, suite, given, trajectories, verdicts, seed=7, rule=rule)
