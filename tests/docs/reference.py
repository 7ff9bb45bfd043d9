"""Generates three pages of docs/reference: commands from their help, the Python API from docstrings, records from source.

`python -m tests.docs.reference` rewrites the pages.
"""

import ast
import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import typer

import verigym
from verigym.cli.main import app
from verigym.core import items, records

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS_HEAD = """# Commands

The commands appear in the order in which you use them. Every command prints what it made and the next command. To
complete commands and names with the Tab key, run `verigym --install-completion`.

Where a command takes a version or a run, use its name, its id, a prefix of its id, or `latest`. Nearly every command also
takes `--home` (workspace folder, default: VERIGYM_HOME, or .verigym) and `--json` (print JSON).

If an earlier command has the same argument or option, the section links to it and only shows the default. Without a
subcommand, {groups} run their `list`.

"""
ON_EVERY_COMMAND = ("Print JSON", "Workspace folder (default: VERIGYM_HOME, or .verigym)")
"""Help of options that nearly every command has. The head of the page names them."""
SHORT = 3
"""Help of at most this many words is repeated in every command. Longer help is shown once."""
API_HEAD = """# Python API

`import verigym` gives you the whole public API. Only the names in `verigym.__all__` are public: import nothing from the
modules below it. A `Workspace` has the verbs of the [commands](commands.md). Every method is synchronous and also works in
a notebook. `print(record)` writes a table, and a notebook shows the record with pictures.

```python list_runs.py
import verigym

with verigym.Workspace() as ws:
    print(ws.runs())
```

In the signatures, `Agent` means `Version | str`, `Environment` means `str | EnvironmentSpec`, and `RunName` means
`str | Report | Run`. An error that you can fix is a `VerigymError`. A tool may raise
`InfrastructureFailure` (the episode is tried again) or `EnvironmentFailure`. This page is generated from signatures and
docstrings.

"""


SHORT_TYPES = {"Agent": "Version | str", "Environment": "str | EnvironmentSpec", "RunName": "str | Report | Run"}
"""Names for types that many signatures share. The head of the page explains them."""
PAGES = {
    "core.records": "[Records](records.md)",
    "core.errors": "[Errors](errors.md)",
    "verifiers.": "[Verifiers](verifiers.md)",
    "training.recipe": "[Recipes](recipes.md)",
    "gates.policy": "[Gate policy](../how-to/gate.md)",
}
"""Beginnings of modules whose public names have a page of their own, with a link to it."""
RECORDS_HEAD = """# Records

These records are stored, exported (`verigym runs export`) and printed by `--json`. They appear in the order in which they
are made. Most records omit a field from the JSON if it has its default. [One task through every
record](../explanation/one-task.md) shows them with real data. This page is generated from
`verigym/core/records.py` and `items.py`.

**Bold** fields are required. The others have a default: the value after `=`, or else an empty text, an empty list, an empty
object, 0, false or null.

"""
EMPTY = {"''", "[]", "{}", "0", "0.0", "False", "None"}
"""Defaults that the page of records leaves out."""


def pages() -> dict[Path, str]:
    return {
        DOCS / "reference" / "commands.md": made_of_commands(),
        DOCS / "reference" / "python-api.md": made_of_api(),
        DOCS / "reference" / "records.md": made_of_records(),
    }


def made_of_commands() -> str:
    """Every command. `described` remembers which command first described an option."""
    described: dict[tuple[str, str], str] = {}
    root = typer.main.get_command(app)
    groups = [
        f"`{name}`" for name, inner in _children(root).items() if _children(inner) and inner.invoke_without_command
    ]
    commands = _commands(root, "verigym")
    return COMMANDS_HEAD.format(groups=f"{', '.join(groups[:-1])} and {groups[-1]}") + "\n".join(
        _section(command, name, described) for name, command in commands
    )


def made_of_api() -> str:
    """The methods of `Workspace` with their parameters, then every other public name."""
    parts = [API_HEAD]
    parts += ["## Workspace", "", *_paragraphs(verigym.Workspace), ""]
    for name, member in members(verigym.Workspace).items():
        if name == "__init__":
            parts += [
                "### Open a workspace",
                "",
                f"```text\nWorkspace{_signature(member)}\n```",
                "",
                *_paragraphs(member),
                "",
            ]
        elif not name.startswith("_") and callable(member):
            parts += [f"### {name}", "", f"```text\n{name}{_signature(member)}\n```", "", *_paragraphs(member), ""]
        elif isinstance(member, property | cached_property):
            parts += [f"### {name}", "", *_paragraphs(member), ""]
        elif isinstance(member, classmethod):
            call = f"Workspace.{name}{_signature(getattr(verigym.Workspace, name))}"
            parts += [f"### {name}", "", f"```text\n{call}\n```", "", *_paragraphs(member), ""]
    parts += ["## AsyncWorkspace", "", *_paragraphs(verigym.AsyncWorkspace), ""]
    return "\n".join([*parts, *_other_names()]) + "\n"


def _other_names() -> list[str]:
    """Names that have a page are listed with a link to it. The others get the first sentence of their docstring."""
    pages = {prefix: [f"- {title}: "] for prefix, title in PAGES.items()}
    sentences = []
    modules = {name: module.removeprefix("verigym.") for name, module in verigym._MODULE_OF.items()}  # type: ignore[attr-defined]
    for name in sorted(set(verigym.__all__) - {"Workspace", "AsyncWorkspace"}):
        page = next((prefix for prefix in PAGES if modules[name].startswith(prefix)), "")
        if page:
            pages[page].append(f"`{name}`")
        else:
            words = " ".join(inspect.cleandoc(getattr(verigym, name).__doc__ or "").split("\n\n")[0].split())
            sentence = re.split(r"(?<=[.]) (?=[A-Z`])", words)[0]
            sentences.append(f"- `{name}`: {sentence}" if sentence else f"- `{name}`")
    links = [f"{names[0]}{', '.join(names[1:])}" for names in pages.values()]
    return ["## Other public names", "", *links, "", *sentences]


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
    modules = r"\b(verigym\.core\.records|verigym\.core\.items|pathlib|collections\.abc|typing)\."
    words = [re.sub(modules, "", _unquoted(one)) for one in given]
    defaults = [
        re.sub(r" = .*", "", text) + (f" = {_default(one.default)}" if one.default is not one.empty else "")
        for one, text in zip(given, words, strict=True)
    ]
    if keywords < len(given) and not any(one.kind is one.VAR_POSITIONAL for one in given):
        defaults.insert(keywords, "*")
    kind = signature.return_annotation
    returned = (
        "" if kind in (inspect.Signature.empty, None) else f" -> {kind if isinstance(kind, str) else _name(kind)}"
    )
    inside = ", ".join(defaults) if len(", ".join(defaults)) < 80 else "\n    " + ",\n    ".join(defaults) + ",\n"
    text = f"({inside}){returned}"
    for name, kind in SHORT_TYPES.items():
        text = text.replace(kind, name)
    return text


def _default(value: object) -> str:
    """A value as code. A function is shown by its name, because its repr contains an address."""
    return value.__name__ if inspect.isfunction(value) else repr(value)


def _unquoted(parameter: inspect.Parameter) -> str:
    """A parameter with its annotation. The quotes of a Literal stay."""
    text = str(parameter)
    return text.replace("'", "").replace('"', "") if isinstance(parameter.annotation, str) else text


def _name(kind: Any) -> str:
    return (
        str(kind).replace("verigym.core.records.", "").replace("verigym.core.items.", "")
        if getattr(kind, "__args__", ())
        else kind.__name__
    )


def made_of_records() -> str:
    trees = [ast.parse(inspect.getsource(module)).body for module in (records, items)]
    parts = [_record(node) for tree in trees for node in tree if isinstance(node, ast.ClassDef)]
    return RECORDS_HEAD + "\n".join(parts)


def _record(node: ast.ClassDef) -> str:
    """A class with its fields; the text under a field says what it is."""
    said = ast.get_docstring(node)
    lines = [f"## {node.name}", "", *([" ".join(said.split()), ""] if said else [])]
    for field, below in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign):
            name, kind = f"`{ast.unparse(field.target)}`", ast.unparse(field.annotation).strip("'")
            default = ast.unparse(field.value) if field.value is not None else ""
            shown = f" = {default}" if default and default not in EMPTY else ""
            lines.append(f"- {name if default else f'**{name}**'}, `{kind}{shown}`{_words(below)}")
        elif isinstance(field, ast.Assign):
            lines.append(f"- `{ast.literal_eval(field.value)}`{_words(below)}")
        elif isinstance(field, ast.FunctionDef) and (words := _words(field.body[0])):
            lines.append(f"- `{field.name}`, computed and not stored{words}")
    return "\n".join(lines) + "\n"


def _words(node: ast.stmt | None) -> str:
    """The text that is this statement, if it is one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return f": {' '.join(str(node.value.value).split())}"
    return ""


def _commands(command: Any, name: str) -> list[tuple[str, Any]]:
    """Every command that is not a group, with its whole name."""
    children = _children(command)
    if not children:
        return [(name, command)]
    return [pair for child, inner in children.items() for pair in _commands(inner, f"{name} {child}")]


def _children(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


def _section(command: Any, name: str, described: dict[tuple[str, str], str]) -> str:
    """A command with its help and its arguments and options. Those of an earlier command become a link to it."""
    entries: dict[str, str] = {}
    for parameter in command.params:
        words = getattr(parameter, "help", None) or parameter.name
        if parameter.name == "help" or words in ON_EVERY_COMMAND:
            continue
        option = parameter.param_type_name == "option"
        shown_as = parameter.metavar or parameter.name.upper()
        shown_as = shown_as if parameter.required else f"[{shown_as}]"  # as in the usage line of --help
        shown_as += "..." if parameter.nargs == -1 else ""
        names = ", ".join(f"`{one}`" for one in parameter.opts) if option else f"`{shown_as}`"
        default = parameter.default
        plain = default not in (None, "", False, ()) and not callable(default) and not parameter.required
        shown = f" (default {default})" if plain else ""
        first = described.setdefault((names, words), name)
        if first == name or len(words.split()) <= SHORT:
            entries[names] = f"- {names}: {words}{shown}"
        else:
            before = f"{entries[first]}, " if first in entries else f"- As for [{first}](#{first.replace(' ', '-')}): "
            entries[first] = f"{before}{names.replace(', ', '/')}{shown}"
    return "\n".join([f"## {name}", "", " ".join((command.help or "").split()), "", *entries.values()]).rstrip() + "\n"


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text)
