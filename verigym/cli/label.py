"""label: a person says which of two outputs is better, key by key; every answer is stored at once."""

import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, workspace
from verigym.core.errors import Refused

HELP = "1 left is better · 2 right is better · = the same · s skip · u undo · q quit"
LAST = "that was the last pair · u undo · q quit"


def register(app: typer.Typer) -> None:
    app.command()(label)


def label(
    run: Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")] = "latest",
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Pairs, spread over tasks")] = 50,
    who: Annotated[str, typer.Option("--who", help="Whose judgement it is; default: the user of this machine")] = "",
    seed: Annotated[int, typer.Option("--seed", help="Of pairs drawn, and of which is left")] = 0,
    home: Home = None,
) -> None:
    """Say which of two outputs of one task is better. Stopped, the same command goes on where it was."""
    from verigym.audit import labels
    from verigym.core.records import Label
    from verigym.registry.ledger import current_user

    ws, who = workspace(home), who or current_user()
    found = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    episodes = {one.id: one for one in ws.store.each_trajectory(found.id)}
    pairs = labels.make_pairs(episodes.values(), n, seed)
    if not pairs:
        raise Refused(
            f"run {found.id}: no task has two outputs that differ; roll out several episodes of each task: "
            "verigym rollout ENV -m MODEL -k 4"
        )
    left = labels.remaining(pairs, ws.store.documents("label", Label), who)
    if not left:
        show.say(f"{who} has answered all {len(pairs)} pairs; a larger --n or another --seed asks more")
        return show.next_command(f"verigym data pairs {found.id} --labels")
    session = labels.Session(who=who, pairs=left)
    while not session.over:
        _ask(session, episodes, len(pairs) - len(left), len(pairs))
        key = _key()
        session, made = labels.press(session, key or "q")
        if made is not None:
            ws.store.put("label", uuid.uuid4().hex, made)
    held_out = any(task.split != "train" for task in ws.store.tasks(found.id))
    _end(session, found.id, f"verigym label {found.id} --n {n} --who {who} --seed {seed}", held_out)


def _key() -> str | None:
    """One key on a terminal; else the first letter of the next line that has one. None at the end."""
    if sys.stdin.isatty():
        import click

        try:
            return click.getchar().lower()
        except EOFError:
            return None
    return next((line.strip()[0].lower() for line in sys.stdin if line.strip()), None)


def _ask(session: Any, episodes: dict[str, Any], before: int, total: int) -> None:
    """Prompt and both outputs, side by side."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from verigym.rollout.replies import cut

    if session.pair is None:
        return show.say(LAST)
    pair = session.pair
    sides = [episodes[id] for id in (pair.left, pair.right)]
    prompt = cut(sides[0]).prompt  # type: ignore[union-attr] (a pair has spoken)
    console = Console(highlight=False)
    if console.is_terminal:
        console.clear()
    console.print(Text(f"pair {before + len(session.answers) + 1} of {total}, task {pair.task}"))
    console.print(Text(_text(prompt)))
    table = Table("1: left", "2: right", expand=True, show_lines=False)
    for column in table.columns:
        column.ratio = 1
    table.add_row(*(Text(_text(side.items[len(prompt) :])) for side in sides))
    console.print(table)
    console.print(Text(HELP))


def _text(items: Sequence[Any]) -> str:
    return "\n\n".join(f"[{speaker}]\n{text}" for speaker, text in map(show.spoken, items))


def _end(session: Any, run: str, again: str, held_out: bool) -> None:
    counts, left = Counter(session.answers), len(session.pairs) - len(session.answers)
    said = f"{counts['better'] + counts['worse']} preferred, {counts['same']} the same, {counts['skip']} skipped"
    show.say(f"answered by {session.who}: {len(session.answers)} ({said}); left: {left}")
    if held_out:
        show.say("these tasks are held out: their labels are kept, and never trained on")
    show.next_command(again if left or held_out else f"verigym data pairs {run} --labels")
