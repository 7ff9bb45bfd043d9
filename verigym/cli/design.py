"""design: tasks and tables out of a spec, exactly as many as asked for; variations of tasks; a teacher's solutions of them."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import BadInput, Refused
from verigym.core.words import counted

_VALUE = 100
"""Letters of a value in a preview."""


def register(app: typer.Typer) -> None:
    app.command()(design)


def design(
    spec: Annotated[
        Path | None,
        typer.Argument(help="A spec: YAML with columns, constraints and validators (docs/how-to/design.md)"),
    ] = None,
    preview: Annotated[
        int | None, typer.Option("--preview", min=1, metavar="ROWS", help="Show the first rows and write nothing")
    ] = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Rows; default: the spec's, or all variations")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; default NAME.jsonl, here")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="The same spec and seed give the same rows; default: the spec's")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Asked by columns and validators that name none, as for rollout")
    ] = "",
    vary: Annotated[
        str,
        typer.Option("--vary", metavar="ENV|FILE", help="Instead of a spec: make variations of tasks that there are"),
    ] = "",
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="A kind of variation: paraphrase, distractor, boundary, typo, unsafe; default all"),
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Of the tasks that are varied")] = "train",
    teacher: Annotated[
        str,
        typer.Option("--teacher", metavar="MODEL", help="Then let this model solve the tasks, and keep what passed"),
    ] = "",
    k: Annotated[int, typer.Option("-k", min=1, help="The teacher's tries at each task")] = 4,
    keep: Annotated[
        str, typer.Option("--keep", help="What is kept of the teacher: demos (to imitate) or pairs (better and worse)")
    ] = "demos",
    environment: Annotated[
        str,
        typer.Option("--environment", help="Where varied tasks of a file are played; default: judged by their data"),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make tasks (or rows) by a spec: exactly N that are accepted, or a failure that names what starves it. Rejected rows are
    kept beside the file, with reasons."""
    if keep not in ("demos", "pairs"):
        raise BadInput(f'--keep "{keep}": it is demos or pairs')
    if (spec is None) is not bool(vary):
        raise BadInput("name a spec, such as recipes/design/python_problems.yaml, or tasks to vary: --vary ENV|FILE")
    if vary:
        _vary(vary, by or [], n, out, seed or 0, split, environment, teacher, k, keep, preview, json, home)
    elif spec is not None:
        if by or environment:
            raise BadInput("--by and --environment are for --vary; a spec says what it makes")
        _design(spec, preview, n, out, seed, model, teacher, k, keep, json, home)


def _design(
    path: Path,
    preview: int | None,
    n: int | None,
    out: Path | None,
    seed: int | None,
    model: str,
    teacher: str,
    k: int,
    keep: str,
    json: bool,
    home: Path | None,
) -> None:
    from verigym.design.draw import DesignExhausted
    from verigym.design.files import check_ours, check_out, mark, write, write_rejected
    from verigym.design.partial import PartialResults, partial_of
    from verigym.design.profile import profile
    from verigym.design.spec import read_design
    from verigym.workspace.teach import made_by

    read = read_design(path, model)
    seed = read.spec.seed if seed is None else seed
    out = out or Path(f"{read.stem}.jsonl")
    if out.resolve() == path.resolve():
        raise BadInput(f"{out} is the spec; name another file with --out")
    check_out(read, out)
    if teacher and not read.makes_tasks:
        raise BadInput(f"{path}: a teacher solves tasks, and there is no column prompt")
    command = f"design {_from(out, path)}"
    partial = partial_of(read, seed, out)
    if not preview:
        check_ours(out, command)
        known = len(PartialResults(partial, set()).known)
        if known and not json:
            show.say(f"{counted(known, 'row')} known from before; it goes on from there")
    title = f"{read.stem}, seed {seed}"
    try:
        with show.progress("rows") as bar:
            made = asyncio.run(
                made_by(
                    lambda: workspace(home),
                    read,
                    preview or n or read.spec.n,
                    seed,
                    partial=None if preview else partial,
                    on_progress=bar,
                )
            )
    except DesignExhausted as error:
        if preview or error.made is None:
            raise
        aside, image = write_rejected(error.made, out), _draw(profile(error.made), title, out)
        raise Refused(f"{error} What was rejected is in {aside}, the profile of what was found in {image}.") from error
    if preview:
        return _preview(made, read, path, json)
    found = profile(made)
    wrote = write(made, read, out)
    mark(out, command)
    image = _draw(found, title, out)
    partial.unlink(missing_ok=True)
    taught = _teach(out, read.spec.environment, made.tasks, teacher, k, keep, home) if teacher else None
    if json:
        return show.as_json(
            {"file": str(out), "rejected": str(wrote[1]), "picture": str(image), "seed": seed, "profile": found}
            | ({"taught": taught} if taught is not None else {})
        )
    _profile(found, len(made.rejected))
    show.say(
        f"wrote {out}: {len(made.rows):,} {'tasks' if made.tasks else 'rows'}, seed {seed}, in {made.seconds:.1f} s"
    )
    show.say(
        f"      {wrote[1]}: {len(made.rejected):,} rejected rows with reasons",
        f"      {image}: the profile as a picture",
    )
    if len(made.tasks) > 1 and len({task.family for task in made.tasks}) == 1:
        show.say('one family: give the spec a "family" column before you split')
    if taught is None:
        _next(out, read.spec.environment, bool(made.tasks))
    else:
        _taught(taught)


def _from(out: Path, source: Path) -> str:
    """Where the source is, seen from the file that is made of it: the two may be moved together."""
    return os.path.relpath(source.resolve(), out.resolve().parent)


def _draw(found: Any, title: str, out: Path) -> Path:
    from verigym.design.profile import picture
    from verigym.tasks.files import write_whole

    image = out.with_name(f"{out.name}.profile.svg")
    svg = picture(found, f"{title}: {counted(found.rows, 'row')}").encode()
    write_whole(image, lambda file: file.writelines([svg]))
    return image


def _preview(made: Any, read: Any, path: Path, json: bool) -> None:
    if json:
        return show.as_json({"rows": made.rows, "acceptance": {k: tally.share for k, tally in made.tallies.items()}})
    for place, row in enumerate(made.rows, start=1):
        show.say(f"row {place}")
        for name, value in row.items():
            text = value if isinstance(value, str) else _json(value)
            show.say(f"  {name:12} {show.clip(text, _VALUE)}")
    _acceptance({name: tally.share for name, tally in made.tallies.items()})
    _estimate(made, read)
    show.next_command(f"verigym design {show.quote(path)} -n {read.spec.n}")


def _estimate(made: Any, read: Any) -> None:
    """How long the whole set will take, where that can be told from a few rows."""
    tried = max(made.tried, 1)
    share = len(made.rows) / tried
    show.say(
        f"{counted(tried, 'row')} tried for {counted(len(made.rows), 'row')}; {read.spec.n:,} need about "
        f"{read.spec.n / max(share, 1e-9):,.0f}"
    )


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def _acceptance(shares: dict[str, float]) -> None:
    from verigym.design.profile import percent

    less = {name: share for name, share in shares.items() if share < 1}
    rows = [(name, percent(share)) for name, share in less.items()]
    if rows:
        show.table(rows, ("of rows that came to it", "passed"))


def _profile(found: Any, rejected: int) -> None:
    from verigym.design.profile import short, sparkline, spread

    rows = []
    for column in found.columns:
        top = spread(column) or ", ".join(f"{short(label, 24)} {count}" for label, count in column.bars[:3])
        top += f": {show.clip(column.example, 48)}" if column.example else ""
        rows.append((column.name, column.distinct, sparkline(column), top))
    show.table(rows, ("column", "different", "distribution", ""))
    _acceptance(found.acceptance)
    show.say(
        f"{found.rows:,} rows of {found.tried:,} tried and {found.drawn:,} drawn; {found.repeated} the same as another"
    )


def _next(out: Path, environment: str, tasks: bool, split: str = "train") -> None:
    if not tasks:
        return show.say(f"it has no column prompt, so that its rows are no tasks; they are lines of JSON in {out}")
    where = f"{environment}+{out}" if environment else str(out)
    use = f"rollout {show.quote(where)} -m smollm2-135m -n 8 -k 4 --split train"
    if split != "train":
        use = f"eval {show.quote(where)} -m smollm2-135m --split {split}"
    show.next_command(f"verigym {use}   ·   verigym tasks stats {show.quote(out)}")


# -- variations ----------------------------------------------------------------------------------------------------------------


def _vary(
    where: str,
    by: list[str],
    n: int | None,
    out: Path | None,
    seed: int,
    split: str,
    environment: str,
    teacher: str,
    k: int,
    keep: str,
    preview: int | None,
    json: bool,
    home: Path | None,
) -> None:
    from verigym.design.files import check_ours, mark
    from verigym.design.vary import KINDS, vary
    from verigym.environments.load import environment_of, load_environment
    from verigym.tasks.files import is_task_file
    from verigym.tasks.load import load_tasks, save_tasks

    kinds = _kinds(by, KINDS)
    if teacher and split != "train":
        raise Refused(
            f'--teacher makes data to train on, and tasks of split "{split}" are held out; leave one of them out'
        )
    if is_task_file(where) and "+" not in where:
        tasks = [task for task in load_tasks(where) if task.split == split]
        played_in = load_environment(environment) if environment else environment_of(where, tasks) if tasks else None
    else:
        played_in = load_environment(where)
        tasks = played_in.tasks(split)
    if not tasks or played_in is None:
        raise Refused(f'{where} has no tasks in split "{split}"; name another with --split')
    out = out or Path(f"{Path(where).stem}.varied.jsonl")
    source = _from(out, Path(where)) if Path(where).is_file() else where
    command = f"design --vary {source} --split {split} --by {','.join(sorted(kinds))}"
    if not preview:
        check_ours(out, command)
    with show.progress("variations") as bar:
        made = asyncio.run(vary(played_in, tasks, kinds, preview or n, seed, on_progress=bar))
    if not preview:
        save_tasks(out, made.tasks)
        mark(out, command)
    named = environment or ("" if is_task_file(where) else where)
    taught = _teach(out, named, made.tasks, teacher, k, keep, home) if teacher and not preview else None
    if json:
        return show.as_json(
            {"file": None if preview else str(out), "counts": made.counts, "dropped": made.dropped}
            | ({"tasks": made.tasks} if preview else {})
            | ({"taught": taught} if taught is not None else {})
        )
    for task in made.tasks[: preview or 3]:
        show.say(
            f"{task.id}  (of {task.lineage[-2] if len(task.lineage) > 1 else '?'})",
            f"  {show.clip(str(task.prompt), 160)}",
        )
    show.table([(name, count) for name, count in made.counts.items()], ("variation", "tasks"))
    for reason, count in made.dropped.items():
        show.say(f"left out, {count}: {reason}")
    if preview:
        return show.next_command(f"verigym design --vary {show.quote(where)} --out {show.quote(out)}")
    show.say(f"wrote {out}: {counted(len(made.tasks), 'task')}, each with the task that it was made of")
    if taught is None:
        _next(out, named, True, made.tasks[0].split)
    else:
        _taught(taught)


def _kinds(by: list[str], known: Any) -> list[str]:
    from verigym.core.errors import not_found

    for name in by:
        if name not in known:
            raise not_found("kind of variation", name, known)
    return by or list(known)


# -- the teacher -----------------------------------------------------------------------------------------------------------------


def _teach(out: Path, environment: str, tasks: list[Any], teacher: str, k: int, keep: str, home: Path | None) -> Any:
    from verigym.environments.load import environment_of, load_environment
    from verigym.workspace.teach import teach

    played_in = load_environment(environment) if environment else environment_of(str(out), tasks)
    kind: Literal["demos", "pairs"] = "pairs" if keep == "pairs" else "demos"
    with show.episodes("teacher") as bar:
        return teach(workspace(home), played_in, tasks, teacher, k, kind, on_progress=bar)


def _taught(taught: Any) -> None:
    found = taught.data
    what = "demonstration" if found.kind == "demonstrations" else "pair"
    show.say(f"run {taught.run}: {taught.passed} of {taught.scored} tries passed")
    show.say(f"data {found.name}: {counted(found.rows, what)} of {counted(found.tasks, 'task')}")
    recipe = "recipes/sft.yaml" if found.kind == "demonstrations" else "recipes/dpo.yaml"
    show.next_command(f"verigym train {recipe} data={show.quote(found.name)}")
