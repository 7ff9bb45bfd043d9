"""view: web pages for looking at the workspace."""

import gc
from typing import Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, workspace


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="Page to open: a run, a version, a trajectory, champion, latest, or gate/NUMBER (default: the first page)",
            autocompletion=complete.runs,
        ),
    ] = "",
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Any address except loopback requires --key-env")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on (0: a free one)")] = 8401,
    url: Annotated[
        str, typer.Option("--url", help="Address under which a proxy offers the view. Requires --key-env")
    ] = "",
    key_env: Annotated[
        str, typer.Option("--key-env", help="Environment variable that holds the keys of visitors, separated by commas")
    ] = "",
    token: Annotated[
        bool,
        typer.Option(
            "--token", help="Ask for a token, which the printed address contains. Use it if others log in here"
        ),
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Refuse every write: no labels, no reviews, no feedback")
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser")] = False,
    home: Home = None,
) -> None:
    """Show the workspace as web pages: runs, episodes, failures, comparisons, training, decisions, labels and traces.
    The pages need no network. Ctrl-C stops it."""
    gc.disable()  # it would look through everything that is imported, several times
    try:
        from verigym.store.address import page_file
        from verigym.view.serve import open_browser, open_view, tunnel
    finally:
        gc.enable()

    folder = workspace(home, create=True).home
    server = open_view(
        folder, what, host=host, port=port, url=url, key_env=key_env, token=token, read_only=read_only, named=home
    )
    show.say(f"{folder} as web pages: {server.address}")
    if not page_file(folder).exists():
        show.say("There is no workspace yet. The pages fill when a command such as verigym quickstart creates it")
    if way := tunnel(server.address):
        show.say(f"To open it on your own machine, type there: {way}")
    if not no_open and open_browser(server.address):
        show.say("Opening it in your browser")
    show.say("Ctrl-C stops it")
    server.run()
