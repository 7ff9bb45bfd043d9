"""train: from a recipe to a new version."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.live import live
from verigym.cli.options import Home, workspace


def register(app: typer.Typer) -> None:
    app.command()(train)


def train(
    recipe: Annotated[Path, typer.Argument(help="A recipe (YAML)")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[a.b=c]...", help="Fields to change")] = None,
    home: Home = None,
) -> None:
    """Train as a recipe says; killed, the same command goes on from its last checkpoint."""
    from verigym.flywheel.arenas import arenas_of
    from verigym.flywheel.train import train as run_recipe
    from verigym.flywheel.train import warnings_of
    from verigym.training.recipe import read_recipe

    ws, wanted = workspace(home), read_recipe(recipe, overrides or [])
    places = [arena.name for arena in arenas_of(wanted)]
    show.say(f"{wanted.algorithm} of {wanted.start or wanted.model} in {', '.join(places)}: {wanted.steps} steps")
    for words in warnings_of(ws, wanted):
        show.say(f"look out: {words}")
    with live(f"{wanted.algorithm} of {wanted.start or wanted.model}", wanted.steps) as on_step:
        version, run = run_recipe(ws, wanted, on_step)
    show.say(f"version {version.id} ({version.name}), run {run}")
    show.next_command(f"verigym eval {places[0]} -m {version.id}")
