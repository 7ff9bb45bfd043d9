"""Rollouts and evaluations in a workspace: each function reads records and stores new ones.

A run is identified by its settings. The same call with the same settings reuses finished episodes and runs the missing ones.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import msgspec

from verigym.agents.run import runner_of
from verigym.core import event_loop
from verigym.core.errors import BadInput, InfrastructureFailure, NoServer, NotFound, Refused, not_found
from verigym.core.protocols import Context, Policy, closing
from verigym.core.records import Fault, Json, Report, Sampling, Suite, Task, Trajectory, Version, content_hash
from verigym.environments.load import held_out_name
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import family_of, make_suite, pick, split_part, take_part
from verigym.harness.environment import EnvironmentSpec
from verigym.model.reasoning import REASONING_TOKENS, chat_template
from verigym.policies.dialects import thinking
from verigym.rollout import rescore as scoring
from verigym.rollout.many import Progress, RunPlan, pending, unscored
from verigym.rollout.settings import EpisodeLimits, Prices, RunSettings
from verigym.sandbox.open import LazySandbox, open_sandbox
from verigym.store.transfer import ImportedRun
from verigym.tasks.load import tasks_hash
from verigym.workspace.agent_tools import with_agent_tools
from verigym.workspace.workspace import WorkspaceFolder

OnProgress = Callable[[Progress], None]


def max_tokens_for(agent: Version, usual: int) -> int:
    """Maximum tokens per reply if nobody says otherwise: `usual`, or more for a local model that reasons before it answers."""
    if agent.is_remote:
        return usual
    return max(usual, REASONING_TOKENS) if thinking.reasons(chat_template(agent.base)) else usual


GREEDY = Sampling(temperature=0.0, max_tokens=64)


def tasks_of(environment: EnvironmentSpec, split: str, n: int | None = None, seed: int = 0) -> list[Task]:
    """The tasks of a split, or n of them spread over families."""
    tasks = environment.tasks(split)
    if not tasks:
        others = [each for each in ("train", *environment.suites.values()) if each != split and environment.tasks(each)]
        raise Refused(
            f'{environment.name} has no tasks in split "{split}". It has these splits: {", ".join(others) or "none"}'
        )
    return tasks if n is None else pick(tasks, n, seed)


def judged_by(environment: EnvironmentSpec, verifier: str) -> EnvironmentSpec:
    """The environment with the named verifier as its default. Unchanged if no verifier is named."""
    if not verifier:
        return environment
    if verifier not in environment.verifiers:
        raise not_found("verifier", verifier, environment.verifiers, f"These belong to {environment.name}.")
    chosen = {verifier: environment.verifiers[verifier], **environment.verifiers}
    return msgspec.structs.replace(environment, verifiers=chosen)


def held_out(environment: EnvironmentSpec) -> EnvironmentSpec:
    """The environment by the name that everything about its held-out tasks has. Training sets are not part of it."""
    return msgspec.structs.replace(environment, name=held_out_name(environment.name))


def suite_of(environment: EnvironmentSpec, split: str, n: int | None = None) -> tuple[Suite, list[Task]]:
    """The held-out suite of a split, such as `val`, or of a part of it, such as `val 1/3`, with its tasks. You can also pass the
    name of a suite. The tasks do not depend on the seed of a run."""
    split, part = split_part(split)
    split = environment.suites.get(split, split)
    environment = held_out(environment)
    tasks = tasks_of(environment, split)
    name = next((name for name, of in environment.suites.items() if of == split), f"{environment.name}:{split}")
    if part is not None:
        whole, tasks, name = tasks, take_part(tasks, part), f"{name} {part}"
        if not tasks:
            raise Refused(
                f"{name}: none of the {len({family_of(task) for task in whole})} held-out families is in this part. "
                "Use fewer parts, or hold out more families"
            )
    tasks = tasks if n is None else pick(tasks, n, seed=0)
    return make_suite(name, environment.name, tasks, environment.verifier.name), tasks


def rollout(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    agent: Version,
    tasks: Sequence[Task],
    settings: RunSettings = RunSettings(),
    *,
    kind: str = "rollout",
    name: str = "",
    parent: str = "",
    whole: Sequence[Task] = (),
    on_progress: OnProgress = lambda _: None,
) -> str:
    """Runs, scores and stores k episodes of each task. Returns the id of the run.

    Episodes of the same tasks that another run with the same settings holds are copied. A run with a `name` copies none. A run
    with a `parent` belongs to that run, so `latest` never means it. With `whole`, the run is the one of all these tasks, of which
    only `tasks` are run now."""
    if environment.needs_user and settings.user is None:
        raise BadInput(f"{environment.name} simulates a user, which needs a model. Pass --user MODEL")
    config = config_of(environment, agent, whole or tasks, settings)
    run = name or f"{kind}-{environment.name.rsplit('/', 1)[-1].split('.')[0]}-{content_hash(config)[:8]}"
    plan = RunPlan(
        run=run,
        environment=with_agent_tools(ws, environment, agent),
        tasks=tasks,
        agent=agent,
        verifier=environment.verifier,
        settings=settings,
    )
    try:
        event_loop.run(_run(ws, plan, kind, config, on_progress, parent, copies=not name))
    finally:  # an agent of which no episode could be scored is not worth a version
        with contextlib.suppress(NotFound):
            if ws.store.run(run).scored:
                ws.register(agent)
                ws.keep_roles(settings.user, settings.judge)
    _check_scored(ws, run)
    return run


def check_weights(agent: Version, policy: Any, weights: str) -> None:
    """Refuses integer weights for an agent whose policy cannot sample with them, before anything is stored."""
    if not weights:
        return
    check = getattr(getattr(policy, "engine", None), "check_weights", None)
    if check is None:
        raise BadInput(
            f"Weights in {weights} are for a model that runs in this process, and {agent.label} does not. Remove the setting"
        )
    check(weights)


def config_of(environment: EnvironmentSpec, agent: Version, tasks: Sequence[Task], settings: RunSettings) -> Json:
    """The settings of a run, which identify it."""
    return {
        "environment": environment.name,
        "agent": agent.id,
        "tasks": tasks_hash(tasks),
        "num_tasks": len(tasks),
        "k": settings.k,
        "sampling": msgspec.to_builtins(settings.sampling),
        "seed": settings.seed,
        "verifier": environment.verifier.name,
        **({"environment_version": environment.version} if environment.version else {}),
        **({"tools": environment.tools_hash} if environment.tools_hash else {}),
        **_optional_settings(settings),
    }


def _check_scored(ws: WorkspaceFolder, run: str) -> None:
    """Raises an error with the most frequent reason if no episode of a run could be scored."""
    if ws.store.run(run).scored:
        return
    count = len(ws.store.verdicts(run))
    raise InfrastructureFailure(
        f"None of {count} episodes could be scored. Most frequent reason: {frequent_reason(ws, run)}. "
        f"Fix the cause and repeat the command to retry. Details: verigym explain {run}"
    )


def frequent_reason(ws: WorkspaceFolder, run: str) -> str:
    """Why episodes of a run could not be scored, most often. Empty if none failed."""
    errors = (verdict.error for verdict in ws.store.verdicts(run) if verdict.error is not None)
    ours = (InfrastructureFailure.__name__, NoServer.__name__)
    reasons = Counter(error.message if error.kind in ours else f"{error.kind}: {error.message}" for error in errors)
    return reasons.most_common(1)[0][0] if reasons else ""


def _optional_settings(settings: RunSettings) -> Json:
    """Settings that are stored only if they were given."""
    roles = {"user": settings.user, "judge": settings.judge}
    given: Json = {role: version.id for role, version in roles.items() if version is not None}
    if settings.limits != EpisodeLimits():
        given["limits"] = msgspec.to_builtins(settings.limits)
    if settings.prices != Prices():
        given["prices"] = msgspec.to_builtins(settings.prices)
    return given


async def _run(
    ws: WorkspaceFolder, plan: RunPlan, kind: str, config: Json, on_progress: OnProgress, parent: str, copies: bool
) -> None:
    """Runs the missing episodes. A complete run opens neither the agent nor a judge. An agent that cannot be opened ends the
    command."""
    missing = pending(ws.store, plan)
    if missing and copies and _copy(ws, plan, kind, config, parent):
        missing = pending(ws.store, plan)
    settings = plan.settings
    imported = ws.store.get("imported", plan.run, ImportedRun)
    trusted = imported is None or imported.scored_here == plan.verifier.name
    if not missing and not unscored(ws.store, plan) and trusted:
        settings = msgspec.structs.replace(settings, user=None, judge=None)
    async with context_of(ws, settings) as context:
        if not trusted and imported is not None:  # whoever wrote the file may have written the verdicts too
            await scoring.rescore(ws.store, plan.run, plan.verifier, context)
            ws.store.put("imported", plan.run, ImportedRun(imported.file, plan.verifier.name))
        opened: Any = ws.place.sampling(ws, plan.agent) if missing else contextlib.nullcontext()
        async with opened as policy:
            if missing:
                check_weights(plan.agent, policy, settings.sampling.weights)
            ws.store.begin_run(plan.run, kind, config, plan.tasks, parent)
            async with runner_of(plan.environment, plan.agent, settings, context) as run:
                plan = msgspec.structs.replace(plan, context=context)
                await ws.place.run_episodes(ws.store, plan, policy, on_progress, run=run)


_NOT_SETTINGS = ("tasks", "num_tasks", "verifier", "prices", "environment_version")
"""What two runs may differ in, and one may still copy the other's episodes."""


def _same_settings(one: Json, other: Json) -> bool:
    """Whether episodes of two runs differ in their tasks alone, or in the version of the environment."""
    return all(one.get(name) == other.get(name) for name in {*one, *other} - {*_NOT_SETTINGS})


def known_episodes(
    ws: WorkspaceFolder, tasks: Sequence[Task], kind: str, config: Json, besides: str = ""
) -> Iterator[tuple[str, list[str]]]:
    """Runs with the same settings, newest first, each with the tasks of which it has all k episodes. Episodes of another version
    of the environment count only if the present verifier scored them: `verigym rescore` says that they are still valid."""
    wanted = {task.id: task for task in tasks}
    for run in reversed(ws.store.runs()):
        if run.kind != kind or run.id == besides or not _same_settings(run.config, config):
            continue
        same = {task.id for task in ws.store.tasks(run.id) if wanted.get(task.id) == task}
        unchanged = run.config.get("environment_version") == config.get("environment_version")
        sound = Counter(
            one.task
            for one in ws.store.statuses(run.id, config["verifier"])
            if one.fault != Fault.INFRASTRUCTURE and (unchanged or one.judged)
        )
        complete = [task for task in same if sound[task] >= config["k"]]
        if complete:
            yield run.id, complete


def _copy(ws: WorkspaceFolder, plan: RunPlan, kind: str, config: Json, parent: str) -> bool:
    """Copies episodes from other runs with the same settings. What another verifier scored, or came from a file, is scored
    again."""
    left = {task.id for task in plan.tasks}
    done = Counter(one.task for one in ws.store.statuses(plan.run, plan.verifier.name))
    left -= {task for task in left if done[task]}
    copied = False
    for run, complete in known_episodes(ws, plan.tasks, kind, config, besides=plan.run):
        taken = left & {*complete}
        if not taken:
            continue
        if not copied:
            ws.store.begin_run(plan.run, kind, config, plan.tasks, parent)
        copied, left = True, left - taken
        ids: dict[str, str] = {}
        trajectories: list[Trajectory] = []
        for one in ws.store.each_trajectory(run):
            if one.task in taken and one.index < plan.k:
                ids[one.id] = f"{plan.run}/{one.task}/{one.index}"
                own = (turn for turn in one.turns if turn.actor == "policy")
                cost = sum(map(plan.settings.prices.cost, own))
                trajectories.append(
                    msgspec.structs.replace(one, id=ids[one.id], group=f"{plan.run}/{one.task}", cost=cost)
                )
        imported = ws.store.get("imported", run, ImportedRun)
        verdicts = [
            msgspec.structs.replace(one, trajectory=ids[one.trajectory])
            for one in ws.store.each_verdict(run, plan.verifier.name)
            if one.trajectory in ids and (imported is None or imported.scored_here == plan.verifier.name)
        ]
        if imported is not None:
            ws.store.put("imported", plan.run, ImportedRun(imported.file, plan.verifier.name))
        ws.store.add(plan.run, trajectories, verdicts)
    return copied


@contextlib.asynccontextmanager
async def context_of(ws: WorkspaceFolder, settings: RunSettings) -> AsyncIterator[Context]:
    """The resources for verifiers and simulated users: the sandbox of this machine and a policy for each role. If a sandbox is
    required but not available, it refuses. Later sandboxes of this process are isolated as well."""
    if settings.require_sandbox:
        open_sandbox(require=True)
    policies: dict[str, Policy] = {}
    if settings.user is not None:
        policies["user"] = ws.open_beside(settings.user)
    if settings.judge is not None:
        policies["judge"] = ws.open_judge(settings.judge)
    async with closing(*policies.values()):
        yield Context(policies=policies, sandbox=LazySandbox(settings.require_sandbox))


def measure(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    agent: Version,
    settings: RunSettings = RunSettings(sampling=GREEDY),
    *,
    split: str = "val",
    n: int | None = None,
    name: str = "",
    on_progress: OnProgress = lambda _: None,
) -> Report:
    """Evaluates the agent on a held-out suite and returns the report. `split` can name a part, as in `suite_of`."""
    environment = held_out(environment)
    suite, tasks = suite_of(environment, split, n)
    run = rollout(ws, environment, agent, tasks, settings, kind="eval", name=name, on_progress=on_progress)
    trajectories, verdicts = ws.store.trajectories(run), ws.store.verdicts(run, environment.verifier.name)
    report = make_report(run, agent.id, suite, tasks, trajectories, verdicts, settings.seed, environment.explain)
    ws.store.put("report", report.id, report)
    return report


def reports_of(ws: WorkspaceFolder, agent: Version) -> list[Report]:
    """The reports of a version, oldest first."""
    return [report for report in ws.store.documents("report", Report) if report.agent == agent.id]


def latest_report(ws: WorkspaceFolder, agent: Version, besides: Sequence[str] = ()) -> Report | None:
    """The newest report of a version, without reports on the environments in `besides`."""
    reports = [report for report in reports_of(ws, agent) if report.suite.environment not in besides]
    return reports[-1] if reports else None
