"""recipe: a recipe as the configuration of another trainer."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from verigym.cli import show
from verigym.core.errors import BadInput

recipe = typer.Typer(name="recipe", no_args_is_help=True, help="Use a recipe with another trainer.")


@recipe.callback()
def group() -> None:
    pass


@recipe.command("translate")
def translate_recipe(
    recipe: Annotated[Path, typer.Argument(help="Training recipe (YAML)")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="a.b=c", help="Recipe fields to override")] = None,
    to: Annotated[
        Literal["nemo-rl", "verl", "prime-rl", "openrlhf"], typer.Option("--to", help="Trainer that will use it")
    ] = ...,  # type: ignore[assignment]
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File for the configuration (default: print)")] = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Also write the tasks as rows of the trainer into this folder")
    ] = None,
    context: Annotated[
        int,
        typer.Option("--context", min=64, help="Maximum tokens of a whole conversation, which a recipe does not set"),
    ] = 8192,
) -> None:
    """Write a recipe as the configuration of another trainer, such as for a model that needs tensor parallelism.
    Settings that the trainer cannot express are listed."""
    from verigym.bridges.rows import write_rows
    from verigym.bridges.translate import translate
    from verigym.tasks.files import write_new
    from verigym.training.recipe import read_recipe

    if rows is not None and to == "prime-rl":
        raise BadInput("prime-rl needs no rows. It loads the tasks from Verigym. Leave out --rows")
    settings = read_recipe(recipe, overrides or [])
    folder = rows.resolve() if rows is not None else Path("rows")
    made = translate(settings, to, str(folder), context)
    if out is None:
        show.say(*made.text.splitlines())
    else:
        write_new({out: made.text.encode()})
        show.say(f"wrote {out}")
        for note in made.notes:
            show.say(f"not translated, or different: {note}")
    if rows is not None:
        for file in write_rows(to, list(made.plan.environments), folder):
            (show.note if out is None else show.say)(f"wrote {file}")
