"""ingest: read production traces from files, redact and store them. Unreadable records go to a quarantine file."""

from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, Rules, workspace
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.traces.ingest import IngestSummary

_REASONS = 5


def ingest(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Trace files, plain or gzip, and .eval logs. - reads standard input. "
            "Formats: Chat Completions, Responses, OpenTelemetry, ATIF, NeMo Gym, inspect_ai, messages",
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="Name of the traces. They are stored as run traces-NAME")
    ] = "ingested",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format: auto (by content), chat, responses, otel, atif, ng_trajectory, inspect or messages",
        ),
    ] = "auto",
    rules: Rules = None,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Also store the redacted input in HOME/raw")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Read production traces: detect the format, redact and store. Reading the same file twice changes nothing."""
    summary = workspace(home, create=True).ingest(*files, name=name, format=format, rules=rules, keep_raw=keep_raw)
    if json:
        show.as_json(summary)
    else:
        _say(summary)
    raise typer.Exit(0 if summary.taken else 1)


def _say(summary: "IngestSummary") -> None:
    from verigym.traces import FORMATS

    formats = [
        f"{FORMATS[name].TITLE if name in FORMATS else name} {count:,}" for name, count in summary.formats.items()
    ]
    if not summary.records:
        show.say(f"{', '.join(summary.files)}: no records")
        return
    rate = f", {summary.taken / summary.seconds:,.0f} per second" if summary.seconds > 1 else ""
    show.say(f"read {counted(summary.records, 'record')} in {summary.seconds:.1f} s{rate}: {', '.join(formats)}")
    again = f", {summary.already:,} already stored" if summary.already else ""
    show.say(f"{summary.run}: {counted(summary.accepted, 'new trajectory')}{again}")
    _counts("outcomes", summary.outcomes)
    _counts("fields that look like feedback and were not read", summary.unread)
    if summary.unread:
        show.say('to use them, add "outcome": "success" or "failure" to these records and read the file again')
    _counts("marks", summary.marks)
    _counts(f"redacted by {summary.rules}", summary.redactions)
    if summary.raw:
        show.say(f"raw input, redacted: {summary.raw}")
    if summary.quarantined:
        show.say(f"{summary.quarantined:,} could not be read and are in {summary.quarantine}:")
        for reason, count in list(summary.reasons.items())[:_REASONS]:
            show.say(f"  {count:,} x {show.clip(reason, 100)}")
        if len(summary.reasons) > _REASONS:
            show.say(f"  and {len(summary.reasons) - _REASONS} more reasons (--json lists all)")
    if summary.taken:
        show.next_command(f"verigym trajectories list {show.quote(summary.run)}")
        show.say(show.command("to turn their failures into tasks: verigym mine run ENV"))
    else:
        show.next_command(f"head -3 {summary.quarantine}")


def _counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        show.say(f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
