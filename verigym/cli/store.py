"""store: move the records of a workspace between a file and a database that many machines share, and print who may do what."""

import contextlib
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group
from verigym.core.printable import tell
from verigym.core.words import counted

store = group("store", "The database of a workspace: copy, grants.")


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
    files: Annotated[
        str,
        typer.Option(
            metavar="URL", help="Also copy adapters and resume states to s3://BUCKET/FOLDER or file:///FOLDER"
        ),
    ] = "",
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
        copied = copy_workspace_store(source, target, use=use, files=files, progress=progress)
    if json:
        return show.as_json(copied._asdict())
    rows = ", ".join(f"{number:,} {table}" for table, number in copied.rows.items() if number)
    show.say(f"Copied {counted(copied.copied, 'row')} from {copied.source} to {copied.target}")
    show.say(f"Every row is the same in both: {rows or 'no rows'}")
    show.say(f"The ledger's chain of hashes is intact ({counted(copied.ledger_entries, 'entry')})")
    if files:
        show.say(f"Copied {counted(copied.files, 'folder')} of adapters and resume states to {files}")
    if copied.settings:
        show.say(f"{copied.settings} names the new store. The file store.db is not used any more")
    elif "://" in copied.target:
        show.say(f"To use it, set VERIGYM_STORE={copied.target}, or repeat the command with --use")


@store.command("grants")
def grants(
    role: Annotated[str, typer.Argument(metavar="ROLE", help="Role that processes log in with")],
    schema: Annotated[str, typer.Option(metavar="NAME", help="Schema with the tables")] = "public",
    read_only: Annotated[bool, typer.Option("--read-only", help="Let the role read, and write nothing")] = False,
) -> None:
    """Print the SQL that lets a role of PostgreSQL use the store. The role can add entries to the ledger. It cannot change or
    delete them. Run the SQL as the owner of the tables."""
    from verigym.store.postgres_roles import grants

    for line in grants(role, schema=schema, read_only=read_only):
        tell(line)
