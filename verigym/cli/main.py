"""The `verigym` command: verbs in the order of the improvement loop, then what is stored.

Each command has a module of its own that imports what it runs only when it is called, so that `--help` is fast.
"""

import errno
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import verigym
from verigym.cli import (
    audit,
    bridges,
    cluster,
    compare,
    data,
    demo,
    design,
    eval,
    explain,
    gate,
    ingest,
    init,
    label,
    loop,
    mcp,
    mine,
    models,
    optimize,
    quickstart,
    recipe,
    report,
    rescore,
    runs,
    serve,
    serve_env,
    servers,
    show,
    store,
    suites,
    tasks,
    train,
    trajectories,
    view,
)
from verigym.core.errors import VerigymError
from verigym.core.install import install_command

TRAIN_PACKAGES = {"torch", "transformers", "safetensors", "gguf", "numpy"}
DISK = {
    errno.ENOSPC: "The disk is full. Free some disk space",
    errno.EDQUOT: "Your disk quota is used up. Free some disk space",
    errno.EFBIG: "The file would exceed the limit on file sizes. Raise the limit (ulimit -f)",
    errno.EROFS: "The disk is read-only. Choose another folder, or make it writable",
    errno.EIO: "The disk reported an error. Check the disk and its cable, and copy your data to another one",
}
"""What the user can do about errors of a disk, wherever they occur."""
INTERRUPTED = 130
"""Exit code after Ctrl-C."""
SECTIONS: dict[str, dict[str, Any]] = {
    "Start": {
        "demo": demo.demo,
        "quickstart": quickstart.quickstart,
        "init": init.init,
    },
    "Tasks and rewards": {
        "check": init.check,
        "design": design.design,
        "tasks": tasks.tasks,
        "label": label.label,
        "audit": audit.audit,
        "bridges": bridges.bridges,
    },
    "Run and measure": {
        "rollout": eval.rollout,
        "eval": eval.evaluate,
        "rescore": rescore.rescore,
        "explain": explain.explain,
        "compare": compare.compare,
        "advise": explain.advise,
    },
    "Improve": {
        "optimize": optimize.optimize,
        "data": data.data,
        "train": train.train,
        "recipe": recipe.recipe,
    },
    "Decide": {
        "gate": gate.gate,
        "promote": gate.promote,
        "rollback": gate.rollback,
        "policies": gate.policies,
        "report": report.report,
    },
    "Production": {
        "serve": serve.serve,
        "serve-env": serve_env.serve_env,
        "servers": servers.servers,
        "ingest": ingest.ingest,
        "mine": mine.mine,
        "loop": loop.loop,
    },
    "Workspace": {
        "view": view.view,
        "cluster": cluster.cluster,
        "models": models.models,
        "suites": suites.suites,
        "runs": runs.runs,
        "store": store.store,
        "trajectories": trajectories.trajectories,
        "gc": runs.gc,
        "mcp": mcp.mcp,
    },
}
"""Commands, and groups of commands, in the order of the help."""
COMMANDS = {name: command for section in SECTIONS.values() for name, command in section.items()}


class SectionedGroup(TyperGroup):
    """Lists commands and groups of commands by section."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if type(error).__name__ == "MissingParameter" and error.param is not None and error.param.name == "model":
                error.message = (
                    "Name a model, such as -m smollm2-135m, or one of a server, such as -m https://HOST/v1#gpt-4o"
                )
            raise

    def list_commands(self, ctx: object) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, section in SECTIONS.items():
            with formatter.section(title):
                commands = {name: self.get_command(ctx, name) for name in section}
                formatter.write_dl(
                    [(f"{name:<12}", command.get_short_help_str(200)) for name, command in commands.items() if command]
                )


app = typer.Typer(
    name="verigym",
    cls=SectionedGroup,
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
) -> None:
    show.set_home(None)


for name, command in COMMANDS.items():
    if isinstance(command, typer.Typer):
        app.add_typer(command)
    else:
        app.command(name)(command)


def main() -> None:
    """Entry point. Errors that the user can fix are printed without a traceback (exit code 2)."""
    try:
        _run()
    except Exception:  # a bug, whose message may quote a model or a file
        show.note(traceback.format_exc().rstrip())
        sys.exit(2)  # 1 is an answer: REJECT, or a check that failed


def _run() -> None:
    try:
        app()
    except VerigymError as error:
        show.note(f"error: {error}")
        sys.exit(2)
    except PermissionError as error:
        if not error.filename:
            raise
        show.note(
            f"error: {error.filename}: {error.strerror}. Use a folder that you may write to. Earlier results are kept"
        )
        sys.exit(2)
    except OSError as error:
        if error.errno not in DISK:
            raise
        where = f"{error.filename}: " if error.filename else ""
        show.note(f"error: {where}{DISK[error.errno]}. Earlier results are kept. Repeat the command afterwards")
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TRAIN_PACKAGES:
            raise
        show.note(f"error: This command needs {error.name}, which is not installed. Run: {install_command('train')}")
        sys.exit(2)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            show.note("\nstopped. Finished work is kept. Repeat the command to resume.")
        raise


if __name__ == "__main__":
    main()
