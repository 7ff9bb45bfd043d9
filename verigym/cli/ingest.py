"""ingest: files of production traces into the store, redacted; what cannot be read is set aside with the reason."""

from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.words import counted

_REASONS = 5


def register(app: typer.Typer) -> None:
    app.command()(ingest)


def ingest(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files of traces, plain or gzip, and .eval logs; - reads standard input. "
            "Formats: Chat Completions, Responses, OpenTelemetry, ATIF, NeMo Gym, inspect_ai, messages",
        ),
    ],
    name: Annotated[str, typer.Option("--name", help="Of the run that they go into: traces-NAME")] = "ingested",
    format: Annotated[
        str,
        typer.Option(
            "--format", help="auto (by content), chat, responses, otel, atif, ng_trajectory, inspect or messages"
        ),
    ] = "auto",
    rules: Annotated[
        Path | None, typer.Option("--rules", help="YAML of your own redaction rules: name: regular expression")
    ] = None,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Keep the input too, redacted, in HOME/raw")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Take production traces in: detect their format, redact, store. The same file again changes nothing."""
    from verigym.traces import ingest as take_in
    from verigym.traces.redaction import Redaction

    redaction = Redaction.load(rules)
    ws = workspace(home)
    with show.progress("ingesting") as bar:
        summary = take_in(
            ws.store,
            ws.home,
            files,
            redaction,
            name=name,
            format=format,
            keep_raw=keep_raw,
            on_progress=lambda done, total: bar(done, total, "bytes"),
        )
    if json:
        show.as_json(summary)
    else:
        _say(summary)
    raise typer.Exit(0 if summary.taken else 1)


def _say(summary: Any) -> None:
    from verigym.traces import FORMATS

    found = [f"{FORMATS[name].TITLE if name in FORMATS else name} {count:,}" for name, count in summary.formats.items()]
    if not summary.records:
        show.say(f"{', '.join(summary.files)}: nothing in it")
        return
    rate = f", {summary.taken / summary.seconds:,.0f} a second" if summary.seconds > 1 else ""
    show.say(f"read {counted(summary.records, 'record')} in {summary.seconds:.1f} s{rate}: {', '.join(found)}")
    again = f"; {summary.already:,} were there already" if summary.already else ""
    show.say(f"{summary.run}: {counted(summary.accepted, 'new trajectory')}{again}")
    _counts("outcome", summary.outcomes)
    _counts("seen", summary.marks)
    _counts(f"redacted by {summary.rules}", summary.redactions)
    if summary.raw:
        show.say(f"raw input, redacted: {summary.raw}")
    if summary.quarantined:
        show.say(f"{summary.quarantined:,} could not be read, set aside in {summary.quarantine}:")
        for reason, count in list(summary.reasons.items())[:_REASONS]:
            show.say(f"  {count:,} x {show.clip(reason, 100)}")
        if len(summary.reasons) > _REASONS:
            show.say(f"  and {len(summary.reasons) - _REASONS} more reasons (--json)")
    if summary.taken:
        show.next_command(f"verigym trajectories list {show.quote(summary.run)}")
        show.say("then: verigym mine ENV makes tasks of their failures")
    else:
        show.next_command(f"head -3 {summary.quarantine}")


def _counts(what: str, counts: dict[str, int]) -> None:
    if counts:
        show.say(f"{what}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
