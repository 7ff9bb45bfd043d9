"""train: from a recipe to a new version."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.live import duration, live
from verigym.cli.options import Home, workspace
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.workspace.dry_run import DryRun


def register(app: typer.Typer) -> None:
    app.command()(train)


def train(
    recipe: Annotated[Path, typer.Argument(help="A recipe (YAML)")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[a.b=c]...", help="Fields to change")] = None,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, say what it will take, and train nothing")
    ] = False,
    home: Home = None,
) -> None:
    """Train as a recipe says; killed, the same command goes on from its last checkpoint."""
    from verigym.training.cost import cost_of
    from verigym.training.recipe import read_recipe
    from verigym.workspace.train import train as run_recipe
    from verigym.workspace.train import warnings_of
    from verigym.workspace.training_environments import training_environments

    ws, wanted = workspace(home), read_recipe(recipe, overrides or [])
    places = [each.name for each in training_environments(wanted)]
    for words in warnings_of(ws, wanted):
        show.say(f"look out: {words}")
    if dry:
        from verigym.workspace.dry_run import dry_run

        planned(dry_run(ws, wanted), wanted.dollars_per_hour)
        show.next_command(f"verigym train {' '.join(map(show.quote, [recipe, *(overrides or [])]))}")
        return
    title = f"{wanted.algorithm} of {wanted.start or wanted.model} in {', '.join(places)}"
    show.say(f"{title}: {counted(wanted.steps, 'step')}")
    finished = ws.store.finished_runs()
    with live(title, wanted.steps) as on_step:
        version, run = run_recipe(ws, wanted, on_step)
    found = " (found finished: nothing was run again)" if run in finished else ""
    show.say(f"version {version.id} ({version.name}), run {run}{found}")
    if wanted.dollars_per_hour:
        show.say(cost_of(ws.store.metrics(run)).words)
    if wanted.algorithm == "reward":
        show.say(
            f"it scores and does not answer; where a verifier compares replies it can be the judge: --judge {version.id}"
        )
        show.say("learn from it with reward_model in a recipe of the GRPO family:")
        show.next_command(f"verigym train recipes/toolcall_grpo.yaml reward_model={version.id} loss.kl=0.05")
    else:
        show.next_command(f"verigym eval {show.quote(places[0])} -m {version.id}")


def planned(found: "DryRun", price: float) -> None:
    """What a run will take, in lines."""
    plan = found.plan
    for line in found.lines:
        show.say(line)
    memory = plan.memory
    parts = [("weights", memory.weights), ("merged copy", memory.merged), ("adapter and optimizer", memory.adapter)]
    parts += [("keys and values", memory.cache), ("activations", memory.activations), ("logits", memory.logits)]
    show.say(f"tokens   {plan.sampled:,} sampled at most, {plan.trained:,} trained")
    show.say("memory   " + ", ".join(f"{name} {size / 1e9:.2f}" for name, size in parts if size) + " GB")
    fits = "fits" if memory.fits else "DOES NOT FIT"
    show.say(f"         at least {memory.least / 1e9:.1f} of {memory.usable / 1e9:.1f} GB of {found.device}: {fits}")
    sampling, update = (duration(each) if each >= 60 else f"{each:.2g} s" for each in (plan.sampling_s, plan.update_s))
    shares = f"{sampling} sampling, {update} update" if plan.sampling_s else update
    show.say(f"time     {duration(3600 * plan.hours)}, within a factor of two; a step {shares}")
    if price:
        show.say(f"cost     ${plan.dollars:.2f} at ${price:g} an hour")
    for line in plan.advice:
        show.say(line)
