"""The `verigym` command: verbs in the order of the improvement loop, then what is stored.

Each command has a module of its own that imports what it runs only when it is called, so that `--help` is fast.
"""

import sys
from typing import Annotated

import typer
from typer.core import TyperGroup

import verigym
from verigym.cli import (
    audit,
    compare,
    data,
    design,
    eval,
    explain,
    gate,
    gc,
    ingest,
    init,
    label,
    loop,
    mine,
    models,
    policies,
    quickstart,
    rescore,
    runs,
    serve,
    servers,
    show,
    suites,
    tasks,
    train,
    trajectories,
)
from verigym.core.errors import VerigymError

TRAIN_PACKAGES = {"torch", "transformers", "safetensors", "gguf", "numpy"}
INTERRUPTED = 130
"""Exit code after Ctrl-C."""
MODULES = (
    quickstart,
    init,
    design,
    tasks,
    eval,
    rescore,
    explain,
    label,
    audit,
    data,
    train,
    compare,
    gate,
    policies,
    serve,
    servers,
    ingest,
    mine,
    loop,
    models,
    suites,
    runs,
    trajectories,
    gc,
)
ORDER = [
    "quickstart",
    "init",
    "check",
    "design",
    "tasks",
    "rollout",
    "eval",
    "rescore",
    "explain",
    "advise",
    "label",
    "audit",
    "data",
    "train",
    "compare",
    "gate",
    "promote",
    "rollback",
    "policies",
    "serve",
    "servers",
    "ingest",
    "mine",
    "loop",
    "models",
    "suites",
    "runs",
    "trajectories",
    "gc",
]
"""Commands in the order of the help."""


class OrderedGroup(TyperGroup):
    """Lists commands and groups of commands in one order."""

    def list_commands(self, ctx: object) -> list[str]:
        return [name for name in ORDER if name in self.commands]


app = typer.Typer(
    name="verigym",
    cls=OrderedGroup,
    help="Turn an agent's failures into a better model, and prove the improvement before you ship it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"verigym {verigym.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit")
    ] = False,
) -> None: ...


for module in MODULES:
    module.register(app)


def main() -> None:
    """Entry point. Errors that the user can fix are printed without a traceback (exit code 2)."""
    try:
        app()
    except VerigymError as error:
        show.note(f"error: {error}")
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TRAIN_PACKAGES:
            raise
        show.note(
            f"error: This command needs {error.name}, which the base install leaves out. "
            "Run: pip install 'verigym[train]'"
        )
        sys.exit(2)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            show.note("\nstopped. Finished work is kept. Repeat the command to resume.")
        raise


if __name__ == "__main__":
    main()
