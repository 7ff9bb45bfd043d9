"""Takes spans in, and joins those of one conversation, else of one trace, into a trajectory.

`accept` redacts spans and writes them to disk before it returns. A thread joins a trace one second after its root span arrived,
or 30 seconds after its last span if the root did not. If more spans arrive later, it joins the trace again and replaces the
trajectory. The id of a trajectory depends only on its conversation or trace, so receiving spans twice changes nothing.
"""

import contextlib
import datetime
import hashlib
import hmac
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, Refused, words_of
from verigym.core.printable import warn
from verigym.core.records import Json
from verigym.store.address import store_of
from verigym.store.database import Store
from verigym.traces.formats import otel
from verigym.traces.formats.opinions import FeedbackRules
from verigym.traces.ingest import feedback_of, trajectory_of
from verigym.traces.otlp.span_database import SpanDatabase, SpanRow, StoredTrace
from verigym.traces.redaction import RedactedToolsets, Redaction

RUN = "traces-otlp-"
"""Prefix of a run id, before the day on which a conversation began. Retention deletes whole days."""
QUIET_S, IDLE_S = 1.0, 30.0
"""Seconds without a new span after which a trace is joined: with its root span, and without."""
_POLL_S, _CLAIM_S, _REPORT_S = 0.25, 5.0, 60.0
_KEPT_S = 24 * 3600.0
"""Seconds for which spans stay after the last one of their trace."""
_MOST_SPANS, _MOST_BYTES = 20_000, 64_000_000
"""Maximum spans and bytes of one trace."""
_MOST_STORED = 4_000_000_000
"""Maximum bytes of all spans that wait or may still get late ones."""
_TRACE, _SPAN = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
_TOKEN = re.compile(r"\[([A-Z][A-Z0-9_]*) ([0-9a-f]{16})\]")
_NUMBERED = re.compile(r"\[([A-Z][A-Z0-9_]*) (\d{1,4})\]")


class Receipt(msgspec.Struct, frozen=True):
    rejected: int
    """Spans that were not stored."""
    message: str
    """Why, and what to do. Empty if all were stored."""


class SpanReceiver:
    def __init__(
        self,
        home: Path,
        redaction: Redaction,
        *,
        keep_days: int | None = None,
        feedback: Sequence[str] = (),
        quiet_s: float = QUIET_S,
        idle_s: float = IDLE_S,
        say: Callable[[str], None] = warn,
    ) -> None:
        self._rules = FeedbackRules(feedback)
        self._redaction, self._keep_days, self._say = redaction, keep_days, say
        self._quiet_s, self._idle_s = quiet_s, idle_s
        self._store = Store(store_of(home))
        self._database = SpanDatabase(home / "spans.db")
        self._hiding = redaction.with_key(self._database.key)
        """Gives the same value the same placeholder in every batch."""
        self._toolsets = RedactedToolsets(redaction)
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._reported: dict[str, float] = {}
        self._day: datetime.date | None = None
        self._exit = contextlib.ExitStack()
        self._claimed, self._claim_again = False, 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="verigym-otlp", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> dict[str, int]:
        """Spans and traces since the start, by what became of them."""
        with self._lock:
            return dict(self._counts)

    def accept(self, document: Json, owner: str) -> Receipt:
        """Stores the spans of an OTLP/JSON document. Raises `InfrastructureFailure` if they cannot be stored now."""
        reasons: Counter[str] = Counter()
        rows = self._rows(document, reasons)
        sizes = self._database.sizes(owner, list({row.trace for row in rows}))
        kept: list[SpanRow] = []
        for row in rows:
            spans, size = sizes.get(row.trace, (0, 0))
            sizes[row.trace] = spans + 1, size + len(row.body)
            if spans >= _MOST_SPANS or size + len(row.body) > _MOST_BYTES:
                reasons[f"a trace may have {_MOST_SPANS:,} spans and {_MOST_BYTES // 10**6} MB"] += 1
            else:
                kept.append(row)
        try:
            if self._database.size > _MOST_STORED and not self._database.forget(time.time() - self._idle_s):
                raise InfrastructureFailure("Too many spans wait to be joined. Send them again later")
            changed = self._database.add(owner, kept, time.time())
        except InfrastructureFailure:
            raise
        except Exception as error:
            raise InfrastructureFailure(f"The spans could not be stored: {words_of(error)}") from error
        rejected = sum(reasons.values())
        with self._lock:
            self._counts.update(stored=changed, duplicate=len(kept) - changed, rejected=rejected)
        words = ". ".join(f"{count} not stored: {reason}" for reason, count in reasons.most_common())
        return Receipt(rejected, words)

    def _rows(self, document: Json, reasons: Counter[str]) -> list[SpanRow]:
        """The spans, redacted. Of spans that are not about models, tools or agents, only their place in the trace is kept."""
        rows: list[SpanRow] = []
        for span in otel.spans_in(document):
            trace, id = span["trace"].lower(), span["span"].lower()
            if not _TRACE.fullmatch(trace) or not _SPAN.fullmatch(id) or not trace.strip("0") or not id.strip("0"):
                reasons["a trace id must have 32 hexadecimal digits and a span id 16"] += 1
                continue
            is_root = not span["parent"].strip("0")
            if not otel.kind_of(span):
                rows.append(SpanRow(trace, id, is_root, b"null"))
                continue
            try:
                hidden = self._hiding.value({**span, "trace": "", "span": "", "parent": ""})
                body = msgspec.json.encode({**hidden, "trace": trace, "span": id})
            except (BadInput, ValueError, RecursionError) as error:
                reasons[f"it cannot be redacted: {words_of(error)}"] += 1
                continue
            rows.append(SpanRow(trace, id, is_root, body))
        return rows

    def flush(self) -> None:
        """Joins every trace that has new spans, complete or not. For the end of a process, and for tests."""
        self._join_all(self._database.unjoined())

    def close(self) -> None:
        """Joins what has arrived. Spans that arrive after a restart join their trace."""
        self._stop.set()
        self._thread.join()
        if self._claim():
            self.flush()
        self._exit.close()
        self._database.close()
        self._store.close()

    def _work(self) -> None:
        while not self._stop.wait(_POLL_S):
            try:
                if self._claim():
                    now = time.time()
                    self._join_all(self._database.due(now - self._quiet_s, now - self._idle_s))
                    self._tidy()
            except Exception as error:  # the next round tries again
                self._report("joining", f"Traces could not be joined: {words_of(error)}. They stay and are tried again")
                self._stop.wait(1.0)

    def _claim(self) -> bool:
        """Whether this process joins traces. Of several servers with one workspace, one does."""
        if not self._claimed and time.monotonic() >= self._claim_again:
            try:
                self._exit.enter_context(self._store.claim("otlp"))
                self._claimed = True
            except Refused:
                self._claim_again = time.monotonic() + _CLAIM_S
        return self._claimed

    def _join_all(self, traces: Sequence[StoredTrace]) -> None:
        done: set[tuple[str, str]] = set()
        for trace in traces:
            if (trace.owner, trace.trace) in done:
                continue
            joined = self._join(trace)
            done |= {(each.owner, each.trace) for each in joined}

    def _join(self, trace: StoredTrace) -> list[StoredTrace]:
        """Joins a trace with the others of its conversation. Returns all of them."""
        members, spans = [trace], self._relevant(trace)
        names = {name for span in spans if (name := otel.conversation_of_span(span))}
        conversation = trace.conversation or ("" if trace.joined or not names else f"conversation {min(names)}")
        if conversation:
            self._database.set_conversation(trace, conversation)
            members = self._database.of_conversation(trace.owner, conversation)
            spans = [span for each in members for span in self._relevant(each)]
        if spans:
            try:
                self._keep(members, conversation or f"trace {trace.trace}", spans)
                self._count("joined")
            except (BadInput, ValueError, OverflowError, KeyError, TypeError) as error:
                self._count("unreadable")
                self._report(words_of(error), f"Trace {trace.trace} was not stored: {words_of(error)}")
        self._database.set_joined(members)
        return members

    def _relevant(self, trace: StoredTrace) -> list[Json]:
        return [span for span in self._database.spans(trace) if span]

    def _keep(self, members: Sequence[StoredTrace], name: str, spans: list[Json]) -> None:
        parsed = otel.trace_of_spans(_numbered(spans))
        day = datetime.datetime.fromtimestamp(min(each.first for each in members), datetime.UTC).date()
        run = f"{RUN}{day}"
        secret = hmac.new(self._database.key, f"{members[0].owner}\n{name}".encode(errors="replace"), hashlib.sha256)
        tools, unchanged = self._toolsets.add(parsed.tools)
        opinions = self._rules.applied(parsed.opinions)
        trajectory = trajectory_of(
            parsed,
            run=run,
            key=secret.hexdigest()[:16],
            tools=tools,
            with_ids=unchanged,
            outcome=self._rules.outcome(opinions, parsed.outcome),
            source=f"otlp:{members[0].trace}",
        )
        trajectory = self._redaction.trajectory(trajectory)
        feedback = feedback_of(trajectory.id, opinions, trajectory.outcome, self._redaction)
        self._store.begin_run(run, "traces", {})
        self._toolsets.store(self._store)
        self._store.add(run, [trajectory])
        if feedback:
            self._store.put_all("feedback", feedback)
        for field, value in self._rules.unread(opinions, trajectory.outcome).items():
            words = f'The feedback field "{field}" (value {str(value)[:40]}) has no known meaning and was not used'
            self._report(field, f"{words}. Pass --feedback '{field}>=NUMBER' or '{field}=GOOD/BAD' to use it")

    def _tidy(self) -> None:
        """Finishes the runs of earlier days, and deletes expired runs and spans, once a day."""
        today = datetime.datetime.now(datetime.UTC).date()
        if today == self._day:
            return
        first = "" if self._keep_days is None else f"{RUN}{today - datetime.timedelta(days=self._keep_days)}"
        for run in self._store.runs():
            if run.kind == "traces" and run.id.startswith(RUN):
                if run.id < first:
                    self._store.delete_run(run.id)
                elif run.id < f"{RUN}{today}" and run.finished is None:
                    self._store.finish_run(run.id)
        self._database.forget(time.time() - _KEPT_S)
        self._day = today

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1

    def _report(self, reason: str, words: str) -> None:
        now = time.monotonic()
        if now - self._reported.get(reason, -_REPORT_S) >= _REPORT_S and len(self._reported) < 1000:
            self._reported[reason] = now
            self._say(f"traces: {words}")


def _numbered(spans: list[Json]) -> list[Json]:
    """The spans with numbered placeholders: `[EMAIL 91c0...]` is `[EMAIL 1]`. Numbers that a sender wrote are not used again."""
    spans = sorted(spans, key=lambda span: (span["start"], span["end"], span["span"]))
    text = msgspec.json.encode(spans).decode()
    if not _TOKEN.search(text):
        return spans
    last: Counter[str] = Counter()
    for name, written in _NUMBERED.findall(text):
        last[name] = max(last[name], int(written))
    numbers: dict[tuple[str, str], int] = {}

    def number(match: re.Match[str]) -> str:
        key: Any = match.group(1, 2)
        if key not in numbers:
            last[key[0]] += 1
            numbers[key] = last[key[0]]
        return f"[{key[0]} {numbers[key]}]"

    return msgspec.json.decode(_TOKEN.sub(number, text))
