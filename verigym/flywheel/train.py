"""Training, composed: a recipe, an environment and a parent version become a new version.

The loops themselves are in `training`; here they are handed their samples, their `collect` and their `evaluate`. They are
imported when something is trained, because they need torch.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.errors import Refused, not_found
from verigym.core.records import Item, Json, Message, Sample, Sampling, Task, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import family_of
from verigym.flywheel.stages import judged_by, suite_of, tasks_of
from verigym.flywheel.workspace import Workspace
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import first_items
from verigym.rollout.many import Made, Plan, results, run_many
from verigym.tasks.load import check_split, tasks_hash
from verigym.training.recipe import Adapter, Recipe

OnStep = Callable[[int, dict[str, float]], None]


def environment_of(recipe: Recipe) -> EnvironmentSpec:
    """The environment a recipe trains in, its `reward` as verifier."""
    environment = load_environment(recipe.environment) if recipe.environment else find_by_verifier(recipe.reward)
    for what, name, known in (
        ("reward", recipe.reward, environment.verifiers),
        ("held_out_eval", recipe.held_out_eval, environment.suites),
    ):
        if name and name not in known:
            raise not_found(what, name, known, f"These are the ones of {environment.name}.")
    return judged_by(environment, recipe.reward)


def train(ws: Workspace, recipe: Recipe, on_step: OnStep = lambda step, metrics: None) -> tuple[Version, str]:
    """Trains as the recipe says; returns the new version and the run. Killed, the same call goes on."""
    environment = environment_of(recipe)
    parent = _parent(ws, recipe)
    tasks = tasks_of(environment, "train", recipe.num_tasks, recipe.seed)
    _check_held_out(environment, tasks)
    config: Json = {
        "recipe": msgspec.to_builtins(recipe),
        "tasks": tasks_hash(tasks),
        "parent": parent.id,
        "verifier": environment.verifier.name,
        **({"environment_version": environment.version} if environment.version else {}),
    }
    run = f"{recipe.algorithm}-{content_hash(config)[:8]}"
    version = ws.store.get("trained", run, Version)
    if version is None or not ws.has_adapter(version.adapter):
        ws.store.begin_run(run, "train", config)
        model = asyncio.run(_train(ws, recipe, environment, tasks, parent, run, on_step))
        version = ws.keep(
            msgspec.structs.replace(
                parent,
                id="",
                adapter=ws.keep_adapter(model, parent.base),
                name=recipe.name or recipe.algorithm,
                parent=parent.id,
                recipe={**msgspec.to_builtins(recipe), "run": run},
                data_hash=tasks_hash(tasks),
                families=sorted({family_of(task) for task in tasks} | set(parent.families)),
                reports=[],
            ),
        )
        ws.store.put("trained", run, version)
    ws.store.finish_run(run)
    ws.forget_checkpoints(run)
    return version, run


def _parent(ws: Workspace, recipe: Recipe) -> Version:
    parent = ws.known(recipe.start) if recipe.start else ws.agent(recipe.model)
    if parent.base != recipe.model:
        raise Refused(f"start: {recipe.start} is built on {parent.base}, but the recipe says model: {recipe.model}")
    if parent.base.startswith(("http://", "https://")):
        raise Refused(f"{parent.base}: a model behind a server cannot be trained here; name a hub id or a folder")
    return parent


def _check_held_out(environment: EnvironmentSpec, tasks: list[Task]) -> None:
    """Held-out families are never trained on."""
    wrong = [task.id for task in tasks if task.split != "train"]
    if wrong:
        raise Refused(
            f'{environment.name}: tasks("train") holds {wrong[0]} of split "{tasks[0].split}"; it is held out'
        )
    for split in set(environment.suites.values()):
        check_split(tasks, environment.tasks(split), prompts=not environment.steps)


async def _train(
    ws: Workspace,
    recipe: Recipe,
    environment: EnvironmentSpec,
    tasks: list[Task],
    parent: Version,
    run: str,
    on_step: OnStep,
) -> Any:
    """The model with the trained adapter on it."""
    from verigym.training.grpo import train_grpo
    from verigym.training.sft import train_sft

    policy: Any = ws.policy(parent)
    ws.keep(parent)
    _prepare(policy.model, recipe)
    agent = msgspec.structs.replace(parent, sampling=None)  # the recipe's own settings are sampled with

    def signed(step: int) -> None:
        policy.changed(f"{run}@{step}")

    async def episodes(child: str, kind: str, plan: Plan) -> tuple[list[Any], list[Any]]:
        ws.store.begin_run(child, kind, {"parent": run}, plan.tasks, parent=run)
        made = Made()
        await run_many(ws.store, plan, policy, made=made)
        policy.engine.wait()  # an episode that timed out may have left a request running
        return results(ws.store, plan, made)

    async def evaluate(step: int) -> dict[str, float]:
        signed(step)
        suite, held_out = suite_of(environment, environment.suites[recipe.held_out_eval], recipe.eval_tasks)
        child = f"{run}/eval-{step:04d}"
        plan = Plan(
            run=child,
            environment=environment,
            tasks=held_out,
            agent=agent,
            verifier=environment.verifier,
            sampling=Sampling(temperature=0.0, max_tokens=recipe.max_tokens),
        )
        trajectories, verdicts = await episodes(child, "eval", plan)
        report = make_report(child, f"{run}@{step}", suite, held_out, trajectories, verdicts, recipe.seed)
        return {
            f"held_out_{name}": report.metrics[name].value for name in ("success", "reward") if name in report.metrics
        }

    async def collect(step: int, picked: list[Task]) -> list[Any]:
        k = recipe.num_generations_per_prompt
        child = f"{run}/step-{step:04d}"
        plan = Plan(
            run=child,
            environment=environment,
            tasks=picked,
            agent=agent,
            verifier=environment.verifier,
            k=k,
            sampling=Sampling(temperature=recipe.temperature, max_tokens=recipe.max_tokens),
            seed=derive(recipe.seed, "collect", step),
        )
        trajectories, verdicts = await episodes(child, "collect", plan)
        return [(trajectories[i : i + k], verdicts[i : i + k]) for i in range(0, len(trajectories), k)]

    def report(step: int, metrics: dict[str, float]) -> None:
        ws.store.add_metrics(run, step, metrics)
        on_step(step, metrics)

    folder = ws.checkpoints(run)
    if recipe.algorithm == "sft":
        samples = _demonstrations(policy.render, environment, tasks, parent)
        await train_sft(policy.model, recipe, samples, folder, evaluate=evaluate, report=report)
    else:
        await train_grpo(
            policy.model, recipe, tasks, folder, collect=collect, changed=signed, evaluate=evaluate, report=report
        )
    return policy.model


def _prepare(model: Any, recipe: Recipe) -> None:
    """A fresh adapter where the parent has none; else training goes on with the parent's, whose shape is given."""
    from verigym.model import lora

    worn = lora.config_of(model)
    wanted = recipe.lora
    if worn is None:
        lora.attach(model, lora.LoraConfig(r=wanted.r, alpha=wanted.alpha, top_layers=wanted.top_layers), recipe.seed)
    elif wanted != Adapter() and (wanted.r, wanted.alpha, wanted.top_layers) != (worn.r, worn.alpha, worn.top_layers):
        raise Refused(
            f"start: {recipe.start} has an adapter with r {worn.r}, alpha {worn.alpha}, top_layers {worn.top_layers}; "
            "training goes on with it, so leave lora out of the recipe or give the same"
        )


def _demonstrations(render: Any, environment: EnvironmentSpec, tasks: list[Task], agent: Version) -> list[Sample]:
    """The gold reply of each task under the agent's own prompt."""
    from verigym.training.samples import demonstration

    tools = environment.toolbox.offer(agent.tool_descriptions).tools
    samples: list[Sample] = []
    for task in tasks:
        replies = environment.gold_replies(task)
        if len(replies) > 1:
            raise Refused(
                f'task "{task.id}": its gold solution has {len(replies)} replies with results between them, and '
                "demonstrations of one reply are what sft imitates; give gold(task) one reply"
            )
        reply = replies[0] if replies else []
        items: list[Item] = [Message("assistant", reply)] if isinstance(reply, str) else reply
        samples.append(demonstration(render, first_items(environment, task, agent), tools, items, task.id))
    return samples
