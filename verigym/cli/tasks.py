"""tasks: list and show the tasks of an environment. Count, split, deduplicate and check task files."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import complete, show
from verigym.cli.options import Environment, Json, Out, SkipBad, group, num_option
from verigym.core.errors import Refused
from verigym.core.words import counted, percent

if TYPE_CHECKING:
    from verigym.core.records import Task
    from verigym.harness.environment import EnvironmentSpec
    from verigym.tasks.leaks import LeakPair
    from verigym.tasks.load import BadRow

TaskFile = Annotated[Path, typer.Argument(metavar="FILE", help="Task file: .jsonl, .json, .csv or .parquet")]
_EXAMPLES = 3
_SHAPES = {"other": "with data of an environment"}
_TAGS = 12


def _near(help: str) -> Any:
    """`--near`, with what happens to similar prompts."""
    return typer.Option("--near", min=0.3, max=1.0, help=help)


def list_all(json: bool, home: Path | None) -> None:
    """The shipped environments."""
    from verigym.environments.load import names

    environments = names()
    if json:
        return show.as_json(environments)
    show.say("shipped environments:", *(f"  {name}" for name in environments))
    show.next_command(f"verigym tasks list {environments[-1]}   ·   verigym tasks stats {environments[-1]}")


tasks = group(
    "tasks",
    "Tasks: list, show, stats. Task files: split, dedup, leaks. Without a subcommand: list the environments.",
    list_all,
)


@tasks.command("list")
def list_tasks(
    environment: Annotated[
        str,
        typer.Argument(
            metavar="ENV",
            help="Environment: a name, a Python file or a task file (default: list the environments)",
            autocompletion=complete.environments,
        ),
    ] = "",
    split: Annotated[str, typer.Option("--split", help="Split to list: train, or a held-out split")] = "val",
    num: Annotated[int, num_option("Number of tasks, spread over families")] = 20,
    json: Json = False,
) -> None:
    """List the tasks of an environment."""
    from verigym.environments.load import load_environment
    from verigym.evaluation.suites import pick
    from verigym.tasks.leaks import prompt_of
    from verigym.workspace.measure import tasks_of

    if not environment:
        return list_all(json, None)
    all_tasks = tasks_of(load_environment(environment), split)
    chosen = pick(all_tasks, num, 0)
    if json:
        return show.as_json(chosen)
    show.table([(task.id, show.clip(prompt_of(task), 70)) for task in chosen], ("task", "prompt"))
    if len(chosen) < len(all_tasks):
        show.say(f"{len(chosen)} of {counted(len(all_tasks), 'task')} of {split}. -n shows more")
    show.next_command(f"verigym tasks show {show.quote(environment)} {show.quote(chosen[0].id)}")


@tasks.command("show")
def show_task(
    environment: Environment,
    id: Annotated[str, typer.Argument(metavar="TASK", help="Task id")],
    json: Json = False,
) -> None:
    """Show a task: its prompt, and its gold solution, which is run and scored without a model."""
    from verigym.audit.scripted_episodes import play, watching
    from verigym.core import event_loop
    from verigym.core.errors import not_found
    from verigym.environments.load import load_environment

    spec = load_environment(environment)
    known = {task.id: task for task in _all_tasks(spec)}
    if id not in known:
        raise not_found("task", id, known, f"List them: verigym tasks list {show.quote(environment)}")
    task = known[id]
    replies = spec.gold_replies(task)
    with watching():
        played = event_loop.run(play(spec, task, replies))
    if json:
        return show.as_json({"task": task, "trajectory": played.trajectory, "verdict": played.verdict})
    family, tags = task.family or task.id, ", ".join(task.tags) or "none"
    show.say(f"task {task.id} · split {task.split} · family {family} · tags {tags}")
    if not replies:
        show.say("it has no gold solution, so an empty reply was scored")
    show.conversation(task, played.trajectory, [played.verdict])
    show.next_command(f"verigym eval {show.quote(environment)} -m smollm2-135m -n 20")


@tasks.command("stats")
def stats(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|ENV",
            help="Task file (.jsonl, .json, .csv or .parquet) or an environment",
            autocompletion=complete.environments,
        ),
    ],
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Count the tasks of a file or an environment: families, splits, tags, row shapes, lengths and duplicates. Prints the
    hash of their content."""
    from verigym.environments.load import load_environment
    from verigym.tasks.file_operations import load_file
    from verigym.tasks.split import describe

    is_environment = Path(file).suffix in ("", ".py")
    loaded = (
        _all_tasks(load_environment(file))
        if is_environment
        else load_file(Path(file), say_bad_rows if skip_bad else None)
    )
    if not loaded:
        raise Refused(f"{file} contains no tasks. Name a task file instead: verigym tasks stats FILE")
    counts = describe(loaded)
    if json:
        return show.as_json(counts)
    show.say(
        f"{file}: {counted(counts.tasks, 'task')} of {counted(counts.families, 'family')}, hash {counts.hash[:12]}"
    )
    splits = [
        f"{side.split or 'none named'} {side.tasks} of {counted(side.families, 'family')}" for side in counts.splits
    ]
    rows = [
        ("rows", _list({_SHAPES.get(shape, shape): count for shape, count in counts.shapes.items()})),
        ("splits", ", ".join(splits)),
        ("tags", _list(counts.tags) or "none"),
        ("characters per prompt", _list(counts.prompt_letters)),
        ("duplicates", f"{counts.repeated} of prompt and data, {counts.repeated_prompts} of the prompt alone"),
    ]
    show.table(rows, ("", "counts"))
    if counts.own_families:
        show.say(f"without a family: {counts.own_families}. verigym tasks split groups them by similarity")
    if is_environment:
        show.next_command(f"verigym tasks list {show.quote(file)}")
    elif counts.repeated_prompts:
        show.next_command(f"verigym tasks dedup {show.quote(file)}")
    elif len(counts.splits) > 1:
        show.next_command(f"verigym tasks leaks {show.quote(file)}")
    elif counts.splits[0].split in ("", "train"):
        show.next_command(f"verigym tasks split {show.quote(file)}")


@tasks.command("split")
def split(
    file: TaskFile,
    val: Annotated[float, typer.Option("--val", min=0, max=1, help="Share of tasks for the validation split")] = 0.2,
    test: Annotated[
        float,
        typer.Option(
            "--test", min=0, max=1, help="Share of tasks for the test split, used only for the final evaluation"
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Random seed for the assignment of families")] = 0,
    near: Annotated[
        float, _near("Put tasks without a family together if their prompts are at least this similar")
    ] = 0.5,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Output folder (default: the file name without its suffix)")
    ] = None,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Split tasks into train, val and test by family. All tasks of a family go into one split.
    New tasks do not move existing ones."""
    from verigym.tasks.file_operations import split_file

    shares = {"val": val, "test": test}
    with show.progress("comparing prompts") as bar:
        result = split_file(
            file,
            shares,
            out=out,
            seed=seed,
            near=near,
            on_bad=say_bad_rows if skip_bad else None,
            on_progress=lambda done, total: bar(done, total, ""),
        )
    if json:
        return show.as_json(result)
    rows = [
        (
            result.files[side.split],
            side.tasks,
            percent(side.share),
            percent(shares.get(side.split, 1 - val - test)),
            side.families,
        )
        for side in result.splits
    ]
    show.table(rows, ("wrote", "tasks", "share", "wanted", "families"))
    for warning in result.warnings:
        show.say(f"warning: {warning}")
    written = [show.quote(path) for path in result.files.values()]
    show.next_command(
        f"verigym tasks leaks {' '.join(written)}" if len(written) > 1 else f"verigym tasks stats {written[0]}"
    )


@tasks.command("dedup")
def dedup(
    file: TaskFile,
    out: Out = None,
    near: Annotated[float, _near("Remove prompts that are at least this similar to an earlier one")] = 0.8,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", help="Key of data to ignore in comparisons, such as score. Repeatable"),
    ] = None,
    keep_conflicts: Annotated[
        bool, typer.Option("--keep-conflicts", help="Keep tasks with the same prompt and different answers")
    ] = False,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Remove exact and near-duplicates and keep the first. The same prompt with two answers is a conflict: both are removed.
    Writes FILE.clean unless you pass --out."""
    from verigym.tasks.file_operations import deduplicate_file

    with show.progress("comparing tasks") as bar:
        path, result = deduplicate_file(
            file,
            out=out,
            near=near,
            ignore=ignore or (),
            keep_conflicts=keep_conflicts,
            on_bad=say_bad_rows if skip_bad else None,
            on_progress=lambda done, total: bar(done, total, ""),
        )
    if json:
        return show.as_json(
            {"file": str(path), "tasks": len(result.kept), "repeats": result.repeats, "conflicts": result.conflicts}
        )
    exact = sum(repeat.exact for repeat in result.repeats)
    near_duplicates = counted(len(result.repeats) - exact, "near-duplicate")
    show.say(
        f"wrote {path}: {counted(len(result.kept), 'task')}. Removed {counted(exact, 'exact duplicate')} and {near_duplicates}"
    )
    for repeat in sorted(result.repeats, key=lambda repeat: repeat.likeness)[:_EXAMPLES]:
        how = "exact" if repeat.exact else f"similarity {repeat.likeness:.2f}"
        show.say(f"  {repeat.task} duplicates {repeat.of} ({how})")
    if result.conflicts:
        done = "kept" if keep_conflicts else "removed (--keep-conflicts keeps them)"
        count = sum(map(len, result.conflicts))
        show.say(f"{count} tasks have the same prompt and different answers, {done}:")
        for conflict in result.conflicts[:_EXAMPLES]:
            show.say(f"  {show.clip(', '.join(conflict))}")
    if len(result.repeats) > _EXAMPLES or len(result.conflicts) > _EXAMPLES:
        show.say("--json lists all of them")
    show.next_command(f"verigym tasks split {show.quote(path)}")


@tasks.command("leaks")
def leaks(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Task files to compare, or one file with several splits")
    ],
    near: Annotated[float, _near("Report prompts in different splits that are at least this similar")] = 0.7,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Find families and prompts, equal or nearly equal, that are in more than one split. Exit code 1 if there are any."""
    from verigym.tasks.file_operations import load_sides
    from verigym.tasks.leaks import find_leaks

    sides = load_sides(files, say_bad_rows if skip_bad else None)
    with show.progress("comparing prompts") as bar:
        shared = find_leaks(sides, near, lambda done, total: bar(done, total, ""))
    if json:
        show.as_json(shared)
    else:
        names = ", ".join(f"{name} ({len(side)})" for name, side in sides.items())
        show.say(f"{names}: {'they leak' if shared else 'nothing in common'}")
        _say_crossings("families", shared.families, lambda crossing: f'"{crossing.families[0]}"')
        _say_crossings("identical prompts", shared.prompts, lambda crossing: f'"{show.clip(crossing.prompts[0], 80)}"')
        _say_crossings("near-duplicate prompts", shared.near, _near_pair)
        if shared:
            show.say(
                "Keep each in one split only. Or put all rows into one file, near-duplicates in one family, and split it:"
            )
            show.next_command("verigym tasks split ALL.jsonl")
        else:
            joined = show.quote(",".join(str(file) for file in files[:2]))
            show.next_command(f"verigym eval {joined} -m smollm2-135m")
    raise typer.Exit(1 if shared else 0)


def say_bad_rows(bad: "Sequence[BadRow] | None", folder: Path | None = None) -> None:
    """Writes the rows that --skip-bad passed over, and reports them on standard error."""
    from verigym.tasks.load import save_bad

    if not bad:
        return
    written = ", ".join(str(path) for path in save_bad(bad, folder))
    show.note(f"{counted(len(bad), 'invalid row')} written to {written}:")
    for row in bad[:_EXAMPLES]:
        show.note(f"  {row.file} {row.row}: {show.clip(row.reason, 160)}")
    if len(bad) > _EXAMPLES:
        show.note(f"  and {len(bad) - _EXAMPLES} more")


_NUMBER = re.compile(r"[-+]?\d[\d.,]*")
_SCORING = {
    "exact_match": "the whole reply must be the answer",
    "numeric": "the last number of the reply must be the answer",
    "choice": "the reply must name the right option and no other",
    "by_data": "each row by its key (tests, schema, pattern, choices or answer)",
}


def say_scoring(spec: "EnvironmentSpec") -> None:
    """What decides in a file of prompts whether a reply passes. Other environments have code that says it."""
    name = next(iter(spec.verifiers))
    if spec.verifiers.keys() != _SCORING.keys():
        return
    answers = [task.data.get("answer") for task in _all_tasks(spec)]
    numbers = answers and all(_NUMBER.fullmatch(str(answer)) for answer in answers)
    other = ". --verifier numeric compares its last number" if numbers and name == "exact_match" else ""
    show.say(f"scored by {name}: {_SCORING[name]}{other}")


def _all_tasks(spec: "EnvironmentSpec") -> "list[Task]":
    """The tasks of every split of an environment."""
    return [task for split in dict.fromkeys(("train", *spec.suites.values())) for task in spec.tasks(split)]


def _say_crossings(title: str, crossings: "Sequence[LeakPair]", text: "Callable[[LeakPair], str]") -> None:
    if crossings:
        show.say(f"{len(crossings)} shared {title}:")
        for crossing in crossings[:_EXAMPLES]:
            sides, ids = crossing.sides, crossing.tasks
            show.say(f"  {text(crossing)}  ({sides[0]}: {ids[0]} · {sides[1]}: {ids[1]})")
        if len(crossings) > _EXAMPLES:
            show.say(f"  and {len(crossings) - _EXAMPLES} more (--json lists all)")


def _near_pair(crossing: "LeakPair") -> str:
    first, second = (show.clip(prompt, 60) for prompt in crossing.prompts)
    return f'{crossing.likeness:.2f} "{first}" and "{second}"'


def _list(counts: dict[str, int]) -> str:
    shown = [f"{name} {count}" for name, count in list(counts.items())[:_TAGS]]
    return ", ".join(shown) + (f" and {len(counts) - _TAGS} more" if len(counts) > _TAGS else "")
