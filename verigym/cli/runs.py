"""runs, trajectories: what is kept, listed and shown."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import mine_output as mined
from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.words import counted

runs = typer.Typer(
    no_args_is_help=False, invoke_without_command=True, help="Runs: list, show, export, import.", rich_markup_mode=None
)
trajectories = typer.Typer(
    no_args_is_help=True, help="Trajectories: list, show as a conversation.", rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    app.add_typer(runs, name="runs")
    app.add_typer(trajectories, name="trajectories")


@runs.callback()
def runs_or_list(context: typer.Context, json: Json = False, home: Home = None) -> None:
    """Runs: list (the default), show, export, import."""
    if context.invoked_subcommand is None:
        list_runs(json, home)


@runs.command("list")
def list_runs(json: Json = False, home: Home = None) -> None:
    """Runs, the newest last."""
    found = workspace(home).store.runs()
    if json:
        return show.as_json(found)
    now = time.time()
    rows = [
        (
            run.id,
            run.kind,
            show.age(run.created, now),
            "finished" if run.finished else "unfinished",
            run.trajectories or "-",
            f"{100 * run.passed / run.scored:.1f}%" if run.scored else "-",
        )
        for run in found
    ]
    show.table(rows, ("run", "kind", "age", "state", "trajectories", "passed"))
    if rows:
        show.next_command("verigym runs show RUN   (or latest)")
    else:
        show.say("no runs yet")
        show.next_command("verigym quickstart")


@runs.command("show")
def show_run(run: Annotated[str, typer.Argument()] = "latest", json: Json = False, home: Home = None) -> None:
    """One run: its settings, and what came of it."""
    ws = workspace(home)
    found = ws.store.run(run)
    metrics = ws.store.metrics(found.id)
    if json:
        return show.as_json({"run": found, "metrics": metrics})
    show.say(f"run {found.id} ({found.kind}), {'finished' if found.finished else 'unfinished'}")
    settings = found.config.get("recipe", found.config)
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
    children = [child.id for child in ws.store.runs(parent=found.id)]
    if children:
        show.say(
            f"its episodes, to read: {show.clip(', '.join(children[-3:][::-1]), 100)}; {counted(len(children), 'run')} in all"
        )
        show.next_command(f"verigym explain {show.quote(children[-1])}")
    if found.trajectories:
        show.say(
            f"{counted(found.trajectories, 'trajectory')}, {found.passed} passed, {found.trajectories - found.scored} not scored"
        )
        show.next_command(f"verigym explain {show.quote(found.id)}")


def _flat(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """`loss.clip_low`, one row each; what is empty is left out."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        elif value not in ("", None):
            yield f"{above}{key}", value


@runs.command("export")
def export_run(
    run: Annotated[str, typer.Argument()] = "latest",
    to: Annotated[Path | None, typer.Option("--to", help="FILE.jsonl or FILE.parquet; default RUN.jsonl")] = None,
    home: Home = None,
) -> None:
    """Write a run with its tasks, trajectories, verdicts and blobs to a file, without loss."""
    from verigym.store.transfer import export_run as export

    ws = workspace(home)
    found = ws.store.run(run)
    path = to or Path(f"{found.id.replace('/', '-')}.jsonl")
    counts = export(ws.store, found, path)
    show.say(f"wrote {path}: " + ", ".join(f"{count} {_many(kind, count)}" for kind, count in counts.items()))
    show.next_command(f"verigym runs import {show.quote(path)} --home ELSEWHERE")


@runs.command("import")
def import_file(file: Annotated[Path, typer.Argument(help="What runs export wrote")], home: Home = None) -> None:
    """Read a run that was exported, from another workspace or another machine."""
    from verigym.store.transfer import import_runs

    made, counts = import_runs(workspace(home).store, file)
    show.say(f"read {file}: " + ", ".join(f"{count} {_many(kind, count)}" for kind, count in counts.items()))
    show.next_command(f"verigym runs show {show.quote(made[0])}")


def _many(kind: str, count: int) -> str:
    plural = {"trajectory": "trajectories", "metrics": "rows of metrics", "tools": "sets of tools"}
    return kind if count == 1 and kind not in ("metrics", "tools") else plural.get(kind, f"{kind}s")


@trajectories.command("list")
def list_trajectories(
    run: Annotated[str, typer.Argument()] = "latest",
    failed: Annotated[bool, typer.Option("--failed", help="Only those that did not pass")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """The trajectories of a run, with their verdicts."""
    ws = workspace(home)
    found = ws.store.run(run, kinds=("rollout", "eval", "collect", "traces"))
    verdicts = {verdict.trajectory: verdict for verdict in ws.store.verdicts(found.id)}
    made = [
        one
        for one in ws.store.trajectories(found.id)
        if not failed or not (one.id in verdicts and verdicts[one.id].passed)
    ]
    if json:
        return show.as_json([{"trajectory": one, "verdict": verdicts.get(one.id)} for one in made])
    rows = []
    for one in made:
        verdict = verdicts.get(one.id)
        reward = "-" if verdict is None or verdict.reward is None else f"{verdict.reward:.2f}"
        rows.append((one.id, "passed" if verdict and verdict.passed else "", reward, show.clip(one.reply, 70)))
    show.table(rows, ("trajectory", "", "reward", "reply"))
    if made:
        show.next_command(f"verigym trajectories show {show.quote(made[0].id)}")


@trajectories.command("show")
def show_trajectory(trajectory: Annotated[str, typer.Argument()], json: Json = False, home: Home = None) -> None:
    """A readable conversation with its verdict; of a production trace, with where it came from and what came of it."""
    ws = workspace(home)
    run, found = ws.store.trajectory(trajectory)
    verdicts = ws.store.verdicts_on(run, found.id)
    is_trace = ws.store.run(run).kind == "traces"
    if json:
        came = {"came": mined.came_of(ws, found.id)} if is_trace else {}
        return show.as_json({"trajectory": found, "verdicts": verdicts, **came})
    task = next((task for task in ws.store.tasks(run) if task.id == found.task), None)
    show.conversation(task, found, verdicts)
    if is_trace:
        return mined.trace(ws, found)
    show.next_command(f"verigym explain {show.quote(run)}")
