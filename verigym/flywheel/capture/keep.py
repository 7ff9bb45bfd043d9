"""Keeps what goes through the gateway: `add` takes an exchange in microseconds, a thread joins, redacts and writes it.

Nothing here slows or fails a request: what cannot be kept is counted by reason and said once.
"""

import contextlib
import datetime
import queue
import secrets
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Feedback, Item, Stop, Toolset, Trajectory, Turn, content_hash
from verigym.flywheel.capture.exchange import Exchange, Prints
from verigym.store.database import Store


class Redacts(Protocol):
    """Takes secrets and personal data out; see `flywheel.redact`."""

    def trajectory(self, trajectory: Trajectory, /) -> Trajectory: ...
    def feedback(self, feedback: Feedback, /) -> Feedback: ...
    def tools(self, tools: Toolset, /) -> Toolset: ...


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Exchanges, since the start."""

    captured: int
    """Written."""
    waiting: int
    """Taken in and not written yet."""
    sampled_out: int
    lost: dict[str, int]
    """By reason."""
    conversations: int
    """Held in memory now."""


class Placed(msgspec.Struct, frozen=True):
    """Where an exchange belongs, known before it is answered."""

    trajectory: str
    """Its id; empty where the conversation is not captured."""


class Capture:
    """`placed = capture.place(exchange)` when the request comes, where the id must go out before the reply does;
    `capture.add(exchange, placed)` when it was answered."""

    def __init__(
        self,
        home: Path,
        redaction: Redacts,
        *,
        rate: float = 1.0,
        keep_days: int | None = None,
        say: Callable[[str], None] = lambda words: print(words, file=sys.stderr, flush=True),
    ) -> None:
        self.store = Store(home / "store.db")
        self._redaction, self._rate, self._keep_days, self._say = redaction, rate, keep_days, say
        self._prints = Prints(secrets.token_bytes(16))
        self._queue: queue.Queue[tuple[str, Exchange] | None] = queue.Queue(10_000)
        self._captured, self._sampled_out, self._lost = 0, 0, Counter[str]()
        self._thread = threading.Thread(target=self._work, name="verigym-capture", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> Counts:
        return Counts(
            captured=self._captured,
            waiting=self._queue.qsize(),
            sampled_out=self._sampled_out,
            lost=dict(self._lost),
            conversations=0,
        )

    def place(self, exchange: Exchange) -> Placed:
        """Where the request belongs; never blocks, never raises."""
        day = datetime.datetime.now(datetime.UTC).date().isoformat()
        key = self._prints.of(exchange.conversation or secrets.token_hex()).hex()[:16]
        return Placed(f"traces-served-{day}/{key}")

    def add(self, exchange: Exchange, placed: Placed | None = None) -> str:
        """Takes an exchange in; never blocks, never raises. The id of its trajectory, empty where it is not captured."""
        placed = placed or self.place(exchange)
        try:
            self._queue.put_nowait((placed.trajectory, exchange))
        except queue.Full:
            self._lost["queue full"] += 1
        return placed.trajectory

    def feedback(
        self,
        of: str,
        *,
        outcome: str = "",
        correction: Any = (),
        intervention: str = "",
        note: str = "",
        who: str = "",
    ) -> Feedback:
        """Keeps what became of a trajectory, named by its id or by the conversation's. `BadInput` and `NotFound` in words."""
        if outcome not in ("success", "failure", ""):
            raise BadInput(f'outcome is "success", "failure" or "" (not known), not {outcome!r}')
        self._queue.join()
        if not self.store.known_trajectories([of]):
            raise not_found("trajectory or conversation", of, [])
        when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        made = Feedback(
            trajectory=of,
            outcome=outcome,
            correction=msgspec.convert(correction, list[Item]),
            intervention=intervention,
            note=note,
            who=who,
            when=when,
        )
        made = self._redaction.feedback(made)
        self.store.put("feedback", content_hash(made)[:16], made)
        return made

    def close(self) -> None:
        """Writes what is waiting."""
        self._queue.put(None)
        self._thread.join()
        self.store.close()

    def _work(self) -> None:
        while (taken := self._queue.get()) is not None:
            id, exchange = taken
            with contextlib.suppress(Exception):
                run, _, key = id.partition("/")
                self.store.begin_run(run, "traces", {})
                turn = Turn(
                    saw=[(0, len(exchange.items))],
                    made=list(range(len(exchange.items), len(exchange.items) + len(exchange.reply))),
                    agent=exchange.agent,
                    usage=exchange.usage,
                    latency_s=exchange.latency_s,
                    finish=exchange.finish,
                )
                one = Trajectory(
                    id=id,
                    task=key,
                    group=key,
                    items=exchange.items + exchange.reply,
                    turns=[turn],
                    error=exchange.error,
                    stop=Stop.ERROR if exchange.error else Stop.DONE,
                    source="gateway",
                    seconds=exchange.latency_s,
                )
                self.store.add(run, [self._redaction.trajectory(one)])
                self._captured += 1
            self._queue.task_done()
            time.sleep(0)
        self._queue.task_done()
