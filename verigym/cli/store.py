"""store: move the records of a workspace between a file and a database that many machines share."""

import contextlib
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group
from verigym.core.words import counted

store = group("store", "The database of a workspace: copy.")


@store.command("copy")
def copy(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Workspace folder, its store.db, or a URL")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="URL postgresql+psycopg://USER@HOST/DATABASE, or a new file that ends in .db"
        ),
    ],
    use: Annotated[
        bool, typer.Option("--use", help="Then make the workspace use the target: write the URL into its store.url")
    ] = False,
    json: Json = False,
) -> None:
    """Copy all records to another database, and compare every row. Repeat the command to resume a copy that was stopped.
    The target must be empty or an unfinished copy. The source is not changed."""
    from verigym.progress_bar import ProgressBar
    from verigym.workspace.store_copy import copy_workspace_store

    bar = ProgressBar(live=True)

    def progress(table: str, done: int, total: int) -> None:
        bar.start(table)
        bar.report(done, total)

    with contextlib.closing(bar):
        copied = copy_workspace_store(source, target, use=use, progress=progress)
    if json:
        return show.as_json(copied._asdict())
    rows = ", ".join(f"{number:,} {table}" for table, number in copied.rows.items() if number)
    show.say(f"Copied {counted(copied.copied, 'row')} from {copied.source} to {copied.target}")
    show.say(f"Every row is the same in both: {rows or 'no rows'}")
    show.say(f"The ledger's chain of hashes is intact ({counted(copied.ledger_entries, 'entry')})")
    if copied.settings:
        show.say(f"{copied.settings} names the new store. The file store.db is not used any more")
    elif "://" in copied.target:
        show.say(f"To use it, set VERIGYM_STORE={copied.target}, or repeat the command with --use")
