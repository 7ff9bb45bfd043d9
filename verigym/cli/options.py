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
Environment = Annotated[
    str,
    typer.Argument(
        help="An environment by name, a Python file, or a file of tasks (q.jsonl, or train.jsonl,val.jsonl)"
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Of tasks drawn and tokens sampled")]
Name = Annotated[
    str, typer.Option("--name", help="Name of the run; default: by its content, so that the same command resumes")
]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Episodes at once")]
Tasks = Annotated[int | None, typer.Option("-n", min=1, help="Tasks, spread over families; default all")]
Repeats = Annotated[int, typer.Option("-k", min=1, help="Episodes of each task")]
Temperature = Annotated[float, typer.Option("--temperature", min=0, max=10, help="0 is greedy")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, max=1_000_000, help="Of one reply")]


def workspace(home: Path | None) -> Any:
    from verigym.flywheel.workspace import Workspace

    return Workspace(home)
