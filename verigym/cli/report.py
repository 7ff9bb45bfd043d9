"""report: a decision, a version, a comparison or a run as one file, and as annotations in CI."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import BadInput


def report(
    about: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="Version, run, report, or number of a decision in the ledger (default: the newest decision)",
            autocompletion=complete.versions,
        ),
    ] = "",
    other: Annotated[
        str,
        typer.Argument(
            metavar="AFTER",
            help="Version, run or report to compare with WHAT, which is then the side before",
            autocompletion=complete.versions,
        ),
    ] = "",
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            help="File, which must not exist yet: .html (one page), .md (pull request comment) or .xml (JUnit). Repeat it for "
            "several (default: reports/NAME.html in the workspace)",
        ),
    ] = None,
    annotations: Annotated[
        bool,
        typer.Option("--annotations", help="Print workflow commands of GitHub Actions for failed and unclear checks"),
    ] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Write a report about a decision, a version, a run or a comparison: results, intervals, changed tasks, next steps.
    An HTML page loads nothing, so it can be mailed and opened without a network."""
    from verigym.report.annotations import annotations as commands
    from verigym.report.write import check_files, make_document, write_report

    if annotations and json:
        raise BadInput("Use only one of --annotations and --json")
    ws, names, files = workspace(home).folder, [about, other], out or []
    if annotations and not files:
        document, paths = make_document(ws, names), []
    else:
        check_files(files)
        document, paths = write_report(ws, names, files)
    if json:
        first = str(paths[0])
        return show.as_json({"file": first, "files": [str(path) for path in paths], "verdict": document.verdict})
    for path in paths:
        show.say(f"wrote {path}{'. Open it in a browser' if path.suffix == '.html' else ''}")
    if annotations:
        for command in commands(document):
            typer.echo(command)
        return None
    return show.next_command("verigym models list")
