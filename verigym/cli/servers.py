"""servers: names for model servers, so that -m NAME works instead of -m URL#MODEL."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlencode

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, group, workspace
from verigym.core.errors import BadInput

ServerName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the server", autocompletion=complete.servers)]


def list_all(json: bool, home: Path | None) -> None:
    """List named servers."""
    servers = workspace(home).servers()
    if json:
        return show.as_json(servers)
    if not servers:
        show.say("no named servers yet")
        return show.next_command("verigym servers add NAME URL#MODEL")
    show.table(sorted(servers.items()), ("server", "address"))
    show.next_command(f"verigym eval ENV -m {next(iter(servers))}")


servers = group("servers", "Named model servers for -m: list (the default), show, add, rm.", list_all)


@servers.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name to use with -m")],
    address: Annotated[
        str, typer.Argument(metavar="URL[#MODEL]", help="Base URL of the API, such as http://localhost:8000/v1")
    ],
    model: Annotated[str, typer.Option("--model", "-m", help="Model on the server, if not in the URL")] = "",
    api: Annotated[
        Literal["chat", "responses"] | None,
        typer.Option("--api", help="API of the server: chat (default) or responses"),
    ] = None,
    tools: Annotated[
        Literal["native", "text"] | None,
        typer.Option("--tools", help="Tool calls: native (default), or text for models without tool calling"),
    ] = None,
    token_ids: Annotated[
        bool, typer.Option("--token-ids", help="Request token ids and logprobs, for servers that return them")
    ] = False,
    timeout: Annotated[float | None, typer.Option("--timeout", min=0.1, help="Seconds per request")] = None,
    retries: Annotated[int | None, typer.Option("--retries", min=0, help="Retries per request")] = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", min=1, help="Maximum requests at once")] = None,
    key_env: Annotated[
        str, typer.Option("--key-env", help="Environment variable that holds the API key (default: OPENAI_API_KEY)")
    ] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Change the address of an existing name")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Name a model server. The key itself is never stored, only the variable that holds it."""
    url, mark, rest = address.partition("#")
    if not url.startswith(("http://", "https://")):
        raise BadInput(f'"{url}" is not a URL. Begin it with http:// or https://, such as http://localhost:8000/v1')
    if model and mark:
        raise BadInput("The model is named twice. Write it after # or with --model, not both")
    if not model and not rest:
        raise BadInput("The model is missing. Add --model NAME, or write URL#MODEL")
    options = {
        "api": api,
        "tools": tools,
        "token_ids": "true" if token_ids else None,
        "timeout_s": timeout,
        "retries": retries,
        "concurrency": concurrency,
        "key_env": key_env or None,
    }
    query = urlencode({option: value for option, value in options.items() if value is not None})
    address = f"{url}#{rest or model}"
    if query:
        address += f"{'&' if '?' in address.partition('#')[2] else '?'}{query}"
    workspace(home, create=True).add_server(name, address, replace=replace)
    if json:
        return show.as_json({"name": name, "address": address})
    show.say(f"server {name}: {address}")
    show.next_command(f"verigym eval ENV -m {name}")


@servers.command("show")
def show_server(name: ServerName, json: Json = False, home: Home = None) -> None:
    """Show the address of a named server and the version it stands for."""
    from verigym.workspace.servers import find_server

    ws = workspace(home)
    address = find_server(ws.home, name)
    version = ws.agent(name)
    if json:
        return show.as_json({"name": name, "address": address, "version": version.id})
    show.say(f"server {name}: {address}", f"version {version.id}")
    show.next_command(f"verigym eval ENV -m {name}")


@servers.command("rm")
def remove(name: ServerName, json: Json = False, home: Home = None) -> None:
    """Remove the name of a server. Versions and runs that used it stay."""
    address = workspace(home).remove_server(name)
    if json:
        return show.as_json({"name": name, "address": address})
    show.say(f"removed the name {name} of {address}")
    show.next_command("verigym servers list")
