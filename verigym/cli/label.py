"""label: a person says which of two outputs is better, or whether one is good, key by key; every answer is stored at once."""

import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, workspace
from verigym.core.errors import Refused

HELP = "1 left is better · 2 right is better · = the same · s skip · n reason · u undo · q quit"
SINGLE_HELP = "g good · b bad · s skip · n reason for the last answer · u undo · q quit"
LAST = "that was the last {} · n reason for it · u undo · q quit"


def register(app: typer.Typer) -> None:
    app.command()(label)


def label(
    run: Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")] = "latest",
    single: Annotated[
        bool, typer.Option("--single", help="One output at a time, good or bad: what verigym audit compares with")
    ] = False,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Pairs or outputs, spread over tasks")] = 50,
    who: Annotated[str, typer.Option("--who", help="Whose judgement it is; default: the user of this machine")] = "",
    seed: Annotated[int, typer.Option("--seed", help="Of what is drawn, and of which of a pair is left")] = 0,
    home: Home = None,
) -> None:
    """Say which of two outputs of one task is better, or of single ones whether they are good. What the verifier said is hidden.
    Stopped, the same command goes on where it was."""
    from verigym.audit import labels
    from verigym.core.records import Label
    from verigym.registry.ledger import current_user

    ws, who = workspace(home), who or current_user()
    found = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    episodes, asked = _singles(ws, found, n, seed) if single else _pairs(ws, found, n, seed)
    left = labels.remaining(asked, ws.store.documents("label", Label), who)
    environment = found.config.get("environment", "ENV")
    after = (
        f"verigym audit {show.quote(environment)} {show.quote(found.id)}"
        if single
        else f"verigym data pairs {show.quote(found.id)} --labels"
    )
    if not left:
        what = "outputs" if single else "pairs"
        show.say(f"{who} has answered all {len(asked)} {what}; a larger --n or another --seed asks more")
        return show.next_command(after)
    session = labels.LabelSession(who=who, pairs=left, keys=labels.SINGLE_KEYS if single else labels.KEYS)
    while not session.over:
        _ask(session, episodes, len(asked) - len(left), len(asked))
        key, rest = pressed()
        if key == "n":
            made = labels.explain(session, rest or _reason())
        else:
            session, made = labels.press(session, key or "q")
        if made is not None:
            ws.store.put("label", uuid.uuid4().hex, made)
    held_out = not single and any(task.split != "train" for task in ws.store.tasks(found.id))
    again = f"verigym label {show.quote(found.id)}{' --single' if single else ''} --n {n} --who {show.quote(who)} --seed {seed}"
    _end(session, again, after, held_out)


def _pairs(ws: Any, run: Any, n: int, seed: int) -> tuple[dict[str, Any], list[Any]]:
    from verigym.audit import labels

    episodes = {one.id: one for one in ws.store.each_trajectory(run.id)}
    pairs = labels.make_pairs(episodes.values(), n, seed)
    if not pairs:
        raise Refused(
            f"run {run.id}: no task has two outputs that differ; roll out several episodes of each task: "
            "verigym rollout ENV -m MODEL -k 4   (or judge single ones: --single)"
        )
    return episodes, pairs


def _singles(ws: Any, run: Any, n: int, seed: int) -> tuple[dict[str, Any], list[Any]]:
    from verigym.audit import labels
    from verigym.rollout.replies import cut
    from verigym.workspace.audit import outputs_of

    outputs = outputs_of(ws, run, n, seed)
    episodes = outputs.trajectories
    asked = [labels.LabelPair(episodes[id].task, id) for id in outputs.ids if cut(episodes[id]) is not None]
    if not asked:
        raise Refused(f"run {run.id}: in no episode did the model say anything; see: verigym explain {run.id}")
    return episodes, asked


def pressed() -> tuple[str | None, str]:
    """One key on a terminal; else the first letter of the next line that has one, and the rest of it. None at the end."""
    if sys.stdin.isatty():
        import click

        try:
            return click.getchar().lower(), ""
        except EOFError:
            return None, ""
    line = next((line.strip() for line in sys.stdin if line.strip()), "")
    return (line[0].lower(), line[1:].strip()) if line else (None, "")


def _reason() -> str:
    """A line, where there is a keyboard."""
    return input("reason: ") if sys.stdin.isatty() else ""


def _ask(session: Any, episodes: dict[str, Any], before: int, total: int) -> None:
    """Prompt and output, or both outputs side by side. What the verifier made of them is not shown."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from verigym.rollout.replies import cut

    if session.pair is None:
        return show.say(LAST.format("pair" if session.pairs[0].right else "output"))
    pair = session.pair
    sides = [episodes[id] for id in (pair.left, pair.right) if id]
    prompt = cut(sides[0]).prompt  # type: ignore[union-attr] (what is asked about has spoken)
    console = Console(highlight=False)
    if console.is_terminal:
        console.clear()
    what = "pair" if pair.right else "output"
    console.print(Text(f"{what} {before + len(session.answers) + 1} of {total}, task {pair.task}"))
    console.print(Text(_text(prompt)))
    table = Table(*(("1: left", "2: right") if pair.right else ("output",)), expand=True, show_lines=False)
    for column in table.columns:
        column.ratio = 1
    table.add_row(*(Text(_text(side.items[len(prompt) :])) for side in sides))
    console.print(table)
    console.print(Text(HELP if pair.right else SINGLE_HELP))


def _text(items: Sequence[Any]) -> str:
    return "\n\n".join(f"[{speaker}]\n{text}" for speaker, text in map(show.spoken, items))


def _end(session: Any, again: str, after: str, held_out: bool) -> None:
    counts, left = Counter(session.answers), len(session.pairs) - len(session.answers)
    if "good" in session.keys.values():
        said = f"{counts['good']} good, {counts['bad']} bad, {counts['skip']} skipped"
    else:
        said = f"{counts['better'] + counts['worse']} preferred, {counts['same']} the same, {counts['skip']} skipped"
    show.say(f"answered by {session.who}: {len(session.answers)} ({said}); left: {left}")
    if held_out:
        show.say("these tasks are held out: their labels are kept, and never trained on")
    show.next_command(again if left or held_out else after)
