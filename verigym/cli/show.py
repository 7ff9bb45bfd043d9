"""Printing: progress bars, tables, figures with intervals and conversations. Output that is piped is plain text.

Everything goes through `say` or `as_json`, and both make control characters visible (`visible`): no text of a model, a trace
or a file can move the cursor, set the window's title or reverse the direction of a line.
"""

import contextlib
import shlex
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from verigym.core.printable import CONTROL, visible
from verigym.core.records import (
    Check,
    Finding,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Report,
    Task,
    Trajectory,
    Verdict,
)
from verigym.core.typed import with_home
from verigym.core.words import counted, figure, is_number, percent
from verigym.progress_bar import ProgressBar

if TYPE_CHECKING:
    from verigym.rollout.many import Progress

OUTCOMES = {"pass": "ok  ", "fail": "FAIL", "unclear": "?   ", "skipped": "-   "}
_PIPED_WIDTH = 110
"""Width of paragraphs if the output is not a terminal."""
_HOME: list[Path | None] = [None]
_MIN_WIDTH = 40
_MIN_COLUMN = 12
"""A column of a table that does not fit is not cut below this."""


def say(*lines: str) -> None:
    for line in lines:
        print(visible(line), flush=True)


def note(text: str) -> None:
    """A line on standard error, for output that may be JSON."""
    print(visible(text), file=sys.stderr, flush=True)


def quote(name: object) -> str:
    """A name, an id or a path as a shell reads it."""
    return shlex.quote(str(name))


def set_home(home: Path | None) -> None:
    """The workspace that the running command was given with --home."""
    _HOME[0] = home


def command(text: str) -> str:
    """A command, or a text with commands, as it works from here: with the --home that this command was given."""
    return with_home(text, _HOME[0])


def next_command(text: str) -> None:
    """The commands to try next."""
    say(f"next: {command(text)}")


def as_json(value: Any) -> None:
    """Indented JSON. Control characters inside strings are escaped, which does not change the values."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    print(CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def width() -> int:
    """Columns of the terminal, or the width of piped text."""
    if not sys.stdout.isatty():
        return _PIPED_WIDTH
    return max(_MIN_WIDTH, shutil.get_terminal_size().columns)


@contextlib.contextmanager
def progress(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar with an ETA on a terminal, nothing if the output is piped. Call it with done, total and a note."""
    with contextlib.closing(ProgressBar(title, live=True)) as bar:
        yield bar.report


@contextlib.contextmanager
def episodes(title: str) -> Iterator["Callable[[Progress], None]"]:
    """The progress bar of a rollout: episodes that are stored, and how many of them passed."""
    with contextlib.closing(ProgressBar(title, live=True)) as bar:
        yield bar.episodes


def table(rows: Sequence[Sequence[Any]], header: Sequence[str], indent: str = "") -> None:
    """Columns as wide as they need to be, numbers to the right. On a terminal the widest texts are cut to fit."""
    cells = [[visible(str(cell)).replace("\n", " ") for cell in row] for row in [header, *rows]]
    widths = [max(_cells(row[i]) for row in cells) for i in range(len(header))]
    right = [all(is_number(row[i]) for row in cells[1:]) for i in range(len(header))]
    if sys.stdout.isatty():
        widths = _fitted(widths, width() - len(indent) - 2 * (len(widths) - 1))
    for row in cells:
        shown = []
        for cell, column, to_right in zip(row, widths, right, strict=True):
            text = cell if _cells(cell) <= column else _cut(cell, column)
            padding = " " * (column - _cells(text))
            shown.append(padding + text if to_right else text + padding)
        say(indent + "  ".join(shown).rstrip())


def _fitted(widths: Sequence[int], room: int) -> list[int]:
    """Widths that fit the room: the widest column gives first. The first column, which names the row, stays whole."""
    fitted = list(widths)
    while sum(fitted) > room:
        widest = max(range(1, len(fitted)), key=fitted.__getitem__, default=0)
        if widest == 0 or fitted[widest] <= _MIN_COLUMN:
            break
        fitted[widest] = max(_MIN_COLUMN, fitted[widest] - (sum(fitted) - room))
    return fitted


def _cells(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _cut(text: str, room: int) -> str:
    while _cells(text) > room - 1:
        text = text[:-1]
    return text + "…"


def report(report: Report, indent: str = "") -> None:
    rows = [(name, *figure(name, estimate)) for name, estimate in report.metrics.items()]
    table(rows, ("figure", "value", "95% interval"), indent)
    if report.errors:
        say(f"{indent}not scored and not counted in any figure: {counted(report.errors, 'episode')}")


def findings(findings: Sequence[Finding], indent: str = "") -> None:
    rows = [
        (
            finding.bucket,
            finding.count,
            percent(finding.share, 0),
            clip(finding.evidence[0] if finding.evidence else "", 90),
        )
        for finding in findings
    ]
    table(rows, ("failure", "episodes", "share", "most frequent reason"), indent)


def checks(checks: Sequence[Check], indent: str = "") -> None:
    for check in checks:
        paragraph(f"{OUTCOMES[check.outcome]} {check.name}: {command(check.words)}", indent, "     ")


def paragraph(text: str, indent: str = "", hang: str = "") -> None:
    """Text wrapped to the width of the terminal. The words of a command stay whole."""
    hang, whole = indent + hang, "verigym " in text
    wrapper = textwrap.TextWrapper(width(), initial_indent=indent, subsequent_indent=hang)
    wrapper.break_on_hyphens = wrapper.break_long_words = not whole
    say(wrapper.fill(visible(text)))


def conversation(task: Task | None, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> None:
    """An episode turn by turn, then its verdicts."""
    agent = next((turn.agent for turn in trajectory.turns if turn.actor == "policy"), "-")
    say(
        f"trajectory {trajectory.id}",
        f"agent {agent} · stop {trajectory.stop} · {trajectory.seconds:.2f} s"
        + (f" · ${trajectory.cost:.6f}" if trajectory.cost else ""),
    )
    for index, item in enumerate(trajectory.items):
        speaker, text = spoken(item)
        say("", f"[{speaker}]", *(f"  {line}" for line in text.splitlines()))
        for mark in trajectory.marks:
            if mark.item == index:
                say(f"  ^ {mark.kind}" + (f": {clip(mark.detail, 100)}" if mark.detail else ""))
    say("")
    if trajectory.rewards:
        say(f"rewards by step: {', '.join(f'{reward:g}' for reward in trajectory.rewards)}")
    if trajectory.error is not None:
        say(f"error ({trajectory.error.fault}): {trajectory.error.kind}: {trajectory.error.message}")
    if task is not None and (expected := task.data.get("expected_tool")):
        say(f"expected: {expected} {msgspec.json.encode(task.data.get('expected_args', {})).decode()}")
    for verdict in verdicts:
        reward = "none" if verdict.reward is None else f"{verdict.reward:.2f}"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in verdict.parts.items())
        say(
            f"verdict by {verdict.verifier}: {'PASSED' if verdict.passed else 'not passed'}, reward {reward}"
            + (f" ({parts})" if parts else "")
        )
        for line in verdict.evidence.splitlines():
            say(f"  {line}")
        if verdict.error is not None:
            say(f"  no verdict ({verdict.error.fault}): {verdict.error.kind}: {verdict.error.message}")


def spoken(item: Item) -> tuple[str, str]:
    """The speaker and the text of an item."""
    match item:
        case Message():
            return item.role, item.text or "(empty)"
        case FunctionCall():
            return f"call {item.name}", item.arguments
        case FunctionCallOutput():
            return "result", item.output
        case _:
            return "reasoning", "\n".join(part.text for part in item.content or item.summary)


def clip(text: str, room: int | None = None) -> str:
    """The text on one line, cut to `room` columns, or to the width of the terminal if that is smaller."""
    line = visible(" ".join(text.split()))
    room = min(room, max(_MIN_WIDTH, width() - 10)) if room is not None and sys.stdout.isatty() else room or width()
    return line if len(line) <= room else line[: room - 1] + "…"


def age(created: float, now: float) -> str:
    seconds = max(0, int(now - created))  # the clock may have been set back since
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
