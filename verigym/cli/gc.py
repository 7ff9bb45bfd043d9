"""gc: free disk space that nothing needs."""

from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import DryRun, Home, Json, Yes, workspace
from verigym.cli.runs import confirm
from verigym.core.words import counted, size


def gc(
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than",
            min=0,
            metavar="DAYS",
            help="Also delete runs older than this many days that nothing needs (default: delete no runs)",
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Free disk space: unused blobs, adapters and checkpoints, files of interrupted commands, and free pages of the store.
    Never deletes what the ledger, a report, a version, a dataset, a label or a mined task needs."""
    ws = workspace(home)
    plan = ws.gc(older_than=older_than, dry_run=True)
    if json and dry_run:
        return show.as_json({"deleted": False, "plan": plan})
    if not json:
        show.table(
            [(item.title, item.count, size(item.bytes)) for item in plan.items],
            ("unused", "items", "size"),
        )
        for run in plan.runs:
            show.say(f"  run {run}")
    if dry_run:
        show.say(f"about {size(plan.bytes)} would be freed")
        return show.next_command("verigym gc" + (f" --older-than {older_than}" if older_than is not None else ""))
    confirm(f"Delete {counted(sum(item.count for item in plan.items), 'item')} for good?", yes, json)
    plan = ws.gc(plan)
    if json:
        return show.as_json({"deleted": True, "plan": plan, "bytes": plan.freed})
    show.say(f"freed {size(plan.freed)} on disk")
    show.next_command("verigym runs")
