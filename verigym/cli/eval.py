"""rollout, eval, verify: run an agent, measure it, score it again."""

from typing import Annotated, Any

import msgspec
import typer

from verigym.cli import show
from verigym.cli.options import (
    Concurrency,
    Constrain,
    Environment,
    Home,
    Json,
    Judge,
    Limit,
    MaxTokens,
    Model,
    Name,
    Price,
    Repeats,
    RequireSandbox,
    Seed,
    SkipBad,
    Tasks,
    Temperature,
    User,
    Verifier,
    agent_of,
    run_settings,
    workspace,
)
from verigym.cli.tasks import set_aside
from verigym.core.words import counted


def register(app: typer.Typer) -> None:
    app.command()(rollout)
    app.command("eval")(evaluate)
    app.command()(verify)


def rollout(
    environment: Environment,
    model: Model,
    n: Tasks = None,
    k: Repeats = 1,
    split: Annotated[str, typer.Option("--split", help="train, or a held-out split")] = "train",
    temperature: Temperature = 1.0,
    max_tokens: MaxTokens = 256,
    seed: Seed = 0,
    name: Name = "",
    concurrency: Concurrency = 512,
    verifier: Verifier = "",
    limit: Limit = (),  # type: ignore[assignment]
    price: Price = "",
    user: User = "",
    judge: Judge = "",
    constrain: Constrain = "",
    require_sandbox: RequireSandbox = False,
    skip_bad: SkipBad = False,
    home: Home = None,
) -> None:
    """Run k episodes of each task, scored and stored as they finish."""
    from verigym.core.records import Sampling
    from verigym.workspace import measure as stages

    ws, spec = workspace(home), _environment(environment, verifier, skip_bad)
    agent = agent_of(ws, model, constrain)
    _say_own_sampling(agent)
    tasks = stages.tasks_of(spec, split, n, seed)
    settings = run_settings(
        ws,
        k=k,
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
        seed=seed,
        concurrency=concurrency,
        limit=limit,
        price=price,
        user=user,
        judge=judge,
        require_sandbox=require_sandbox,
    )
    finished = ws.store.finished_runs()
    with show.episodes("rollout") as bar:
        run = stages.rollout(ws, spec, agent, tasks, settings, name=name, on_progress=bar)
    made = ws.store.run(run)
    mean = made.passed / made.scored if made.scored else 0.0
    counts = f"{counted(made.trajectories, 'trajectory')} of {counted(len(tasks), 'task')}"
    show.say(
        f"run {run}: {counts}, {made.trajectories - made.scored} not scored, {100 * mean:.1f}% passed{_found(run, finished)}"
    )
    show.next_command(f"verigym explain {show.quote(run)}")


def evaluate(
    environment: Environment,
    model: Model,
    split: Annotated[str, typer.Option("--split", help="A held-out split")] = "val",
    part: Annotated[
        str, typer.Option("--part", help="I/N, such as 1/3: one of N parts of the split's families, a set of its own")
    ] = "",
    by: Annotated[str, typer.Option("--by", help="A table by family, tag or difficulty, the worst first")] = "",
    n: Tasks = None,
    k: Repeats = 1,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 64,
    seed: Seed = 0,
    name: Name = "",
    concurrency: Concurrency = 512,
    verifier: Verifier = "",
    limit: Limit = (),  # type: ignore[assignment]
    price: Price = "",
    user: User = "",
    judge: Judge = "",
    constrain: Constrain = "",
    require_sandbox: RequireSandbox = False,
    skip_bad: SkipBad = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Measure an agent on held-out tasks: rates with intervals, pass@k, latency, tokens, cost, failure buckets."""
    from verigym.core.errors import not_found
    from verigym.core.records import Sampling
    from verigym.evaluation.breakdown import DIVISIONS, breakdown
    from verigym.evaluation.suites import parse_part
    from verigym.evaluation.uses import find
    from verigym.workspace import measure as stages
    from verigym.workspace.held_out import sets_of

    if by and by not in DIVISIONS:
        raise not_found("division of tasks", by, DIVISIONS, "Write --by family, --by tag or --by difficulty.")
    if part:
        split = f"{split} {parse_part(part)}"
    ws, spec = workspace(home), _environment(environment, verifier, skip_bad)
    agent = agent_of(ws, model, constrain)
    _say_own_sampling(agent)
    settings = run_settings(
        ws,
        k=k,
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
        seed=seed,
        concurrency=concurrency,
        limit=limit,
        price=price,
        user=user,
        judge=judge,
        require_sandbox=require_sandbox,
    )
    finished = ws.store.finished_runs()
    with show.episodes("eval") as bar:
        found = stages.measure(ws, spec, agent, settings, split=split, n=n, name=name, on_progress=bar)
    held_out = find(sets_of(ws), found.suite.hash)
    if json:
        slices = {"by": breakdown(found, by)} if by else {}
        return show.as_json({**msgspec.to_builtins(found), "held_out": held_out, **slices})
    suite = found.suite
    counts = f"{counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}, suite {suite.hash[:8]}"
    show.say(f"{agent.label} on {suite.name}: {counts}")
    show.report(found)
    for reason, count in found.reasons.items():
        show.say(f"  {count} x {show.clip(reason)}")
    if found.buckets:
        show.say("failures: " + ", ".join(f"{bucket} {count}" for bucket, count in found.buckets.items()))
    _used(held_out, found)
    show.say(f"report {found.id}, run {found.run}{_found(found.run, finished)}")
    if by:
        _slices(breakdown(found, by), by)
    show.next_command(f"verigym explain {show.quote(found.run)}")


def _used(held_out: Any, found: Any) -> None:
    from verigym.evaluation.uses import overuse_warning, uses

    show.say(f"held-out set {held_out.suite.name}, version {held_out.version}, used: {uses(held_out)}")
    if "success" in found.metrics and (warning := overuse_warning(held_out, found.metrics["success"])):
        show.paragraph(f"warning: {warning}")


def _slices(found: Any, by: str) -> None:
    rows = [
        (one.name, *show.figure("success", one.success), f"{one.reward:.2f}", one.tasks, one.families) for one in found
    ]
    header = (by, "success", "95% interval", "reward", "tasks", "families")
    columns = len(header) - (by == "family")
    show.say("")
    show.table([row[:columns] for row in rows], header[:columns])


def _say_own_sampling(agent: Any) -> None:
    """Beside the output, since that may be JSON."""
    if agent.sampling is not None:
        typer.echo(
            f"{agent.label} samples by its own settings: --temperature and --max-tokens do not count",
            err=True,
        )


def _environment(where: str, verifier: str, skip_bad: bool) -> Any:
    """The environment with the verifier that was chosen; bad rows of a file are set aside where that was asked for."""
    from verigym.environments.load import load_environment
    from verigym.tasks.load import BadRow
    from verigym.workspace import measure as stages

    bad: list[BadRow] | None = [] if skip_bad else None
    spec = stages.judged_by(load_environment(where, bad), verifier)
    set_aside(bad)
    return spec


def _found(run: str, finished: set[str]) -> str:
    return " (found finished: nothing was run again; --seed or --name makes another)" if run in finished else ""


def verify(
    run: Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")] = "latest",
    environment: Annotated[
        str, typer.Option("--environment", help="Whose verifier; default: the environment that the run was made in")
    ] = "",
    verifier: Verifier = "",
    judge: Judge = "",
    require_sandbox: RequireSandbox = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Score a stored run again, with no model: by a verifier that was changed, or by another one."""
    from verigym.core.errors import BadInput
    from verigym.environments.load import environment_of
    from verigym.workspace import measure as stages

    ws = workspace(home)
    known = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    where = environment or known.config.get("environment", "")
    if not where:
        raise BadInput(f"run {known.id} does not say in which environment it was made; name it: --environment ENV")
    with show.episodes("verify") as bar:
        spec = environment_of(where, ws.store.tasks(known.id))
        found = stages.verify(
            ws,
            known.id,
            spec,
            verifier,
            ws.agent(judge) if judge else None,
            on_progress=bar,
            require_sandbox=require_sandbox,
        )
    if json:
        return show.as_json(found)
    same = " (the same verifier: its verdicts should not have moved)" if found.verifier == found.before else ""
    show.say(f"run {known.id}: {counted(found.trajectories, 'trajectory')} scored again by {found.verifier}{same}")
    show.say(f"before, by {found.before or 'nobody'}: {known.passed} passed of {known.scored} scored")
    show.say(f"now: {found.passed} passed of {found.scored} scored; {counted(found.moved, 'reward')} moved")
    for what, changed in (("passes now", found.gained), ("passes no more", found.lost)):
        if changed:
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            show.say(f"{what}: {', '.join(changed[:3])}{more}")
    show.next_command(f"verigym explain {show.quote(known.id)}")
