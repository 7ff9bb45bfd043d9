"""Checks and audits in a workspace: the contract of an environment, and its verifier on stored outputs.

The result is stored under name@version of the verifier. A changed verifier therefore counts as not audited.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from verigym.audit import cases, labels
from verigym.audit.check import check_environment, sample_size
from verigym.audit.labels import Calibration, Disagreement, single_labels
from verigym.audit.repeatability import ScoringGroup
from verigym.audit.scripted_episodes import Answer, play, some_replies, watching
from verigym.audit.verifier import NO_JUDGE, Audit, ObservedJudge, Outputs, audit_verifier
from verigym.core import event_loop
from verigym.core.errors import BadInput, Refused, VerigymError
from verigym.core.records import Case, Check, Label, Version, content_hash
from verigym.evaluation.suites import pick
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.settings import RunSettings
from verigym.store.database import Run
from verigym.workspace.measure import context_of
from verigym.workspace.workspace import WorkspaceFolder

KINDS = ("rollout", "eval", "collect")
ENOUGH = 50
"""Minimum outputs of a run that is selected automatically for an audit."""


class CheckRecord(msgspec.Struct, frozen=True):
    """Records that the contract of an environment held with this verifier."""

    environment: str
    verifier: str
    checks: int


class AuditRecord(msgspec.Struct, frozen=True):
    """The result of an audit of a verifier."""

    environment: str
    verifier: str
    run: str
    n: int
    fix: list[str]
    """The fixes to make first. Empty if the verifier can be trusted."""


class AuditResult(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result of an audit, as a document of kind `audit`."""

    audit: Audit
    judge: str = ""
    """Version id of the judge. Empty without one."""
    who: str = ""
    """The person whose labels were used. Empty for all people."""
    when: float
    """Seconds since 1970."""


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result of `verigym check`, passed or not, as a document of kind `check`."""

    environment: str
    verifiers: list[str]
    """name@version"""
    checks: list[Check]
    when: float
    """Seconds since 1970."""

    @property
    def sound(self) -> bool:
        return not any(one.outcome == "fail" for one in self.checks)


def check(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    on_check: Callable[[Check], None] = lambda _: None,
    num_tasks: int | None = None,
    on_play: Callable[[str, int], None] = lambda _, __: None,
) -> list[Check]:
    """Checks the environment's contract on a sample of its tasks, and the corrected cases of its verifiers. Stores the result,
    and a record for each verifier if all hold. `num_tasks` sets the size of the sample, which is spread over splits and
    families."""
    checks = check_environment(environment, ("train", "val"), num_tasks, on_check, partial(pick, seed=0), on_play)
    corrected = cases.read(cases.path_of(environment.name, ws.home))
    if corrected:
        with watching():
            outcome, words = event_loop.run(_hold(ws, environment, corrected))
        checks.append(Check(name="corrected cases hold", outcome=outcome, words=words))
        on_check(checks[-1])
    names = [verifier.name for verifier in environment.verifiers.values()]
    result = CheckResult(environment=environment.name, verifiers=names, checks=checks, when=time.time())
    once = content_hash([environment.name, names, checks])[:16]  # the same result is stored once
    ws.store.put_last("check", once, result)
    if result.sound:
        for verifier in environment.verifiers.values():
            ws.store.put("checked", verifier.name, CheckRecord(environment.name, verifier.name, len(checks)))
    return checks


async def _hold(ws: WorkspaceFolder, environment: EnvironmentSpec, corrected: Sequence[Case]) -> Answer:
    judge = ObservedJudge()
    async with context_of(ws, RunSettings()) as context:
        observed = msgspec.structs.replace(context, policies={"judge": judge})
        answer = await cases.cases_hold(environment, corrected, observed)
    return ("unclear", f"{NO_JUDGE} (verigym audit run {environment.name})") if judge.asked else answer


def sample_of(environment: EnvironmentSpec, num: int | None = None, all_tasks: bool = False) -> tuple[int, int]:
    """How many tasks a check plays, by default a sample, and how many the environment has."""
    if num is not None and all_tasks:
        raise BadInput("A number of tasks (-n) and all tasks (--all) cannot be combined. Remove one")
    try:
        total = sum(len(environment.tasks(split)) for split in ("train", "val"))
    except VerigymError:  # the check of the tasks reports it
        total = 0
    return total if all_tasks else min(total, num or sample_size(environment)), total


def asks_judge(environment: EnvironmentSpec) -> bool:
    """Whether the verifier asks a judge about a good reply to a held-out task."""
    judge, task = ObservedJudge(), environment.tasks("val")[0]
    with watching():
        event_loop.run(play(environment, task, some_replies(environment, task), judge=judge))
    return judge.asked


def was_checked(ws: WorkspaceFolder, environment: EnvironmentSpec) -> bool:
    return ws.store.get("checked", environment.verifier.name, CheckRecord) is not None


def last_audit(ws: WorkspaceFolder, environment: EnvironmentSpec) -> AuditRecord | None:
    """The newest audit of the current verifier."""
    name = environment.verifier.name
    return next((one for one in reversed(ws.store.documents("audited", AuditRecord)) if one.verifier == name), None)


def audit(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    run: str = "",
    *,
    n: int = 100,
    seed: int = 0,
    judge: Version | None = None,
    who: str = "",
) -> Audit:
    """Audits the verifier on n outputs of a run and on all labelled outputs. Stores the result."""
    stored = run_of(ws, environment, run)
    labelled = single_labels(ws.store.documents("label", Label), who)
    outputs = outputs_of(ws, stored, n, seed, also=labelled)
    others = list(environment.verifiers)[1:]
    corrected = [case for case in cases.read(cases.path_of(environment.name, ws.home)) if case.verifier not in others]

    async def ask() -> Audit:
        async with context_of(ws, RunSettings(judge=judge)) as context:
            given = msgspec.structs.replace(context, blob=ws.store.blob)
            return await audit_verifier(environment, stored.id, outputs, given, labelled, corrected)

    with watching():
        result = event_loop.run(ask())
    record = AuditRecord(result.environment, result.verifier, stored.id, result.n, result.fix)
    id = uuid.uuid4().hex
    asked = judge.id if judge is not None else str(stored.config.get("judge", ""))
    whole = AuditResult(audit=result, judge=asked if result.asks_judge else "", who=who, when=time.time())
    ws.store.put("audit", id, whole)
    ws.store.put("audited", id, record)
    agreement = result.agreement
    if result.asks_judge and agreement is not None and agreement.kappa is not None:
        one = Calibration(result.verifier, asked, agreement.n, agreement.kappa, agreement.low, agreement.high)
        ws.store.put("calibration", uuid.uuid4().hex, one)
    return result


def run_of(ws: WorkspaceFolder, environment: EnvironmentSpec, name: str = "") -> Run:
    """The named run. Without a name, the environment's newest run with enough outputs, or its largest."""
    runs = [run for run in ws.store.runs() if run.kind in KINDS and run.trajectories and _is_in(run, environment)]
    if name and name != "latest":
        stored = ws.store.run(name, kinds=KINDS)
        if not _is_in(stored, environment):
            raise Refused(
                f"Run {stored.id} belongs to {stored.config.get('environment')}, not to {environment.name}. "
                f"Runs of {environment.name}: {', '.join(run.id for run in runs) or 'none'}"
            )
        if not stored.trajectories:
            raise Refused(f"Run {stored.id} has no outputs yet. Repeat the command that started it to resume")
        return stored
    if not runs:
        raise Refused(
            f"No run of {environment.name} has outputs to audit its verifier on. Create some: "
            f"verigym eval {environment.name} -m smollm2-135m -n {ENOUGH}"
        )
    enough = [run for run in runs if run.trajectories >= ENOUGH]
    return enough[-1] if enough else max(runs, key=lambda run: run.trajectories)


def _is_in(run: Run, environment: EnvironmentSpec) -> bool:
    """Whether a run belongs to the environment. `desk.py` and `./desk.py` are the same."""
    name, other = str(run.config.get("environment", "")), environment.name
    return name == other or (Path(name).suffix == ".py" and Path(name).resolve() == Path(other).resolve())


def outputs_of(
    ws: WorkspaceFolder, run: Run, n: int, seed: int, also: Sequence[str] | dict[str, Label] = ()
) -> Outputs:
    """n outputs of a run and the outputs in `also`, with their groups."""
    chosen = labels.pick(ws.store.statuses(run.id, run.verifier), n, seed)
    if not chosen:
        raise Refused(f"Run {run.id} has no output to audit. Find out why: verigym explain {run.id}")
    tasks = {task.id: task for task in ws.store.tasks(run.id)}
    wanted = dict.fromkeys(task for task, _ in chosen)
    if also:
        wanted |= {task: None for task in tasks if any(id.startswith(f"{run.id}/{task}/") for id in also)}
    groups = [ScoringGroup(tasks[task], ws.store.trajectories(run.id, task)) for task in wanted]
    ids = {(one.task, one.index): one.id for group in groups for one in group.trajectories}
    verdicts = [one for group in groups for each in group.trajectories for one in ws.store.verdicts_on(run.id, each.id)]
    return Outputs(
        ids=[ids[episode] for episode in chosen],
        groups=groups,
        stored={one.trajectory: one for one in verdicts if one.verifier == run.verifier},
    )


class SavedCase(NamedTuple):
    """An output with its correct verdict, which checks and audits replay."""

    file: Path
    case: Case
    new: bool
    """False if the same case was saved before."""


def keep_case(
    ws: WorkspaceFolder, environment: EnvironmentSpec, trajectory: str, should: str, note: str, who: str
) -> SavedCase:
    """Stores an output with its correct verdict as a case beside the environment."""
    id, episode = ws.store.trajectory(trajectory)
    run = ws.store.run(id)
    if not _is_in(run, environment):
        raise Refused(f"{episode.id} is an output of {run.config.get('environment')}, not of {environment.name}")
    task = next(task for task in ws.store.tasks(id) if task.id == episode.task)
    verifier = next(iter(environment.verifiers))
    case = cases.make(verifier, task, episode, should, note, who, ws.store.blob)
    path = cases.path_of(environment.name, ws.home)
    return SavedCase(path, case, cases.add(path, case))


def keep_disagreements(
    ws: WorkspaceFolder, environment: EnvironmentSpec, disagreements: Sequence[Disagreement]
) -> tuple[Path, int]:
    """Stores each disagreement with a person as a case with the person's verdict. Returns the file and the number of
    new cases."""
    new = 0
    for one in disagreements:
        should, note = "pass" if one.label == "good" else "fail", one.note or f"labelled {one.label}"
        new += keep_case(ws, environment, one.trajectory, should, note, one.who).new
    return cases.path_of(environment.name, ws.home), new
