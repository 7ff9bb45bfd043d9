"""label: judge outputs key by key, in pairs or one at a time. Every answer is stored at once."""

import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, Run, num_option, workspace
from verigym.core.errors import Refused

if TYPE_CHECKING:
    from verigym.audit.labels import LabelPair, LabelSession
    from verigym.core.records import Item, Trajectory
    from verigym.store.database import Run as StoredRun
    from verigym.workspace.workspace import WorkspaceFolder

PAIR_KEYS = "1 left is better · 2 right is better · = the same · s skip · n add a reason · u undo · q quit"
SINGLE_KEYS = "g good · b bad · s skip · n reason for the last answer · u undo · q quit"
LAST_KEYS = "that was the last {} · n reason for it · u undo · q quit"


def label(
    run: Run = "latest",
    single: Annotated[
        bool, typer.Option("--single", help="Judge one output at a time as good or bad, for verigym audit run")
    ] = False,
    num: Annotated[int, num_option("Number of pairs or outputs, spread over tasks")] = 50,
    who: Annotated[str, typer.Option("--who", help="Name stored with the labels (default: your user name)")] = "",
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed for the selection and for the order of each pair")
    ] = 0,
    json: Json = False,
    home: Home = None,
) -> None:
    """Label which of two outputs of a task is better, or whether single outputs are good. The verifier's verdict is hidden.
    If interrupted, repeat the command to resume."""
    from verigym.audit import labels
    from verigym.core.records import Label
    from verigym.registry.ledger import current_user

    ws, who = workspace(home).folder, who or current_user()
    record = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    episodes, asked = _singles(ws, record, num, seed) if single else _pairs(ws, record, num, seed)
    left = labels.remaining(asked, ws.store.documents("label", Label), who)
    environment = record.config.get("environment", "ENV")
    after = (
        f"verigym audit run {show.quote(environment)} {show.quote(record.id)}"
        if single
        else f"verigym data pairs {show.quote(record.id)} --labels"
    )
    if not left:
        if json:
            return show.as_json({"run": record.id, "who": who, "answers": {}, "left": 0})
        what = "outputs" if single else "pairs"
        show.say(f"{who} has labelled all {len(asked)} {what}. A larger -n or another --seed selects more")
        return show.next_command(after)
    session = labels.LabelSession(who=who, pairs=left, keys=labels.SINGLE_KEYS if single else labels.KEYS)
    while not session.over:
        _ask(session, episodes, len(asked) - len(left), len(asked), to_stderr=json)
        key, rest = pressed()
        if key == "n":
            label = labels.explain(session, rest or _reason())
        else:
            session, label = labels.press(session, key or "q")
        if label is not None:
            ws.store.put("label", uuid.uuid4().hex, label)
    held_out = not single and any(task.split != "train" for task in ws.store.tasks(record.id))
    if json:
        answers, left_over = dict(Counter(session.answers)), len(session.pairs) - len(session.answers)
        return show.as_json({"run": record.id, "who": who, "answers": answers, "left": left_over})
    options = f"{' --single' if single else ''} -n {num} --who {show.quote(who)} --seed {seed}"
    again = f"verigym label {show.quote(record.id)}{options}"
    _end(session, again, after, held_out)


def _pairs(
    ws: "WorkspaceFolder", run: "StoredRun", num: int, seed: int
) -> "tuple[dict[str, Trajectory], list[LabelPair]]":
    from verigym.audit import labels

    episodes = {one.id: one for one in ws.store.each_trajectory(run.id)}
    pairs = labels.make_pairs(episodes.values(), num, seed)
    if not pairs:
        raise Refused(
            f"Run {run.id} has no task with two different outputs. Run several episodes per task "
            "(verigym rollout ENV -m MODEL -k 4), or label single outputs with --single"
        )
    return episodes, pairs


def _singles(
    ws: "WorkspaceFolder", run: "StoredRun", num: int, seed: int
) -> "tuple[dict[str, Trajectory], list[LabelPair]]":
    from verigym.audit import labels
    from verigym.rollout.replies import cut
    from verigym.workspace.audit import outputs_of

    outputs = outputs_of(ws, run, num, seed)
    episodes = outputs.trajectories
    asked = [labels.LabelPair(episodes[id].task, id) for id in outputs.ids if cut(episodes[id]) is not None]
    if not asked:
        raise Refused(f"Run {run.id} has no episode in which the model replied. See: verigym explain {run.id}")
    return episodes, asked


def pressed() -> tuple[str | None, str]:
    """One key on a terminal, else the first letter of the next non-empty line and the rest of it. None at the end of input."""
    if sys.stdin.isatty():
        import click

        try:
            return click.getchar().lower(), ""
        except EOFError:
            return None, ""
    line = next((line.strip() for line in sys.stdin if line.strip()), "")
    return (line[0].lower(), line[1:].strip()) if line else (None, "")


def _reason() -> str:
    """A line from the keyboard, if there is one."""
    return input("reason: ") if sys.stdin.isatty() else ""


def _ask(session: "LabelSession", episodes: "dict[str, Trajectory]", before: int, total: int, to_stderr: bool) -> None:
    """Shows the prompt and the output, or two outputs side by side, without verdicts."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from verigym.rollout.replies import cut

    if session.pair is None:
        line = LAST_KEYS.format("pair" if session.pairs[0].right else "output")
        return show.note(line) if to_stderr else show.say(line)
    pair = session.pair
    sides = [episodes[id] for id in (pair.left, pair.right) if id]
    prompt = cut(sides[0]).prompt  # type: ignore[union-attr] (only episodes with a reply are asked about)
    console = Console(highlight=False, stderr=to_stderr)
    if console.is_terminal:
        console.clear()
    kind = "pair" if pair.right else "output"
    console.print(Text(show.visible(f"{kind} {before + len(session.answers) + 1} of {total}, task {pair.task}")))
    console.print(Text(_text(prompt)))
    table = Table(*(("1: left", "2: right") if pair.right else ("output",)), expand=True, show_lines=False)
    for column in table.columns:
        column.ratio = 1
    table.add_row(*(Text(_text(side.items[len(prompt) :])) for side in sides))
    console.print(table)
    console.print(Text(PAIR_KEYS if pair.right else SINGLE_KEYS))


def _text(items: "Sequence[Item]") -> str:
    return "\n\n".join(f"[{speaker}]\n{show.visible(text)}" for speaker, text in map(show.spoken, items))


def _end(session: "LabelSession", again: str, after: str, held_out: bool) -> None:
    counts, left = Counter(session.answers), len(session.pairs) - len(session.answers)
    if "good" in session.keys.values():
        summary = f"{counts['good']} good, {counts['bad']} bad, {counts['skip']} skipped"
    else:
        summary = f"{counts['better'] + counts['worse']} preferred, {counts['same']} the same, {counts['skip']} skipped"
    show.say(f"labelled by {session.who}: {len(session.answers)} ({summary}), {left} left")
    if held_out:
        show.say("these tasks are held out: their labels are stored and never trained on")
    show.next_command(again if left or held_out else after)
