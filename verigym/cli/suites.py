"""suites: the held-out sets, and how often each was used."""

import time
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.words import counted

suites = typer.Typer(
    no_args_is_help=False, invoke_without_command=True, help="Held-out sets: list, show.", rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    app.add_typer(suites, name="suites")


@suites.callback()
def suites_or_list(context: typer.Context, json: Json = False, home: Home = None) -> None:
    """Held-out sets and how often each was used: list (the default), show."""
    if context.invoked_subcommand is None:
        list_suites(json, home)


@suites.command("list")
def list_suites(json: Json = False, home: Home = None) -> None:
    """Held-out sets that something was measured on, with their versions and uses."""
    from verigym.evaluation.uses import MANY_VERSIONS
    from verigym.workspace.held_out import sets_of

    found = sets_of(workspace(home))
    if json:
        return show.as_json(found)
    now = time.time()
    rows = [
        (
            one.suite.name,
            one.version,
            one.suite.hash[:8],
            len(one.suite.tasks),
            len(one.suite.families),
            len(one.versions),
            one.training,
            one.decisions,
            one.seen_by,
            f"{show.age(one.last_used, now)} ago",
        )
        for one in found
    ]
    if not rows:
        show.say("nothing was measured yet")
        return show.next_command("verigym eval ENV -m MODEL")
    header = (
        "set",
        "version",
        "hash",
        "tasks",
        "families",
        "measured",
        "in training",
        "decisions",
        "seen by",
        "last used",
    )
    show.table(rows, header)
    show.say(
        "measured: versions of agents; seen by: versions measured on it or on a set that shares a family with it "
        f"(over {MANY_VERSIONS} is many)"
    )
    show.next_command("verigym suites show SET   (or SET@VERSION)")


@suites.command("show")
def show_suite(
    name: Annotated[str, typer.Argument(metavar="SET", help="NAME, NAME@VERSION, or the beginning of its hash")],
    json: Json = False,
    home: Home = None,
) -> None:
    """One held-out set: what it holds, and which versions were measured on it."""
    from verigym.core.records import Report
    from verigym.evaluation.uses import find, overuse_warning, uses
    from verigym.workspace.held_out import sets_of

    ws = workspace(home)
    one = find(sets_of(ws), name)
    if json:
        return show.as_json(one)
    suite = one.suite
    show.say(f"{suite.name}, version {one.version}, of {suite.environment}, scored by {suite.verifier}")
    show.say(f"{counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}, hash {suite.hash}")
    show.say(f"used: {uses(one)}")
    reports = {
        report.agent: report for report in ws.store.documents("report", Report) if report.suite.hash == suite.hash
    }
    rows = [
        (agent, ws.find(agent).name, *show.figure("success", reports[agent].metrics["success"]), reports[agent].run)
        for agent in one.versions
        if "success" in reports[agent].metrics
    ]
    if not rows:
        return show.next_command(f"verigym eval {show.quote(suite.environment)} -m MODEL")
    show.table(rows, ("version", "name", "success", "95% interval", "run"))
    warning = overuse_warning(
        one, max((reports[row[0]].metrics["success"] for row in rows), key=lambda best: best.value)
    )
    if warning:
        show.paragraph(f"warning: {warning}")
    show.next_command(
        f"verigym compare {rows[0][0]} {rows[-1][0]}" if len(rows) > 1 else f"verigym explain {show.quote(rows[0][4])}"
    )
