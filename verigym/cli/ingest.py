"""ingest: read production traces from files, redact and store them. Unreadable records go to a quarantine file."""

from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.options import FeedbackOption, Home, Json, Rules, workspace
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.traces.ingest import IngestSummary

_REASONS = 5


def ingest(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Trace files, plain or gzip, and .eval logs. - reads standard input. "
            "Formats: Chat Completions, Responses, OpenTelemetry, Langfuse, LangSmith, Phoenix, ATIF, NeMo Gym, inspect_ai, "
            "messages",
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="Name of the traces. They are stored as run traces-NAME")
    ] = "ingested",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format: auto (by content), chat, responses, otel, langfuse, langsmith, phoenix, atif, ng_trajectory, inspect "
            "or messages",
        ),
    ] = "auto",
    feedback: FeedbackOption = None,
    rules: Rules = None,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Also store the redacted input in HOME/raw")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Read production traces: detect the format, redact and store. Reading the same file twice changes nothing."""
    summary = workspace(home, create=True).ingest(
        *files, name=name, format=format, feedback=feedback or (), rules=rules, keep_raw=keep_raw
    )
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
    if summary.feedback:
        show.say(f"feedback of people: {summary.feedback:,}")
    _say_unread(summary)
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


def _say_unread(summary: "IngestSummary") -> None:
    """Fields whose values have no known meaning, and the option that gives them one."""
    for field, count in summary.unread.items():
        values = summary.unread_values.get(field, [])
        numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        shown = ", ".join(str(value) for value in values)
        rule = f"{field}>=NUMBER" if len(numbers) == len(values) else f"{field}=GOOD/BAD"
        show.say(f"not used: {field} in {counted(count, 'record')} (values such as {shown}). Its meaning is not known")
        show.say(f"  to use it: --feedback {show.quote(rule)}")
    for field in summary.unused_rules:
        show.say(f'no record has the feedback field "{field}". --feedback names fields as "not used" lists them')


def _counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        show.say(f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
