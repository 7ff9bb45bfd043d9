"""init and check: write a new environment or a tools file, and check the contract of an environment."""

from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.eval import say_opinion
from verigym.cli.options import Environment, Home, Json, SkipBad, num_option, workspace
from verigym.cli.tasks import say_bad_rows, say_scoring
from verigym.core.errors import BadInput
from verigym.core.words import counted

_MANY_TOOLS = 40


def init(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="Name of the environment: writes NAME.py. Or a .jsonl file for prompts and answers. "
            "With --openapi or --mcp, the tools file to write (default: tools.yaml)",
        ),
    ] = "",
    openapi: Annotated[
        Path | None,
        typer.Option("--openapi", help="Write a tools file for the API of this OpenAPI 3 file (JSON or YAML)"),
    ] = None,
    mcp: Annotated[
        str,
        typer.Option("--mcp", metavar="COMMAND|URL", help="Write a tools file for the tools of this MCP server"),
    ] = "",
    json: Json = False,
) -> None:
    """Write a file to start from: an environment in Python, prompts with answers (.jsonl), or tools of an API (.yaml)."""
    if openapi is not None or mcp:
        return _init_tools(name or "tools.yaml", openapi, mcp, json)
    if not name:
        raise BadInput("Name the file to write: verigym init NAME, verigym init NAME.jsonl, or use --openapi or --mcp")
    rows = name.endswith(".jsonl")
    path = Path(name if rows or name.endswith(".py") else f"{name}.py")
    if not rows and not path.stem.isidentifier():
        raise BadInput(
            f'"{path.stem}" is not a valid Python name. Use letters, digits and _, and do not begin with a digit'
        )
    _check_free(path)
    template = Path(__file__).parents[1] / "environments" / f"template{path.suffix}"
    text = template.read_text() if rows else template.read_text().replace("desk", path.stem)
    _write(path, text)
    if json:
        return show.as_json({"file": str(path)})
    if rows:
        show.say(f"wrote {path}: ten prompts with answers, in training and held-out families. Replace them with yours")
        show.say("if you need tools, state or a check of your own, start from Python: verigym init NAME")
    else:
        show.say(f"wrote {path}: tasks, state, one tool and verify in one file")
        show.say("if you only have prompts and answers, a file of rows is enough: verigym init NAME.jsonl")
    show.next_command(f"verigym check {show.quote(path)}")


def _init_tools(name: str, openapi: Path | None, mcp: str, json: bool) -> None:
    """Writes a tools file and says what to do with it."""
    from verigym.audit.scripted_episodes import fitting
    from verigym.harness import write_tools
    from verigym.harness.openapi import read_openapi
    from verigym.harness.tools_file import ToolsFile

    if openapi is not None and mcp:
        raise BadInput("Use only one of --openapi and --mcp")
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    _check_free(path)
    notes: list[str] = []
    secrets: list[str] = []
    if openapi is not None:
        imported = read_openapi(openapi)
        text, notes, secrets = write_tools.from_openapi(imported, openapi.name), imported.notes, imported.secrets
    else:
        from verigym.harness.toolkinds.mcp import check_server, list_tools

        server = write_tools.server_of(mcp)
        check_server("server", server, "--mcp")
        text = write_tools.from_mcp(server, list_tools("server", server, {}, "--mcp"), mcp)
    _write(path, text)
    file = ToolsFile(path)
    if json:
        return show.as_json({"file": str(path), "tools": list(file.tools), "notes": notes, "environment": secrets})
    show.say(f"wrote {path}: {counted(len(file.tools), 'tool')}")
    for note in notes:
        show.say(f"  {note}")
    if len(file.tools) > _MANY_TOOLS:
        show.say(f"  An agent chooses badly among {len(file.tools)} tools. Delete those that it does not need")
    if secrets:
        show.say(f"set the environment {'variable' if len(secrets) == 1 else 'variables'} {', '.join(secrets)}")
    tool = next(iter(file.tools.values())).spec
    row = {"prompt": "...", "expected_tool": tool.name, "expected_args": fitting(tool.parameters, tool.parameters)}
    show.say("write rows that say which call is right, one JSON object per line:", f"  {_row(row)}")
    show.next_command(f"verigym check rows.jsonl+{show.quote(path)}")


def _row(row: dict[str, Any]) -> str:
    import msgspec

    return msgspec.json.encode(row).decode()


def _check_free(path: Path) -> None:
    if path.exists():
        raise BadInput(f"{path} exists. Choose another name")
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} does not exist. Create it first")


def _write(path: Path, text: str) -> None:
    from verigym.tasks.files import write_whole

    write_whole(path, lambda file: file.write(text.encode()))


def check(
    environment: Environment,
    num: Annotated[
        int | None,
        num_option("Number of tasks to check, spread over splits and families (default: 40, or 8 with a sandbox)"),
    ] = None,
    all_tasks: Annotated[bool, typer.Option("--all", help="Check every task")] = False,
    skip_bad: SkipBad = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Check an environment without a model: gold solutions pass, cheats fail, state is isolated, nothing leaks.
    Checks a sample of the tasks unless you pass --all. Exit code 1 if a check fails."""
    from verigym.environments.load import load_environment
    from verigym.tasks.files import is_task_file
    from verigym.tasks.load import BadRow
    from verigym.workspace import audit

    bad: list[BadRow] | None = [] if skip_bad else None
    spec = load_environment(environment, bad)
    say_bad_rows(bad)
    sample, total = audit.sample_of(spec, num, all_tasks)
    on_check = None if json else lambda check: show.checks([check])
    checks = workspace(home, create=True).check(spec, n=num, all_tasks=all_tasks, on_check=on_check)
    failed = [check for check in checks if check.outcome == "fail"]
    if json:
        show.as_json(checks)
    else:
        num_open = sum(check.outcome == "unclear" for check in checks)
        passed = f"{len(checks) - num_open} checks passed, {num_open} open" if num_open else "all checks passed"
        show.say(f"{spec.name}: {f'{len(failed)} of {len(checks)} checks failed' if failed else passed}")
        say_scoring(spec)
        say_opinion(spec)
        if sample < total:
            show.say(f"checked a sample: {sample:,} of {total:,} tasks. --all checks every task")
        if not failed:
            judge = " --judge MODEL" if audit.asks_judge(spec) else ""
            show.next_command(f"verigym eval {show.quote(environment)} -m smollm2-135m{judge}")
        elif is_task_file(environment) and not spec.tasks("val"):
            show.next_command(f"verigym tasks split {show.quote(environment)}")
    raise typer.Exit(1 if failed else 0)
