"""train: make a new version from a recipe."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.live import live
from verigym.cli.options import Cluster, Home, Json, workspace
from verigym.core.words import counted, duration

if TYPE_CHECKING:
    from verigym.workspace.dry_run import DryRun


def train(
    recipe: Annotated[Path, typer.Argument(help="Training recipe (YAML)")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="a.b=c", help="Recipe fields to override, such as steps=20 or lora.r=8. a.b= removes a field"
        ),
    ] = None,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, estimate time and memory, and train nothing")
    ] = False,
    cluster: Cluster = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Train a model as a recipe says, and store the result as a new version. If interrupted, repeat the command to resume from
    the last checkpoint. Exit code 1 if there was nothing to learn from, so that there is no new version."""
    from verigym.api_training import NothingLearnt
    from verigym.training.alarms import cost_summary
    from verigym.training.imitation import Imitated
    from verigym.training.recipe import read_recipe
    from verigym.training.recipe_notes import RecipeWarning
    from verigym.workspace.checkpoints import checkpoint_lines
    from verigym.workspace.train_warnings import warnings_of
    from verigym.workspace.training_environments import training_environments

    warnings.simplefilter("ignore", RecipeWarning)  # they are shown below
    settings = read_recipe(recipe, overrides or [])
    ws = workspace(home, create=True, cluster=cluster)
    environments = [environment.name for environment in training_environments(settings)]
    for warning in warnings_of(ws.folder, settings):
        show.note(f"warning: {warning}") if json else show.say(f"warning: {warning}")
    if dry:
        result = ws.dry_run(settings)
        for warning in result.warnings:
            show.note(f"warning: {warning}") if json else show.say(f"warning: {warning}")
        if json:
            return show.as_json(
                {"device": str(result.device), "plan": result.plan, "lines": result.lines, "cluster": result.cluster}
            )
        say_plan(result, settings.dollars_per_hour)
        again = [recipe, *(overrides or []), *(["--cluster", cluster] if cluster else [])]
        return show.next_command(f"verigym train {' '.join(map(show.quote, again))}")
    where = f"in {', '.join(environments)}" if environments else f"on {settings.data}"
    title = f"{settings.algorithm} of {settings.start or settings.model} {where}"
    finished = ws.folder.store.finished_runs()
    if json:
        try:
            version = ws.train(settings)
        except NothingLearnt as nothing:
            show.as_json({"version": None, "run": nothing.run, "why": str(nothing)})
            raise typer.Exit(1) from nothing
        run = version.recipe["run"]
        return show.as_json({"version": version, "run": run, "reused": run in finished})
    show.say(f"{title}: {counted(settings.steps, 'step')}")
    if settings.checkpoints.chooses and settings.held_out_eval:
        show.say(f"{settings.evaluated_on} chooses the checkpoint. The gate leaves its families out")
    try:
        with live(title, settings.steps) as on_step:
            version = ws.train(settings, on_step=on_step)
    except NothingLearnt as nothing:
        show.paragraph(str(nothing))
        steps = [run.id for run in ws.folder.store.runs(parent=nothing.run) if run.kind == "collect"]
        show.next_command(f"verigym explain {show.quote(steps[-1])}")
        raise typer.Exit(1) from nothing
    run = version.recipe["run"]
    reused = " (already complete, reused)" if run in finished else ""
    show.say(f"version {version.id} ({version.name}), run {run}{reused}")
    for line in checkpoint_lines(ws.folder, run):
        show.say(line)
    learnt = ws.folder.store.get("imitated", run, Imitated)
    if learnt is not None:
        show.say(f"it {learnt}")
    if settings.dollars_per_hour:
        show.say(cost_summary(ws.metrics(run)))
    if settings.algorithm == "reward":
        show.say(
            f"it is a reward model: it scores and does not answer. Use it as a judge for verifiers that compare replies: "
            f"--judge {version.id}"
        )
        show.say("or train with it, as reward_model in a GRPO recipe:")
        show.next_command(f"verigym train recipes/toolcall_grpo.yaml reward_model={version.id} loss.kl=0.05")
    else:
        show.next_command(f"verigym eval {show.quote(environments[0]) if environments else 'ENV'} -m {version.id}")


def say_plan(result: "DryRun", price: float) -> None:
    """The estimate of a dry run, line by line."""
    plan = result.plan
    for line in result.lines:
        show.say(line)
    memory = plan.memory
    parts = [
        ("weights", memory.weights),
        ("layers made of 4 bits" if result.quantized else "merged copy", memory.merged),
        ("trained parameters and optimizer", memory.adapter),
    ]
    parts += [("keys and values", memory.cache), ("activations", memory.activations), ("logits", memory.logits)]
    parts += [("teacher", memory.teacher)] if memory.teacher else []
    show.say(f"tokens   {plan.sampled:,} sampled at most, {plan.trained:,} trained")
    show.say("memory   " + ", ".join(f"{name} {size / 1e9:.2f}" for name, size in parts if size) + " GB")
    if memory.offloaded:
        show.say(f"         {memory.offloaded / 1e9:.2f} GB of the optimizer in the memory of the CPU")
    fits = "fits" if memory.fits else "DOES NOT FIT"
    show.say(f"         at least {memory.least / 1e9:.1f} of {memory.usable / 1e9:.1f} GB ({result.device}): {fits}")
    sampling, update = (
        duration(seconds) if seconds >= 60 else f"{seconds:.2g} s" for seconds in (plan.sampling_s, plan.update_s)
    )
    shares = f"{sampling} sampling, {update} update" if plan.sampling_s else update
    show.say(f"time     {duration(3600 * plan.hours)}, within a factor of two. One step: {shares}")
    if price:
        show.say(f"cost     ${plan.dollars:.2f} at ${price:g} per hour")
    for line in plan.advice:
        show.say(line)
    if result.cluster:
        show.say("These are figures of one process. With all of them:")
    for line in result.cluster:
        show.say(line)
