"""Builders for the tests of pages about decisions: versions, reports and ledger entries, in any state.

The builders store records without running anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tests.view.store import episode, verdict
from verigym.core.look import Look
from verigym.core.records import Check, Decision, Measurement, Message, Report, Suite, Task, TaskResult, Version
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import make_suite
from verigym.gates.policy import DEFAULT, GatePolicy, hash_of
from verigym.registry import ledger, versions
from verigym.registry.ledger import LedgerEntry
from verigym.store.database import Store

AROUND: dict[str, Any] = {
    "section": "gate", "theme": "", "home": "home", "read_only": False, "as_json": "/gate?format=json",
}  # fmt: skip
"""What the layout needs besides the struct."""
HOSTILE = "<b onmouseover=alert(1)>\u202eé"
"""A name with markup, a control character and a letter beyond ASCII."""


def add_version(store: Store, name: str, **fields: Any) -> Version:
    """A version as the registry stores it."""
    return versions.register(store, Version(**{"base": "desk-model", "name": name, "system_prompt": name, **fields}))


def add_raw_version(store: Store, version: Version) -> Version:
    """A version as it is, also one that the registry would refuse."""
    store.put("version", version.id, version)
    return version


def add_measured(
    store: Store,
    run: str,
    agent: str,
    passes: Callable[[int, int], bool],
    *,
    tasks: int = 8,
    families: int = 4,
    repeats: int = 1,
    environment: str = "desk",
    verifier: str = "desk_verifier@11112222",
    lineage: Mapping[int, Sequence[str]] = {},
    created: float | None = None,
) -> Report:
    """A finished evaluation with its report. `passes(task, attempt)` says which episodes pass."""
    rows = [
        Task(
            id=f"task-{n}", prompt=f"Please do task-{n}.", split="val", family=f"family-{n % families}",
            lineage=list(lineage.get(n, [])),
        )
        for n in range(tasks)
    ]  # fmt: skip
    config = {"environment": environment, "agent": agent, "k": repeats, "sampling": {}, "num_tasks": tasks}
    store.begin_run(run, "eval", config, rows, created=created)
    episodes = []
    for number, row in enumerate(rows):
        for attempt in range(repeats):
            good = passes(number, attempt)
            said = "It is sent to Dina." if good else "It is sent to Dana."
            items = [Message("user", f"Please do {row.id}."), Message("assistant", said)]
            episodes.append((episode(run, row.id, attempt, items=items), good))
    judged = [verdict(one.id, good, verifier=verifier) for one, good in episodes]
    store.add(run, [one for one, _ in episodes], judged)
    store.finish_run(run)
    suite = make_suite(f"{environment}:val", environment, rows, verifier)
    report = make_report(run, agent, suite, rows, [one for one, _ in episodes], judged, seed=0)
    store.put("report", report.id, report)
    return report


def check(name: str = "better on held-out tasks", outcome: str = "pass", **fields: Any) -> Check:
    values: dict[str, Any] = {
        "words": "success +32.5 points: better",
        "figures": {"delta": 0.325, "low": 0.14, "high": 0.45, "p": 0.001, "boundary": 0.009},
        "suite": "desk:val",
        "margin": 0.05,
        "unit": "points",
        "looks": [Look(4, 0.3, 0.009, 0.009), Look(8, 1.0, 0.05, 0.04)],
    }
    return Check(name=name, outcome=outcome, **{**values, **fields})  # type: ignore[arg-type]


def measurement(champion: Report, candidate: Report) -> Measurement:
    suite: Suite = champion.suite
    return Measurement(
        suite=suite.name, hash=suite.hash, verifier=suite.verifier, tasks=len(suite.tasks), repeats=1,
        candidate=candidate.id, champion=champion.id,
    )  # fmt: skip


def add_decision(
    store: Store,
    champion: Report,
    candidate: Report,
    verdict: str,
    checks: Sequence[Check] = (),
    *,
    policy: GatePolicy = DEFAULT,
    moves: bool = False,
    why: str = "asked",
    who: str = "Ada",
) -> LedgerEntry:
    decision = Decision(
        candidate=candidate.agent, champion=champion.agent, verdict=verdict, checks=list(checks), words=f"{verdict}. Words.",  # type: ignore[arg-type]
        reports=[candidate.id, champion.id], policy=msgspec.to_builtins(policy), policy_hash=hash_of(policy),
        measured=[measurement(champion, candidate)],
    )  # fmt: skip
    return ledger.record(store, decision, moves=moves, who=who, why=why)


def result_of(report: Report, task: str) -> TaskResult:
    return next(one for one in report.results if one.task == task)
