"""Ingests trace files: the matching format reads each value, which is then redacted and stored under its content hash.

A value that cannot be read goes to quarantine with its position and the reason. A trajectory's id is a keyed hash of its
conversation, so reading a file twice, or again after a kill, gives the same store. The last reading counts.
"""

import contextlib
import hashlib
import hmac
import io
import itertools
import os
import re
import secrets
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, InfrastructureFailure, not_found, words_of
from verigym.core.printable import Printable
from verigym.core.records import Feedback, Mark, Trajectory, content_hash
from verigym.store.database import Store
from verigym.traces.formats import (
    atif,
    chat,
    inspect_eval,
    langfuse,
    langsmith,
    messages,
    ng_trajectory,
    otel,
    phoenix,
    responses,
)
from verigym.traces.formats.opinions import FeedbackRules, Opinion
from verigym.traces.formats.trace import FormatReader, ParsedTrace, TracePart, marks_of, stop_of
from verigym.traces.input_files import InputFile, InputValue, UnreadableValue
from verigym.traces.redaction import RedactedToolsets, Redaction, without_ids
from verigym.wire.values import kind_of

READERS: list[FormatReader] = [
    *(phoenix, otel, langfuse, langsmith, atif, ng_trajectory, inspect_eval),
    *(chat, responses, messages),
]
"""In the order in which they are tried on a value."""
FORMATS = {reader.NAME: reader for reader in READERS}
_JOIN = {reader.NAME: reader.join for reader in (phoenix, otel, langfuse, langsmith, chat, responses, messages)}
"""Functions that join parts, for the formats that have them."""
_NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_BATCH = 500
"""Trajectories per transaction."""
_MOST = 20_000
"""Maximum records per conversation."""
_SHOWN = 100_000
"""Maximum characters of a quarantined value."""
_REVEALING_KEYS = re.compile(
    r"(?:top_|prompt_)?logprobs|(?:prompt_|completion_)?token_ids|bytes|chunks|events|stream|delta"
)
"""Keys of token ids, logprobs and streamed pieces, which would reveal redacted text."""
_WHAT_TO_DO = (
    'Write the conversation as {"messages": [{"role", "content"}, ...]}, or see docs/how-to/traces.md for the formats'
)
_VALUES = 5
"""Values of a field with an unknown meaning that the summary shows."""
RESERVED = ("served-", "otlp-")
"""Beginnings of names that belong to the server."""
_MEMORY = 64 * 1024 * 1024
"""Maximum bytes of the parts of incomplete trajectories in memory."""


class LocatedPart(NamedTuple):
    """A part with its position in the input."""

    file: str
    position: str
    value: Any


class IngestSummary(Printable, Struct, kw_only=True):
    run: str
    files: list[str] = []
    records: int = 0
    """Values read, both ingested and quarantined."""
    taken: int = 0
    accepted: int = 0
    """New trajectories."""
    already: int = 0
    """Trajectories that were stored before, or occur twice."""
    quarantined: int = 0
    formats: dict[str, int] = {}
    """Records by detected format."""
    reasons: dict[str, int] = {}
    """Quarantined records by reason."""
    redactions: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    unread: dict[str, int] = {}
    """Fields that look like feedback and have no known meaning, by name."""
    unread_values: dict[str, list[Any]] = {}
    """Some of their values."""
    feedback: int = 0
    """Feedback of people that was stored beside the trajectories."""
    unused_rules: list[str] = []
    """Fields that a feedback rule names and no record has."""
    marks: dict[str, int] = {}
    rules: str = ""
    quarantine: str = ""
    raw: str = ""
    seconds: float = 0.0


def ingest(
    store: Store,
    home: Path,
    files: Sequence[str],
    redaction: Redaction,
    *,
    name: str = "ingested",
    format: str = "auto",
    keep_raw: bool = False,
    feedback: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> IngestSummary:
    """`feedback` are rules for fields whose values have no known meaning, such as `rating>=4`. Calls `on_progress` with the bytes
    read and the total bytes after each commit."""
    for file in files:
        if file != "-" and not Path(file).exists():
            raise BadInput(f"{file} does not exist. Nothing was read. Name trace files, or - for standard input")
    if format != "auto" and format not in FORMATS:
        raise not_found("format", format, ["auto", *FORMATS])
    if not _NAMES.fullmatch(name) or name.startswith(RESERVED):
        raise BadInput(
            f'"{name}" is not a valid name for traces. Use at most 100 letters, digits, dots, _ and -. '
            f"Begin with a letter or digit. Names that begin with {' or '.join(RESERVED)} are reserved"
        )
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    rules = FeedbackRules(feedback)
    files = list(dict.fromkeys(files))
    inputs = [InputFile(file) for file in files]
    run = f"traces-{name}"
    began, total = time.monotonic(), sum(file.size for file in inputs)
    with store.claim(run), _explained_write_errors(home):
        work = _Ingestion(store, home, redaction, run, name, format, keep_raw, rules)
        try:
            for file in inputs:
                for entry in file.values():
                    work.take(file.name, entry)
                    if work.due:
                        work.commit()
                        on_progress(sum(file.at for file in inputs), total)
            work.join()
            work.commit()
            return work.close(files, time.monotonic() - began)
        finally:
            work.abandon()


@contextlib.contextmanager
def _explained_write_errors(home: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InfrastructureFailure(
            f"A file in {home} could not be written ({reason}). Stored traces are kept. Free disk space and run it again"
        ) from error


class _Ingestion:
    """The state of one ingestion: the batch to commit, incomplete trajectories, and counts."""

    def __init__(
        self,
        store: Store,
        home: Path,
        redaction: Redaction,
        run: str,
        name: str,
        format: str,
        keep_raw: bool,
        rules: FeedbackRules,
    ) -> None:
        self._store, self._redaction, self._run = store, redaction, run
        self._readers = READERS if format == "auto" else [FORMATS[format]]
        self._key = _key(home)
        self._rules = rules
        self._batch: dict[str, Trajectory] = {}
        self._feedback: dict[str, Feedback | None] = {}
        """Feedback of the batch, by document id. None for one that says nothing, which an earlier reading may have stored."""
        self._pieces = PartAssembler()
        self._toolsets = RedactedToolsets(redaction)
        self._quarantine = SidecarFile(home / "quarantine" / f"{name}.jsonl")
        self._raw = SidecarFile(home / "raw" / f"{name}.jsonl") if keep_raw else None
        self._beside = Redaction(redaction.rules)
        """For sidecar files, so that the summary counts only redactions in trajectories."""
        self._formats, self._reasons = Counter[str](), Counter[str]()
        self._outcomes, self._marks, self._unread = Counter[str](), Counter[str](), Counter[str]()
        self._summary = IngestSummary(run=run, rules=redaction.name)

    @property
    def due(self) -> bool:
        return len(self._batch) >= _BATCH

    def take(self, file: str, entry: InputValue | UnreadableValue) -> None:
        if isinstance(entry, UnreadableValue):
            self._summary.records += 1
            self._formats["unknown"] += 1
            self._refuse(file, entry.position, entry.reason, entry.raw)
            return
        reader, results, reason = self._read(entry.value)
        self._summary.records += max(len(results), 1)
        self._formats[reader.NAME if reader else "unknown"] += max(len(results), 1)
        if reason:
            self._refuse(file, entry.position, reason, entry.value)
        for result in results:
            assert reader is not None
            if isinstance(result, TracePart):
                self._pieces.add(reader.NAME, result.key, LocatedPart(file, entry.position, result.value))
            else:
                self._keep(result, [LocatedPart(file, entry.position, entry.value)])
        if self._raw is not None and results:
            self._raw.add(SidecarEntry(file=file, line=entry.position, text=self._shown(entry.value)))

    def _read(self, value: Any) -> tuple[FormatReader | None, list[ParsedTrace | TracePart], str]:
        """The reader of a value, the traces and parts that it returned, and the reason if there are none."""
        reader = next((reader for reader in self._readers if reader.fits(value)), None)
        if reader is None:
            return None, [], self._unknown(value)
        results, reason = _run_reader(reader, lambda: reader.read(value))
        return reader, results, reason or ("" if results else "it holds no trace")

    def join(self) -> None:
        """Joins the parts of incomplete trajectories."""
        while self._pieces:
            groups, self._pieces = self._pieces.groups(), PartAssembler()
            for format, key, pieces in groups:
                self._join(FORMATS[format], key, pieces)
                if self.due:
                    self.commit()

    def _join(self, reader: FormatReader, key: str, pieces: list[LocatedPart]) -> None:
        if len(pieces) > _MOST:
            results = []
            reason = f"more than {_MOST:,} records name this conversation. Give each conversation its own id"
        else:
            results, reason = _run_reader(reader, lambda: _JOIN[reader.NAME](key, [piece.value for piece in pieces]))
        located = {id(piece.value): piece for piece in pieces}
        for result in results:
            if isinstance(result, TracePart):
                self._pieces.add(reader.NAME, result.key, located[id(result.value)])
            else:
                self._keep(result, pieces)
        for piece in pieces if reason else ():
            self._refuse(piece.file, piece.position, reason, piece.value)

    def _keep(self, trace: ParsedTrace, pieces: list[LocatedPart]) -> None:
        opinions = self._rules.applied(trace.opinions)
        try:
            trajectory = self._redaction.trajectory(self._trajectory(trace, opinions, pieces[0]))
            feedback = feedback_of(trajectory.id, opinions, trajectory.outcome, self._redaction)
        except (BadInput, ValueError, OverflowError) as error:
            for piece in pieces:
                self._refuse(piece.file, piece.position, str(error), piece.value)
            return
        self._summary.taken += len(pieces)
        if (before := self._batch.get(trajectory.id)) is not None:
            self._summary.already += 1
            trajectory = _with_earlier_outcome(trajectory, before)
        self._batch[trajectory.id] = trajectory
        self._feedback |= feedback
        for field, value in self._rules.unread(opinions, trajectory.outcome).items():
            self._unread[field] += 1
            seen = self._summary.unread_values.setdefault(field, [])
            if value not in seen and len(seen) < _VALUES:
                seen.append(self._hidden(value)[:40] if isinstance(value, str) else value)

    def _trajectory(self, trace: ParsedTrace, opinions: list[Opinion], piece: LocatedPart) -> Trajectory:
        if not trace.items and trace.error is None:
            raise BadInput("it holds no messages")
        original = [item for index, item in enumerate(trace.items) if index not in trace.copied]
        tools, unchanged = self._toolsets.add(trace.tools)
        return trajectory_of(
            trace,
            run=self._run,
            key=hmac.new(self._key, content_hash(original or trace.items).encode(), hashlib.sha256).hexdigest()[:16],
            tools=tools,
            with_ids=unchanged,
            outcome=self._rules.outcome(opinions, trace.outcome),
            source=f"{piece.file}:{piece.position}",
        )

    def commit(self) -> None:
        if not self._batch:
            return
        self._store.begin_run(self._run, "traces", {})
        self._toolsets.store(self._store)
        known = self._store.known_trajectories(self._batch)
        for id in known:
            if not self._batch[id].outcome:
                self._batch[id] = _with_earlier_outcome(self._batch[id], self._store.trajectory(id)[1])
        self._store.add(self._run, self._batch.values())
        if self._feedback:
            self._store.put_all("feedback", self._feedback)
        self._summary.feedback += sum(record is not None for record in self._feedback.values())
        self._summary.accepted += len(self._batch) - len(known)
        self._summary.already += len(known)
        for trajectory in self._batch.values():
            self._outcomes[trajectory.outcome or "unknown"] += 1
            self._marks.update({mark.kind for mark in trajectory.marks})
        self._batch, self._feedback = {}, {}

    def close(self, files: list[str], seconds: float) -> IngestSummary:
        summary = self._summary
        summary.quarantined = self._quarantine.count
        summary.quarantine = str(self._quarantine.path) if self._quarantine.count else ""
        summary.raw = str(self._raw.path) if self._raw is not None and self._raw.count else ""
        self._quarantine.close(set(files))
        if self._raw is not None:
            self._raw.close(set(files))
        self._store.finish_run(self._run)
        summary.files, summary.seconds = files, seconds
        summary.formats, summary.reasons = dict(self._formats.most_common()), dict(self._reasons.most_common())
        summary.unread, summary.unused_rules = dict(self._unread.most_common()), sorted(self._rules.unused)
        summary.outcomes, summary.marks = dict(self._outcomes.most_common()), dict(self._marks.most_common())
        summary.redactions = dict(self._redaction.counts.most_common())
        return summary

    def abandon(self) -> None:
        self._quarantine.abandon()
        if self._raw is not None:
            self._raw.abandon()

    def _unknown(self, value: Any) -> str:
        if len(self._readers) == 1:
            return f"not {self._readers[0].TITLE}"
        if not isinstance(value, dict):
            return f"unknown format: the record is {kind_of(value)}, not an object"
        keys = ", ".join(sorted(value)[:8]) or "none"
        return f"unknown format: the fields are {self._hidden(keys)[:120]}. {_WHAT_TO_DO}"

    def _refuse(self, file: str, position: str, reason: str, value: Any) -> None:
        reason = self._hidden(reason)[:300]
        self._reasons[_kind(reason)] += 1
        self._quarantine.add(SidecarEntry(file=file, line=position, reason=reason, text=self._shown(value)[:_SHOWN]))

    def _shown(self, value: Any) -> str:
        """The redacted input. A line that could not be read is text."""
        text = value if isinstance(value, str) else msgspec.json.encode(_without_tokens(value)).decode()
        return self._hidden(text)

    def _hidden(self, text: str) -> str:
        """The redacted text, or a note if it cannot be redacted."""
        try:
            return self._beside.text(text)
        except BadInput as error:
            return f"removed: {error}"


def trajectory_of(
    trace: ParsedTrace, *, run: str, key: str, tools: str, with_ids: bool, outcome: str, source: str
) -> Trajectory:
    """The trajectory of a trace, not yet redacted. `tools` is the hash of its toolset, `with_ids` whether token ids are kept."""
    failed = {mark.item for mark in trace.marks if mark.kind == "tool_error"}
    seen = [mark for mark in marks_of(trace.items, trace.tools) if mark.kind != "executed" or mark.item not in failed]
    copied = [Mark("copied_context", index) for index in sorted(trace.copied)]
    return Trajectory(
        id=f"{run}/{key}",
        task=key,
        group=key,
        items=trace.items,
        tools=tools,
        turns=trace.turns if with_ids else [without_ids(turn) for turn in trace.turns],
        marks=[*trace.marks, *seen, *copied],
        rewards=trace.rewards,
        end_state=codec.plain(trace.end_state) if trace.end_state else {},
        outcome=outcome,
        interventions=trace.interventions,
        stop=stop_of(trace.turns, trace.error),
        error=trace.error,
        seconds=trace.seconds,
        cost=trace.cost,
        gaps=trace.gaps,
        source=source,
    )


def feedback_of(
    trajectory: str, opinions: Sequence[Opinion], outcome: str, redaction: Redaction
) -> dict[str, Feedback | None]:
    """The feedback of people on a trajectory, redacted, by document id. The id names the field, the time and the person, so that
    reading a file again with other rules replaces it. Opinions that disagree give no outcome. None says nothing at all."""
    records: dict[str, Feedback | None] = {}
    numbers: Counter[tuple[str, str, str]] = Counter()
    for opinion in (each for each in opinions if each.by_person):
        origin = opinion.field, opinion.when, opinion.who
        id = content_hash([trajectory, *origin, numbers[origin]])[:16]
        numbers[origin] += 1
        agreed = opinion.outcome if opinion.outcome == outcome else ""
        if not (agreed or opinion.note or opinion.correction):
            records[id] = None
            continue
        record = Feedback(
            trajectory=trajectory,
            outcome=agreed,
            correction=opinion.correction,
            note=opinion.note,
            who=opinion.who,
            when=opinion.when,
        )
        records[id] = redaction.feedback(record)
    return records


def _with_earlier_outcome(now: Trajectory, before: Trajectory) -> Trajectory:
    """The last reading of a conversation, with the outcome of the first if the last has none."""
    return now if now.outcome else msgspec.structs.replace(now, outcome=before.outcome)


def _run_reader(
    reader: FormatReader, read: Callable[[], Iterator[ParsedTrace | TracePart]]
) -> tuple[list[ParsedTrace | TracePart], str]:
    """The reader's results, or the reason why it has none. A reader that crashes loses only this input."""
    try:
        return list(read()), ""
    except BadInput as error:
        return [], str(error)
    except Exception as error:
        return [], f"the reader of {reader.TITLE} failed: {type(error).__name__}: {words_of(error)}"


def _key(home: Path) -> bytes:
    """The key for hashing ids. It stays in the workspace, so that others cannot guess a redacted number or address by trying
    values until the hash matches."""
    path = home / "ingest.key"
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=home) as whole:  # its mode is 0600
            whole.write(secrets.token_bytes(32))
            whole.flush()
            with contextlib.suppress(FileExistsError):  # another process created it first
                os.link(whole.name, path)
    return path.read_bytes()


def _without_tokens(value: Any) -> Any:
    """A value without token ids, logprobs and streamed pieces."""
    if isinstance(value, dict):
        return {key: _without_tokens(inner) for key, inner in value.items() if not _REVEALING_KEYS.fullmatch(key)}
    if isinstance(value, list):
        return [_without_tokens(inner) for inner in value]
    return value


_DETAIL = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def _kind(reason: str) -> str:
    """A reason without the details of one line."""
    for kind in ("not JSON", "unknown format"):
        if reason.startswith(kind):
            return kind
    return _DETAIL.sub("…", reason)[:120]


class PartAssembler:
    """Groups the parts of trajectories that are scattered over the input, in a temporary database.

    SQLite holds it in memory up to a limit. Beyond that it uses a file without a name, so a killed process leaves none behind.
    """

    def __init__(self, limit: int = _MEMORY) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(
            f"""PRAGMA cache_size = -{limit // 1024};
            CREATE TABLE groups (id INTEGER PRIMARY KEY, format TEXT, key TEXT, UNIQUE (format, key));
            CREATE TABLE parts (group_id INTEGER, body BLOB);
            CREATE INDEX parts_by_group ON parts (group_id);
            BEGIN"""
        )
        self._is_empty = True

    def __bool__(self) -> bool:
        return not self._is_empty

    def add(self, format: str, key: str, part: LocatedPart) -> None:
        self._database.execute("INSERT OR IGNORE INTO groups (format, key) VALUES (?, ?)", [format, key])
        insert = "INSERT INTO parts SELECT id, ? FROM groups WHERE format = ? AND key = ?"
        self._database.execute(insert, [msgspec.json.encode(part), format, key])
        self._is_empty = False

    def groups(self) -> Iterator[tuple[str, str, list[LocatedPart]]]:
        """Format, key and parts of each group. Groups and parts have the order in which they were added."""
        query = "SELECT format, key, body FROM groups JOIN parts ON group_id = id ORDER BY id, parts.rowid"
        for (format, key), rows in itertools.groupby(self._database.execute(query), key=lambda row: row[:2]):
            yield format, key, [msgspec.json.decode(body, type=LocatedPart) for _, _, body in rows]


class SidecarEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    file: str
    line: str
    """Line number. See `input_files.InputValue`."""
    reason: str = ""
    """Why it was quarantined."""
    text: str = ""
    """The input, redacted."""


class SidecarFile:
    """A JSON-lines file beside the store whose lines name an input file: the quarantine or, if kept, the raw input.

    Call `add` for each entry, then `close(files)` with the input files that were read. Their earlier lines are replaced. The
    new file replaces the old one only when it is complete.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._new = path, path.with_suffix(".new")
        self.count = 0
        self._from_stdin: set[bytes] = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._new.open("wb")

    def add(self, entry: SidecarEntry) -> None:
        body = msgspec.json.encode(entry)
        if entry.file == "-":
            self._from_stdin.add(hashlib.sha256(body).digest())
        self._file.write(body + b"\n")
        self.count += 1

    def close(self, files: set[str]) -> None:
        """Copies the earlier entries of other files, and of standard input, which cannot be read again."""
        with self.path.open("rb") if self.path.exists() else io.BytesIO() as old:
            for line in old:
                body = line.rstrip(b"\n")
                file = msgspec.json.decode(body, type=SidecarEntry).file
                if file not in files or (file == "-" and hashlib.sha256(body).digest() not in self._from_stdin):
                    self._file.write(body + b"\n")
        written = self._file.tell()
        self._file.close()
        if written:
            self._new.replace(self.path)
        else:
            self.path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Discards the new file if it did not replace the old one."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._new.unlink(missing_ok=True)
