"""serve-env: an environment for other frameworks, as a resources server of NeMo Gym, an OpenEnv server or an MCP server."""

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from verigym.cli import show
from verigym.cli.options import Environment
from verigym.core.errors import BadInput
from verigym.core.records import Json


def serve_env(
    environment: Environment,
    protocol: Annotated[
        Literal["nemogym", "openenv", "mcp"],
        typer.Option("--as", help="Protocol: nemogym (a resources server), openenv (steps) or mcp (tools)"),
    ],
    split: Annotated[str, typer.Option("--split", help="Splits whose tasks are served, separated by commas")] = "val",
    task: Annotated[str, typer.Option("--task", help="Task of an MCP session (default: the first of the split)")] = "",
    rows: Annotated[
        Path | None,
        typer.Option(
            "--rows",
            help="Write the tasks as rows of NeMo Gym into this file and exit. A file with other content is not overwritten",
        ),
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Serve one MCP session over standard input and output instead of HTTP")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File that gets the verdict of each MCP session, one JSON per line"),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on (0: a free one)")] = 8500,
    sessions: Annotated[int, typer.Option("--sessions", min=1, help="Maximum sessions at once")] = 1000,
    idle: Annotated[
        float, typer.Option("--idle", min=1, help="Seconds without a call after which a session is released")
    ] = 600.0,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Maximum seconds of a session")] = 3600.0,
) -> None:
    """Serve an environment to another framework: its tools act on a session of their own, and its verifier scores it.
    Anyone who can reach the address can use it. Ctrl-C stops it."""
    from verigym.environments.load import load_environment
    from verigym.servers.environment_sessions import EnvironmentSessions, SessionLimits
    from verigym.workspace.audit import asks_judge

    if stdio and protocol != "mcp":
        raise BadInput("--stdio needs --as mcp. The other protocols need a network address")
    if rows is not None and protocol != "nemogym":
        raise BadInput("--rows needs --as nemogym")
    if (task or out is not None) and protocol != "mcp":
        option, instead = ("--task", "A client names the task") if task else ("--out", "A client gets the verdict")
        raise BadInput(f"{option} needs --as mcp. {instead}")
    spec = load_environment(environment)
    if spec.tasks("val") and asks_judge(spec):
        raise BadInput(f"{spec.name} asks a judge for its verdict. serve-env has no judge. Serve another environment")
    limits = SessionLimits(most=sessions, idle_s=idle, seconds=seconds)
    served = EnvironmentSessions(spec, split.split(","), limits, messages=protocol == "openenv")
    if rows is not None:
        return _write_rows(served, rows, environment)
    chosen = served.task(task) if task else next(iter(served.tasks.values()))

    def on_verdict(result: Json) -> None:
        _tell(result, out, quiet=stdio)

    if stdio:
        from verigym.servers.environment_mcp import serve_stdio

        return asyncio.run(serve_stdio(served, chosen, on_verdict))
    if protocol == "mcp":
        from verigym.servers.environment_mcp import mcp_app

        app, path = mcp_app(served, chosen, on_verdict), "/mcp"
    elif protocol == "openenv":
        from verigym.bridges.openenv import openenv_app

        _check_websockets()

        app, path = openenv_app(served), ""
    else:
        from verigym.servers.environment_nemogym import nemogym_app

        app, path = nemogym_app(served), ""
    _serve(app, host, port, path, f"{spec.name}, {len(served.tasks):,} tasks of {split}")


def _serve(app: object, host: str, port: int, path: str, what: str) -> None:
    from verigym.core.install import install_command

    try:
        import uvicorn

        from verigym.servers.connections import listen, url_of
    except ModuleNotFoundError as error:
        raise BadInput(f"serve-env needs {error.name}. Run: {install_command('serve')}") from error
    listening = listen(host, port)
    show.say(f"serving {what} at {url_of(listening)}{path}")
    try:
        uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on")).run(sockets=[listening])  # type: ignore[arg-type]
    finally:
        listening.close()


def _check_websockets() -> None:
    from importlib.util import find_spec

    from verigym.core.install import install_command

    if find_spec("websockets") is None:
        raise BadInput(f"--as openenv needs websockets. Run: {install_command('serve')}")


def _write_rows(served: object, file: Path, environment: str) -> None:
    import msgspec

    from verigym.servers.environment_nemogym import rows
    from verigym.servers.environment_sessions import EnvironmentSessions
    from verigym.tasks.files import write_new

    assert isinstance(served, EnvironmentSessions)

    async def made() -> list[bytes]:
        tasks = list(served.tasks.values())
        return [msgspec.json.encode(row) + b"\n" async for row in rows(served.environment, tasks)]

    lines = asyncio.run(made())
    write_new({file: b"".join(lines)})
    show.say(f"wrote {len(lines):,} rows into {file}")
    show.next_command(f"verigym serve-env {show.quote(environment)} --as nemogym")


def _tell(result: Json, out: Path | None, quiet: bool) -> None:
    import msgspec

    if out is not None:
        with out.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
    words = f"task {result['task']}: reward {result['reward']} after {result['calls']} calls. {result['evidence']}"
    (show.note if quiet else show.say)(words)
