"""The reference of commands, from the commands' own help. `python -m tests.docs.reference` rewrites docs/commands.md."""

from pathlib import Path
from typing import Any

import typer

from verigym.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
HEAD = """# Commands

Verbs in the order of the ring, then what is kept. A version, a run or `latest` may be named wherever one is asked for. Every
command prints what it made and the next command to type. This page is made from the commands' own help.

"""


def made() -> str:
    return HEAD + "\n".join(
        _section(command, name) for name, command in _commands(typer.main.get_command(app), "verigym")
    )


def _commands(command: Any, name: str) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    own = [(name, command)] if not children or command.invoke_without_command else []
    return own + [pair for child, inner in children.items() for pair in _commands(inner, f"{name} {child}")]


def _section(command: Any, name: str) -> str:
    lines = [f"## {name}", "", " ".join((command.help or "").split()), ""]
    for parameter in command.params:
        if parameter.name == "help":
            continue
        names = (
            ", ".join(f"`{one}`" for one in parameter.opts)
            if parameter.param_type_name == "option"
            else f"`{parameter.name.upper()}`"
        )
        default = parameter.default
        shown = (
            f" (default {default})"
            if default not in (None, "", False, ()) and not callable(default) and not parameter.required
            else ""
        )
        lines.append(f"- {names}: {getattr(parameter, 'help', None) or parameter.name}{shown}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(made())
