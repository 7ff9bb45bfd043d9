"""The references that are made from the code: of commands, by their own help, and of records, by what stands under their
fields. `python -m tests.docs.reference` rewrites the pages in docs/reference."""

import ast
import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import typer

import verigym
from verigym.cli.main import app
from verigym.core import records

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS_HEAD = """# Commands

The commands appear in the order in which you use them, then the commands for stored things. Wherever a command takes a
version or a run, you can use its name, its id, a prefix of its id, or `latest`. Every command prints what it made and the
next command. This page is generated from the help texts.

Nearly every command also takes `--home` (workspace folder, default: VERIGYM_HOME, or .verigym) and `--json` (print JSON).

"""


SHARED = ("Print JSON", "Workspace folder (default: VERIGYM_HOME, or .verigym)")
"""Help of options that nearly every command has. The head of the page names them."""
API_HEAD = """# Python API

`import verigym` gives you the whole public API. Only the names in `verigym.__all__` are public: import nothing from the
modules below it. A `Workspace` has the verbs of the [commands](commands.md). Every method is synchronous and also works in
a notebook. `print(record)` writes a table, and a notebook shows the record with pictures.

```python list_runs.py
import verigym

with verigym.Workspace() as ws:
    print(ws.runs())
```

An error that you can fix is a `VerigymError`. A tool may raise `InfrastructureFailure` (the episode is tried again) or
`EnvironmentFailure`. This page is generated from the signatures and docstrings.

"""


RECORDS_HEAD = """# Records

These records are stored, exported (`verigym runs export`) and printed by `--json`. They appear in the order in which they
are made. Most records omit a field from the JSON if it has its default. This page is generated from
`verigym/core/records.py`. [One task through every record](../explanation/one-task.md) shows them with real data.

"""


def pages() -> dict[Path, str]:
    return {
        DOCS / "reference" / "commands.md": made_of_commands(),
        DOCS / "reference" / "python-api.md": made_of_api(),
        DOCS / "reference" / "records.md": made_of_records(),
    }


def made_of_commands() -> str:
    return COMMANDS_HEAD + "\n".join(
        _section(command, name) for name, command in _commands(typer.main.get_command(app), "verigym")
    )


def made_of_api() -> str:
    """The methods of the workspaces with their parameters, then every other public name."""
    parts = [API_HEAD]
    for kind in (verigym.Workspace, verigym.AsyncWorkspace):
        parts += [f"## {kind.__name__}", "", *_paragraphs(kind), ""]
        for name, member in members(kind).items():
            if name == "__init__":
                parts += [f"### {kind.__name__}{_signature(member)}", "", *_paragraphs(member), ""]
            elif not name.startswith("_") and callable(member):
                parts += [f"### {name}", "", f"```text\n{name}{_signature(member)}\n```", "", *_paragraphs(member), ""]
            elif isinstance(member, property | cached_property):
                parts += [f"### {name}", "", *_paragraphs(member), ""]
    parts += ["## Other public names", ""]
    for name in sorted(set(verigym.__all__) - {"Workspace", "AsyncWorkspace"}):
        said = inspect.cleandoc(getattr(verigym, name).__doc__ or "")  # not the docstring of a base class
        sentence = " ".join(said.split("\n\n")[0].split())
        parts.append(f"- `{name}`" + (f": {sentence}" if sentence and name != "Item" else ""))
    return "\n".join(parts) + "\n"


def members(kind: type) -> dict[str, Any]:
    """The members of a class: those of its deepest base first, then its own, then those of the other bases."""
    bases = [base for base in kind.__mro__ if base is not object]
    ordered = [*bases[-1:], *bases[:-1]] if len(bases) > 1 else bases
    return {name: member for base in ordered for name, member in vars(base).items()}


def _paragraphs(member: object) -> list[str]:
    return [inspect.getdoc(member) or ""]


def _signature(function: Any) -> str:
    """The parameters without `self`, one on each line."""
    signature = inspect.signature(function)
    given = [one for name, one in signature.parameters.items() if name != "self"]
    keywords = next((i for i, one in enumerate(given) if one.kind is one.KEYWORD_ONLY), len(given))
    modules = r"\b(verigym\.core\.records|pathlib|collections\.abc|typing)\."
    words = [re.sub(modules, "", _unquoted(one)) for one in given]
    defaults = [
        re.sub(r" = .*", "", text) + (f" = {one.default!r}" if one.default is not one.empty else "")
        for one, text in zip(given, words, strict=True)
    ]
    if keywords < len(given) and not any(one.kind is one.VAR_POSITIONAL for one in given):
        defaults.insert(keywords, "*")
    kind = signature.return_annotation
    returned = (
        "" if kind in (inspect.Signature.empty, None) else f" -> {kind if isinstance(kind, str) else _name(kind)}"
    )
    inside = ", ".join(defaults) if len(", ".join(defaults)) < 80 else "\n    " + ",\n    ".join(defaults) + ",\n"
    return f"({inside}){returned}"


def _unquoted(parameter: inspect.Parameter) -> str:
    """A parameter with its annotation. The quotes of a Literal stay."""
    text = str(parameter)
    return text.replace("'", "").replace('"', "") if isinstance(parameter.annotation, str) else text


def _name(kind: Any) -> str:
    return str(kind).replace("verigym.core.records.", "") if getattr(kind, "__args__", ()) else kind.__name__


def made_of_records() -> str:
    parts = [_record(node) for node in ast.parse(inspect.getsource(records)).body if isinstance(node, ast.ClassDef)]
    return RECORDS_HEAD + "\n".join(parts)


def _record(node: ast.ClassDef) -> str:
    """A class with its fields; the text under a field says what it is."""
    said = ast.get_docstring(node)
    lines = [f"## {node.name}", "", *([" ".join(said.split()), ""] if said else [])]
    for field, below in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign):
            default = f" = {ast.unparse(field.value)}" if field.value is not None else ""
            kind = ast.unparse(field.annotation).strip("'")
            lines.append(f"- `{ast.unparse(field.target)}`, `{kind}{default}`{_words(below)}")
        elif isinstance(field, ast.Assign):
            lines.append(f"- `{ast.literal_eval(field.value)}`{_words(below)}")
        elif isinstance(field, ast.FunctionDef):
            lines.append(f"- `{field.name}`, worked out{_words(field.body[0])}")
    return "\n".join(lines) + "\n"


def _words(node: ast.stmt | None) -> str:
    """The text that is this statement, if it is one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return f": {' '.join(str(node.value.value).split())}"
    return ""


def _commands(command: Any, name: str) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    own = [(name, command)] if not children or command.invoke_without_command else []
    return own + [pair for child, inner in children.items() for pair in _commands(inner, f"{name} {child}")]


def _section(command: Any, name: str) -> str:
    lines = [f"## {name}", "", " ".join((command.help or "").split()), ""]
    for parameter in command.params:
        if parameter.name == "help" or getattr(parameter, "help", "") in SHARED:
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
    for page, text in pages().items():
        page.write_text(text)
