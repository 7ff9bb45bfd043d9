"""The stages of the ring, each a function from records to new records, composed for one process.

Every stage is named by its content: the same call with the same settings finds what is finished and runs what is missing.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from verigym.core.errors import Refused, not_found
from verigym.core.records import Decision, Json, Report, Sampling, Suite, Task, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import make_suite, pick
from verigym.flywheel.workspace import Workspace
from verigym.gates.decide import decide
from verigym.harness.environment import EnvironmentSpec
from verigym.registry import versions
from verigym.rollout.many import Plan, Progress, run_many
from verigym.tasks.load import check_split, tasks_hash
from verigym.training.recipe import Recipe

OnProgress = Callable[[Progress], None]
OnStep = Callable[[int, dict[str, float]], None]
GREEDY = Sampling(temperature=0.0, max_tokens=64)


class Measured(NamedTuple):
    report: Report
    run: str


def tasks_of(environment: EnvironmentSpec, split: str, n: int | None = None, seed: int = 0) -> list[Task]:
    """The tasks of a split, or n of them spread over families."""
    tasks = environment.tasks(split)
    if not tasks:
        raise Refused(f'{environment.name} has no tasks in split "{split}"')
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
    concurrency: int = 256,
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
    ws.store.begin_run(run, kind, config, tasks)
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
    asyncio.run(_run(ws, plan, agent, on_progress))
    return run


async def _run(ws: Workspace, plan: Plan, agent: Version, on_progress: OnProgress) -> None:
    policy = _Lazy(lambda: ws.policy(agent))
    try:
        await run_many(ws.store, plan, policy, on_progress)
    finally:
        await policy.close()


class _Lazy:
    """A policy that is opened at its first call: a run that is complete already loads no model."""

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self._policy: Any = None

    async def respond(self, request: Any) -> Any:
        if self._policy is None:
            self._policy = self._open()
        return await self._policy.respond(request)

    async def close(self) -> None:
        if hasattr(self._policy, "close"):
            await self._policy.close()


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
    concurrency: int = 256,
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
    report = make_report(run, agent.id, suite, tasks, trajectories, verdicts, seed)
    ws.store.put("report", report.id, report)
    return Measured(report, run)


def latest_report(ws: Workspace, agent: Version, suite: str | None = None) -> Report | None:
    """The newest report of a version (on the suite with this hash, where one is given)."""
    reports = [one for one in ws.store.documents("report", Report) if one.agent == agent.id]
    fitting = [one for one in reports if suite is None or one.suite.hash == suite]
    return fitting[-1] if fitting else None


def shared_reports(ws: Workspace, candidate: Version, champion: Version) -> tuple[Report, Report]:
    """The newest reports of both on one suite."""
    reports = ws.store.documents("report", Report)
    for one in reversed([report for report in reports if report.agent == candidate.id]):
        other = latest_report(ws, champion, one.suite.hash)
        if other is not None:
            return one, other
    raise Refused(
        f"{candidate.name or candidate.id} and {champion.name or champion.id} have no report on the same held-out tasks; "
        f"run: verigym eval ENV -m {candidate.id} and verigym eval ENV -m {champion.id}, with the same --split and -n"
    )


def gate(ws: Workspace, candidate: Version, champion: Version) -> Decision:
    ours, theirs = shared_reports(ws, candidate, champion)
    return decide(candidate, champion, ours, theirs)


def environment_of(recipe: Recipe) -> EnvironmentSpec:
    """The environment a recipe trains in, its `reward` as verifier."""
    environment = load_environment(recipe.environment) if recipe.environment else find_by_verifier(recipe.reward)
    if recipe.reward not in environment.verifiers:
        raise not_found(
            "reward", recipe.reward, environment.verifiers, f"These are the verifiers of {environment.name}."
        )
    if recipe.held_out_eval and recipe.held_out_eval not in environment.suites:
        raise not_found(
            "suite", recipe.held_out_eval, environment.suites, f"These are the suites of {environment.name}."
        )
    chosen = {recipe.reward: environment.verifiers[recipe.reward], **environment.verifiers}
    return msgspec.structs.replace(environment, verifiers=chosen)


def train(ws: Workspace, recipe: Recipe, on_step: OnStep = lambda step, metrics: None) -> tuple[Version, str]:
    """Trains as the recipe says; returns the new version and the run. Killed, the same call goes on."""
    environment = environment_of(recipe)
    tasks = tasks_of(environment, "train", recipe.num_tasks, recipe.seed)
    if recipe.held_out_eval:
        check_split(tasks, environment.tasks(environment.suites[recipe.held_out_eval]))
    parent = ws.agent(recipe.start or recipe.model)
    config: Json = {
        "recipe": msgspec.to_builtins(recipe),
        "tasks": tasks_hash(tasks),
        "parent": parent.id,
        "verifier": environment.verifier.name,
    }
    run = f"{recipe.algorithm}-{content_hash(config)[:8]}"
    known = [one for one in ws.store.documents("version", Version) if one.recipe.get("run") == run]
    if known:
        return known[-1], run
    ws.store.begin_run(run, "train", config)
    model = asyncio.run(_train(ws, recipe, environment, tasks, parent, run, on_step))
    version = versions.register(
        ws.store,
        Version(
            base=parent.base,
            adapter=ws.keep_adapter(model, parent.base),
            system_prompt=parent.system_prompt,
            tool_descriptions=parent.tool_descriptions,
            name=recipe.name or recipe.algorithm,
            parent=parent.id,
            recipe={**msgspec.to_builtins(recipe), "run": run},
            data_hash=tasks_hash(tasks),
            families=sorted({task.family or task.id for task in tasks} | set(parent.families)),
        ),
    )
    ws.store.finish_run(run)
    _training().forget_checkpoints(ws.checkpoints(run))
    return version, run


async def _train(
    ws: Workspace,
    recipe: Recipe,
    environment: EnvironmentSpec,
    tasks: list[Task],
    parent: Version,
    run: str,
    on_step: OnStep,
) -> Any:
    """The trained model, its adapter on it."""
    training = _training()
    policy: Any = ws.policy(parent)
    training.prepare(policy.model, recipe)
    sampling = Sampling(temperature=recipe.temperature, max_tokens=recipe.max_tokens)

    def signed(step: int) -> None:
        policy.changed(f"{run}@{step}")

    async def evaluate(step: int) -> dict[str, float]:
        signed(step)
        split = environment.suites[recipe.held_out_eval]
        suite, held_out = suite_of(environment, split, recipe.eval_tasks)
        child = f"{run}/eval-{step:04d}"
        ws.store.begin_run(child, "eval", {"step": step}, held_out, parent=run)
        greedy = Sampling(temperature=0.0, max_tokens=recipe.max_tokens)
        agent = msgspec.structs.replace(parent, id=f"{run}@{step}")
        plan = Plan(
            run=child,
            environment=environment,
            tasks=held_out,
            agent=agent,
            verifier=environment.verifier,
            sampling=greedy,
        )
        trajectories, verdicts = await run_many(ws.store, plan, policy)
        report = make_report(child, agent.id, suite, held_out, trajectories, verdicts, recipe.seed)
        return {f"held_out_{name}": report.metrics[name].value for name in ("success", "reward")}

    async def collect(step: int, picked: list[Task]) -> list[Any]:
        child = f"{run}/step-{step:04d}"
        ws.store.begin_run(child, "collect", {"step": step}, picked, parent=run)
        k = recipe.num_generations_per_prompt
        plan = Plan(
            run=child,
            environment=environment,
            tasks=picked,
            agent=parent,
            verifier=environment.verifier,
            k=k,
            sampling=sampling,
            seed=derive(recipe.seed, "collect", step),
            concurrency=len(picked) * k,
        )
        trajectories, verdicts = await run_many(ws.store, plan, policy)
        return [(trajectories[i : i + k], verdicts[i : i + k]) for i in range(0, len(trajectories), k)]

    def report(step: int, metrics: dict[str, float]) -> None:
        ws.store.add_metrics(run, step, metrics)
        on_step(step, metrics)

    folder = ws.checkpoints(run)
    if recipe.algorithm == "sft":
        samples = training.demonstrations(policy.render, environment, tasks, parent)
        await training.train_sft(policy.model, recipe, samples, folder, evaluate=evaluate, report=report)
    else:
        await training.train_grpo(
            policy.model, recipe, tasks, folder, collect=collect, changed=signed, evaluate=evaluate, report=report
        )
    return policy.model


def _training() -> Any:
    """The loops, loaded when something is trained: they need torch."""
    from verigym.flywheel import trainer

    return trainer
