"""What is kept and counted of an exchange. Nothing here may slow or fail a request."""

from typing import Any, Protocol

import msgspec

from verigym.core.records import Feedback, Turn, Usage
from verigym.flywheel.capture import Counts, Exchange, Placed
from verigym.rollout.episode import Prices
from verigym.servers.call import Out
from verigym.servers.metrics import Metrics


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
        """Exchanges that were handed on and could not be read."""

    def place(self, exchange: Exchange, out: Out) -> Placed | None:
        """Where an exchange belongs; the client is told by a header, which goes out before the answer does."""
        if self.capture is None:
            return None
        placed = self.capture.place(exchange)
        if placed.trajectory:
            out.extra[b"x-verigym-trajectory"] = placed.trajectory.encode()
        return placed

    def keep(self, exchange: Exchange, placed: Placed | None, **answered: Any) -> None:
        if self.capture is not None:
            cost = self._prices.of(Turn(usage=answered.get("usage", Usage())))
            self.capture.add(msgspec.structs.replace(exchange, cost=cost, **answered), placed)

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
