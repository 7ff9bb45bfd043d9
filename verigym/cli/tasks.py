"""tasks: what an environment asks; files of tasks, counted, split by family, freed of repeats, checked for leaks."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Environment, Json, SkipBad
from verigym.core.errors import BadInput, Refused
from verigym.core.words import counted

tasks = typer.Typer(
    no_args_is_help=True, help="Tasks: show, stats; files of them: split, dedup, leaks.", rich_markup_mode=None
)
File = Annotated[Path, typer.Argument(help="A file of tasks: .jsonl, .json, .csv or .parquet")]
Near = Annotated[float, typer.Option("--near", min=0.3, max=1.0, help="How alike two prompts are that belong together")]
_EXAMPLES = 3
_SHAPES = {"other": "with data of an environment's own"}


def register(app: typer.Typer) -> None:
    app.add_typer(tasks, name="tasks")


@tasks.command("show")
def show_tasks(
    environment: Environment,
    task: Annotated[str, typer.Argument(help="Id of one; without it they are listed")] = "",
    split: Annotated[str, typer.Option("--split", help="To list: train, or a held-out one")] = "val",
    n: Annotated[int, typer.Option("-n", min=1, help="To list, spread over families")] = 20,
    json: Json = False,
) -> None:
    """List an environment's tasks, or show one: what is asked, and its gold solution played and judged, with no model."""
    from verigym.core.errors import not_found
    from verigym.environments.load import load_environment
    from verigym.evaluation.suites import pick
    from verigym.tasks.leaks import prompt_of
    from verigym.workspace.measure import tasks_of

    spec = load_environment(environment)
    if task:
        known = {one.id: one for one in _all_of(spec)}
        if task not in known:
            raise not_found("task", task, known, f"See: verigym tasks show {show.quote(environment)}")
        return _play_gold(spec, known[task], json)
    there = tasks_of(spec, split)
    found = pick(there, n, 0)
    if json:
        return show.as_json(found)
    show.table([(one.id, show.clip(prompt_of(one), 70)) for one in found], ("task", "asks"))
    if len(found) < len(there):
        show.say(f"{len(found)} of {counted(len(there), 'task')} of {split}; -n shows more")
    show.next_command(f"verigym tasks show {show.quote(environment)} {show.quote(found[0].id)}")


@tasks.command("stats")
def stats(
    file: Annotated[str, typer.Argument(help="A file of tasks: .jsonl, .json, .csv or .parquet; or an environment")],
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Count a file's tasks, or all of an environment's: families, splits, tags, shapes of rows, lengths, repeats, and the hash
    of their content."""
    from verigym.environments.load import load_environment
    from verigym.tasks.stats import describe

    environment = Path(file).suffix in ("", ".py")
    loaded = _all_of(load_environment(file)) if environment else _load(Path(file), skip_bad)
    if not loaded:
        raise Refused(f"{file} has no tasks of its own; verigym tasks stats FILE counts those of a file")
    found = describe(loaded)
    if json:
        return show.as_json(found)
    show.say(f"{file}: {counted(found.tasks, 'task')} of {counted(found.families, 'family')}, hash {found.hash[:12]}")
    rows = [("rows", _counts({_SHAPES.get(shape, shape): count for shape, count in found.shapes.items()}))]
    rows += [
        (
            "splits",
            ", ".join(
                f"{side.split or 'none named'} {side.tasks} of {counted(side.families, 'family')}"
                for side in found.splits
            ),
        )
    ]
    rows += [("tags", _counts(found.tags) or "none"), ("letters of a prompt", _counts(found.prompt_letters))]
    rows += [("repeats", f"{found.repeated} of prompt and data, {found.repeated_prompts} of the prompt alone")]
    show.table(rows, ("what", ""))
    if found.own_families:
        show.say(f"without a family: {found.own_families}; verigym tasks split gives them one, by likeness")
    if environment:
        show.next_command(f"verigym tasks show {show.quote(file)}")
    elif found.repeated_prompts:
        show.next_command(f"verigym tasks dedup {show.quote(file)}")
    elif len(found.splits) > 1:
        show.next_command(f"verigym tasks leaks {show.quote(file)}")
    elif found.splits[0].split in ("", "train"):
        show.next_command(f"verigym tasks split {show.quote(file)}")


@tasks.command("split")
def split(
    file: File,
    val: Annotated[float, typer.Option("--val", min=0, max=1, help="Share of tasks to measure on")] = 0.2,
    test: Annotated[float, typer.Option("--test", min=0, max=1, help="Share to keep for the very end")] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Another seed deals the families anew")] = 0,
    near: Near = 0.5,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write to; default: named as the file")
    ] = None,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Deal tasks to train, val and test by family. A family never crosses; more tasks later never move one."""
    from verigym.tasks.load import save_tasks
    from verigym.tasks.split import dominated, sides, split_tasks, with_families

    shares = {"val": val, "test": test}
    if val + test >= 1:
        raise BadInput(f"--val {val} and --test {test} leave nothing to train on; together they stay below 1")
    folder = out or file.with_suffix("")
    if folder.is_file():
        raise BadInput(f"{folder} is a file; name a folder with --out")
    loaded = _load(file, skip_bad, folder)
    with show.progress("comparing prompts") as bar:
        made = split_tasks(with_families(loaded, near, _on(bar)), shares, seed)
    found = sides(made)
    missing = [name for name in ("train", *shares) if shares.get(name, 1) and name not in {one.split for one in found}]
    if missing:
        families = sum(one.families for one in found)
        if families == 1:
            raise BadInput(
                f'{file}: all tasks are of one family, "{show.clip(found[0].largest, 60)}", and a family is never split: give '
                "tasks that have little in common families of their own (family in a row, a family column in a design)"
            )
        raise BadInput(
            f'{file}: no family falls to "{missing[0]}" ({counted(len(made), "task")} of {counted(families, "family")}); '
            "add tasks, raise its share or take another --seed"
        )
    files = {one.split: folder / f"{one.split}{_suffix(file)}" for one in found}
    if file.resolve() in {path.resolve() for path in files.values()}:
        raise BadInput(f"{file} would be overwritten; name another folder with --out")
    for name, path in files.items():
        save_tasks(path, [task for task in made if task.split == name])
    for name in {
        "train",
        *shares,
    } - files.keys():  # of an earlier split into the same folder: its families are elsewhere now
        (folder / f"{name}{_suffix(file)}").unlink(missing_ok=True)
    warnings = [
        f'{one.largest_share:.0%} of {one.split} is one family, "{show.clip(one.largest, 60)}": figures there are about it'
        for one in found
        if dominated(one)
    ]
    if json:
        return show.as_json(
            {"files": {k: str(path) for k, path in files.items()}, "splits": found, "warnings": warnings}
        )
    rows = [
        (files[one.split], one.tasks, f"{one.share:.1%}", _wanted(one.split, shares), one.families) for one in found
    ]
    show.table(rows, ("wrote", "tasks", "share", "asked", "families"))
    for warning in warnings:
        show.say(f"warning: {warning}")
    written = [str(path) for path in files.values()]
    show.next_command(
        f"verigym tasks leaks {' '.join(map(show.quote, written))}"
        if len(written) > 1
        else f"verigym tasks stats {show.quote(written[0])}"
    )


@tasks.command("dedup")
def dedup(
    file: File,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write: .jsonl, .json or .parquet; default FILE.clean")
    ] = None,
    near: Near = 0.8,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="A key of data that makes no difference (score); repeatable")
    ] = None,
    keep_conflicts: Annotated[
        bool, typer.Option("--keep-conflicts", help="Keep tasks that ask the same and disagree on the answer")
    ] = False,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Take out repeats, exact and near; the first stays. The same prompt with two answers is a conflict: both go."""
    from verigym.tasks.dedup import deduplicate
    from verigym.tasks.load import save_tasks

    path = out or file.with_name(f"{file.stem}.clean{_suffix(file)}")
    if path.resolve() == file.resolve():
        raise BadInput(f"{file} would be overwritten; name another file with --out")
    loaded = _load(file, skip_bad, path.parent)
    with show.progress("comparing tasks") as bar:
        found = deduplicate(loaded, near, ignore=ignore or (), keep_conflicts=keep_conflicts, on_progress=_on(bar))
    if not found.kept:
        raise BadInput(f"{file}: nothing is left but conflicts; --keep-conflicts keeps them")
    save_tasks(path, found.kept)
    if json:
        return show.as_json({"file": str(path), "tasks": len(found.kept), **_fields(found, "repeats", "conflicts")})
    exact = sum(one.exact for one in found.repeats)
    near_ones = counted(len(found.repeats) - exact, "near repeat")
    show.say(f"wrote {path}: {counted(len(found.kept), 'task')}; {exact} exact and {near_ones} left out")
    for one in sorted(found.repeats, key=lambda one: one.likeness)[:_EXAMPLES]:
        show.say(f"  {one.task} repeats {one.of} ({'exactly' if one.exact else f'likeness {one.likeness:.2f}'})")
    if found.conflicts:
        done = "kept" if keep_conflicts else "left out (--keep-conflicts keeps them)"
        count = sum(map(len, found.conflicts))
        show.say(f"{count} tasks ask the same and disagree on the answer, {done}:")
        for group in found.conflicts[:_EXAMPLES]:
            show.say(f"  {show.clip(', '.join(group))}")
    if len(found.repeats) > _EXAMPLES or len(found.conflicts) > _EXAMPLES:
        show.say("all of them: --json")
    show.next_command(f"verigym tasks split {show.quote(path)}")


@tasks.command("leaks")
def leaks(
    files: Annotated[list[Path], typer.Argument(help="Files of tasks, one a side; or one file with several splits")],
    near: Near = 0.7,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Find families and prompts, the same or nearly, that are on two sides. Exit code 1 when there are any."""
    from verigym.tasks.leaks import find_leaks

    sides = _sides(files, skip_bad)
    with show.progress("comparing prompts") as bar:
        found = find_leaks(sides, near, _on(bar))
    if json:
        show.as_json(found)
    else:
        names = ", ".join(f"{name} ({len(side)})" for name, side in sides.items())
        show.say(f"{names}: {'they leak' if found else 'nothing in common'}")
        _crossings("families", found.families, lambda one: f'"{one.families[0]}"')
        _crossings("prompts, word for word", found.prompts, lambda one: f'"{show.clip(one.prompts[0], 80)}"')
        _crossings("prompts, nearly", found.near, _pair)
        if found:
            show.say(
                "Move each wholly to one side; or put all rows into one file, what is nearly the same in one family, and:"
            )
            show.next_command("verigym tasks split ALL.jsonl")
        else:
            show.next_command(_try(files))
    raise typer.Exit(1 if found else 0)


def _play_gold(environment: Any, task: Any, json: bool) -> None:
    from verigym.audit.scripted_episodes import play, watching

    replies = environment.gold_replies(task)
    with watching():
        played = asyncio.run(play(environment, task, replies))
    if json:
        return show.as_json({"task": task, "trajectory": played.trajectory, "verdict": played.verdict})
    family, tags = task.family or task.id, ", ".join(task.tags) or "none"
    show.say(f"task {task.id} · split {task.split} · family {family} · tags {tags}")
    if not replies:
        show.say("it has no gold solution; an empty reply is played instead")
    show.conversation(task, played.trajectory, [played.verdict])


def set_aside(bad: Sequence[Any] | None, folder: Path | None = None) -> None:
    """Writes rows that `--skip-bad` passed over, and says so on standard error: standard output may be JSON."""
    from verigym.tasks.load import save_bad

    if not bad:
        return
    written = ", ".join(str(path) for path in save_bad(bad, folder))
    print(f"{counted(len(bad), 'bad row')} set aside in {written}:", file=sys.stderr)
    for one in bad[:_EXAMPLES]:
        print(f"  {one.file} {one.row}: {show.clip(one.reason, 160)}", file=sys.stderr)
    if len(bad) > _EXAMPLES:
        print(f"  and {len(bad) - _EXAMPLES} more", file=sys.stderr)


def _all_of(spec: Any) -> list[Any]:
    """An environment's tasks of every split."""
    return [task for split in dict.fromkeys(("train", *spec.suites.values())) for task in spec.tasks(split)]


def _load(file: Path, skip_bad: bool, folder: Path | None = None) -> list[Any]:
    from verigym.tasks.load import BadRow, load_tasks

    bad: list[BadRow] | None = [] if skip_bad else None
    loaded = load_tasks(file, split="", bad=bad)  # a split that is not named stays so
    set_aside(bad, folder)
    return loaded


def _sides(files: list[Path], skip_bad: bool) -> dict[str, list[Any]]:
    if len(files) > 1:
        return {
            f"{file}{f' ({n + 1})' if file in files[:n] else ''}": _load(file, skip_bad) for n, file in enumerate(files)
        }
    sides: dict[str, list[Any]] = {}
    for task in _load(files[0], skip_bad):
        sides.setdefault(task.split or "no split", []).append(task)
    if len(sides) < 2:
        raise BadInput(
            f"{files[0]}: all tasks are of one side ({next(iter(sides))}); name a second file to compare with"
        )
    return sides


def _crossings(what: str, found: Sequence[Any], words: Any) -> None:
    if found:
        show.say(f"{len(found)} shared {what}:")
        for one in found[:_EXAMPLES]:
            show.say(f"  {words(one)}  ({one.sides[0]}: {one.tasks[0]} · {one.sides[1]}: {one.tasks[1]})")
        if len(found) > _EXAMPLES:
            show.say(f"  and {len(found) - _EXAMPLES} more (--json lists them)")


def _pair(one: Any) -> str:
    return f'{one.likeness:.2f} "{show.clip(one.prompts[0], 60)}" and "{show.clip(one.prompts[1], 60)}"'


def _try(files: list[Path]) -> str:
    return f"verigym eval {show.quote(','.join(str(file) for file in files[:2]))} -m smollm2-135m"


def _wanted(split: str, shares: dict[str, float]) -> str:
    return f"{shares.get(split, 1 - sum(shares.values())):.1%}"


def _suffix(file: Path) -> str:
    """What is made of a file is of its kind, where that can be written."""
    return ".jsonl" if file.suffix.lower() == ".csv" else file.suffix.lower()


def _counts(counts: dict[str, int]) -> str:
    shown = [f"{name} {count}" for name, count in list(counts.items())[:12]]
    return ", ".join(shown) + (f" and {len(counts) - 12} more" if len(counts) > 12 else "")


def _fields(found: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def _on(bar: Any) -> Any:
    return lambda done, total: bar(done, total, "")
