"""`verigym`: the commands in the order of the ring, then what is kept.

Files of commands are small and load their stages when called, so that `--help` is quick.
"""

import sys
from typing import Annotated

import typer

import verigym
from verigym.cli import audit, compare, data, design, explain, label, loop, mine, models, serve, suites, tasks, train
from verigym.cli import eval as measure
from verigym.cli import gate as ship
from verigym.cli import ingest as traces
from verigym.cli import init as make
from verigym.cli import quickstart as start
from verigym.cli import runs as kept
from verigym.core.errors import VerigymError

TRAIN_PACKAGES = {"torch", "transformers", "safetensors", "gguf", "numpy"}
INTERRUPTED = 130
"""Exit code after Ctrl-C."""

app = typer.Typer(
    name="verigym",
    help="Turn an agent's failures into a better model, and prove it before anyone ships it.",
    no_args_is_help=True,
    add_completion=False,
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
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and stop")
    ] = False,
) -> None: ...


for group in (
    start,
    make,
    design,
    tasks,
    measure,
    explain,
    label,
    audit,
    data,
    train,
    compare,
    ship,
    serve,
    traces,
    mine,
    loop,
    models,
    suites,
    kept,
):
    group.register(app)


def main() -> None:
    """The command's entry: what the user can put right is said in words (exit code 2), without a traceback."""
    try:
        app()
    except VerigymError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TRAIN_PACKAGES:
            raise
        print(
            f"error: this needs {error.name}, which the base install leaves out: pip install 'verigym[train]'",
            file=sys.stderr,
        )
        sys.exit(2)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            print("\nstopped; what was finished is kept. The same command goes on from here.", file=sys.stderr)
        raise


if __name__ == "__main__":
    main()
