"""suites: the held-out sets, and how often each was used."""

import time
from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, group, workspace
from verigym.core.words import counted, figure


def list_all(json: bool, home: Path | None) -> None:
    """List the held-out suites that versions were evaluated on, with their uses."""
    from verigym.evaluation.suites import MANY_VERSIONS

    sets = workspace(home).suites()
    if json:
        return show.as_json(sets)
    if not sets:
        show.say("no evaluations yet")
        return show.next_command("verigym eval ENV -m MODEL")
    now = time.time()
    rows = [
        (
            held_out.suite.name,
            held_out.version,
            held_out.suite.hash[:8],
            len(held_out.suite.tasks),
            len(held_out.suite.families),
            len(held_out.versions),
            held_out.training,
            held_out.decisions,
            held_out.seen_by,
            f"{show.age(held_out.last_used, now)} ago",
        )
        for held_out in sets
    ]
    columns = ("suite", "version", "hash", "tasks", "families", "measured", "in training", "decisions", "seen by")
    show.table(rows, (*columns, "last used"))
    show.say(
        "measured: versions evaluated on it. seen by: versions evaluated on it or on a suite that shares a family with it "
        f"(more than {MANY_VERSIONS} is many)"
    )
    show.next_command("verigym suites show SUITE   (or SUITE@VERSION)")


suites = group("suites", "Held-out suites and how often each was used: list (the default), show.", list_all)


@suites.command("show")
def show_suite(
    name: Annotated[str, typer.Argument(metavar="SUITE", help="Suite: NAME, NAME@VERSION, or a prefix of its hash")],
    json: Json = False,
    home: Home = None,
) -> None:
    """Show a held-out suite: its size, and the versions that were evaluated on it."""
    ws = workspace(home)
    held_out = ws.suite(name)
    if json:
        return show.as_json(held_out)
    suite = held_out.suite
    show.say(f"{suite.name}, version {held_out.version}, of {suite.environment}, scored by {suite.verifier}")
    show.say(f"{counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}, hash {suite.hash}")
    show.say(f"used: {held_out.uses}")
    reports = {report.agent: report for report in ws.reports() if report.suite.hash == suite.hash}
    rows = [
        (agent, ws.agent(agent).name, *figure("success", reports[agent].metrics["success"]), reports[agent].run)
        for agent in held_out.versions
        if "success" in reports[agent].metrics
    ]
    if not rows:
        return show.next_command(f"verigym eval {show.quote(suite.environment)} -m MODEL")
    show.table(rows, ("version", "name", "success", "95% interval", "run"))
    best = max((reports[row[0]].metrics["success"] for row in rows), key=lambda success: success.value)
    if warning := held_out.overuse_warning(best):
        show.paragraph(f"warning: {warning}")
    show.next_command(
        f"verigym compare {rows[0][0]} {rows[-1][0]}" if len(rows) > 1 else f"verigym explain {show.quote(rows[0][4])}"
    )
