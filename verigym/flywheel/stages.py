"""The stages of the ring, each a function from records to new records, composed for one process.

Every stage is named by its content: the same call with the same settings finds what is finished and runs what is missing.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Decision, Json, Report, Sampling, Suite, Task, Version, content_hash
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import make_suite, pick
from verigym.flywheel.workspace import Workspace
from verigym.gates.decide import decide
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.many import Plan, Progress, pending, run_many
from verigym.tasks.load import tasks_hash

OnProgress = Callable[[Progress], None]
GREEDY = Sampling(temperature=0.0, max_tokens=64)


class Measured(NamedTuple):
    report: Report
    run: str


def tasks_of(environment: EnvironmentSpec, split: str, n: int | None = None, seed: int = 0) -> list[Task]:
    """The tasks of a split, or n of them spread over families."""
    tasks = environment.tasks(split)
    if not tasks:
        others = [each for each in ("train", *environment.suites.values()) if each != split and environment.tasks(each)]
        raise Refused(
            f'{environment.name} has no tasks in split "{split}"; --split can be: {", ".join(others) or "none"}'
        )
    return tasks if n is None else pick(tasks, n, seed)


def suite_of(environment: EnvironmentSpec, split: str, n: int | None = None) -> tuple[Suite, list[Task]]:
    """The held-out suite of a split (which tasks are in it does not depend on a run's seed)."""
    tasks = tasks_of(environment, split, n)
    name = next((name for name, of in environment.suites.items() if of == split), f"{environment.name}:{split}")
    return make_suite(name, environment.name, tasks, environment.verifier.name), tasks


def rollout(
    ws: Workspace,
    environment: EnvironmentSpec,
    agent: Version,
    tasks: Sequence[Task],
    *,
    k: int = 1,
    sampling: Sampling = Sampling(),
    seed: int = 0,
    kind: str = "rollout",
    name: str = "",
    concurrency: int = 512,
    on_progress: OnProgress = lambda _: None,
) -> str:
    """k episodes of each task, scored and stored; returns the run's id."""
    config: Json = {
        "environment": environment.name,
        "agent": agent.id,
        "tasks": tasks_hash(tasks),
        "num_tasks": len(tasks),
        "k": k,
        "sampling": msgspec.to_builtins(sampling),
        "seed": seed,
        "verifier": environment.verifier.name,
    }
    run = name or f"{kind}-{environment.name.rsplit('/', 1)[-1].split('.')[0]}-{content_hash(config)[:8]}"
    plan = Plan(
        run=run,
        environment=environment,
        tasks=tasks,
        agent=agent,
        verifier=environment.verifier,
        k=k,
        sampling=sampling,
        seed=seed,
        concurrency=concurrency,
    )
    asyncio.run(_run(ws, plan, kind, config, on_progress))
    return run


async def _run(ws: Workspace, plan: Plan, kind: str, config: Json, on_progress: OnProgress) -> None:
    """A run that is complete already opens no agent; one that cannot be opened ends the command, not the episodes."""
    policy: Any = ws.policy(plan.agent) if pending(ws.store, plan) else None
    ws.keep(plan.agent)
    ws.store.begin_run(plan.run, kind, config, plan.tasks)
    try:
        await run_many(ws.store, plan, policy, on_progress)
    finally:
        if hasattr(policy, "close"):
            await policy.close()


def measure(
    ws: Workspace,
    environment: EnvironmentSpec,
    agent: Version,
    *,
    split: str = "val",
    n: int | None = None,
    k: int = 1,
    sampling: Sampling = GREEDY,
    seed: int = 0,
    name: str = "",
    concurrency: int = 512,
    on_progress: OnProgress = lambda _: None,
) -> Measured:
    """The agent on a held-out suite, as a report."""
    suite, tasks = suite_of(environment, split, n)
    run = rollout(
        ws,
        environment,
        agent,
        tasks,
        k=k,
        sampling=sampling,
        seed=seed,
        kind="eval",
        name=name,
        concurrency=concurrency,
        on_progress=on_progress,
    )
    trajectories, verdicts = ws.store.trajectories(run), ws.store.verdicts(run, environment.verifier.name)
    if all(verdict.reward is None for verdict in verdicts):
        reasons = Counter(f"{v.error.kind}: {v.error.message}" for v in verdicts if v.error is not None)
        raise InfrastructureFailure(
            f"none of {len(verdicts)} episodes could be scored; most often: {reasons.most_common(1)[0][0]}. "
            "Put that right, then the same command tries them again"
        )
    report = make_report(run, agent.id, suite, tasks, trajectories, verdicts, seed)
    ws.store.put("report", report.id, report)
    return Measured(report, run)


def latest_report(ws: Workspace, agent: Version) -> Report | None:
    """The newest report of a version."""
    reports = [one for one in ws.store.documents("report", Report) if one.agent == agent.id]
    return reports[-1] if reports else None


def shared_reports(ws: Workspace, candidate: Version, champion: Version) -> tuple[Report, Report]:
    """The newest reports of both that can be compared: candidate, champion."""
    reports = ws.store.documents("report", Report)[::-1]
    for ours in reports:
        for theirs in reports:
            if ours.agent == candidate.id and theirs.agent == champion.id and _comparable(ws, ours, theirs):
                return ours, theirs
    raise Refused(
        f"{candidate.name or candidate.id} and {champion.name or champion.id} have no report on the same held-out tasks; "
        f"run: verigym eval ENV -m {candidate.id} and verigym eval ENV -m {champion.id}, with the same options"
    )


def _comparable(ws: Workspace, one: Report, other: Report) -> bool:
    """The same tasks and verifier, decoded and repeated alike."""
    settings = [ws.store.run(report.run).config for report in (one, other)]
    alike = all(settings[0].get(field) == settings[1].get(field) for field in ("sampling", "k"))
    return one.suite.hash == other.suite.hash and alike


def gate(ws: Workspace, candidate: Version, champion: Version) -> Decision:
    ours, theirs = shared_reports(ws, candidate, champion)
    return decide(candidate, champion, ours, theirs)
