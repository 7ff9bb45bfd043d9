"""data: datasets to train on, made from runs, labels and files. List and show them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import (
    FORMATS,
    AllowHeldOut,
    Home,
    Json,
    Plain,
    env_option,
    group,
    num_option,
    workspace,
)
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.core.records import Dataset, Example, Item, Preference
    from verigym.workspace.data_export import DataExport

TrainingRun = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="Run on training tasks: id, unique prefix, or latest", autocompletion=complete.runs
    ),
]
DatasetName = Annotated[str, typer.Option("--name", help="Name of the dataset (default: derived from its content)")]
RECIPES = {"demonstrations": "recipes/sft.yaml", "preferences": "recipes/dpo.yaml", "thumbs": "recipes/kto.yaml"}
_ROW = {"demonstrations": "demonstration", "preferences": "pair", "thumbs": "rated episode"}


def list_all(json: bool, home: Path | None) -> None:
    """List datasets, newest last."""
    datasets = workspace(home).datasets()
    if json:
        return show.as_json(datasets)
    if not datasets:
        show.say("no datasets yet")
        return show.next_command(
            "verigym data demos RUN   ·   verigym data pairs RUN   ·   verigym data thumbs RUN   ·   verigym data import FILE"
        )
    rows = [
        (dataset.name, dataset.id[:12], dataset.kind, dataset.rows, dataset.tasks, show.clip(dataset.source, 60))
        for dataset in datasets
    ]
    show.table(rows, ("name", "id", "kind", "rows", "tasks", "source"))
    show.next_command("verigym data show NAME")


data = group("data", "Datasets to train on: list (the default), demos, pairs, thumbs, import, export, show.", list_all)


@data.command("demos")
def make_demos(
    run: TrainingRun = "latest",
    per_task: Annotated[int, typer.Option("--per-task", min=1, help="Maximum episodes per task, best first")] = 4,
    min_reward: Annotated[
        float | None, typer.Option("--min-reward", help="Minimum reward of an episode that passed")
    ] = None,
    name: DatasetName = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a dataset of demonstrations from the episodes of a run that passed (for sft)."""
    dataset = workspace(home).demos(run, per_task=per_task, min_reward=min_reward, name=name)
    _say_dataset_made(dataset, name, json)


@data.command("pairs")
def make_pairs(
    run: TrainingRun = "latest",
    gap: Annotated[float, typer.Option("--gap", min=0, help="Minimum difference between the rewards of a pair")] = 0.1,
    per_task: Annotated[
        int,
        typer.Option(
            "--per-task",
            min=1,
            help="Maximum pairs per task. The first is best and worst, the next second best and second worst",
        ),
    ] = 4,
    labels: Annotated[
        bool, typer.Option("--labels", help="Use people's preferences (verigym label) instead of rewards")
    ] = False,
    name: DatasetName = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a dataset of preferences from pairs of episodes, one better than the other (for dpo and reward models)."""
    dataset = workspace(home).pairs(run, gap=gap, per_task=per_task, labels=labels, name=name)
    _say_dataset_made(dataset, name, json)


@data.command("thumbs")
def make_thumbs(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Run on training tasks or traces: id, unique prefix, or latest. Or a file with prompt, completion and label",
            autocompletion=complete.runs,
        ),
    ] = "latest",
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Use the verifier's verdicts instead of people's ratings")
    ] = False,
    name: DatasetName = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a dataset of thumbs up and down from labels and feedback on episodes (for kto)."""
    dataset = workspace(home, create=True).thumbs(source, verdicts=verdicts, name=name)
    _say_dataset_made(dataset, name, json)


@data.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="Demonstrations or preferences: .jsonl, .json, .csv or .parquet")],
    name: DatasetName = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Import the demonstrations or preferences of a file as a dataset."""
    _say_dataset_made(workspace(home, create=True).import_data(file, name=name), name, json)


@data.command("export")
def export_data(
    form: Annotated[str, typer.Option("--as", metavar="FORMAT", help=f"Trainer or kind of file: {FORMATS}")],
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help="Dataset: name, id, unique prefix or latest. Or a file",
            autocompletion=complete.datasets,
        ),
    ] = "",
    environment: Annotated[
        str, env_option("Export the tasks of this environment as prompts with their ground truth, instead of a dataset")
    ] = "",
    split: Annotated[str, typer.Option("--split", help="Split of the environment's tasks")] = "train",
    num: Annotated[
        int | None, num_option("Number of the environment's tasks, spread over families (default: all)")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file, or folder with --as hf (default: named after the source)"),
    ] = None,
    plain: Plain = False,
    allow_held_out: AllowHeldOut = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Export a dataset, or the tasks of an environment, to a file that another trainer reads. Held-out tasks are refused."""
    from verigym.core.errors import BadInput

    if dataset and environment:
        raise BadInput("DATASET and --env cannot be combined. Remove one")
    exported = workspace(home, create=bool(environment) or Path(dataset).suffix != "").export_data(
        dataset or "latest",
        format=form,
        file=out,
        environment=environment,
        split=split,
        n=num,
        plain=plain,
        allow_held_out=allow_held_out,
    )
    say_exported(exported, json)


def say_exported(exported: "DataExport", json: bool) -> None:
    """What was written for another trainer, what was left out, and how the trainer reads it."""
    from verigym.training.formats.format import ROW_OF

    if exported.held_out:
        show.note(
            f"warning: {counted(exported.held_out, 'record')} of held-out tasks were exported. A model that is trained on them "
            "cannot be measured on them, and Verigym does not see that training"
        )
    if json:
        return show.as_json(exported)
    records = counted(exported.records, ROW_OF[exported.kind])  # type: ignore[index]
    show.say(f"wrote {exported.file}: {records} in {counted(exported.rows, 'row')}")
    if exported.left_out:
        show.say("left out: " + ", ".join(f"{reason} {count}" for reason, count in exported.left_out.items()))
    show.say(f"to read it: {exported.load}")
    show.next_command("verigym models import FOLDER --trained-by NAME   (when the model is trained)")


@data.command("show")
def show_dataset(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help="Dataset: name, id, unique prefix or latest. Or a file",
            autocompletion=complete.datasets,
        ),
    ] = "latest",
    num: Annotated[int, num_option("Number of rows to show", min=0)] = 3,
    json: Json = False,
    home: Home = None,
) -> None:
    """Show a dataset: how it was made, what was dropped, and its first rows."""
    import itertools

    from verigym.tasks.files import is_task_file
    from verigym.workspace.datasets import find, path_of, read_file, rows

    if is_task_file(dataset) and Path(dataset).is_file():
        record, content = read_file(Path(dataset))
        first, file = list(content[:num]), Path(dataset)
    else:
        ws = workspace(home).folder
        record = find(ws, dataset)
        first, file = list(itertools.islice(rows(ws, record), num)), path_of(ws, record.id)
    if json:
        return show.as_json({"dataset": record, "rows": first})
    _say_dataset(record)
    show.say(f"file: {file}")
    for number, row in enumerate(first, start=1):
        source = f"from {row.source}" if row.source else "from a file"
        show.say("", f"row {number} of {record.rows}: task {row.task}, {source}")
        _say_row(row)
    show.say("")
    _say_next(record)


def _say_dataset_made(dataset: "Dataset", name: str, json: bool) -> None:
    if json:
        return show.as_json(dataset)
    _say_dataset(dataset)
    if name and dataset.name != name:
        show.say(f"the same rows already exist as dataset {dataset.name}, which keeps its name")
    _say_next(dataset)


def _say_dataset(dataset: "Dataset") -> None:
    rows = counted(dataset.rows, _ROW[dataset.kind])
    size = f"{rows} of {counted(dataset.tasks, 'task')}, {counted(len(dataset.families), 'family')}"
    show.say(f"dataset {dataset.name} ({dataset.id[:12]}): {size}", f"source: {dataset.source}")
    show.say(", ".join(f"{reason} {count}" for reason, count in dataset.counts.items()))


def _say_next(dataset: "Dataset") -> None:
    show.next_command(f"verigym train {RECIPES[dataset.kind]} data={show.quote(dataset.name)}")


def _say_row(row: "Example | Preference") -> None:
    from verigym.core.records import Example

    if isinstance(row, Example):
        made = {None: "imitated", True: "good", False: "bad"}[row.good]
        imitated = {index for start, end in row.made for index in range(start, end)}
        first = row.made[0][0]
        parts = [("prompt", row.items[:first])]
        parts += [
            (made if index in imitated else "between", [item]) for index, item in enumerate(row.items) if index >= first
        ]
    else:
        parts = [("prompt", row.prompt), ("chosen", row.chosen), ("rejected", row.rejected)]
    for title, items in parts:
        _say_items(title, items)


def _say_items(title: str, items: "Sequence[Item]") -> None:
    for item in items:
        speaker, text = show.spoken(item)
        show.say(f"  {title:8}  [{speaker}] {show.clip(text, 90)}")
