"""Why the episodes of a stored run failed, for the failures page, and advice from what is stored.

A small run is explained while the page waits. A large one comes from the derived index. The view runs no code of an environment,
so only the general rules and what a judge already said are used, and advice that depends on the environment's training tasks is
left to `verigym advise`.
"""

import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec
from msgspec import Struct

from verigym.core.records import Advice, Estimate, Task, Trajectory, Verdict, Version
from verigym.evaluation.advise import AdviceEvidence, advise
from verigym.evaluation.compare import CLAIM
from verigym.evaluation.failures import INFRASTRUCTURE, Explanation, explain, explain_each
from verigym.evaluation.rules import Reason
from verigym.evaluation.stats import adjusted, clustered_mean, two_sided_p
from verigym.evaluation.suites import family_of
from verigym.store.database import Run
from verigym.view.read import Reader, config_of
from verigym.workspace.advise import StoredTrial
from verigym.workspace.audit import AuditRecord, CheckRecord
from verigym.workspace.explain import JudgeExplanation

SMALL = 3000
"""Episodes that are explained while a page waits."""
_MANY = 10_000
"""Stands for more training tasks than any advice asks for."""


class FailedEpisode(NamedTuple):
    id: str
    task: str
    attempt: int
    bucket: str
    symptom: str
    by: str
    evidence: str


class ExplainedRun(NamedTuple):
    explanation: Explanation
    failed: list[FailedEpisode]
    shares: dict[str, dict[str, float]]
    """Task to the share of its scored tries in each bucket."""
    families: dict[str, str]
    success: Estimate | None
    has_tools: bool


class BucketChange(Struct, frozen=True):
    before: float
    after: float
    """Mean share over the tasks of both runs."""
    q: float

    @property
    def sure(self) -> bool:
        """Whether it changed beyond chance."""
        return self.q <= CLAIM


def explained(reader: Reader, run: Run, place: str = "") -> ExplainedRun | None:
    """The explanation of a run. None if the run is too large to be read while a page waits. `place` keeps two runs apart."""
    if run.trajectories > SMALL:
        return None
    state = run.id, run.verifier, run.trajectories, run.scored, run.passed, reader.state_of("said")
    return reader.kept(f"explained {place}", state, lambda: _explain(reader, run))


def _explain(reader: Reader, run: Run) -> ExplainedRun:
    store = reader.store
    tasks = {task.id: task for task in store.tasks(run.id)}
    episodes = [one for one in store.each_trajectory(run.id) if one.task in tasks]
    verdicts = store.verdicts(run.id)
    judged = _judged(reader, {one.id for one in episodes})
    explanation = explain(tasks.values(), episodes, verdicts, judged=judged)
    failed: list[FailedEpisode] = []
    tries: dict[str, list[str]] = {}
    for one in explain_each(tasks.values(), episodes, verdicts, judged=judged):
        bucket = one.reason.bucket
        if bucket != INFRASTRUCTURE:
            tries.setdefault(one.trajectory.task, []).append(bucket)
        if bucket:
            reason = one.reason
            place = one.trajectory.task, one.trajectory.index
            failed.append(FailedEpisode(one.trajectory.id, *place, bucket, one.symptom, reason.by, reason.evidence))
    return ExplainedRun(
        explanation,
        failed,
        {task: {name: tried.count(name) / len(tried) for name in set(tried) if name} for task, tried in tries.items()},
        {id: family_of(task) for id, task in tasks.items()},
        _success(tasks, verdicts, episodes),
        any(one.tools for one in episodes[:50]),
    )


def _judged(reader: Reader, ids: set[str]) -> dict[str, Reason]:
    """What a judge said about these episodes earlier (`verigym explain --judge`)."""
    said: list[JudgeExplanation] = reader.documents("said", JudgeExplanation)
    return {
        one.trajectory: Reason(one.bucket, one.reason, by=f"judge {reader.label(one.judge)}")
        for one in said
        if one.trajectory in ids
    }


def _success(tasks: Mapping[str, Task], verdicts: Iterable[Verdict], episodes: Iterable[Trajectory]) -> Estimate | None:
    """Tries of a task are averaged first, and the interval is clustered by family."""
    task_of = {one.id: one.task for one in episodes}
    passed: dict[str, list[bool]] = {}
    for verdict in verdicts:
        if verdict.reward is not None and verdict.trajectory in task_of:
            passed.setdefault(task_of[verdict.trajectory], []).append(verdict.passed)
    if not passed:
        return None
    means = {task: sum(tries) / len(tries) for task, tries in passed.items()}
    return clustered_mean(list(means.values()), [family_of(tasks[task]) for task in means], rate=True)


def bucket_changes(before: ExplainedRun, after: ExplainedRun) -> tuple[dict[str, BucketChange], int]:
    """How the share of each bucket changed on the tasks of both runs, and the number of these tasks."""
    tasks = [task for task in before.shares if task in after.shares]
    names = sorted({name for run in (before, after) for task in tasks for name in run.shares[task]})
    if not tasks:
        return {}, 0
    families = [before.families[task] for task in tasks]
    rates = {
        name: tuple([run.shares[task].get(name, 0.0) for task in tasks] for run in (before, after)) for name in names
    }
    ps = [two_sided_p(old, new, families) for old, new in rates.values()]
    changes = {
        name: BucketChange(sum(old) / len(tasks), sum(new) / len(tasks), q)
        for (name, (old, new)), q in zip(rates.items(), adjusted(ps), strict=True)
    }
    return changes, len(tasks)


# -- advice -----------------------------------------------------------------------------------------------------------


class StoredAdvice(NamedTuple):
    advice: list[Advice]
    """What is advised or rejected whatever the environment's training tasks are."""
    depends: list[str]
    """Fixes about which only `verigym advise` can tell."""


def advice_of(reader: Reader, run: Run, found: ExplainedRun) -> StoredAdvice | None:
    """Advice from stored data. None if the run does not say which version it measured, or nothing was scored."""
    config = config_of(run)
    agent = reader.versions().get(str(config.get("agent", "") or ""))
    if agent is None or found.success is None or not config.get("environment"):
        return None
    few = _evidence(reader, run, found, agent, found.success)
    many = msgspec.structs.replace(
        few, train_tasks=_MANY, train_families=_MANY, gold=_MANY, fresh=_MANY, demonstrations=_MANY, pairs=_MANY
    )
    by_fix = {one.fix: one for one in advise(few)}
    sure: list[Advice] = []
    depends: list[str] = []
    others = {one.fix: one for one in advise(many)}
    for fix in [*by_fix, *(fix for fix in others if fix not in by_fix)]:
        one, other = by_fix.get(fix), others.get(fix)
        if one is not None and other is not None and (one.advised, one.reasons) == (other.advised, other.reasons):
            sure.append(one)
        elif (one is not None and one.advised) or (other is not None and other.advised):
            depends.append(fix)
    return StoredAdvice(sorted(sure, key=lambda one: not one.advised), depends)


def _evidence(reader: Reader, run: Run, found: ExplainedRun, agent: Version, success: Estimate) -> AdviceEvidence:
    """The evidence without the environment's training tasks. Names are quoted, because commands are made of them."""
    explanation, config = found.explanation, run.config
    environment = str(config["environment"])
    audits: list[AuditRecord] = reader.documents("audited", AuditRecord)
    audit = next((one for one in reversed(audits) if one.verifier == run.verifier), None)
    trials: list[StoredTrial] = reader.documents("trial", StoredTrial)
    tried = config.get("k", 1)
    return AdviceEvidence(
        run=shlex.quote(run.id),
        agent=shlex.quote(agent.id),
        environment=shlex.quote(environment),
        success=success,
        buckets={one.bucket: one.share for one in explanation.findings if one.bucket != INFRASTRUCTURE},
        errors=1 - explanation.scored / max(1, explanation.trajectories),
        k=tried if isinstance(tried, int) else 1,
        pass_at_1=explanation.pass_at_1 if explanation.groups else None,
        pass_at_k=explanation.pass_at_k if explanation.groups else None,
        signal=explanation.signal / explanation.groups if explanation.groups else None,
        horizon=explanation.horizon,
        local=not agent.is_remote,
        has_tools=found.has_tools,
        has_prompt=agent.system_prompt is not None,
        constrained=bool(agent.constraints),
        trained=str(agent.recipe.get("algorithm", "a training run")) if agent.adapter else "",
        verified_by="judge" if "judge" in config else "program",
        checked=reader.store.get("checked", run.verifier, CheckRecord) is not None,
        audited=audit is not None,
        faults=audit.fix if audit is not None else [],
        hacking=_hacking(reader, agent.id),
        trials=[one.trial for one in trials if (one.agent, one.environment) == (agent.id, environment)],
    )


def _hacking(reader: Reader, agent: str) -> str:
    """What the newest decision of the gate about an agent says about reward hacking."""
    for entry in reader.entries(n=200):
        decision = entry.decision
        if decision.candidate == agent and decision.kind == "gate":
            failed = (one.words for one in decision.checks if one.outcome == "fail")
            return next((words for words in failed if words.startswith("reward hacking")), "")
    return ""
