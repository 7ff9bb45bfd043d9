"""data: rows to learn from, made out of runs, labels and files; listed and shown."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.words import counted

data = typer.Typer(
    no_args_is_help=True, help="Data to learn from: demos, pairs, import, list, show.", rich_markup_mode=None
)
Run = Annotated[str, typer.Argument(help="A run on training tasks: id, beginning of an id, or latest")]
Name = Annotated[str, typer.Option("--name", help="Name of the data set; default: by its content")]
RECIPES = {"demonstrations": "recipes/sft.yaml", "preferences": "recipes/dpo.yaml"}


def register(app: typer.Typer) -> None:
    app.add_typer(data, name="data")


@data.command("demos")
def demos(
    run: Run = "latest",
    per_task: Annotated[int, typer.Option("--per-task", min=1, help="Episodes of one task, the best first")] = 4,
    min_reward: Annotated[
        float | None, typer.Option("--min-reward", help="Only episodes of this reward or more")
    ] = None,
    name: Name = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Keep the episodes of a run that passed as demonstrations to imitate (sft)."""
    from verigym.workspace.datasets import from_demonstrations

    _made(from_demonstrations(workspace(home), run, per_task=per_task, min_reward=min_reward, name=name), name, json)


@data.command("pairs")
def pairs(
    run: Run = "latest",
    gap: Annotated[
        float, typer.Option("--gap", min=0, help="By how much the rewards of a pair differ, at least")
    ] = 0.1,
    per_task: Annotated[
        int, typer.Option("--per-task", min=1, help="Pairs of one task: best and worst, second best and second worst")
    ] = 4,
    labels: Annotated[
        bool, typer.Option("--labels", help="By what people preferred (verigym label), not by rewards")
    ] = False,
    name: Name = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Keep pairs of episodes, one better than the other, as preferences (dpo, reward models)."""
    from verigym.workspace.datasets import from_labels, from_rewards

    ws = workspace(home)
    made = from_labels(ws, run, name=name) if labels else from_rewards(ws, run, gap=gap, per_task=per_task, name=name)
    _made(made, name, json)


@data.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="Demonstrations or preferences: .jsonl, .json, .csv or .parquet")],
    name: Name = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Keep the demonstrations or preferences of a file."""
    from verigym.workspace.datasets import from_file

    _made(from_file(workspace(home), file, name=name), name, json)


@data.command("list")
def list_data(json: Json = False, home: Home = None) -> None:
    """Data sets, the newest last."""
    from verigym.workspace.datasets import known

    found = known(workspace(home))
    if json:
        return show.as_json(found)
    if not found:
        show.say("no data yet")
        return show.next_command("verigym data demos RUN   ·   verigym data pairs RUN   ·   verigym data import FILE")
    rows = [(one.name, one.id[:12], one.kind, one.rows, one.tasks, show.clip(one.source, 60)) for one in found]
    show.table(rows, ("name", "id", "kind", "rows", "tasks", "made of"))
    show.next_command("verigym data show NAME")


@data.command("show")
def show_data(
    dataset: Annotated[
        str, typer.Argument(help="A data set: name, id, beginning of an id, or latest; or a file")
    ] = "latest",
    n: Annotated[int, typer.Option("-n", min=0, help="Rows to show")] = 3,
    json: Json = False,
    home: Home = None,
) -> None:
    """A data set: how it was made, what was dropped, and its first rows."""
    import itertools

    from verigym.workspace.datasets import find, path_of, rows

    ws = workspace(home)
    found = find(ws, dataset)
    some = list(itertools.islice(rows(ws, found), n))
    if json:
        return show.as_json({"dataset": found, "rows": some})
    _about(found)
    show.say(f"file: {path_of(ws, found.id)}")
    for place, row in enumerate(some, start=1):
        show.say(
            "", f"row {place} of {found.rows}: task {row.task}, {f'from {row.source}' if row.source else 'as written'}"
        )
        _row(row)
    show.say("")
    _next(found)


def _made(found: Any, name: str, json: bool) -> None:
    if json:
        return show.as_json(found)
    _about(found)
    if name and found.name != name:
        show.say(f"the same rows are kept already, as {found.name}; they keep that name")
    _next(found)


def _about(found: Any) -> None:
    size = counted(found.rows, "demonstration" if found.kind == "demonstrations" else "pair")
    show.say(
        f"data {found.name} ({found.id[:12]}): {size} of {counted(found.tasks, 'task')}, {counted(len(found.families), 'family')}"
    )
    show.say(f"made of {found.source}")
    show.say(", ".join(f"{reason} {count}" for reason, count in found.counts.items()))


def _next(found: Any) -> None:
    show.next_command(f"verigym train {RECIPES[found.kind]} data={show.quote(found.name)}")


def _row(row: Any) -> None:
    from verigym.core.records import Example

    if isinstance(row, Example):
        own = {place for start, end in row.made for place in range(start, end)}
        parts = [("prompt", [one for place, one in enumerate(row.items) if place < row.made[0][0]])]
        rest = list(enumerate(row.items))[row.made[0][0] :]
        parts += [("imitated" if place in own else "between", [one]) for place, one in rest]
    else:
        parts = [("prompt", row.prompt), ("chosen", row.chosen), ("rejected", row.rejected)]
    for title, items in parts:
        _items(title, items)


def _items(title: str, items: Sequence[Any]) -> None:
    for item in items:
        speaker, text = show.spoken(item)
        show.say(f"  {title:8}  [{speaker}] {show.clip(text, 90)}")
