"""design: make tasks from a spec, or vary existing tasks. A teacher model can then solve them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from verigym.cli import complete, show
from verigym.cli.data import RECIPES
from verigym.cli.options import Home, Json, Out, env_option, group, num_option, workspace
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.design.make import DesignResult
    from verigym.design.profile import Profile
    from verigym.workspace.design import DesignFiles, DesignJob, TeachingResult, VariationFiles

Preview = Annotated[
    int | None, typer.Option("--preview", min=1, metavar="N", help="Show the first N rows and write nothing")
]
TeacherModel = Annotated[
    str,
    typer.Option(
        "--teacher",
        metavar="MODEL",
        help="Model that solves the tasks afterwards. Solutions that pass are kept as a dataset",
        autocompletion=complete.models,
    ),
]
Tries = Annotated[int, typer.Option("-k", min=1, help="Attempts of the teacher per task")]
TeacherOutput = Annotated[
    Literal["demos", "pairs"],
    typer.Option(
        "--teacher-output",
        help="Dataset to make from the attempts: demos (attempts that pass) or pairs (a better and a worse attempt)",
    ),
]
_VALUE = 100
"""Characters of a value in a preview."""

design = group("design", "Make tasks: from a spec (make), or as variations of existing tasks (vary).")


@design.command("make")
def make(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="Spec (YAML) with columns, constraints and validators")],
    preview: Preview = None,
    num: Annotated[int | None, num_option("Number of rows (default: the number in the spec)")] = None,
    out: Out = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Random seed. The same spec and seed give the same rows (default: the spec's)"),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="Model for columns and validators that do not name one (same values as -m of eval)",
            autocompletion=complete.models,
        ),
    ] = "",
    teacher: TeacherModel = "",
    k: Tries = 4,
    teacher_output: TeacherOutput = "demos",
    json: Json = False,
    home: Home = None,
) -> None:
    """Generate exactly N rows from a spec, or fail and name the constraint that cannot be met.
    Writes NAME.jsonl (or --out), and rejected rows with reasons beside it. Repeat the command to resume."""
    from verigym.workspace.design import open_design, preview_design

    ws = workspace(home, create=True)
    job = open_design(spec, out=out, seed=seed, model=model)
    if preview:
        with show.progress("rows") as bar:
            rows = preview_design(lambda: ws.folder, job, preview, bar)
        return _say_preview(rows, job, json)
    if job.resumed and not json:
        show.say(f"resuming: {counted(job.resumed, 'row')} from an interrupted command")
    teaching = {"teacher": teacher, "k": k, "teacher_output": teacher_output}
    result = ws.design_make(spec, n=num, out=out, seed=seed, model=model, **teaching)
    if json:
        files = {"file": str(result.out), "rejected": str(result.rejected), "picture": str(result.picture)}
        taught = {"taught": result.taught} if result.taught is not None else {}
        return show.as_json({**files, "seed": job.seed, "profile": result.profile, **taught})
    _say_result(result, job)


@design.command("vary")
def vary(
    environment: Annotated[
        str,
        typer.Argument(
            metavar="ENV|FILE",
            help="Tasks to vary: an environment or a task file",
            autocompletion=complete.environments,
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            help="Kind of variation: paraphrase, distractor, boundary, typo or unsafe. Repeatable (default: all)",
        ),
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Split of the tasks to vary")] = "train",
    played_in: Annotated[
        str,
        env_option(
            "Environment to run the tasks of a file in (default: the verifier is chosen from the data of the tasks)"
        ),
    ] = "",
    preview: Preview = None,
    num: Annotated[int | None, num_option("Number of variations (default: at most one per task and kind)")] = None,
    out: Out = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed for the variations")] = 0,
    teacher: TeacherModel = "",
    k: Tries = 4,
    teacher_output: TeacherOutput = "demos",
    json: Json = False,
    home: Home = None,
) -> None:
    """Vary existing tasks: paraphrases, distractors, boundary values, typos and unsafe requests. Each variation is verified.
    Writes NAME.varied.jsonl unless you pass --out."""
    result = workspace(home, create=True).design_vary(
        environment,
        kinds=by or (),
        split=split,
        played_in=played_in,
        n=preview or num,
        out=out,
        seed=seed,
        preview=bool(preview),
        teacher=teacher,
        k=k,
        teacher_output=teacher_output,
    )
    if json:
        return show.as_json(
            {"file": None if preview else str(result.out), "counts": result.counts, "dropped": result.dropped}
            | ({"tasks": result.tasks} if preview else {})
            | ({"taught": result.taught} if result.taught is not None else {})
        )
    _say_variations(result, environment, preview)


def _say_preview(made: "DesignResult", job: "DesignJob", json: bool) -> None:
    import msgspec

    shares = {name: tally.share for name, tally in made.tallies.items()}
    if json:
        return show.as_json({"rows": made.rows, "acceptance": shares})
    for number, row in enumerate(made.rows, start=1):
        show.say(f"row {number}")
        for name, value in row.items():
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            show.say(f"  {name:12} {show.clip(text, _VALUE)}")
    _say_acceptance(shares)
    total, tried = job.design.spec.n, max(made.tried, 1)
    needed = total / max(len(made.rows) / tried, 1e-9)
    show.say(
        f"{counted(tried, 'row')} tried for {counted(len(made.rows), 'row')}. {total:,} rows need about {needed:,.0f} tries"
    )
    show.next_command(f"verigym design make {show.quote(job.spec)} -n {total}")


def _say_result(result: "DesignFiles", job: "DesignJob") -> None:
    made, environment = result.made, job.design.spec.environment
    _say_profile(result.profile)
    kind = "tasks" if made.tasks else "rows"
    show.say(
        f"wrote {result.out}: {len(made.rows):,} {kind}, seed {job.seed}, in {made.seconds:.1f} s",
        f"      {result.rejected}: {len(made.rejected):,} rejected rows with reasons",
        f"      {result.picture}: the profile as a picture",
    )
    if len(made.tasks) > 1 and len({task.family for task in made.tasks}) == 1:
        show.say('all tasks are in one family. Add a "family" column to the spec before you split')
    if result.taught is not None:
        return _say_taught(result.taught)
    if not made.tasks:
        return show.say(
            f"the spec has no prompt column, so its rows are not tasks. They are JSON lines in {result.out}"
        )
    _say_next(result.out, environment)


def _say_variations(result: "VariationFiles", source: str, preview: int | None) -> None:
    for task in result.tasks[: preview or 3]:
        origin = task.lineage[-2] if len(task.lineage) > 1 else "?"
        show.say(f"{task.id}  (from {origin})", f"  {show.clip(str(task.prompt), 160)}")
    show.table(list(result.counts.items()), ("variation", "tasks"))
    for reason, count in result.dropped.items():
        show.say(f"dropped {count}: {reason}")
    if preview:
        return show.next_command(f"verigym design vary {show.quote(source)} --out {show.quote(result.out)}")
    show.say(f"wrote {result.out}: {counted(len(result.tasks), 'task')}, each with the task that it was made from")
    if result.taught is not None:
        return _say_taught(result.taught)
    _say_next(result.out, result.environment, result.tasks[0].split)


def _say_acceptance(shares: dict[str, float]) -> None:
    from verigym.design.profile import percent

    rows = [(name, percent(share)) for name, share in shares.items() if share < 1]
    if rows:
        show.table(rows, ("constraint or check", "rows that passed"))


def _say_profile(profile: "Profile") -> None:
    from verigym.design.profile import short, sparkline, spread

    rows: list[tuple[Any, ...]] = []
    for column in profile.columns:
        top = spread(column) or ", ".join(f"{short(label, 24)} {count}" for label, count in column.bars[:3])
        top += f": {show.clip(column.example, 48)}" if column.example else ""
        rows.append((column.name, column.distinct, sparkline(column), top))
    show.table(rows, ("column", "different", "distribution", ""))
    _say_acceptance(profile.acceptance)
    show.say(
        f"{profile.rows:,} rows of {profile.tried:,} tried and {profile.drawn:,} drawn, {profile.repeated} of them duplicates"
    )


def _say_next(out: Path, environment: str, split: str = "train") -> None:
    where = show.quote(f"{environment}+{out}" if environment else str(out))
    use = f"rollout {where} -m smollm2-135m -n 8 -k 4 --split train"
    if split != "train":
        use = f"eval {where} -m smollm2-135m --split {split}"
    show.next_command(f"verigym {use}   ·   verigym tasks stats {show.quote(out)}")


def _say_taught(taught: "TeachingResult") -> None:
    dataset = taught.data
    kind = "demonstration" if dataset.kind == "demonstrations" else "pair"
    show.say(f"run {taught.run}: {taught.passed} of {taught.scored} attempts passed")
    show.say(f"dataset {dataset.name}: {counted(dataset.rows, kind)} of {counted(dataset.tasks, 'task')}")
    show.next_command(f"verigym train {RECIPES[dataset.kind]} data={show.quote(dataset.name)}")
