"""Traces: production conversations by day, with how each one ended, what people said of it, and the version that answered.

Feedback is the one thing that this page writes, through the same code as the gateway. A trace itself never changes.
"""

import sys
import urllib.parse
from collections.abc import Mapping, Set
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct

from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Feedback, Item, Message
from verigym.draw.columns import Change
from verigym.draw.svg import Drawing
from verigym.draw.timeline import Step as Bar
from verigym.draw.timeline import timeline
from verigym.mining.proposals import MiningSummary
from verigym.traces.feedback import keep_feedback, new_feedback
from verigym.traces.redaction import Redaction
from verigym.view import traces
from verigym.view.feedback_index import feedback_index
from verigym.view.forms import Form, FormData, Next
from verigym.view.keyset import row_number
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.mined import known_proposals
from verigym.view.read import Reader
from verigym.view.text import clip
from verigym.view.traces import SIGNALS, Champion, Listed, Search, TraceRun

_PAGE = 50
_DAYS = 60
"""Days that the picture shows."""
_CHIPS = 14
"""Days that can be chosen with one press."""
OUTCOMES = {"failure": "failed", "success": "succeeded", "error": "server error", "unknown": "unknown"}
FEEDBACK = {
    "any": "any",
    "failure": "said it failed",
    "success": "said it worked",
    "correction": "with a correction",
    "note": "with a note",
    "none": "none",
}
_SIGNS = {"failure": "failed", "success": "passed", "error": "error", "unknown": "missing"}
"""The sign that stands for an outcome."""


class FeedbackLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    outcome: str = ""
    note: str = ""
    intervention: str = ""
    correction: str = ""
    who: str = ""
    when: str = ""


class TaskTag(Struct, frozen=True, kw_only=True):
    """What mining made of a trace."""

    words: str
    href: str
    """Empty if the task has no page yet."""
    task: str


class TraceRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    href: str
    day: str
    began: float = 0.0
    """0 if only the day is known."""
    outcome: str
    sign: str
    request: str
    reply: str
    turns: int = 0
    latency_s: float = 0.0
    versions: list[Link] = []
    role: str = ""
    """`champion`, or `beside the champion` for a canary or a version that was served by itself. Empty if not known."""
    signals: list[str] = []
    interventions: list[str] = []
    feedback: list[FeedbackLine] = []
    rules: str = ""
    """The redaction rules."""
    source: str = ""
    task: TaskTag | None = None
    """What became of it."""


class DayRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    day: str
    href: str
    count: int
    failed: int


class Choice(Struct, frozen=True, kw_only=True):
    words: str
    href: str
    current: bool = False


class Filter(Struct, frozen=True, kw_only=True):
    name: str
    choices: list[Choice]


class TracesPage(PageData, frozen=True, kw_only=True):
    day: str
    total: int
    """Traces of the chosen day, or of all days."""
    failed: int
    rows: list[TraceRow]
    read: int
    """Traces that were looked at for this page."""
    narrowed: bool
    days: list[DayRow]
    """Newest first."""
    hours: list[tuple[int, int, int]] = []
    """Hour of the chosen day, conversations that began in it, and failed ones. Empty if no times are known."""
    changes: list[tuple[float, str]] = []
    """Position in the picture and words of each change of the champion."""
    filters: list[Filter] = []
    hidden: dict[str, str] = {}
    """The parameters that the search box keeps."""
    q: str = ""
    first: str = ""
    after: str = ""
    here: str = ""
    """The address of this page, to return to."""
    who: str = ""
    said: str = ""
    note: str = ""
    """What the reader should know about this list."""

    @property
    def picture(self) -> Drawing:
        changes = [Change(place, words) for place, words in self.changes]
        if self.hours:
            bars = [Bar(f"{hour:02}:00", count, failed) for hour, count, failed in self.hours]
            return timeline(bars, changes, title=f"Conversations per hour on {self.day}, UTC")
        bars = [Bar(one.day[5:], one.count, one.failed, one.href) for one in reversed(self.days)]
        return timeline(bars, changes, title="Conversations per day, UTC")


def traces_page(reader: Reader, query: Query) -> TracesPage:
    day = query.get("day")
    search = Search(
        query.choice("outcome", "", *OUTCOMES),
        query.choice("feedback", "", *FEEDBACK),
        query.get("version"),
        query.choice("signal", "", *SIGNALS),
        query.get("q").strip(),
    )
    every = traces.runs_of_traces(reader)
    runs = [run for run in every if day in ("", run.day)]
    history = traces.champions(reader)
    found = traces.find(reader, runs, search, query.get("after"), _PAGE)
    failed = traces.failed_ids(reader, runs)
    days = _days(runs, failed, query)
    hours = _hours(reader, runs, failed) if day else []
    narrowed = any(search) or bool(day)
    began = traces.began(reader, [one.trace.id for one in found.rows])
    tags = _tags(reader, [one.trace.id for one in found.rows])
    total = sum(run.size for run in runs)
    return TracesPage(
        title=f"Traces of {day}" if day else "Traces",
        command=_command(runs, found.rows),
        crumbs=[Link("Traces", url("/traces"))] if day else [],
        day=day,
        total=total,
        failed=sum(map(len, failed.values())),
        rows=[_row(reader, one, began.get(one.trace.id, 0.0), history, tags) for one in found.rows],
        read=found.read,
        narrowed=narrowed,
        days=days,
        hours=hours,
        changes=_changes(reader, history, day, days, hours),
        filters=_filters(reader, query, every, found.rows),
        hidden={name: value for name, value in query.with_(q=None, after=None, said=None).items()},
        q=search.q,
        first=url("/traces", **query.with_(after=None, said=None)) if query.get("after") else "",
        after=url("/traces", **query.with_(after=found.more, said=None)) if found.more else "",
        here=url("/traces", **query.with_(said=None)),
        who=query.who,
        said="Your feedback is stored." if query.choice("said", "", "stored") else "",
        note=_note(runs, bool(day), bool(hours)),
        live=f"traces:{reader.one('SELECT max(rowid) FROM trajectories') or 0}" if every else "",
        empty=_empty(every, found.rows, day, narrowed),
        fill=[] if every else ["verigym serve champion", "verigym ingest LOGS.jsonl"],
    )


def _row(reader: Reader, one: Listed, began: float, history: list[Champion], tags: dict[str, TaskTag]) -> TraceRow:
    trace, told = one.trace, one.feedback
    standing = trace.standing(told)
    return TraceRow(
        id=trace.id,
        href=url("/t/", trace.id),
        day=one.run.day,
        began=began,
        outcome=OUTCOMES[standing],
        sign=_SIGNS[standing],
        request=clip(trace.request, 300) or "(no message of a user)",
        reply=clip(trace.reply, 300) or "(no reply)",
        turns=len(trace.turns),
        latency_s=trace.latency_s,
        versions=[reader.version_link(id) for id in trace.versions],
        role=_role(trace.versions, history, began, one.run),
        signals=[SIGNALS[name] for name in trace.signals(told)],
        interventions=[clip(words, 200) for words in trace.interventions],
        feedback=[_line(each) for each in told],
        rules=trace.redacted,
        source=trace.source,
        task=tags.get(trace.id),
    )


def _line(feedback: Feedback) -> FeedbackLine:
    return FeedbackLine(
        outcome={"failure": "failed", "success": "worked"}.get(feedback.outcome, ""),
        note=feedback.note,
        intervention=feedback.intervention,
        correction=traces.said(feedback.correction),
        who=feedback.who,
        when=feedback.when,
    )


def _role(versions: list[str], history: list[Champion], began: float, run: TraceRun) -> str:
    if not versions or not history or run.from_files:
        return ""
    if began:
        then = {traces.champion_at(history, began)}
    else:
        start = datetime.fromisoformat(run.day).replace(tzinfo=UTC)
        end = (start + timedelta(days=1)).timestamp()
        then = {traces.champion_at(history, start.timestamp()), traces.champion_at(history, end)}
    if then == {""}:
        return ""
    return "champion" if versions[-1] in then else "beside the champion"


_TAGS = {
    "taken": "became a {}",
    "accepted": "accepted as a {}",
    "open": "proposed as a {}",
    "rejected": "proposal rejected",
}
"""What the tag says of a proposal, the furthest state first."""


class _StoredProposal(Struct, frozen=True):
    """What the list needs of a proposal."""

    id: str
    environment: str
    trajectories: list[str] = []
    case: Any = None


class _ProposalHead(NamedTuple):
    id: str
    environment: str
    is_case: bool


def _tags(reader: Reader, traces: list[str]) -> dict[str, TaskTag]:
    """What mining made of each trace: a proposal with its state, or a task that existed before."""

    def read() -> dict[str, list[_ProposalHead]]:
        found: dict[str, list[_ProposalHead]] = {}
        for _, one in reader.each_document("proposal", _StoredProposal):
            head = _ProposalHead(one.id, sys.intern(one.environment), one.case is not None)
            for trace in one.trajectories:
                found.setdefault(trace, []).append(head)
        return found

    proposals = reader.kept("proposals of traces", reader.state_of("proposal"), read)
    newest = {one.environment: one for one in reader.documents("mining", MiningSummary)}
    tags: dict[str, TaskTag] = {}
    for trace in traces:
        made = proposals.get(trace, [])
        stands = next((one.tasks[trace] for one in newest.values() if trace in one.tasks), "")
        if made:
            states = [(known_proposals(reader, one.environment).state(one.id), one) for one in made]
            state, one = min(states, key=lambda pair: list(_TAGS).index(pair[0]))
            words = _TAGS[state].format("case" if one.is_case else "task")
            tags[trace] = TaskTag(words=words, href=url("/mined/", one.environment, proposal=one.id), task=one.id)
        elif stands:
            played = reader.one("SELECT 1 FROM trajectories WHERE task = ? LIMIT 1", stands)
            href = url("/task/", stands) if played else ""
            tags[trace] = TaskTag(words=f"tested by {clip(stands, 40)}", href=href, task=stands)
    return tags


def _days(runs: list[TraceRun], failed: Mapping[str, Set[str]], query: Query) -> list[DayRow]:
    by_day: dict[str, list[TraceRun]] = {}
    for run in runs:
        by_day.setdefault(run.day, []).append(run)
    return [
        DayRow(
            day=day,
            href=url("/traces", **query.with_(day=day, after=None, said=None)),
            count=sum(run.size for run in several),
            failed=sum(len(failed[run.id]) for run in several),
        )
        for day, several in list(by_day.items())[:_DAYS]
    ]


def _hours(reader: Reader, runs: list[TraceRun], failed: Mapping[str, Set[str]]) -> list[tuple[int, int, int]]:
    """Each hour of the day. Empty unless the gateway noted when conversations began."""
    counts = [traces.by_hour(reader, run.id, failed[run.id]) for run in runs if not run.from_files]
    if not any(counts):
        return []
    return [
        (hour, sum(one.get(hour, (0, 0))[0] for one in counts), sum(one.get(hour, (0, 0))[1] for one in counts))
        for hour in range(24)
    ]


def _changes(
    reader: Reader, history: list[Champion], day: str, days: list[DayRow], hours: list[tuple[int, int, int]]
) -> list[tuple[float, str]]:
    """Where the champion changed, as positions among the bars."""
    places: list[tuple[float, str]] = []
    shown = [one.day for one in reversed(days)]
    for one in history:
        moment = datetime.fromtimestamp(one.when, UTC)
        name = moment.date().isoformat()
        if name not in ([day] if hours else shown):
            continue
        part = (moment.hour * 60 + moment.minute) / 1440
        words = f"{reader.label(one.version) or 'no version'} became the champion, {moment:%Y-%m-%d %H:%M}"
        places.append((24 * part if hours else shown.index(name) + part, words))
    return places


def _filters(reader: Reader, query: Query, runs: list[TraceRun], rows: list[Listed]) -> list[Filter]:
    def choices(name: str, values: dict[str, str]) -> list[Choice]:
        now = query.get(name)
        all = {"": "all", **values, **({now: clip(now, 24)} if now and now not in values else {})}
        kept = query.with_(after=None, said=None) | {name: ""}
        return [
            Choice(words=words, href=url("/traces", **(kept | {name: value})), current=value == now)
            for value, words in all.items()
        ]

    days = list(dict.fromkeys(run.day for run in runs))[:_CHIPS]
    versions = [*(id for one in rows for id in one.trace.versions), *(one.version for one in traces.champions(reader))]
    known = {id: clip(reader.label(id), 24) for id in dict.fromkeys(versions) if id}
    return [
        Filter(name="Day", choices=choices("day", {day: day for day in days})),
        Filter(name="Outcome", choices=choices("outcome", OUTCOMES)),
        Filter(name="Feedback", choices=choices("feedback", FEEDBACK)),
        Filter(name="Sign of trouble", choices=choices("signal", SIGNALS)),
        *([Filter(name="Version", choices=choices("version", known))] if known else []),
    ]


def _note(runs: list[TraceRun], one_day: bool, hours: bool) -> str:
    files = [run.id for run in runs if run.from_files]
    if not files:
        return (
            "" if hours or not one_day else "The times of these conversations are not stored. Only their day is known."
        )
    return f"{', '.join(files[:3])}: read from files. The day is the one on which the files were read."


def _empty(every: list[TraceRun], rows: list[Listed], day: str, narrowed: bool) -> str:
    if not every:
        return "No production conversation is stored in this workspace yet. The gateway captures them, or you import log files."
    if rows or not narrowed:
        return ""
    if day and day not in {run.day for run in every}:
        return f"No conversation of {day} is stored. Choose another day."
    return "No conversation fits these filters. Remove one of them, or continue the search below if it is not finished."


def _command(runs: list[TraceRun], rows: list[Listed]) -> str:
    run = rows[0].run.id if rows else runs[0].id if runs else ""
    return typed("trajectories", "list", run) if run else "verigym runs list"


# -- feedback -------------------------------------------------------------------------------------------------------


def save(reader: Reader, form: FormData) -> Next:
    """Stores feedback on a trace. Pressing twice stores it once."""
    id, who = form.get("trace"), form.get("who", most=200).strip() or form.query.who
    run = reader.one(
        "SELECT run FROM trajectories WHERE id = ? AND run IN (SELECT id FROM runs WHERE kind = 'traces')", id
    )
    if run is None:
        raise NotFound(
            f'No production conversation has the id "{id[:200]}". It was deleted, or the page is older than the store. '
            "Nothing was written"
        )
    if not who:
        raise BadInput(
            "Feedback needs a name, so that others know who said it. Nothing was written. Go back and fill it in"
        )
    outcome = form.choice("outcome", "", "success", "failure")
    correction: list[Item] = [Message("assistant", text)] if (text := form.get("correction").strip()) else []
    given = new_feedback(
        outcome=outcome,  # type: ignore[arg-type] (checked by choice)
        correction=correction,
        intervention=form.get("intervention").strip(),
        note=form.get("note").strip(),
        who=who,
    )
    redaction = Redaction()
    added = feedback_index(reader).read(reader, [id]).get(id, [])[row_number(form.get("seen")) or 0 :]
    new = redaction.feedback(given)
    if not any(_content(one) == _content(new) for one in added):
        keep_feedback(reader.writable.store, redaction, id, given)
    return Next(_back(form.get("back")), who)


def _content(feedback: Feedback) -> tuple[object, ...]:
    return feedback.outcome, feedback.correction, feedback.intervention, feedback.note, feedback.who


def _back(address: str) -> str:
    """The page that sent the form, with a word that the feedback is stored. Only pages of this view."""
    parts = urllib.parse.urlsplit(address if address.startswith(("/traces?", "/t/")) else "/traces")
    given = {name: value for name, value in urllib.parse.parse_qsl(parts.query) if name != "said"}
    if parts.path.startswith("/t/"):
        return url("/t/", urllib.parse.unquote(parts.path[3:]), **{**given, "said": "stored"})
    return url("/traces", **{**given, "said": "stored"})


PAGES = [Page("/traces", traces_page, "traces.html", "traces")]
FORMS = [Form("/traces/feedback", save)]
