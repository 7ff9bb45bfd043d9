"""mcp: serve the workspace to coding agents over MCP."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, workspace

if TYPE_CHECKING:
    from verigym.wire.mcp import McpServer

_INSTRUCTIONS = (
    "Verigym measures agents on tasks with verified rewards, explains their failures, and decides with statistics if a new "
    "version is better. Begin with list_runs, explain_failures and advise. Read a few trajectories before you change anything. "
    "To write an environment, read environment_template, then use propose_environment."
)
_RUN = " check_environment, evaluate, optimize and gate run models and the environment's code on this machine."
_READ_ONLY = " This server only reads. The user can start it with --allow-run to let you check, evaluate and gate."


def mcp(
    allow_run: Annotated[
        bool,
        typer.Option(
            "--allow-run",
            help="Let the client save proposed environments in the workspace, and run check, eval, optimize and gate. This runs "
            "code of environments as you, and calls models",
        ),
    ] = False,
    home: Home = None,
) -> None:
    """Serve the workspace to coding agents as an MCP server over standard input and output. It only reads unless you
    pass --allow-run. An agent's configuration starts this command (docs/how-to/coding-agents.md)."""
    from verigym.wire.mcp import serve_stdio

    if sys.stdin.isatty():
        show.note(
            "waiting for an MCP client on standard input. Add this command to the configuration of your agent. Ctrl-C stops"
        )
    asyncio.run(serve_stdio(workspace_server(workspace(home, create=True).home, Path.cwd(), allow_run)))
    os._exit(0)  # code that does not end when it is stopped must not keep the process


def workspace_server(home: Path, project: Path, allow_run: bool) -> "McpServer":
    """The server of a workspace. Environment files lie in the project or in the workspace."""
    import verigym
    from verigym.core.errors import not_found
    from verigym.core.records import Json, ToolSpec
    from verigym.wire.mcp import McpServer, ToolAnswer
    from verigym.workspace_run_tools import ProposalTools, RunTools
    from verigym.workspace_tools import ProjectFiles, ReadTools, tools_of

    files = ProjectFiles(home, project)
    reading = tools_of(ReadTools(files))
    tools = {
        **reading,
        **tools_of(ProposalTools(files, save=allow_run)),
        **(tools_of(RunTools(files)) if allow_run else {}),
    }

    async def listed() -> list[ToolSpec]:
        return [tool.spec for tool in tools.values()]

    async def call(name: str, arguments: Json) -> ToolAnswer:
        if name not in tools:
            remedy = "" if allow_run else "Tools that run something need verigym mcp --allow-run."
            raise not_found("tool", name, tools, remedy)
        return await tools[name].call(arguments)

    return McpServer(
        "verigym",
        verigym.__version__,
        listed,
        call,
        _INSTRUCTIONS + (_RUN if allow_run else _READ_ONLY),
        hints={name: {"readOnlyHint": name in reading or not allow_run} for name in tools},
    )
