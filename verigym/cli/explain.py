"""explain: why episodes fail."""

from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace


def register(app: typer.Typer) -> None:
    app.command()(explain)


def explain(
    run: Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")] = "latest",
    json: Json = False,
    home: Home = None,
) -> None:
    """Why episodes of a run failed: buckets with counts, reasons and examples to read."""
    from verigym.evaluation import failures

    ws = workspace(home)
    found = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    trajectories = ws.store.trajectories(found.id)
    buckets = failures.explain(ws.store.tasks(found.id), trajectories, ws.store.verdicts(found.id))
    if json:
        return show.as_json(buckets)
    show.say(f"run {found.id}: {len(trajectories)} trajectories, {found.passed} passed")
    for finding in buckets:
        show.say("", f"{finding.bucket}: {finding.count} ({100 * finding.share:.0f}%) - {finding.meaning}")
        for reason in finding.evidence:
            show.say(f"  {show.clip(reason, 120)}")
        show.say(f"  look at: {', '.join(finding.trajectories[:3])}")
    if buckets:
        show.say("")
        show.next_command(f"verigym trajectories show {buckets[0].trajectories[0]}")
    else:
        show.say("nothing failed")
