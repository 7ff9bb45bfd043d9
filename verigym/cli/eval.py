"""rollout and eval: run an agent on tasks, and measure it on held-out tasks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from verigym.cli import show
from verigym.cli.options import (
    Environment,
    EvalSeed,
    RolloutTokens,
    RunOptions,
    constraints_of,
    with_run_options,
    workspace,
)
from verigym.cli.tasks import say_bad_rows, say_scoring
from verigym.core.words import counted, figure, percent

if TYPE_CHECKING:
    from verigym.cli.command_workspace import CommandWorkspace
    from verigym.core.records import Report, Version
    from verigym.evaluation.report import Slice
    from verigym.evaluation.suites import HeldOutSet
    from verigym.harness.environment import EnvironmentSpec


@with_run_options({"max_tokens": RolloutTokens}, temperature=1.0)
def rollout(
    environment: Environment,
    split: Annotated[
        str, typer.Option("--split", help="Split to take tasks from: train, or a held-out split")
    ] = "train",
    *,
    options: RunOptions,
) -> None:
    """Run k episodes of each task. Episodes are scored and stored as they finish."""
    ws, spec = workspace(options.home, create=True, cluster=options.cluster), open_environment(environment, options)
    agent = ws.agent(options.model, constraints=constraints_of(options.constrain, spec), program=options.agent)
    _note_own_sampling(agent)
    settings, finished = options.settings(ws, agent, 256), ws.folder.store.finished_runs()
    run = ws.rollout(spec, agent, n=options.num, split=split, name=options.name, settings=settings)
    if options.json:
        return show.as_json(run)
    share = run.passed / run.scored if run.scored else 0.0
    num_tasks = len(ws.folder.store.tasks(run.id))
    counts = f"{counted(run.trajectories, 'trajectory')} of {counted(num_tasks, 'task')}"
    show.say(
        f"run {run.id}: {counts}, {run.trajectories - run.scored} not scored, {percent(share)} passed{_reused(run.id, finished)}"
    )
    if agent.program or spec.agent:
        _say_programs(ws, run.id)
    say_opinion(spec, run.id)
    show.next_command(f"verigym explain {show.quote(run.id)}")


def _say_programs(ws: "CommandWorkspace", run: str) -> None:
    """What the external agents of a run did: model calls, roots of their trees, and whether every token id is known."""
    from verigym.agents.summary import summary_of

    show.paragraph(summary_of(ws.folder.store.each_trajectory(run)))


@with_run_options({"seed": EvalSeed})
def evaluate(
    environment: Environment,
    split: Annotated[str, typer.Option("--split", help="Held-out split to measure on")] = "val",
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="I/N",
            help="Evaluate only part I of N of the split's families, such as 1/3. Each part is a separate suite",
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="Also print a table by family, tag, difficulty or shift, worst first. "
            "A shift is how a task differs from the training tasks: wording, values, sequence of tools",
        ),
    ] = "",
    *,
    options: RunOptions,
) -> None:
    """Measure an agent on held-out tasks: success with intervals, pass@k, latency, tokens, cost and failure buckets."""
    from verigym.core.errors import not_found
    from verigym.evaluation.report import DIVISIONS
    from verigym.evaluation.suites import parse_part

    if by and by not in (divisions := [*DIVISIONS, "shift"]):
        raise not_found("value of --by", by, divisions, "Write --by family, --by tag, --by difficulty or --by shift.")
    if part:
        split = f"{split} {parse_part(part)}"
    ws, spec = workspace(options.home, create=True, cluster=options.cluster), open_environment(environment, options)
    agent = ws.agent(options.model, constraints=constraints_of(options.constrain, spec), program=options.agent)
    _note_own_sampling(agent)
    settings, finished = options.settings(ws, agent), ws.folder.store.finished_runs()
    report = ws.evaluate(spec, agent, n=options.num, split=split, name=options.name, settings=settings)
    held_out = ws.suite(report.suite.hash)
    if options.json:
        slices = {"by": _slices(ws, spec, agent, report, by)} if by else {}
        return show.as_json({**msgspec.to_builtins(report), "held_out": held_out, **slices})
    suite = report.suite
    counts = f"{counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}, suite {suite.hash[:8]}"
    show.say(f"{agent.label} on {suite.name}: {counts}")
    show.report(report)
    for reason, count in report.reasons.items():
        show.say(f"  {count} x {show.clip(reason)}")
    if report.buckets:
        show.say("failures: " + ", ".join(f"{bucket} {count}" for bucket, count in report.buckets.items()))
    if agent.program or spec.agent:
        _say_programs(ws, report.run)
    say_scoring(spec)
    _say_uses(held_out, report)
    if chosen := set(agent.chosen_on) & set(suite.families):
        show.paragraph(
            f"warning: {counted(len(chosen), 'family')} of this suite chose this checkpoint among others, so its figures are too "
            "good. verigym gate leaves these families out"
        )
    show.say(f"report {report.id}, run {report.run}{_reused(report.run, finished)}")
    if by:
        _say_slices(_slices(ws, spec, agent, report, by), by)
        if by == "shift":
            show.say(f"compared with the training tasks of {trained_with(spec, agent).name}")
    say_opinion(spec, report.run)
    show.next_command(f"verigym explain {show.quote(report.run)}")


def say_opinion(spec: "EnvironmentSpec", run: str = "RUN") -> None:
    """For a judge in place of a reward: how to measure if it can be trusted."""
    if spec.verifier.name.startswith("relative_judge@"):
        where = f"{show.quote(spec.name)} {show.quote(run)}"
        show.say(
            "the reward is a judge's opinion. Measure how often you agree with it: "
            f"verigym label {show.quote(run)} --single, then verigym audit run {where}"
        )


def _say_uses(held_out: "HeldOutSet", report: "Report") -> None:
    show.say(f"suite {held_out.suite.name}, version {held_out.version}, used: {held_out.uses}")
    if "success" in report.metrics and (warning := held_out.overuse_warning(report.metrics["success"])):
        show.paragraph(f"warning: {warning}")


def trained_with(spec: "EnvironmentSpec", agent: "Version") -> "EnvironmentSpec":
    """The environment with the training set that the agent was trained on, if you name none."""
    from verigym.environments.load import held_out_name, load_environment

    recipe = agent.recipe
    names = [recipe.get("environment", ""), *recipe.get("environments", {})]
    known = (name for name in names if name != spec.name and held_out_name(name) == spec.name)
    found = next(known, None)
    return load_environment(found) if found else spec


def _slices(
    ws: "CommandWorkspace", spec: "EnvironmentSpec", agent: "Version", report: "Report", by: str
) -> "list[Slice]":
    """The slices of a report. The kind of shift depends on the training tasks, so it is not part of the report."""
    from verigym.evaluation.report import breakdown
    from verigym.evaluation.shift import shifts

    if by != "shift":
        return breakdown(report, by)
    return breakdown(report, by, shifts(trained_with(spec, agent), ws.folder.store.tasks(report.run)))


def _say_slices(slices: "Sequence[Slice]", by: str) -> None:
    rows = [
        (part.name, *figure("success", part.success), f"{part.reward:.2f}", part.tasks, part.families)
        for part in slices
    ]
    header = (by, "success", "95% interval", "reward", "tasks", "families")
    columns = len(header) - (by == "family")
    show.say("")
    show.table([row[:columns] for row in rows], header[:columns])


def _note_own_sampling(agent: "Version") -> None:
    if agent.sampling is not None:
        show.note(f"{agent.label} has its own sampling settings, so --temperature and --max-tokens are ignored")


def open_environment(where: str, options: RunOptions) -> "EnvironmentSpec":
    """The environment with the chosen verifier. With --skip-bad, invalid rows of a task file are written to a file."""
    from verigym.environments.load import load_environment
    from verigym.tasks.load import BadRow
    from verigym.workspace.measure import judged_by

    bad: list[BadRow] | None = [] if options.skip_bad else None
    spec = judged_by(load_environment(where, bad), options.verifier)
    say_bad_rows(bad)
    return spec


def _reused(run: str, finished: set[str]) -> str:
    return " (already complete, reused. Pass --seed or --name to run again)" if run in finished else ""
