"""compare: two versions side by side."""

from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace


def register(app: typer.Typer) -> None:
    app.command()(compare)


def compare(
    champion: Annotated[str, typer.Argument(help="A version")],
    candidate: Annotated[str, typer.Argument(help="A version")],
    json: Json = False,
    home: Home = None,
) -> None:
    """Set two versions side by side, task by task, on held-out tasks that both were measured on."""
    from verigym.evaluation.compare import compare as compare_reports
    from verigym.flywheel.gate import shared_reports

    ws = workspace(home)
    before, after = ws.known(champion), ws.known(candidate)
    ours, theirs = shared_reports(ws, after, before)
    found = compare_reports(theirs, ours)
    if json:
        return show.as_json(found)
    comparison(found, before.name or before.id, after.name or after.id)
    show.next_command(f"verigym gate {after.id}")


def comparison(found: object, before: str, after: str, flips: int = 3) -> None:
    """A comparison in words: figures, buckets, and so many flips of each kind to look at."""
    from verigym.evaluation.compare import Comparison

    assert isinstance(found, Comparison)
    show.say(f"{found.tasks} tasks of {found.families} families, paired by task (suite {found.suite})")
    rows = [
        (before, *show.figure("success", found.champion_success)),
        (after, *show.figure("success", found.candidate_success)),
    ]
    show.table(rows, ("version", "success", "95% interval"))
    delta = found.success
    show.say(f"difference {100 * delta.value:+.1f} points, at least {100 * delta.low:+.1f} with 95% confidence")
    show.say(f"p = {delta.p:.2g} ({delta.method})")
    show.say(
        f"tasks gained {len(found.gained)}, lost {len(found.lost)}; unsafe {found.unsafe.champion} -> {found.unsafe.candidate}"
    )
    buckets = [(name, old, new) for name, (old, new) in found.buckets.items()]
    if buckets:
        show.table(buckets, ("failure", "before", "after"))
    for what, changed in (("gained", found.gained), ("lost", found.lost)):
        for flip in changed[:flips]:
            show.say(f"{what}: {flip.task}  (verigym trajectories show {flip.candidate})")
