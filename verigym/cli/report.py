"""report: a version as one HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, workspace


def report(
    version: Annotated[
        str,
        typer.Argument(
            metavar="[VERSION]",
            help="Version: id, name, champion or latest (default: the candidate of the newest decision)",
            autocompletion=complete.versions,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="HTML file, which must not exist yet (default: reports/NAME.html in the workspace)"
        ),
    ] = None,
    json: Json = False,
    home: Home = None,
) -> None:
    """Write one HTML page about a version: what it is, the decision, success, training, failures and next steps.
    The page loads nothing, so it can be mailed and opened without a network."""
    path = workspace(home).write_report(version, file=out)
    if json:
        return show.as_json({"file": str(path)})
    show.say(f"wrote {path}. Open it in a browser")
    show.next_command("verigym models list")
