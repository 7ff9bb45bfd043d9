"""rescore: score a stored run again."""

from typing import Annotated

import msgspec
import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, Judge, RequireSandbox, Run, Verifier, env_option, workspace
from verigym.core.words import counted

_LISTED = 3


def register(app: typer.Typer) -> None:
    app.command()(rescore)


def rescore(
    run: Run = "latest",
    environment: Annotated[
        str, env_option("Environment whose verifier scores (default: the environment of the run)")
    ] = "",
    verifier: Verifier = "",
    judge: Judge = "",
    require_sandbox: RequireSandbox = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Score a stored run again without running a model, after you changed the verifier or with another verifier."""
    from verigym.workspace.rescore import rescore as rescore_run

    ws = workspace(home)
    before = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    with show.episodes("rescore") as bar:
        rescored = rescore_run(
            ws,
            before.id,
            environment,
            verifier,
            ws.agent(judge) if judge else None,
            on_progress=bar,
            require_sandbox=require_sandbox,
        )
    result = rescored.scores
    if json:
        return show.as_json({**msgspec.to_builtins(result), "report": rescored.report and rescored.report.id})
    same = " (the same verifier, so no verdict should change)" if result.verifier == result.before else ""
    show.say(f"run {before.id}: rescored {counted(result.trajectories, 'trajectory')} with {result.verifier}{same}")
    show.say(
        f"before, with {result.before or 'no verifier'}: {before.passed} of {before.scored} scored episodes passed"
    )
    show.say(
        f"now: {result.passed} of {result.scored} scored episodes passed. {counted(result.moved, 'reward')} changed"
    )
    for title, tasks in (("now pass", result.gained), ("no longer pass", result.lost)):
        if tasks:
            more = f" and {len(tasks) - _LISTED} more" if len(tasks) > _LISTED else ""
            show.say(f"{title}: {', '.join(tasks[:_LISTED])}{more}")
    if rescored.report is not None:
        show.say(f"new report {rescored.report.id} by the current version of the verifier")
    show.next_command(f"verigym explain {show.quote(before.id)}")
