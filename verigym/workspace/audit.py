"""Checks and audits in a workspace: the contract of an environment, and its verifier on stored outputs.

The result is stored under name@version of the verifier. A changed verifier therefore counts as not audited.
"""

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
from verigym.core.records import Case, Check, Label, Version
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


def check(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    on_check: Callable[[Check], None] = lambda _: None,
    num_tasks: int | None = None,
) -> list[Check]:
    """Checks the environment's contract on a sample of its tasks, and the corrected cases of its verifiers. Stores a record
    if all hold. `num_tasks` sets the size of the sample, which is spread over splits and families."""
    found = check_environment(environment, num_tasks=num_tasks, on_check=on_check, pick=partial(pick, seed=0))
    known = cases.read(cases.path_of(environment.name, ws.home))
    if known:
        with watching():
            outcome, words = event_loop.run(_hold(ws, environment, known))
        found.append(Check(name="corrected cases hold", outcome=outcome, words=words))
        on_check(found[-1])
    if not any(one.outcome == "fail" for one in found):
        for verifier in environment.verifiers.values():
            ws.store.put("checked", verifier.name, CheckRecord(environment.name, verifier.name, len(found)))
    return found


async def _hold(ws: WorkspaceFolder, environment: EnvironmentSpec, known: Sequence[Case]) -> Answer:
    nobody = ObservedJudge()
    async with context_of(ws, RunSettings()) as context:
        given = msgspec.structs.replace(context, policies={"judge": nobody})
        found = await cases.cases_hold(environment, known, given)
    return ("unclear", f"{NO_JUDGE} (verigym audit run {environment.name})") if nobody.asked else found


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
    nobody, task = ObservedJudge(), environment.tasks("val")[0]
    with watching():
        event_loop.run(play(environment, task, some_replies(environment, task), judge=nobody))
    return nobody.asked


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
    found = run_of(ws, environment, run)
    known = single_labels(ws.store.documents("label", Label), who)
    outputs = outputs_of(ws, found, n, seed, also=known)
    wanted = [one for one in cases.read(cases.path_of(environment.name, ws.home)) if _is_of(environment, one)]

    async def ask() -> Audit:
        async with context_of(ws, RunSettings(judge=judge)) as context:
            given = msgspec.structs.replace(context, blob=ws.store.blob)
            return await audit_verifier(environment, found.id, outputs, given, known, wanted)

    with watching():
        made = event_loop.run(ask())
    ws.store.put("audited", uuid.uuid4().hex, AuditRecord(made.environment, made.verifier, found.id, made.n, made.fix))
    asked = judge.id if judge is not None else found.config.get("judge", "")
    if made.asks_judge and made.agreement is not None and made.agreement.kappa is not None:
        seen = made.agreement
        one = Calibration(made.verifier, asked, seen.n, made.agreement.kappa, seen.low, seen.high)
        ws.store.put("calibration", uuid.uuid4().hex, one)
    return made


def run_of(ws: WorkspaceFolder, environment: EnvironmentSpec, name: str = "") -> Run:
    """The named run. Without a name, the environment's newest run with enough outputs, or its largest."""
    if name and name != "latest":
        found = ws.store.run(name, kinds=KINDS)
        if not _same_place(found.config.get("environment", ""), environment.name):
            raise Refused(
                f"Run {found.id} belongs to {found.config.get('environment')}, not to {environment.name}. "
                f"Runs of {environment.name}: {', '.join(one.id for one in _runs(ws, environment)) or 'none'}"
            )
    else:
        runs = _runs(ws, environment)
        if not runs:
            raise Refused(
                f"No run of {environment.name} has outputs to audit its verifier on. Create some: "
                f"verigym eval {environment.name} -m smollm2-135m -n {ENOUGH}"
            )
        enough = [one for one in runs if one.trajectories >= ENOUGH]
        found = enough[-1] if enough else max(runs, key=lambda one: one.trajectories)
    if not found.trajectories:
        raise Refused(f"Run {found.id} has no outputs yet. Repeat the command that started it to resume")
    return found


def _runs(ws: WorkspaceFolder, environment: EnvironmentSpec) -> list[Run]:
    return [
        one
        for one in ws.store.runs()
        if one.kind in KINDS and one.trajectories and _same_place(one.config.get("environment", ""), environment.name)
    ]


def _same_place(one: str, other: str) -> bool:
    """Whether two names mean the same environment, such as `desk.py` and `./desk.py`."""
    return one == other or (Path(one).suffix == ".py" and Path(one).resolve() == Path(other).resolve())


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
        ids=[ids[place] for place in chosen],
        groups=groups,
        stored={one.trajectory: one for one in verdicts if one.verifier == run.verifier},
    )


# -- corrected cases ----------------------------------------------------------------------------------------------------


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
    run, found = ws.store.trajectory(trajectory)
    if not _same_place(ws.store.run(run).config.get("environment", ""), environment.name):
        raise Refused(
            f"{found.id} is an output of {ws.store.run(run).config.get('environment')}, not of {environment.name}"
        )
    task = next(task for task in ws.store.tasks(run) if task.id == found.task)
    verifier = next(iter(environment.verifiers))
    case = cases.make(verifier, task, found, should, note, who, ws.store.blob)
    path = cases.path_of(environment.name, ws.home)
    return SavedCase(path, case, cases.add(path, case))


def keep_disagreements(
    ws: WorkspaceFolder, environment: EnvironmentSpec, found: Sequence[Disagreement]
) -> tuple[Path, int]:
    """Stores each disagreement with a person as a case with the person's verdict. Returns the file and the number of
    new cases."""
    new = 0
    for one in found:
        note = one.note or f"labelled {one.label}"
        _, _, added = keep_case(
            ws, environment, one.trajectory, "pass" if one.label == "good" else "fail", note, one.who
        )
        new += added
    return cases.path_of(environment.name, ws.home), new


def _is_of(environment: EnvironmentSpec, case: Case) -> bool:
    """Whether the case is about the audited verifier, or about one that no longer exists."""
    return case.verifier not in environment.verifiers or case.verifier == next(iter(environment.verifiers))
