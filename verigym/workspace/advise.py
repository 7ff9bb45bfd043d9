"""Advice in a workspace: gathers the evidence about a run, and estimates the cost of advised training.

`evaluation.advise` draws the conclusions. `flywheel.trials` tries cheap changes.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from verigym.core import event_loop
from verigym.core.errors import BadInput, NotFound, Refused, VerigymError
from verigym.core.printable import Printable
from verigym.core.records import Advice, Dataset, Estimate, Label, Sampling, Task, Version
from verigym.environments.load import environment_of
from verigym.evaluation.advise import DPO, GRPO, MIN_FRESH, REWARD_MODEL, SFT, WORKFLOW, AdviceEvidence, Trial, advise
from verigym.evaluation.stats import clustered_mean
from verigym.evaluation.suites import family_of, pick
from verigym.harness.environment import EnvironmentSpec
from verigym.store.database import Run
from verigym.tasks.files import write_whole
from verigym.workspace import datasets as data
from verigym.workspace.audit import last_audit, was_checked
from verigym.workspace.explain import ExplainSource, open_run
from verigym.workspace.gold import gold_examples
from verigym.workspace.workspace import WorkspaceFolder

KINDS = ("rollout", "eval")
LOOKED_AT = 64
"""Number of training tasks that are checked for a gold solution."""
KNOWN = 2
"""Known solutions per new one, if an agent that is already trained is trained further."""


class AdviceReport(Printable, msgspec.Struct, frozen=True, kw_only=True):
    evidence: AdviceEvidence
    advice: list[Advice]
    notes: list[str] = []
    """Notes for the reader: where figures come from, and what could not be estimated."""


class AdviceSubject(msgspec.Struct, frozen=True):
    """The agent, environment and run that the advice is about."""

    ws: WorkspaceFolder
    run: Run
    agent: Version
    environment: EnvironmentSpec
    source: ExplainSource


def open_subject(ws: WorkspaceFolder, text: str) -> AdviceSubject:
    """Finds the subject by run, or by version with its newest run."""
    run = _run(ws, text)
    agent = ws.store.get("version", str(run.config.get("agent", "")), Version)
    if agent is None:
        raise BadInput(
            f"Run {run.id} does not record its agent (it is a training step or imported). Name an eval, a rollout or a version"
        )
    tasks = ws.store.tasks(run.id)
    environment = environment_of(str(run.config["environment"]), tasks)
    if not run.scored:
        raise Refused(f"Run {run.id} has no scored episode. Find out why: verigym explain {run.id}")
    return AdviceSubject(ws, run, agent, environment, open_run(ws, run.id))


def _run(ws: WorkspaceFolder, text: str) -> Run:
    try:
        return ws.store.run(text, kinds=KINDS)
    except NotFound as no_run:
        try:
            agent = ws.find(text)
        except (NotFound, BadInput):
            raise no_run from None
    runs = [one for one in ws.store.runs() if one.kind in KINDS and one.config.get("agent") == agent.id and one.scored]
    if not runs:
        raise NotFound(f"{agent.label} has no run yet. Run: verigym eval ENV -m {agent.id}")
    return runs[-1]


def advise_on(subject: AdviceSubject, notes: Sequence[str] = ()) -> AdviceReport:
    """Gives advice with complete recipes and their estimates. `notes` are added to the report."""
    evidence, more = gather(subject)
    said = [*notes, *more]
    advice = [_completed(subject, one, said) for one in advise(evidence)]
    return AdviceReport(evidence=evidence, advice=advice, notes=said)


# -- evidence ----------------------------------------------------------------------------------------------------------


def gather(subject: AdviceSubject) -> tuple[AdviceEvidence, list[str]]:
    ws, run, agent, environment = subject.ws, subject.run, subject.agent, subject.environment
    found = subject.source.explained()
    notes = [subject.source.note] if subject.source.note else []
    tried, k = found, int(run.config.get("k", 1))
    if not found.groups and (other := _several_tries(subject)) is not None:
        tried, k = open_run(ws, other.id).explained(), int(other.config["k"])
        notes.append(f"pass@{k} and the signal in groups come from run {other.id}")
    train = training_tasks(environment)
    gold = sum(bool(environment.gold_replies(task)) for task in train[:LOOKED_AT])
    sets = [one for one in data.known(ws) if one.environment in ("", environment.name)]
    audit = last_audit(ws, environment)
    evidence = AdviceEvidence(
        run=run.id,
        agent=agent.id,
        environment=environment.name,
        success=_success(subject),
        buckets={one.bucket: one.share for one in found.findings if one.bucket != "infrastructure"},
        errors=1 - found.scored / found.trajectories,
        k=k,
        pass_at_1=tried.pass_at_1 if tried.groups else None,
        pass_at_k=tried.pass_at_k if tried.groups else None,
        signal=tried.signal / tried.groups if tried.groups else None,
        horizon=found.horizon,
        local=is_local(agent),
        parameters=_parameters(agent),
        has_tools=bool(environment.tools),
        has_prompt=agent.system_prompt is not None,
        constrained=bool(agent.constraints),
        trained=str(agent.recipe.get("algorithm", "a training run")) if agent.adapter else "",
        train_tasks=len(train),
        train_families=len({family_of(task) for task in train}),
        gold=round(len(train) * gold / max(1, min(len(train), LOOKED_AT))),
        fresh=len(fresh_tasks(ws, agent, environment)),
        demonstrations=_passed_in_training(subject) + sum(one.rows for one in sets if one.kind == "demonstrations"),
        pairs=sum(one.rows for one in sets if one.kind == "preferences"),
        labels=sum(one.judgement in ("better", "worse") for one in ws.store.documents("label", Label)),
        verified_by="judge" if "judge" in run.config else "program",
        checked=was_checked(ws, environment),
        audited=audit is not None,
        faults=audit.fix if audit is not None else [],
        trials=[one.trial for one in ws.store.documents("trial", StoredTrial) if one.of(agent, environment)],
    )
    return evidence, notes


class StoredTrial(msgspec.Struct, frozen=True):
    """A stored trial."""

    agent: str
    environment: str
    trial: Trial

    def of(self, agent: Version, environment: EnvironmentSpec) -> bool:
        return (self.agent, self.environment) == (agent.id, environment.name)


def _success(subject: AdviceSubject) -> Estimate:
    """The success of the run. Episodes of a task are averaged first, and the interval is clustered by family."""
    passed: dict[str, list[bool]] = {}
    for one in subject.ws.store.statuses(subject.run.id, subject.run.verifier):
        if one.judged and one.reward is not None:
            passed.setdefault(one.task, []).append(one.passed)
    family = {task.id: family_of(task) for task in subject.source.tasks}
    means = {task: sum(tries) / len(tries) for task, tries in passed.items()}
    return clustered_mean(list(means.values()), [family[task] for task in means], rate=True)


def _several_tries(subject: AdviceSubject) -> Run | None:
    """The newest run of the same agent and environment with several episodes per task."""
    ours = (subject.agent.id, subject.environment.name)
    runs = [
        one
        for one in subject.ws.store.runs()
        if one.kind in KINDS and (one.config.get("agent"), one.config.get("environment")) == ours
    ]
    return next((one for one in reversed(runs) if int(one.config.get("k", 1)) > 1 and one.scored), None)


def training_tasks(environment: EnvironmentSpec) -> list[Task]:
    """The training tasks of an environment. Empty for a task file that is all held out."""
    try:
        return environment.tasks("train")
    except VerigymError:
        return []


def _passed_in_training(subject: AdviceSubject) -> int:
    """Number of passed episodes on training tasks in the rollouts of this workspace."""
    where, store = subject.environment.name, subject.ws.store
    runs = [
        one for one in store.runs() if one.kind == "rollout" and one.config.get("environment") == where and one.passed
    ]
    return sum(one.passed for one in runs if all(task.split == "train" for task in store.tasks(one.id)[:1]))


def fresh_tasks(ws: WorkspaceFolder, agent: Version, environment: EnvironmentSpec) -> list[Task]:
    """Training tasks with a solution that are new to a trained agent: their family was not trained on, or they were mined from
    production and are in none of its datasets. A mined task counts even if its family was trained on, because the agent failed
    it."""
    if not agent.adapter:
        return []
    families, shown = set(agent.families), _shown(ws, agent)
    return [
        task
        for task in training_tasks(environment)
        if (family_of(task) not in families or (_is_mined(task) and task.id not in shown))
        and environment.gold_replies(task)
    ]


def _is_mined(task: Task) -> bool:
    return any(each.startswith("trace ") for each in task.lineage)


def _shown(ws: WorkspaceFolder, agent: Version | None) -> set[str]:
    """Tasks in the datasets that an agent and its ancestors were trained on."""
    found: set[str] = set()
    while agent is not None:
        dataset = ws.store.get("dataset", agent.data_hash, Dataset) if agent.data_hash else None
        if dataset is not None and data.path_of(ws, dataset.id).exists():
            found |= {row.task for row in data.rows(ws, dataset)}
        agent = ws.store.get("version", agent.parent, Version) if agent.parent else None
    return found


def is_local(agent: Version) -> bool:
    return not agent.is_remote


def _parameters(agent: Version) -> float:
    """Number of parameters of the model. 0 if it cannot be read, for example without torch, or behind a server."""
    if not is_local(agent):
        return 0.0
    try:
        from verigym.model.shape import read_shape

        return float(read_shape(agent.base).parameters)
    except (ImportError, VerigymError):
        return 0.0


# -- training recipes ----------------------------------------------------------------------------------------------------

_ALGORITHM = {SFT: "sft", DPO: "dpo", REWARD_MODEL: "reward", GRPO: "grpo", WORKFLOW: "grpo"}


def _completed(subject: AdviceSubject, one: Advice, notes: list[str]) -> Advice:
    """A training advice with its recipe and the estimate of the dry run."""
    if not one.advised or one.fix not in _ALGORITHM:
        return one
    algorithm = _ALGORITHM[one.fix]
    path = subject.ws.home / "recipes" / f"{algorithm}-{subject.agent.id}.yaml"
    fields = recipe_for(subject, algorithm)
    body = msgspec.yaml.encode(fields)
    write_whole(path, lambda file: file.writelines([body]))
    command = one.command.replace("RECIPE", str(path))
    try:
        estimate = _estimate(subject, fields)
    except (ImportError, VerigymError) as error:
        notes.append(f"{one.fix}: the cost could not be estimated ({error})")
        estimate = {}
    return msgspec.structs.replace(one, command=command, estimate=estimate)


def _estimate(subject: AdviceSubject, fields: dict[str, Any]) -> dict[str, float]:
    from verigym.training.recipe import make_recipe
    from verigym.workspace.dry_run import dry_run

    recipe = make_recipe(dict(fields), [], "advise")
    plan = dry_run(subject.ws, recipe).plan
    rollouts = recipe.steps * recipe.prompts_per_step * recipe.num_generations_per_prompt if recipe.samples else 0
    return {
        "rollouts": float(rollouts),
        "tokens": float(plan.sampled + plan.trained),
        "hours": plan.hours,
        "gigabytes": plan.memory.least / 1e9,
        "fits": float(plan.memory.fits),
    }


def recipe_for(subject: AdviceSubject, algorithm: str) -> dict[str, Any]:
    """A recipe with measured default settings (docs/how-to/training.md, recipes/). An existing adapter keeps its shape."""
    agent, environment = subject.agent, subject.environment
    small = _parameters(agent) < 1e9
    fields: dict[str, Any] = {"model": agent.base, "algorithm": algorithm, "environment": environment.name}
    fields["reward"] = next(iter(environment.verifiers))
    if agent.adapter or agent.system_prompt is not None or agent.constraints:
        fields["start"] = agent.id
    if algorithm != "reward" and environment.suites:
        fields["held_out_eval"] = next(iter(environment.suites))
    if not agent.adapter:
        fields["lora"] = {"r": 32, "alpha": 64}
    longest = msgspec.convert(subject.run.config.get("sampling", {}), Sampling).max_tokens
    if algorithm == "sft":
        more = {"prompts_per_step": 16, "steps": 60, "learning_rate": 2e-3 if small else 2e-4, "eval_interval": 0}
        more |= _imitated(subject)
    elif algorithm == "grpo":
        more = {"num_generations_per_prompt": 8, "prompts_per_step": 16, "steps": 40, "max_tokens": longest}
        more |= {"learning_rate": 1e-4 if small else 2e-5, "eval_interval": 20}
    else:
        more = {"data": _newest(subject, "preferences"), "prompts_per_step": 16, "steps": 40, "learning_rate": 2e-4}
    return fields | more


def _imitated(subject: AdviceSubject) -> dict[str, Any]:
    """The sft data: gold solutions if tasks have them, otherwise the newest demonstrations. For a trained agent: new solutions
    mixed with known ones."""
    if len(fresh_tasks(subject.ws, subject.agent, subject.environment)) >= MIN_FRESH:
        return {"data": _new_beside_known(subject).name}
    if any(subject.environment.gold_replies(task) for task in training_tasks(subject.environment)[:LOOKED_AT]):
        return {"num_tasks": min(480, len(training_tasks(subject.environment)))}
    return {"data": _newest(subject, "demonstrations")}


def _new_beside_known(subject: AdviceSubject) -> Dataset:
    """A dataset of solutions that are new to the agent, and `KNOWN` times as many from families that it was trained on, so that
    it does not forget them."""
    agent, environment = subject.agent, subject.environment
    fresh = fresh_tasks(subject.ws, agent, environment)
    new = {task.id for task in fresh}
    known = [task for task in training_tasks(environment) if task.id not in new and environment.gold_replies(task)]
    known = pick(known, KNOWN * len(fresh), seed=0)
    rows = event_loop.run(gold_examples(environment, [*fresh, *known], agent))
    source = (
        f"gold solutions of {environment.name}: {len(fresh)} new to {agent.id}, {len(known)} of what it has learnt from"
    )
    counts = {"new": len(fresh), "known": len(known)}
    return data.keep(subject.ws, rows, counts, environment=environment.name, source=source)


def _newest(subject: AdviceSubject, kind: str) -> str:
    fitting = [
        one for one in data.known(subject.ws) if one.kind == kind and one.environment in ("", subject.environment.name)
    ]
    return fitting[-1].name if fitting else "latest"
