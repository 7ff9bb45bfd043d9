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
from verigym.registry import ledger
from verigym.store.database import Run
from verigym.tasks.files import write_beside
from verigym.workspace import datasets as data
from verigym.workspace.audit import last_audit, was_checked
from verigym.workspace.decisions import newest_run
from verigym.workspace.explain import ExplainSource, open_run
from verigym.workspace.gold import gold_examples
from verigym.workspace.workspace import WorkspaceFolder

KINDS = ("rollout", "eval")
LOOKED_AT = 64
"""Number of training tasks that are checked for a gold solution."""
REPEATED = 2
"""Solutions that a trained agent has already learnt from, per new one, if it is trained further."""


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
    if "agent" in run.config and not run.scored:
        raise Refused(f"Run {run.id} has no scored episode. Find out why: verigym explain {run.id}")
    agent = ws.store.get("version", str(run.config.get("agent", "")), Version)
    if agent is None:
        raise BadInput(
            f"Run {run.id} does not record its version. It is a training step, or it was imported. "
            "Name a run of eval or rollout, or a version"
        )
    tasks = ws.store.tasks(run.id)
    environment = environment_of(str(run.config["environment"]), tasks)
    return AdviceSubject(ws, run, agent, environment, open_run(ws, run.id))


def _run(ws: WorkspaceFolder, text: str) -> Run:
    try:
        return ws.store.run(newest_run(ws, KINDS) if text == "latest" else text, kinds=KINDS)
    except NotFound as no_run:
        try:
            agent = ws.find(text)
        except (NotFound, BadInput):
            raise no_run from None
    runs = _scored_runs(ws, agent)
    if not runs:
        raise NotFound(f"{agent.label} has no run yet. Run: verigym eval ENV -m {agent.id}")
    return runs[-1]


def _scored_runs(ws: WorkspaceFolder, agent: Version) -> list[Run]:
    """The evaluations and rollouts of an agent with a scored episode, newest last."""
    return [run for run in ws.store.runs() if run.kind in KINDS and run.config.get("agent") == agent.id and run.scored]


def advise_on(subject: AdviceSubject, notes: Sequence[str] = ()) -> AdviceReport:
    """Gives advice with complete recipes and their estimates. `notes` are added to the report."""
    evidence, more = gather(subject)
    all_notes = [*notes, *more]
    advice = [_completed(subject, one, all_notes) for one in advise(evidence)]
    return AdviceReport(evidence=evidence, advice=advice, notes=all_notes)


def gather(subject: AdviceSubject) -> tuple[AdviceEvidence, list[str]]:
    ws, run, agent, environment = subject.ws, subject.run, subject.agent, subject.environment
    explanation = subject.source.explained()
    notes = [subject.source.note] if subject.source.note else []
    tried, k = explanation, int(run.config.get("k", 1))
    repeated = [
        other
        for other in _scored_runs(ws, agent)
        if other.config.get("environment") == environment.name and int(other.config.get("k", 1)) > 1
    ]
    if not explanation.groups and repeated:
        tried, k = open_run(ws, repeated[-1].id).explained(), int(repeated[-1].config["k"])
        notes.append(f"pass@{k} and the signal in groups come from run {repeated[-1].id}")
    train = training_tasks(environment)
    gold = sum(bool(environment.gold_replies(task)) for task in train[:LOOKED_AT])
    written = sum(dataset.rows for dataset in _datasets(subject, "demonstrations"))
    audit = last_audit(ws, environment)
    evidence = AdviceEvidence(
        run=run.id,
        agent=agent.id,
        environment=environment.name,
        success=_success(subject),
        buckets={one.bucket: one.share for one in explanation.findings if one.bucket != "infrastructure"},
        errors=1 - explanation.scored / explanation.trajectories,
        k=k,
        pass_at_1=tried.pass_at_1 if tried.groups else None,
        pass_at_k=tried.pass_at_k if tried.groups else None,
        signal=tried.signal / tried.groups if tried.groups else None,
        horizon=explanation.horizon,
        local=not agent.is_remote,
        parameters=_parameters(agent),
        has_tools=environment.has_tools,
        has_prompt=agent.system_prompt is not None,
        constrained=bool(agent.constraints),
        trained=str(agent.recipe.get("algorithm", "a training run")) if agent.adapter else "",
        train_tasks=len(train),
        train_families=len({family_of(task) for task in train}),
        gold=round(len(train) * gold / max(1, min(len(train), LOOKED_AT))),
        fresh=len(fresh_tasks(ws, agent, environment)),
        demonstrations=_passed_in_training(subject) + written,
        pairs=sum(dataset.rows for dataset in _datasets(subject, "preferences")),
        labels=sum(label.judgement in ("better", "worse") for label in ws.store.documents("label", Label)),
        verified_by="judge" if "judge" in run.config else "program",
        checked=was_checked(ws, environment),
        audited=audit is not None,
        faults=audit.fix if audit is not None else [],
        hacking=_hacking(ws, agent),
        trials=[
            stored.trial
            for stored in ws.store.documents("trial", StoredTrial)
            if (stored.agent, stored.environment) == (agent.id, environment.name)
        ],
    )
    return evidence, notes


def _hacking(ws: WorkspaceFolder, agent: Version) -> str:
    """What the newest decision of the gate about an agent says about reward hacking. Empty if it found none."""
    decisions = [entry.decision for entry in ledger.entries(ws.store) if entry.decision.candidate == agent.id]
    asked = [decision for decision in decisions if decision.kind == "gate"]
    checks = asked[-1].checks if asked else []
    return next((one.words for one in checks if one.outcome == "fail" and one.words.startswith("reward hacking")), "")


class StoredTrial(msgspec.Struct, frozen=True):
    """A stored trial."""

    agent: str
    environment: str
    trial: Trial


def _success(subject: AdviceSubject) -> Estimate:
    """The success of the run. Episodes of a task are averaged first, and the interval is clustered by family."""
    passed: dict[str, list[bool]] = {}
    for episode in subject.ws.store.statuses(subject.run.id, subject.run.verifier):
        if episode.reward is not None:
            passed.setdefault(episode.task, []).append(episode.passed)
    family = {task.id: family_of(task) for task in subject.source.tasks}
    means = {task: sum(tries) / len(tries) for task, tries in passed.items()}
    return clustered_mean(list(means.values()), [family[task] for task in means], rate=True)


def training_tasks(environment: EnvironmentSpec) -> list[Task]:
    """The training tasks of an environment. Empty for a task file that is all held out."""
    try:
        return environment.tasks("train")
    except VerigymError:
        return []


def _passed_in_training(subject: AdviceSubject) -> int:
    """Number of passed episodes on training tasks in the rollouts of this workspace."""
    name, store = subject.environment.name, subject.ws.store
    runs = [run for run in store.runs() if run.kind == "rollout" and run.config.get("environment") == name]
    passed = [run for run in runs if run.passed and all(task.split == "train" for task in store.tasks(run.id)[:1])]
    return sum(run.passed for run in passed)


def fresh_tasks(ws: WorkspaceFolder, agent: Version, environment: EnvironmentSpec) -> list[Task]:
    """Training tasks with a solution that are new to a trained agent: their family was not trained on, or they were mined from
    production and are in none of its datasets. A mined task counts even if its family was trained on, because the agent failed
    it."""
    if not agent.adapter:
        return []
    families, learnt = set(agent.families), _learnt_tasks(ws, agent)
    fresh: list[Task] = []
    for task in training_tasks(environment):
        mined = any(source.startswith("trace ") for source in task.lineage)
        is_new = family_of(task) not in families or (mined and task.id not in learnt)
        if is_new and environment.gold_replies(task):
            fresh.append(task)
    return fresh


def _learnt_tasks(ws: WorkspaceFolder, agent: Version | None) -> set[str]:
    """Tasks in the datasets that an agent and its ancestors were trained on."""
    tasks: set[str] = set()
    while agent is not None:
        dataset = ws.store.get("dataset", agent.data_hash, Dataset)
        if dataset is not None and data.path_of(ws, dataset.id).exists():
            tasks |= {row.task for row in data.rows(ws, dataset)}
        agent = ws.store.get("version", agent.parent, Version)
    return tasks


def _parameters(agent: Version) -> float:
    """Number of parameters of the model. 0 if this machine does not have it, or cannot read it without torch."""
    if agent.is_remote:
        return 0.0
    try:
        from verigym.model.hub import is_local
        from verigym.model.shape import read_shape

        return float(read_shape(agent.base).parameters) if is_local(agent.base) else 0.0
    except (ImportError, VerigymError):
        return 0.0


_ALGORITHM = {SFT: "sft", DPO: "dpo", REWARD_MODEL: "reward", GRPO: "grpo", WORKFLOW: "grpo"}


def _completed(subject: AdviceSubject, one: Advice, notes: list[str]) -> Advice:
    """A training advice with its recipe and the estimate of the dry run."""
    if not one.advised or one.fix not in _ALGORITHM:
        return one
    algorithm = _ALGORITHM[one.fix]
    path = subject.ws.home / "recipes" / f"{algorithm}-{subject.agent.id}.yaml"
    fields = recipe_for(subject, algorithm)
    try:
        path = write_beside(path, msgspec.yaml.encode(fields))
    except BadInput as error:  # the workspace may be read-only
        notes.append(f"{one.fix}: the recipe was not written. {error}")
    command = one.command.replace("RECIPE", str(path))
    try:
        estimate = _estimate(subject, fields)
    except (ImportError, VerigymError) as error:
        notes.append(f"{one.fix}: the cost could not be estimated ({error})")
        estimate = {}
    return msgspec.structs.replace(one, command=command, estimate=estimate)


def _estimate(subject: AdviceSubject, fields: dict[str, Any]) -> dict[str, float]:
    from verigym.model.hub import is_local
    from verigym.training.recipe import make_recipe
    from verigym.workspace.dry_run import dry_run

    if not is_local(subject.agent.base):  # advice asks no network
        raise NotFound(f"{subject.agent.base} is not on this machine")
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


_SEVERAL_TURNS: dict[str, Any] = {
    "prompts_per_step": 32,
    "updates_per_batch": 2,
    "loss": {"average": "tokens", "clip_high": 0.28},
    "advantage": {"scale": "batch"},
}
"""Settings for episodes of several turns (docs/how-to/training.md): a mean per episode would let short episodes weigh most, and
the deviation of a group would let a small loss weigh as much as success."""


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
        if (agent.harness.turns if agent.harness else 0) or environment.max_turns > 1:
            more |= _SEVERAL_TURNS
    else:
        more = {
            "data": _newest_dataset(subject, "preferences"),
            "prompts_per_step": 16,
            "steps": 40,
        }
    return fields | more


def _imitated(subject: AdviceSubject) -> dict[str, Any]:
    """The sft data: gold solutions if tasks have them, otherwise the newest demonstrations. For a trained agent: new solutions
    mixed with those that it has learnt from."""
    fresh, train = fresh_tasks(subject.ws, subject.agent, subject.environment), training_tasks(subject.environment)
    if len(fresh) >= MIN_FRESH:
        return {"data": _mixed_dataset(subject, fresh).name}
    if any(subject.environment.gold_replies(task) for task in train[:LOOKED_AT]):
        return {"num_tasks": min(480, len(train))}
    return {"data": _newest_dataset(subject, "demonstrations")}


def _mixed_dataset(subject: AdviceSubject, fresh: list[Task]) -> Dataset:
    """A dataset of solutions that are new to the agent, and `REPEATED` times as many that it has learnt from, so that it does not
    forget them."""
    agent, environment = subject.agent, subject.environment
    new = {task.id for task in fresh}
    learnt = [task for task in training_tasks(environment) if task.id not in new and environment.gold_replies(task)]
    learnt = pick(learnt, REPEATED * len(fresh), seed=0)
    rows = event_loop.run(gold_examples(environment, [*fresh, *learnt], agent))
    source = f"gold solutions of {environment.name}: {len(fresh)} new to {agent.id}, {len(learnt)} of what it has learnt from"
    counts = {"new": len(fresh), "known": len(learnt)}
    return data.keep(subject.ws, rows, counts, environment=environment.name, source=source)


def _newest_dataset(subject: AdviceSubject, kind: str) -> str:
    fitting = _datasets(subject, kind)
    return fitting[-1].name if fitting else "latest"


def _datasets(subject: AdviceSubject, kind: str) -> list[Dataset]:
    """The datasets of a kind for the environment, newest last."""
    name = subject.environment.name
    return [one for one in data.known(subject.ws) if one.kind == kind and one.environment in ("", name)]
