"""rollout, eval, explain, compare: run an agent, measure it, see why it fails, set two side by side."""

from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import (
    Concurrency,
    Environment,
    Home,
    Json,
    MaxTokens,
    Model,
    Name,
    Repeats,
    Seed,
    Tasks,
    Temperature,
    workspace,
)


def register(app: typer.Typer) -> None:
    app.command()(rollout)
    app.command("eval")(evaluate)
    app.command()(explain)
    app.command()(compare)


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
    home: Home = None,
) -> None:
    """Run k episodes of each task, scored and stored as they finish."""
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.flywheel import stages

    ws, spec = workspace(home), load_environment(environment)
    agent = ws.agent(model)
    tasks = stages.tasks_of(spec, split, n, seed)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    finished = ws.store.finished_runs()
    with show.episodes("rollout") as bar:
        run = stages.rollout(
            ws,
            spec,
            agent,
            tasks,
            k=k,
            sampling=sampling,
            seed=seed,
            name=name,
            concurrency=concurrency,
            on_progress=bar,
        )
    made = ws.store.run(run)
    mean = made.passed / made.scored if made.scored else 0.0
    counts = f"{made.trajectories} trajectories of {len(tasks)} tasks, {made.trajectories - made.scored} not scored"
    show.say(f"run {run}: {counts}, {100 * mean:.1f}% passed{_found(run, finished)}")
    show.next_command(f"verigym explain {run}")


def evaluate(
    environment: Environment,
    model: Model,
    split: Annotated[str, typer.Option("--split", help="A held-out split")] = "val",
    n: Tasks = None,
    k: Repeats = 1,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 64,
    seed: Seed = 0,
    name: Name = "",
    concurrency: Concurrency = 512,
    json: Json = False,
    home: Home = None,
) -> None:
    """Measure an agent on held-out tasks: rates with intervals, latency, tokens, failure buckets."""
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.flywheel import stages

    ws, spec = workspace(home), load_environment(environment)
    agent = ws.agent(model)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    finished = ws.store.finished_runs()
    with show.episodes("eval") as bar:
        found = stages.measure(
            ws,
            spec,
            agent,
            split=split,
            n=n,
            k=k,
            sampling=sampling,
            seed=seed,
            name=name,
            concurrency=concurrency,
            on_progress=bar,
        ).report
    if json:
        return show.as_json(found)
    suite = found.suite
    counts = f"{len(suite.tasks)} tasks of {len(suite.families)} families, suite {suite.hash[:8]}"
    show.say(f"{agent.name or agent.id} on {suite.name}: {counts}")
    show.report(found)
    if found.buckets:
        show.say("failures: " + ", ".join(f"{bucket} {count}" for bucket, count in found.buckets.items()))
    show.say(f"report {found.id}, run {found.run}{_found(found.run, finished)}")
    show.next_command(f"verigym explain {found.run}")


def _found(run: str, finished: set[str]) -> str:
    return " (found finished: nothing was run again; --seed or --name makes another)" if run in finished else ""


def explain(
    run: Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")] = "latest",
    json: Json = False,
    home: Home = None,
) -> None:
    """Why episodes of a run failed: buckets with counts, reasons and examples to read."""
    from verigym.evaluation import failures

    ws = workspace(home)
    found = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    trajectories = ws.store.trajectories(found.id)
    buckets = failures.explain(ws.store.tasks(found.id), trajectories, ws.store.verdicts(found.id))
    if json:
        return show.as_json(buckets)
    show.say(f"run {found.id}: {len(trajectories)} trajectories, {found.passed} passed")
    for finding in buckets:
        show.say("", f"{finding.bucket}: {finding.count} ({100 * finding.share:.0f}%) - {finding.meaning}")
        for reason in finding.evidence:
            show.say(f"  {show.clip(reason, 120)}")
        show.say(f"  look at: {', '.join(finding.trajectories[:3])}")
    if buckets:
        show.say("")
        show.next_command(f"verigym trajectories show {buckets[0].trajectories[0]}")
    else:
        show.say("nothing failed")


def compare(
    champion: Annotated[str, typer.Argument(help="A version")],
    candidate: Annotated[str, typer.Argument(help="A version")],
    json: Json = False,
    home: Home = None,
) -> None:
    """Set two versions side by side, task by task, on held-out tasks that both were measured on."""
    from verigym.evaluation.compare import compare as compare_reports
    from verigym.flywheel import stages

    ws = workspace(home)
    before, after = ws.known(champion), ws.known(candidate)
    ours, theirs = stages.shared_reports(ws, after, before)
    found = compare_reports(theirs, ours)
    if json:
        return show.as_json(found)
    comparison(found, before.name or before.id, after.name or after.id)
    show.next_command(f"verigym gate {after.id}")


def comparison(found: object, before: str, after: str, flips: int = 3) -> None:
    """A comparison in words: figures, buckets, and so many flips of each kind to look at."""
    from verigym.evaluation.compare import Comparison

    assert isinstance(found, Comparison)
    show.say(f"{found.tasks} tasks of {found.families} families, paired by task (suite {found.suite})")
    rows = [
        (before, *show.figure("success", found.champion_success)),
        (after, *show.figure("success", found.candidate_success)),
    ]
    show.table(rows, ("version", "success", "95% interval"))
    delta = found.success
    show.say(f"difference {100 * delta.value:+.1f} points, at least {100 * delta.low:+.1f} with 95% confidence")
    show.say(f"p = {delta.p:.2g} ({delta.method})")
    show.say(
        f"tasks gained {len(found.gained)}, lost {len(found.lost)}; unsafe {found.unsafe.champion} -> {found.unsafe.candidate}"
    )
    buckets = [(name, old, new) for name, (old, new) in found.buckets.items()]
    if buckets:
        show.table(buckets, ("failure", "before", "after"))
    for what, changed in (("gained", found.gained), ("lost", found.lost)):
        for flip in changed[:flips]:
            show.say(f"{what}: {flip.task}  (verigym trajectories show {flip.candidate})")
