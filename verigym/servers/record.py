"""Capture and metrics of one exchange. Nothing here may slow or fail a request."""

import time
from typing import Any

import msgspec

from verigym.core.records import Failure, Fault, Turn, Usage
from verigym.rollout.settings import Prices
from verigym.servers.metrics import Metrics
from verigym.servers.types import Responder
from verigym.traces.capture import Capture, Exchange, Placement


class Recorder:
    def __init__(self, capture: Capture | None, prices: Prices = Prices()) -> None:
        self.capture, self._prices = capture, prices
        self.metrics = Metrics()
        self.unreadable = 0
        """Forwarded requests that capture could not read."""

    def begin(self, exchange: Exchange | None, out: Responder) -> "Recording":
        """Starts recording an exchange, or nothing if it is None. A header tells the client the id of its trajectory."""
        if self.capture is None or exchange is None:
            return Recording(None, None, Placement(""), self._prices)
        placed = self.capture.place(exchange)
        if placed.trajectory:
            out.extra[b"x-verigym-trajectory"] = placed.trajectory.encode()
        return Recording(self.capture, exchange, placed, self._prices)

    def count(self, agent: str, usage: Usage) -> None:
        self.metrics.answers[agent] += 1
        self.metrics.prompt_tokens += usage.prompt_tokens
        self.metrics.completion_tokens += usage.completion_tokens

    def captured(self) -> dict[str, int]:
        """The number of exchanges by outcome."""
        if self.capture is None:
            return {}
        counts = self.capture.counts
        lost = {f"lost: {reason}": count for reason, count in counts.lost.items()}
        unreadable = {"lost: unreadable": self.unreadable} if self.unreadable else {}
        return {"captured": counts.captured, "sampled out": counts.sampled_out, **lost, **unreadable}


class Recording:
    """One exchange in progress, until it is answered or fails."""

    def __init__(self, capture: Capture | None, exchange: Exchange | None, placed: Placement, prices: Prices) -> None:
        self._capture, self._exchange, self._placed, self._prices = capture, exchange, placed, prices
        self._started = time.perf_counter()

    def answered(self, usage: Usage, **fields: Any) -> None:
        self._add(usage=usage, cost=self._prices.cost(Turn(usage=usage)), **fields)

    def failed(self, failure: Failure, finish: str = "error") -> None:
        self._add(error=failure, finish=finish)

    def cancelled(self) -> None:
        message = "The client disconnected, or the request timed out, before the reply was complete"
        self.failed(Failure(Fault.INFRASTRUCTURE, "GivenUp", message))

    def _add(self, **fields: Any) -> None:
        if self._capture is not None and self._exchange is not None:
            fields = {"latency_s": time.perf_counter() - self._started, **fields}
            self._capture.add(msgspec.structs.replace(self._exchange, **fields), self._placed)
