"""mine: the failures of production become tasks. What it prints is `mined`, the screen of a review `look`."""

from typing import Annotated

import typer

from verigym.cli import mine_output as mined
from verigym.cli import mine_review as look
from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import BadInput


def register(app: typer.Typer) -> None:
    app.command()(mine)


def mine(
    environment: Annotated[
        str, typer.Argument(help="The environment whose workload it is: a name, a Python file or a file of tasks")
    ] = "",
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--from", help="A run of traces, all of them the environment's; may be repeated. Default: all runs"
        ),
    ] = None,
    review: Annotated[bool, typer.Option("--review", help="Look at what was made, one after another")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Take all tasks that could be proven, without a look")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what was made before, and mine nothing")] = False,
    shown: Annotated[
        str, typer.Option("--show", metavar="TASK", help="A mined task (or a trace): its traces, and what came of it")
    ] = "",
    held_out_share: Annotated[
        float, typer.Option("--held-out-share", min=0.0, max=1.0, help="Share of new families that is never trained on")
    ] = 0.25,
    who: Annotated[str, typer.Option("--who", help="Whose decision it is; default: the user of this machine")] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make tasks of the failures in production traces, each proven by the environment's verifier, deduplicated, in families that
    are trained on or held out. What is made waits for a look (--review) or is taken as it is (--yes)."""
    from verigym.environments.load import load_environment
    from verigym.mining.mine import mine as mine_traces
    from verigym.registry.ledger import current_user

    if sum([review, yes, listed, bool(shown)]) > 1:
        raise BadInput("--review, --yes, --list and --show are four ways to go on; name one of them")
    ws = workspace(home)
    if shown:
        return mined.way(ws, shown, json)
    if not environment:
        raise BadInput("name the environment whose workload it is, such as: verigym mine toolcall")
    if listed:
        return mined.listed(ws, environment, json)
    if review and json:
        raise BadInput("--review is a screen; leave --json out, or list what there is: --list --json")
    who = who or current_user()
    spec = load_environment(environment)
    with show.progress("requests") as bar:
        found = mine_traces(
            ws,
            spec,
            runs or (),
            held_out_share=held_out_share,
            accept=yes,
            who=who,
            on_progress=lambda done, total: bar(done, total, ""),
        )
    if json:
        return show.as_json(found)
    mined.found(ws, found, runs or (), goes_on=review)
    if review:
        look.review(ws, spec, who)
