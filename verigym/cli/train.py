"""train: from a recipe to a new version."""

from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
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
    with show.progress(wanted.algorithm) as bar:

        def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
            bar(step, wanted.steps, "")
            show.say(step_line(step, wanted.steps, metrics))
            for alarm in alarms:
                show.say(f"look out: {alarm.words}; {alarm.remedy}")

        version, run = run_recipe(ws, wanted, on_step)
    show.say(f"version {version.id} ({version.name}), run {run}")
    show.next_command(f"verigym eval {places[0]} -m {version.id}")


def step_line(step: int, steps: int, metrics: dict[str, float]) -> str:
    """`step  3/40  reward 0.41  passed 22%  held-out 31%  4.2 s`"""
    shown = [f"step {step:>{len(str(steps))}}/{steps}"]
    for name, words, scale in (
        ("loss", "loss {:.3f}", 1),
        ("reward", "reward {:+.2f}", 1),
        ("passed", "passed {:.0f}%", 100),
        ("live_groups", "groups with signal {:.0f}%", 100),
        ("entropy", "entropy {:.2f}", 1),
        ("held_out_success", "HELD-OUT {:.1f}%", 100),
        ("seconds", "{:.1f} s", 1),
    ):
        if name in metrics and not (name == "loss" and "reward" in metrics):
            shown.append(words.format(metrics[name] * scale))
    return "  ".join(shown)
