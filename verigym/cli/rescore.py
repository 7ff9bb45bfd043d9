"""rescore: score stored runs again."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, Judge, RequireSandbox, Run, Verifier, env_option, workspace
from verigym.core.errors import BadInput, VerigymError
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.api import Workspace
    from verigym.core.records import Version
    from verigym.workspace.rescore import RescoredRun

_LISTED = 3


def rescore(
    run: Run = "latest",
    all_runs: Annotated[
        bool,
        typer.Option("--all", help="Rescore every run whose report was made by an earlier version of its verifier"),
    ] = False,
    environment: Annotated[
        str, env_option("Environment whose verifier scores (default: the environment of the run)")
    ] = "",
    verifier: Verifier = "",
    judge: Judge = "",
    require_sandbox: RequireSandbox = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Score a stored run again without running a model, after you changed the verifier or with another verifier.
    If the run has a report and the scores changed it, a new report becomes the newest. Earlier reports are kept.
    With --all, exit code 1 if a run cannot be rescored."""
    if all_runs and (run != "latest" or environment or verifier):
        raise BadInput("--all cannot be combined with RUN, --env or --verifier. Remove --all, or remove the others")
    ws = workspace(home)
    judge_version = ws.agent(judge) if judge else None
    if all_runs:
        return _rescore_all(ws, judge_version, require_sandbox, json)
    before = ws.folder.store.run(run, kinds=("rollout", "eval", "collect"))
    options = {"judge": judge_version, "require_sandbox": require_sandbox}
    rescored = ws.rescore(before, environment=environment, verifier=verifier, **options)
    result = rescored.scores
    if json:
        return show.as_json(_as_fields(rescored))
    same = " (the same verifier, so no verdict should change)" if result.verifier == result.before else ""
    show.say(f"run {before.id}: rescored {counted(result.trajectories, 'trajectory')} with {result.verifier}{same}")
    show.say(
        f"before, with {result.before or 'no verifier'}: {before.passed} of {before.scored} scored episodes passed"
    )
    show.say(
        f"now: {result.passed} of {result.scored} scored episodes passed. {counted(result.moved, 'reward')} changed"
    )
    if result.not_rescorable:
        show.say(
            f"not rescorable: {counted(result.not_rescorable, 'verdict')} of an external system. They were read from the record"
        )
    for title, tasks in (("now pass", result.gained), ("no longer pass", result.lost)):
        if tasks:
            more = f" and {len(tasks) - _LISTED} more" if len(tasks) > _LISTED else ""
            show.say(f"{title}: {', '.join(tasks[:_LISTED])}{more}")
    if rescored.report is None:
        show.say("the run is not an evaluation, so it has no report")
    elif rescored.renewed:
        show.say(f"new report {rescored.report.id}. models list and compare use it from now on")
    else:
        show.say(f"report {rescored.report.id} is unchanged")
    show.next_command(f"verigym explain {show.quote(before.id)}")


def _rescore_all(ws: "Workspace", judge: "Version | None", require_sandbox: bool, json: bool) -> None:
    from verigym.workspace.rescore import outdated_reports

    say: Callable[[str], None] = (lambda _: None) if json else show.say
    rescored: list[Mapping[str, Any]] = []
    failed: list[Mapping[str, str]] = []
    for outdated in outdated_reports(ws.folder):
        run = outdated.report.run
        try:
            if outdated.problem:
                raise BadInput(outdated.problem)
            before = ws.run(run)
            result = ws.rescore(run, judge=judge, require_sandbox=require_sandbox)
        except VerigymError as error:
            failed.append({"run": run, "reason": str(error)})
            say(f"run {run}: not rescored. {error}")
            continue
        rescored.append(_as_fields(result))
        say(
            f"run {run}: {result.scores.passed} of {result.scores.scored} scored episodes pass, "
            f"{before.passed} of {before.scored} before. New report by {result.scores.verifier}"
        )
    if json:
        show.as_json({"rescored": rescored, "failed": failed})
    else:
        if rescored or failed:
            say(f"rescored {counted(len(rescored), 'run')}, {len(failed)} could not be rescored")
        else:
            say("every report was made by the current version of its verifier")
        show.next_command("verigym models list")
    raise typer.Exit(1 if failed else 0)


def _as_fields(rescored: "RescoredRun") -> Mapping[str, Any]:
    report = rescored.report.id if rescored.report is not None else None
    scores = msgspec.to_builtins(rescored.scores)
    return {"run": rescored.run, **scores, "report": report, "renewed": rescored.renewed}
