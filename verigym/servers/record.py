"""What is kept and counted of an exchange. Nothing here may slow or fail a request."""

import time
from typing import Any, Protocol

import msgspec

from verigym.core.records import Failure, Fault, Feedback, Turn, Usage
from verigym.rollout.settings import Prices
from verigym.servers.call import Out
from verigym.servers.metrics import Metrics
from verigym.traces.capture import Counts, Exchange, Placed


class Captures(Protocol):
    """What the gateway needs of a `Capture`; no method of it blocks or raises but `feedback`."""

    @property
    def counts(self) -> Counts: ...
    def place(self, exchange: Exchange, /) -> Placed: ...
    def add(self, exchange: Exchange, placed: Placed | None, /) -> str: ...
    def feedback(
        self, of: str, /, *, outcome: str, correction: Any, intervention: str, note: str, who: str
    ) -> Feedback: ...


class Recorder:
    def __init__(self, capture: Captures | None, prices: Prices = Prices()) -> None:
        self.capture, self._prices = capture, prices
        self.metrics = Metrics()
        self.unread = 0
        """Requests that were handed on and could not be read."""

    def begin(self, exchange: Exchange | None, out: Out) -> "Kept":
        """What is kept of an exchange that begins; none where it cannot be read. The client is told by a header where it
        belongs, which goes out before the answer does."""
        if self.capture is None or exchange is None:
            return Kept(None, None, Placed(""), self._prices)
        placed = self.capture.place(exchange)
        if placed.trajectory:
            out.extra[b"x-verigym-trajectory"] = placed.trajectory.encode()
        return Kept(self.capture, exchange, placed, self._prices)

    def count(self, agent: str, usage: Usage) -> None:
        self.metrics.answers[agent] += 1
        self.metrics.prompt_tokens += usage.prompt_tokens
        self.metrics.completion_tokens += usage.completion_tokens

    def captured(self) -> dict[str, int]:
        """Outcome to how many exchanges."""
        if self.capture is None:
            return {}
        counts = self.capture.counts
        lost = {f"lost: {reason}": count for reason, count in counts.lost.items()}
        unread = {"lost: unreadable": self.unread} if self.unread else {}
        return {"captured": counts.captured, "sampled out": counts.sampled_out, **lost, **unread}


class Kept:
    """One exchange under way: it is answered, or it fails."""

    def __init__(self, capture: Captures | None, exchange: Exchange | None, placed: Placed, prices: Prices) -> None:
        self._capture, self._exchange, self._placed, self._prices = capture, exchange, placed, prices
        self._started = time.perf_counter()

    def answered(self, usage: Usage, **fields: Any) -> None:
        self._add(usage=usage, cost=self._prices.cost(Turn(usage=usage)), **fields)

    def failed(self, failure: Failure, finish: str = "error") -> None:
        self._add(error=failure, finish=finish)

    def given_up(self) -> None:
        self.failed(
            Failure(Fault.INFRASTRUCTURE, "GivenUp", "the client left, or the time was up, before the answer was whole")
        )

    def _add(self, **fields: Any) -> None:
        if self._capture is not None and self._exchange is not None:
            fields = {"latency_s": time.perf_counter() - self._started, **fields}
            self._capture.add(msgspec.structs.replace(self._exchange, **fields), self._placed)
