"""runs and gc: list, show, export, import and delete runs, and free disk space."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import complete, show
from verigym.cli.options import FORMATS, AllowHeldOut, DryRun, Home, Json, Out, Plain, Run, Yes, group, workspace
from verigym.core.errors import BadInput
from verigym.core.words import counted, percent, size

_LOOK_S = 0.5
"""How long the list of runs looks for damage in the store."""
_KINDS = {"metrics": "row of metrics", "tools": "toolset", "unreadable": "damaged toolset left out"}
"""Kinds of exported records whose names do not read well in a count."""


def list_all(json: bool, home: Path | None) -> None:
    """List runs with their sizes, newest last."""
    from verigym.workspace.cleanup import run_sizes

    ws = workspace(home)
    runs, sizes = ws.runs(), run_sizes(ws.folder)
    if damage := ws.folder.store.damage(_LOOK_S):
        details = show.command("verigym models check-integrity")
        show.note(f"warning: {ws.folder.store.path} is damaged ({show.clip(damage)}). See {details}")
    if json:
        return show.as_json(runs)
    now = time.time()
    rows = [
        (
            run.id,
            run.kind,
            show.age(run.created, now),
            "finished" if run.finished else "unfinished",
            run.trajectories or "-",
            percent(run.passed / run.scored) if run.scored else "-",
            size(sizes.get(run.id, 0)),
        )
        for run in runs
    ]
    if not rows:
        show.say("no runs yet")
        return show.next_command("verigym quickstart")
    show.table(rows, ("run", "kind", "age", "state", "trajectories", "passed", "size"))
    show.next_command("verigym runs show RUN   (or latest)")


runs = group("runs", "Runs: list (the default), show, export, import, rm.", list_all)


@runs.command("show")
def show_run(
    run: Run = "latest",
    tasks: Annotated[
        bool, typer.Option("--tasks", help="Also list the tasks that a training run tried, hardest first")
    ] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Show a run: its settings, its metrics, its kept checkpoints and its counts."""
    from verigym.registry.checkpoints import kept_checkpoints
    from verigym.workspace.checkpoints import checkpoint_lines
    from verigym.workspace.difficulty import difficulty_report

    ws = workspace(home).folder
    record = ws.store.run(run)
    metrics = ws.store.metrics(record.id)
    if json:
        kept = kept_checkpoints(ws.store, record.id)
        more: dict[str, Any] = {"checkpoints": kept} if kept else {}
        if tasks and record.kind == "train":
            more["difficulty"] = difficulty_report(ws, record.id)
        return show.as_json({"run": record, "metrics": metrics, **more})
    show.say(f"run {record.id} ({record.kind}), {'finished' if record.finished else 'unfinished'}")
    settings = record.config.get("recipe", record.config)
    show.table([(key, show.clip(str(value), 80)) for key, value in _flat(settings)], ("setting", ""), "  ")
    if metrics:
        names = [
            name
            for name in ("loss", "reward", "passed", "entropy", "held_out_success", "seconds")
            if any(name in row for row in metrics.values())
        ]
        show.table(
            [(step, *(f"{row[name]:.3f}" if name in row else "" for name in names)) for step, row in metrics.items()],
            ("step", *names),
            "  ",
        )
    difficulty = difficulty_report(ws, record.id) if record.kind == "train" else None
    for line in (*(difficulty.lines if difficulty else ()), *checkpoint_lines(ws, record.id)):
        show.say(line)
    if tasks and difficulty and difficulty.tasks:
        show.table(difficulty.rows, ("environment", "task", "passed lately", "attempts", "last step"), "  ")
    children = [child.id for child in ws.store.runs(parent=record.id)]
    if children:
        newest = show.clip(", ".join(children[-3:][::-1]), 100)
        show.say(f"its episodes are in {counted(len(children), 'run')}, newest first: {newest}")
        show.next_command(f"verigym explain {show.quote(children[-1])}")
    if record.trajectories:
        unscored = record.trajectories - record.scored
        show.say(f"{counted(record.trajectories, 'trajectory')}, {record.passed} passed, {unscored} not scored")
        show.next_command(f"verigym explain {show.quote(record.id)}")


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested settings as `loss.clip_low`, one row each. Empty ones are left out."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif value not in ("", None):
            yield f"{prefix}{key}", value


@runs.command("export")
def export_run(
    run: Run = "latest",
    out: Out = None,
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help=f"Write the scored episodes for another trainer instead of the whole run: {FORMATS}",
        ),
    ] = "",
    rows: Annotated[
        str,
        typer.Option(
            "--rows",
            help="Kind of rows for --as: rollouts (episodes with rewards), demonstrations, preferences or thumbs",
        ),
    ] = "rollouts",
    plain: Plain = False,
    allow_held_out: AllowHeldOut = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Export a run with its tasks, trajectories, verdicts and blobs to a file, without loss.
    Writes RUN.jsonl unless you pass --out FILE.jsonl or FILE.parquet. With --as, writes its episodes for another trainer."""
    if form:
        from verigym.cli.data import say_exported

        exported = workspace(home).export_episodes(
            run, format=form, rows=rows, file=out, plain=plain, allow_held_out=allow_held_out
        )
        return say_exported(exported, json)
    if rows != "rollouts" or plain or allow_held_out:
        raise BadInput("--rows, --plain and --allow-held-out need --as FORMAT")
    result = workspace(home).export_run(run, out)
    if json:
        return show.as_json({"run": result.runs[0], "file": str(result.file), "counts": result.counts})
    show.say(f"wrote {result.file}: {_counts(result.counts)}")
    show.next_command(f"verigym runs import {show.quote(result.file)} --home OTHER")


@runs.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="File that runs export wrote")], json: Json = False, home: Home = None
) -> None:
    """Import a run that was exported from another workspace or machine."""
    result = workspace(home, create=True).import_run(file)
    if json:
        return show.as_json({"runs": result.runs, "counts": result.counts})
    show.say(f"read {file}: {_counts(result.counts)}")
    show.next_command(f"verigym runs show {show.quote(result.runs[0])}")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(count, _KINDS.get(kind, kind)) for kind, count in counts.items())


@runs.command("rm")
def remove_runs(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="Runs to delete: id or unique prefix", autocompletion=complete.runs),
    ],
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Delete runs with their trajectories, verdicts and checkpoints. If the ledger, a report, a version, a dataset,
    a label or a mined task needs one of them, no run is deleted and the reason is printed."""
    ws = workspace(home)
    records = [ws.run(id) for id in dict.fromkeys(ids)]
    freed = ws.remove_run(*records, dry_run=True)
    if not dry_run:
        confirm(f"Delete {counted(len(records), 'run')} for good?", yes, json)
        freed = ws.remove_run(*records)
    if json:
        return show.as_json({"runs": [record.id for record in records], "bytes": freed, "deleted": not dry_run})
    for record in records:
        show.say(f"{'would delete' if dry_run else 'deleted'} run {record.id} ({record.kind})")
    show.say(f"about {size(freed)} {'would be' if dry_run else 'were'} freed in the store")
    show.next_command("verigym gc   (gives the space back to the disk)")


def confirm(question: str, yes: bool, json: bool) -> None:
    """Asks before something is deleted. Without a terminal or with --json, --yes must be given."""
    import sys

    if yes:
        return
    if json or not sys.stdin.isatty():
        raise BadInput("This deletes data. Pass --yes to confirm, or --dry-run to see what would be deleted")
    if not typer.confirm(show.visible(question)):
        raise typer.Exit(1)


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
