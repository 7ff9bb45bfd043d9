"""The work behind the methods of `Workspace`: plain functions on a `WorkspaceFolder`, composed from the packages below.

They run on the thread of the workspace. What they need is imported when it is first used, because `import verigym` is fast.
"""

import contextlib
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Case, Check, Dataset, Decision, Label, Report, Sampling, Trajectory, Version

if TYPE_CHECKING:
    from verigym.audit.verifier import Audit
    from verigym.core.protocols import Policy
    from verigym.evaluation.compare import Comparison
    from verigym.evaluation.failures import Explanation
    from verigym.gates.policy import GatePolicy
    from verigym.harness.environment import EnvironmentSpec
    from verigym.progress_bar import ProgressBar
    from verigym.registry.ledger import LedgerEntry
    from verigym.rollout.rescore import RescoreResult
    from verigym.rollout.settings import RunSettings
    from verigym.store.database import Run
    from verigym.training.recipe import Recipe
    from verigym.workspace.advise import AdviceReport
    from verigym.workspace.design import DesignFiles, Teacher, VariationFiles
    from verigym.workspace.dry_run import DryRun
    from verigym.workspace.workspace import WorkspaceFolder


Agent = Version | str
"""A version, or text that names one: an id, a name, `champion`, `latest`, `smollm2-135m`, a hub id, a folder or URL#MODEL."""


def find_agent(folder: "WorkspaceFolder", agent: Agent) -> Version:
    return agent if isinstance(agent, Version) else folder.agent(agent)


def _agent_or_none(folder: "WorkspaceFolder", agent: "Agent | None") -> Version | None:
    return find_agent(folder, agent) if agent else None


def open_environment(environment: "str | EnvironmentSpec", verifier: str = "") -> "EnvironmentSpec":
    from verigym.environments.load import load_environment
    from verigym.workspace.measure import judged_by

    return judged_by(load_environment(environment) if isinstance(environment, str) else environment, verifier)


def _run_id(run: "str | Report | Run") -> str:
    return run if isinstance(run, str) else run.run if isinstance(run, Report) else run.id


def find_run(folder: "WorkspaceFolder", run: "str | Report | Run") -> "Run":
    return folder.store.run(_run_id(run))


def open_policy(folder: "WorkspaceFolder", agent: Agent) -> "Policy":
    return folder.open_policy(find_agent(folder, agent))


def nothing(*_: Any) -> None:
    pass


def settings_of(
    given: "RunSettings | None",
    k: int,
    sampling: Sampling,
    seed: int,
    user: "Agent | None",
    judge: "Agent | None",
    folder: "WorkspaceFolder",
) -> "RunSettings":
    from verigym.rollout.settings import RunSettings

    if given is not None:
        return given
    user, judge = _agent_or_none(folder, user), _agent_or_none(folder, judge)
    return RunSettings(k=k, sampling=sampling, seed=seed, user=user, judge=judge)


def rollout(
    folder: "WorkspaceFolder",
    environment: Any,
    agent: Agent,
    settings: "Callable[[WorkspaceFolder], RunSettings]",
    n: int | None,
    split: str,
    name: str,
    verifier: str,
    on_progress: Any,
) -> "Run":
    from verigym.workspace import measure

    spec, chosen = open_environment(environment, verifier), settings(folder)
    tasks = measure.tasks_of(spec, split, n, chosen.seed)
    run = measure.rollout(
        folder, spec, find_agent(folder, agent), tasks, chosen, name=name, on_progress=on_progress or nothing
    )
    return folder.store.run(run)


def evaluate(
    folder: "WorkspaceFolder",
    environment: Any,
    agent: Agent,
    settings: "Callable[[WorkspaceFolder], RunSettings]",
    n: int | None,
    split: str,
    name: str,
    verifier: str,
    on_progress: Any,
) -> Report:
    from verigym.workspace import measure

    return measure.measure(
        folder,
        open_environment(environment, verifier),
        find_agent(folder, agent),
        settings(folder),
        split=split,
        n=n,
        name=name,
        on_progress=on_progress or nothing,
    )


def rescore_run(
    folder: "WorkspaceFolder", run: Any, environment: Any, verifier: str, judge: "Agent | None", on_progress: Any
) -> "RescoreResult":
    from verigym.workspace.rescore import rescore

    given = _agent_or_none(folder, judge)
    return rescore(folder, _run_id(run), environment, verifier, given, on_progress or nothing).scores


def explain_run(folder: "WorkspaceFolder", run: Any, judge: "Agent | None") -> "Explanation":
    from verigym.workspace.explain import open_run, with_judge

    source = open_run(folder, _run_id(run))
    if judge:
        source = with_judge(source, find_agent(folder, judge))
    return source.explained()


def advise_on_run(folder: "WorkspaceFolder", run: Any, try_fixes: bool, n: int, on_progress: Any) -> "AdviceReport":
    from verigym.flywheel.trials import try_out
    from verigym.workspace.advise import advise_on, open_subject

    subject = open_subject(folder, _run_id(run))
    notes = try_out(subject, n, on_progress=on_progress).notes if try_fixes else []
    return advise_on(subject, notes)


def compare_versions(folder: "WorkspaceFolder", before: Agent, after: Agent, environment: str) -> "Comparison":
    from verigym.evaluation.compare import compare as compare_reports
    from verigym.workspace.gate import shared_reports

    ours, theirs = shared_reports(folder, find_version(folder, after), find_version(folder, before), environment)
    return compare_reports(theirs, ours)


def find_version(folder: "WorkspaceFolder", version: Agent) -> Version:
    """A version of this workspace."""
    return version if isinstance(version, Version) else folder.find(version)


def check_environment(folder: "WorkspaceFolder", environment: Any, on_check: Any) -> list[Check]:
    from verigym.workspace.audit import check

    return check(folder, open_environment(environment), on_check or nothing)


def audit_verifier(
    folder: "WorkspaceFolder",
    environment: Any,
    run: Any,
    n: int,
    seed: int,
    verifier: str,
    judge: "Agent | None",
    who: str,
) -> "Audit":
    from verigym.workspace.audit import audit

    spec = open_environment(environment, verifier)
    return audit(folder, spec, _run_id(run), n=n, seed=seed, judge=_agent_or_none(folder, judge), who=who)


def save_case(
    folder: "WorkspaceFolder", environment: Any, trajectory: Any, should: str, note: str, who: str, verifier: str
) -> Case:
    from verigym.registry.ledger import current_user
    from verigym.workspace.audit import keep_case

    if should not in ("pass", "fail"):
        raise BadInput(f'should is "{should}". It must be "pass" or "fail"')
    spec = open_environment(environment, verifier)
    return keep_case(folder, spec, _trajectory_id(trajectory), should, note, who or current_user())[1]


def _trajectory_id(trajectory: str | Trajectory) -> str:
    return trajectory if isinstance(trajectory, str) else trajectory.id


def store_label(folder: "WorkspaceFolder", trajectory: Any, judgement: Any, other: Any, note: str, who: str) -> Label:
    from verigym.registry.ledger import current_user

    judgements = ("better", "worse", "same") if other else ("good", "bad")
    if judgement not in judgements:
        kind = "A comparison with another output" if other else "The judgement of one output"
        raise BadInput(f'The judgement is "{judgement}". {kind} is one of: {", ".join(judgements)}')
    labelled = folder.store.trajectory(_trajectory_id(trajectory))[1]
    compared = folder.store.trajectory(_trajectory_id(other))[1] if other else None
    if compared is not None and (compared.task != labelled.task or compared.id == labelled.id):
        raise BadInput(f"Compare two different outputs of one task. {labelled.id} and {compared.id} are not")
    label = Label(
        trajectory=labelled.id,
        judgement=judgement,
        other=compared.id if compared is not None else "",
        who=who or current_user(),
        note=note,
    )
    folder.store.put("label", uuid.uuid4().hex, label)
    return label


class TeacherChoice(NamedTuple):
    """The teacher of designed tasks, as the caller named it."""

    agent: Agent
    k: int
    output: Literal["demos", "pairs"]

    def open(self, folder: "WorkspaceFolder") -> "Teacher | None":
        from verigym.workspace.design import Teacher

        return Teacher(model=_agent_name(folder, self.agent), k=self.k, output=self.output) if self.agent else None


def _agent_name(folder: "WorkspaceFolder", agent: Agent) -> str:
    """The text that names an agent. A version is registered first."""
    return agent if isinstance(agent, str) else folder.register(agent).id


def make_design(
    folder: "WorkspaceFolder",
    spec: str | Path,
    n: int | None,
    out: str | Path | None,
    seed: int | None,
    model: Agent,
    teacher: TeacherChoice,
    bar: "ProgressBar",
) -> "DesignFiles":
    from verigym.workspace import design

    chosen = teacher.open(folder)
    path = Path(out) if out else None
    job = design.open_design(Path(spec), out=path, seed=seed, model=_agent_name(folder, model), teacher=chosen)
    return design.make_design(
        lambda: folder, job, n, bar.report, teacher=chosen, bars=lambda _: contextlib.nullcontext(bar.episodes)
    )


def vary_tasks(
    folder: "WorkspaceFolder",
    environment: str,
    kinds: list[str],
    split: str,
    played_in: str,
    n: int | None,
    out: str | Path | None,
    seed: int,
    preview: bool,
    teacher: TeacherChoice,
    bar: "ProgressBar",
) -> "VariationFiles":
    from verigym.workspace import design

    chosen = teacher.open(folder)
    path = Path(out) if out else None
    job = design.open_vary(environment, kinds=kinds, split=split, environment=played_in, out=path, teacher=chosen)
    return design.vary_tasks(
        lambda: folder,
        job,
        n,
        seed,
        bar.report,
        preview=preview,
        teacher=chosen,
        bars=lambda _: contextlib.nullcontext(bar.episodes),
    )


def demos(folder: "WorkspaceFolder", run: Any, per_task: int, min_reward: float | None, name: str) -> Dataset:
    from verigym.workspace.datasets import from_demonstrations

    return from_demonstrations(folder, _run_id(run), per_task=per_task, min_reward=min_reward, name=name)


def pairs(folder: "WorkspaceFolder", run: Any, gap: float, per_task: int, labels: bool, name: str) -> Dataset:
    from verigym.workspace.datasets import from_labels, from_rewards

    if labels:
        return from_labels(folder, _run_id(run), name=name)
    return from_rewards(folder, _run_id(run), gap=gap, per_task=per_task, name=name)


def import_data(folder: "WorkspaceFolder", file: Path, name: str) -> Dataset:
    from verigym.workspace.datasets import from_file

    return from_file(folder, file, name=name)


def open_recipe(recipe: "str | Path | Recipe", fields: dict[str, Any]) -> "Recipe":
    from verigym.core.settings import read_yaml
    from verigym.training.recipe import Recipe, make_recipe, read_recipe

    if isinstance(recipe, Recipe):
        return make_recipe({**msgspec.to_builtins(recipe), **fields}, [], "recipe") if fields else recipe
    path = Path(recipe)
    if not fields:
        return read_recipe(path)
    read_recipe(path)  # its errors name the file
    data = read_yaml(path, "A recipe is a list of keys and values, such as model: smollm2-135m")
    return make_recipe({**data, **fields}, [], str(path))


def plan_recipe(folder: "WorkspaceFolder", recipe: Any, fields: dict[str, Any]) -> "DryRun":
    from verigym.workspace.dry_run import dry_run

    return dry_run(folder, open_recipe(recipe, fields))


def train_recipe(
    folder: "WorkspaceFolder", recipe: Any, on_step: Any, fields: dict[str, Any], bar: "ProgressBar"
) -> Version:
    from verigym.workspace.train import train

    chosen = open_recipe(recipe, fields)

    def show(step: int, metrics: dict[str, float], alarms: Sequence[object]) -> None:
        name = next((name for name in ("reward", "loss") if name in metrics), "")
        bar.report(step, chosen.steps, f"{name} {metrics[name]:.3f}" if name else "")

    version, _ = train(folder, chosen, on_step or show)
    return version


def read_metrics(folder: "WorkspaceFolder", run: "str | Version") -> dict[int, dict[str, float]]:
    if isinstance(run, Version):
        if not run.recipe.get("run"):
            raise BadInput(
                f"{run.name or run.id} was not trained, so it has no metrics. Name a trained version or a run"
            )
        run = str(run.recipe["run"])
    return folder.store.metrics(folder.store.run(run, kinds=("train",)).id)


def _candidate_and_champion(
    folder: "WorkspaceFolder", candidate: Agent, champion: Agent, crown: bool = False
) -> tuple[Version, Version]:
    """The candidate and the version to beat. Without a champion that is the base model; `crown` makes it the first."""
    from verigym.registry import ledger

    version = find_version(folder, candidate)
    if champion != "champion" or ledger.champion(folder.store) is not None:
        return version, find_version(folder, champion)
    base = folder.agent(version.base)
    if base.id == version.id and not crown:
        raise Refused(
            f"No champion exists yet to compare with. To make this base agent the first champion: promote {version.id}"
        )
    return version, folder.champion(base) if crown else base


def _gate_policy(policy: "str | GatePolicy") -> "GatePolicy":
    from verigym.gates.policy import find_policy

    return find_policy(policy) if isinstance(policy, str) else policy


def decide(
    folder: "WorkspaceFolder", candidate: Agent, champion: Agent, policy: Any, environment: str, rescore: bool
) -> Decision:
    from verigym.workspace import gate

    version, current = _candidate_and_champion(folder, candidate, champion)
    if rescore:
        gate.rescored(folder, version, current, environment)
    decision = gate.gate(folder, version, current, _gate_policy(policy), environment=environment)
    gate.keep(folder, decision)
    return decision


def promote(folder: "WorkspaceFolder", candidate: Any, override: str, policy: Any) -> "LedgerEntry":
    from verigym.gates.policy import DEFAULT
    from verigym.registry import ledger
    from verigym.workspace import gate

    if isinstance(candidate, Decision):
        decision = candidate
        _candidate_and_champion(folder, decision.candidate, "champion", crown=True)
    else:
        version, current = _candidate_and_champion(folder, candidate, "champion", crown=True)
        if version.id == current.id:
            return ledger.entries(folder.store)[-1]
        demands = _gate_policy(policy) if policy else gate.last_policy(folder, version, current) or DEFAULT
        decision = gate.gate(folder, version, current, demands)
    if override:
        decision = msgspec.structs.replace(decision, kind="override", why=override)
    elif decision.verdict != "PROMOTE":
        gate.keep(folder, decision)
        raise Refused(
            f"The gate says {decision.verdict}, so {decision.champion} stays champion. {decision.words} "
            "To promote anyway, give a reason: override=..."
        )
    return ledger.promote(folder.store, decision, why=override)


def rollback(folder: "WorkspaceFolder", version: Agent, why: str) -> "LedgerEntry":
    from verigym.registry import ledger

    target = find_version(folder, version).id if version else None
    earlier = folder.find(ledger.rollback_target(ledger.entries(folder.store), target))
    if earlier.adapter:
        folder.adapter_folder(earlier.adapter)  # raises if the adapter is missing
    return ledger.rollback(folder.store, earlier.id, why=why)


def read_reports(folder: "WorkspaceFolder", agent: "Agent | None") -> list[Report]:
    reports = folder.store.documents("report", Report)
    if agent is None:
        return reports
    version = find_agent(folder, agent)
    return [report for report in reports if report.agent == version.id]


def read_ledger(folder: "WorkspaceFolder") -> "list[LedgerEntry]":
    from verigym.registry import ledger

    ledger.verify_chain(folder.store)
    return ledger.entries(folder.store)
