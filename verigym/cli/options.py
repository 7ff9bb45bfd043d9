"""Options that several commands share, so that they are spelt and explained once."""

from pathlib import Path
from typing import Annotated, Any

import typer

Home = Annotated[Path | None, typer.Option("--home", help="Folder of the workspace; default VERIGYM_HOME or .verigym")]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="A version (id, name, champion, latest), smollm2-135m, a hub id, a folder, or URL#MODEL of a server",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON")]
Environment = Annotated[str, typer.Argument(help="An environment by name, a Python file, or a .jsonl file of tasks")]
Seed = Annotated[int, typer.Option("--seed")]
Name = Annotated[
    str, typer.Option("--name", help="Name of the run; default: by its content, so that the same command resumes")
]
Concurrency = Annotated[int, typer.Option("--concurrency", help="Episodes at once")]


def workspace(home: Path | None) -> Any:
    from verigym.flywheel.workspace import Workspace

    return Workspace(home)
