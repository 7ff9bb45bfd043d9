"""Captures the gateway's exchanges in microseconds: names, counts and queues an exchange. A thread does the rest.

Nothing here slows or fails a request. The queue is bounded. Exchanges that do not fit, or that the store refuses, are counted
by reason and reported once a minute. A killed process loses what was not committed: the last hundredths of a second, and the
last seconds of a long conversation (`conversation_writer`).
"""

import contextlib
import datetime
import itertools
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused, VerigymError, words_of
from verigym.core.printable import warn
from verigym.core.records import Feedback
from verigym.store.address import store_of
from verigym.store.database import Store
from verigym.traces.capture.conversation_index import ConversationDatabase, ConversationIndex
from verigym.traces.capture.conversation_writer import RUN, ConversationWriter, Placement
from verigym.traces.capture.exchange import Exchange, Fingerprints, size_of
from verigym.traces.feedback import keep_feedback, new_feedback
from verigym.traces.redaction import Redaction
from verigym.wire.items import is_reply

_QUEUE, _QUEUE_BYTES = 20_000, 128_000_000
"""Maximum exchanges in the queue, and their approximate bytes."""
_RELOADED = 50_000
"""Conversations that are loaded after a restart."""
_GATHER_S = 0.02
"""Time for which exchanges are collected for one transaction."""
_BATCH = 256
_POLL_S = 0.5
"""How often the idle thread checks for due work."""
_CLOSE_S, _FLUSH_S, _REPORT_S = 10.0, 10.0, 60.0


class CaptureCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of exchanges since the start."""

    captured: int
    """Written."""
    waiting: int
    """Accepted and not written yet."""
    sampled_out: int
    lost: dict[str, int]
    """By reason."""
    conversations: int
    """Conversations in memory."""


class _QueuedExchange(msgspec.Struct, frozen=True):
    exchange: Exchange
    placed: Placement
    size: int


class Capture:
    """Call `capture.add(exchange)` for an answered request. To know the trajectory's id before the reply, call
    `placed = capture.place(exchange)` when the request arrives, then `capture.add(exchange, placed)`."""

    def __init__(
        self,
        home: Path,
        redaction: Redaction,
        *,
        rate: float = 1.0,
        keep_days: int | None = None,
        say: Callable[[str], None] = warn,
    ) -> None:
        if not 0 <= rate <= 1:
            raise BadInput(f"The capture rate is {rate:g}. It must be a share of conversations between 0 and 1")
        if keep_days is not None and keep_days < 1:
            raise BadInput(f"--keep-days is {keep_days}. It must be at least 1")
        self.store = Store(store_of(home))
        self.redaction, self._rate, self._keep_days, self._say = redaction, rate, keep_days, say
        self._exit = contextlib.ExitStack()
        self._states = ConversationDatabase(home / "captured.db")
        self._prints = Fingerprints(self._states.key)
        self._salt = self._claim()
        self._writer = ConversationWriter(self.store, self._states, redaction, self._prints, self._report)
        self._index = ConversationIndex()
        self._lock = threading.Lock()
        """Guards what callers share: the index, the queue's size and the counters."""
        self._queue: queue.SimpleQueue[_QueuedExchange | threading.Event | None] = queue.SimpleQueue()
        self._queued = self._queued_bytes = self._sampled_out = 0
        self._lost: Counter[str] = Counter()
        self._reported: dict[str, float] = {}
        self._numbers = itertools.count()
        self._day: datetime.date | None = None
        """The day on which old traces were last deleted."""
        self._tidy_again = 0.0
        self._tidy()
        if not self._salt:
            self._remember()
        self._thread = threading.Thread(target=self._work, name="verigym-capture", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> CaptureCounts:
        with self._lock:
            return CaptureCounts(
                captured=self._writer.captured,
                waiting=self._queued + self._writer.waiting,
                sampled_out=self._sampled_out,
                lost=dict(self._lost + self._writer.lost),
                conversations=len(self._writer),
            )

    def place(self, exchange: Exchange) -> Placement:
        """The trajectory of a request. Never blocks or raises. Ignores the reply."""
        try:
            chain = self._prints.request(exchange)
            with self._lock:
                return self._placed(exchange, chain, time.time())
        except Exception as error:
            self._lose(type(error).__name__, words_of(error))
            return Placement("")

    def add(self, exchange: Exchange, placed: Placement | None = None) -> str:
        """Queues an exchange. Never blocks or raises. Returns its trajectory's id, or empty text if it is not captured."""
        try:
            placed = placed or self.place(exchange)
            if not placed.trajectory:
                with self._lock:
                    self._sampled_out += placed.sampled_out
                return ""
            request = placed.chain[-1] if placed.chain else self._prints.start(exchange)
            whole = self._prints.chain(exchange.reply, request)
            taken = _QueuedExchange(exchange, placed, _size(exchange))
            with self._lock:
                is_full = self._queued >= _QUEUE or self._queued_bytes + taken.size > _QUEUE_BYTES
                if not is_full:
                    self._queued += 1
                    self._queued_bytes += taken.size
                    if not (exchange.conversation or exchange.previous):
                        self._index.end(request, whole[-1] if whole else request, placed.trajectory, time.time())
                    if exchange.response:
                        response = self._prints.id("response", exchange.response, placed.owner)
                        self._index.name(response, placed.trajectory)
                    self._queue.put(taken)
            if is_full:
                self._lose("queue full", "Exchanges arrive faster than they can be written")
            return placed.trajectory
        except Exception as error:
            self._lose(type(error).__name__, words_of(error))
            return ""

    def _placed(self, exchange: Exchange, chain: list[bytes], now: float) -> Placement:
        owner = self._prints.owner(exchange.owner)
        name = self._prints.id("conversation", exchange.conversation, owner) if exchange.conversation else b""
        if name:
            continued = self._index.named(name)
        elif exchange.previous:
            continued = self._index.named(self._prints.id("response", exchange.previous, owner))
        else:
            continued = self._index.find(exchange.context, chain, now)
        if continued is None and not self._is_sampled(exchange, chain):
            return Placement("", sampled_out=True)
        day = datetime.datetime.fromtimestamp(now, datetime.UTC).date()
        request = chain[-1] if chain else self._prints.start(exchange)
        basis = f"{owner.hex()}{exchange.conversation}"
        if not exchange.conversation:
            basis = f"{request.hex()} {now} {next(self._numbers)}"
        trajectory = continued or f"{RUN}{day}/{self._prints.of('trajectory', basis, self._salt).hex()[:16]}"
        if name:
            self._index.name(name, trajectory)
        elif not exchange.previous:
            self._index.begin(request, trajectory, now)
        return Placement(trajectory, chain, name, new=continued is None and not name, began=now, owner=owner)

    def _is_sampled(self, exchange: Exchange, chain: list[bytes]) -> bool:
        """Decides by the conversation's id or beginning, so that a conversation is captured whole or not at all."""
        if self._rate >= 1:
            return True
        if exchange.conversation:
            print = self._prints.of("sampled", exchange.conversation)
        elif exchange.previous:
            return False  # the conversation that it continues was not captured
        else:
            first = next((n for n, item in enumerate(exchange.context) if is_reply(item)), len(chain))
            print = chain[first - 1] if first else self._prints.start(exchange)
        return int.from_bytes(print[:8], "big") < self._rate * 2**64

    def feedback(self, of: str, owner: str = "", **fields: Any) -> Feedback:
        """Stores feedback on a trajectory. `of` is the id of the trajectory, the conversation or a response. With an owner, only
        that owner's conversations are known.

        Waits for the queue. Raises `BadInput` for feedback that `new_feedback` refuses and `NotFound` if the trajectory is
        unknown."""
        feedback = new_feedback(**fields)
        self.flush()
        try:
            owned = self._prints.owner(owner)
            trajectory = self._named(of.encode("utf-8", "replace").decode(), owned)
            if why := self._writer.why_waiting(trajectory):
                raise InfrastructureFailure(f"{trajectory} is not written yet ({why}). Send the feedback again")
            known = self.store.known_trajectories([trajectory])
            if not known or (owned and owned != getattr(self._states.get(trajectory), "owner", b"")):
                raise NotFound(
                    f'No captured conversation has the id "{of}". Send the trajectory\'s id (header x-verigym-trajectory of a '
                    "reply) or the conversation's id, with the API key that the conversation used. A conversation that was not "
                    "captured, or was deleted, cannot get feedback"
                )
            feedback = keep_feedback(self.store, self.redaction, trajectory, feedback)
        except VerigymError:
            raise
        except Exception as error:
            raise InfrastructureFailure(f"The feedback could not be stored: {words_of(error)}") from error
        return feedback

    def _named(self, of: str, owner: bytes) -> str:
        if "/" in of and of.startswith("traces-"):
            return of
        name = self._prints.id("conversation", of, owner)
        with self._lock:
            trajectory = self._index.named(name) or self._index.named(self._prints.id("response", of, owner))
        return trajectory or self._states.named(name) or of

    def flush(self) -> None:
        """Waits until everything added before is written or has failed."""
        done = threading.Event()
        self._queue.put(done)
        if not done.wait(_FLUSH_S):
            raise InfrastructureFailure(f"The store was busy for {_FLUSH_S:g} s. Try again")

    def close(self) -> None:
        """Writes everything in the queue. What cannot be written within some seconds is counted as lost and reported."""
        self._queue.put(None)
        self._thread.join()
        self._exit.close()
        self._states.close()
        self.store.close()

    def _work(self) -> None:
        ending = 0.0
        while not ending or (self._writer.waiting and time.monotonic() < ending):
            taken, waiting, closing = self._next()
            if closing:
                ending = time.monotonic() + _CLOSE_S
            for queued in taken:
                self._writer.take(queued.exchange, queued.placed)
            with self._lock:
                self._queued -= len(taken)
                self._queued_bytes -= sum(queued.size for queued in taken)
            self._writer.write(everything=bool(ending or waiting))
            self._writer.put_idle_away()
            self._tidy()
            for event in waiting:
                event.set()
        self._writer.give_up_all()

    def _next(self) -> tuple[list[_QueuedExchange], list[threading.Event], bool]:
        """The next exchanges, the events to set after writing them, and whether capture is closing."""
        taken: list[_QueuedExchange] = []
        waiting: list[threading.Event] = []
        try:
            one = self._queue.get(timeout=_POLL_S)
            if isinstance(one, _QueuedExchange) and self._queued < _BATCH:
                time.sleep(_GATHER_S)
            while True:
                if one is None:
                    return taken, waiting, True
                taken.append(one) if isinstance(one, _QueuedExchange) else waiting.append(one)
                if len(taken) >= _BATCH:
                    break
                one = self._queue.get_nowait()
        except queue.Empty:
            pass
        return taken, waiting, False

    def _tidy(self) -> None:
        """Deletes old traces at start and once a day. After a failure it retries in a minute."""
        today = datetime.datetime.now(datetime.UTC).date()
        if today == self._day or time.monotonic() < self._tidy_again:
            return
        try:
            self._index.oldest = self._writer.tidy(today, self._keep_days)
            self._day = today
        except Exception as error:
            self._tidy_again = time.monotonic() + _REPORT_S
            self._report("tidying", f"Old traces could not be deleted: {words_of(error)}")

    def _remember(self) -> None:
        """Loads the conversations of earlier processes."""
        for known in self._states.latest(_RELOADED):
            if known.name:
                self._index.name(known.name, known.id)
            else:
                gone_on = set(known.follows)
                for turn, (begin, end) in enumerate(zip(known.begins, known.ends, strict=True)):
                    self._index.end(begin, end, known.id, known.ended, open=turn not in gone_on)
            for response in known.responses:
                self._index.name(self._prints.id("response", response, known.owner), known.id)

    def _claim(self) -> str:
        """Empty for the first process that captures in this workspace. Another process beside it gets its own ids and
        continues no conversation, so that neither overwrites the other's."""
        try:
            self._exit.enter_context(self.store.claim("capture"))
            return ""
        except Refused:
            return f"{time.time_ns()}"

    def _lose(self, reason: str, words: str) -> None:
        with self._lock:
            self._lost[reason] += 1
        self._report(reason, f"{words}. An exchange was lost")

    def _report(self, reason: str, words: str) -> None:
        now = time.monotonic()
        if now - self._reported.get(reason, -_REPORT_S) >= _REPORT_S:
            self._reported[reason] = now
            self._say(f"capture: {words}")


def _size(exchange: Exchange) -> int:
    """Approximate bytes."""
    texts = sum(map(size_of, exchange.context)) + sum(map(size_of, exchange.reply))
    numbers = len(exchange.turn.context_ids) + len(exchange.turn.completion_ids) + len(exchange.turn.logprobs)
    return 1000 + texts + 40 * numbers + 1000 * len(exchange.tools)
