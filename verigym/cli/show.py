"""How things are printed: progress with an ETA, tables, figures with intervals, conversations. Plain text where it is piped."""

import contextlib
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from verigym.core.records import (
    Check,
    Estimate,
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
from verigym.core.words import counted

OUTCOMES = {"pass": "ok  ", "fail": "FAIL", "unclear": "?   ", "skipped": "-   "}
_WIDTH = 110


def say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


def quote(name: object) -> str:
    """A name, id or path as a shell takes it: what has spaces in it stands between quotes."""
    return shlex.quote(str(name))


def next_command(command: str) -> None:
    say(f"next: {command}")


def as_json(value: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar with an ETA on a terminal; nothing where the output is piped. Call it with done, total and a note."""
    if not sys.stderr.isatty():
        yield lambda done, total, note: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}")]
    times = [TimeElapsedColumn(), TextColumn("ETA"), TimeRemainingColumn()]
    with Progress(*columns, *times, console=Console(stderr=True), transient=True) as bar:
        place = bar.add_task(what, total=None, note="")
        yield lambda done, total, note: bar.update(place, completed=done, total=total, note=note)


@contextlib.contextmanager
def episodes(what: str) -> Iterator[Callable[[Any], None]]:
    """The bar of a rollout: counts of what is committed."""
    with progress(what) as update:

        def counts(p: Any) -> None:
            scored = p.judged - p.errors
            rate = f" ({100 * p.passed / scored:.0f}%)" if scored > 0 else ""
            more = (f", errors {p.errors}" if p.errors else "") + (f", ${p.cost:.4f}" if p.cost else "")
            update(p.done, p.total, f"passed {p.passed}{rate}{more}")

        yield counts


def table(rows: Sequence[Sequence[Any]], header: Sequence[str], indent: str = "") -> None:
    """Columns as wide as they need to be; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [all(_is_number(row[i]) for row in cells[1:]) for i in range(len(header))]
    for row in cells:
        shown = [
            cell.rjust(width) if to else cell.ljust(width) for cell, width, to in zip(row, widths, right, strict=True)
        ]
        say(indent + "  ".join(shown).rstrip())


def _is_number(text: str) -> bool:
    return (text[:1] in "$-+0123456789" and any(letter.isdigit() for letter in text)) or not text


def figure(name: str, estimate: Estimate) -> tuple[str, str]:
    """`12.5%` and `7.1% to 20.4%`; seconds, tokens and rewards as numbers, cost in dollars."""
    if name.startswith("cost"):
        return dollars(estimate.value), f"{dollars(estimate.low)} to {dollars(estimate.high)}"
    if name.startswith(("reward", "tokens", "prompt tokens", "latency")):
        return f"{estimate.value:.2f}", f"{estimate.low:.2f} to {estimate.high:.2f}"
    return f"{100 * estimate.value:.1f}%", f"{100 * estimate.low:.1f}% to {100 * estimate.high:.1f}%"


def dollars(value: float) -> str:
    """Three figures that count, without an exponent: `$0.0000382`."""
    return f"${Decimal(f'{value:.3g}'):f}"


def report(found: Report, indent: str = "") -> None:
    rows = [(name, *figure(name, estimate)) for name, estimate in found.metrics.items()]
    table(rows, ("figure", "value", "95% interval"), indent)
    if found.errors:
        say(f"{indent}not scored, and in no figure: {counted(found.errors, 'episode')}")


def findings(found: Sequence[Finding], indent: str = "") -> None:
    rows = [
        (
            finding.bucket,
            finding.count,
            f"{100 * finding.share:.0f}%",
            clip(finding.evidence[0] if finding.evidence else "", 90),
        )
        for finding in found
    ]
    table(rows, ("failure", "episodes", "share", "most frequent reason"), indent)


def checks(found: Sequence[Check], indent: str = "") -> None:
    for check in found:
        paragraph(f"{OUTCOMES[check.outcome]} {check.name}: {check.words}", indent, "     ")


def paragraph(text: str, indent: str = "", hang: str = "") -> None:
    """Text in lines that a terminal shows whole."""
    say(textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=indent + hang))


def conversation(task: Task | None, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> None:
    """An episode as a person reads it, then how it was judged."""
    agent = next((turn.agent for turn in trajectory.turns if turn.actor == "policy"), "-")
    say(
        f"trajectory {trajectory.id}",
        f"agent {agent} · stop {trajectory.stop} · {trajectory.seconds:.2f} s"
        + (f" · ${trajectory.cost:.6f}" if trajectory.cost else ""),
    )
    for place, item in enumerate(trajectory.items):
        speaker, text = spoken(item)
        say("", f"[{speaker}]", *(f"  {line}" for line in text.splitlines()))
        for mark in trajectory.marks:
            if mark.item == place:
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
    """Who speaks, and what."""
    match item:
        case Message():
            return item.role, item.text or "(empty)"
        case FunctionCall():
            return f"call {item.name}", item.arguments
        case FunctionCallOutput():
            return "result", item.output
        case _:
            return "reasoning", "\n".join(part.text for part in item.content or item.summary)


def clip(text: str, width: int = _WIDTH) -> str:
    """One line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def age(created: float, now: float) -> str:
    seconds = int(now - created)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
