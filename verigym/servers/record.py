"""Records each exchange: for capture, and in counters for Prometheus. Nothing here may slow or fail a request."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from verigym.core.records import Failure, Fault, Item, Sampling, Turn, Usage
from verigym.rollout.settings import Prices
from verigym.servers.types import Responder
from verigym.traces.capture import Capture, Exchange, Placement
from verigym.wire.types import Finish

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""Upper bounds of latency, in seconds."""


class Metrics:
    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """By route and status. 499 is a client that disconnected."""
        self.answers: Counter[str] = Counter()
        """By version."""
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._seconds: dict[str, tuple[list[int], float]] = {}

    def observe(self, route: str, status: int, seconds: float) -> None:
        self.requests[route, status] += 1
        counts, total = self._seconds.get(route) or ([0] * (len(BUCKETS) + 1), 0.0)
        counts[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] = counts, total + seconds

    def text(
        self,
        *,
        in_flight: int,
        agents: Iterable[tuple[str, str, str]],
        capture: Mapping[str, int],
        spans: Mapping[str, int] = {},
    ) -> str:
        """`agents` are role, version id and name. `capture` and `spans` are their counts."""
        requests = [(_labels(route=route, status=status), count) for (route, status), count in self.requests.items()]
        tokens = {"prompt": self.prompt_tokens, "completion": self.completion_tokens}
        versions = [(_labels(role=role, version=id, name=name), 1) for role, id, name in agents]
        metrics = [
            ("requests_total", "counter", "Requests by route and status.", sorted(requests)),
            ("request_seconds", "histogram", "Time from a request to the end of its answer.", self._histogram()),
            ("requests_in_flight", "gauge", "Requests in progress.", [("", in_flight)]),
            ("tokens_total", "counter", "Tokens, if the server reported them.", _counted_by("kind", tokens)),
            ("answers_total", "counter", "Answers by version.", _counted_by("version", self.answers)),
            (
                "captured_total",
                "counter",
                "Exchanges by the outcome of their capture.",
                _counted_by("outcome", capture),
            ),
            (
                "spans_total",
                "counter",
                "Spans and traces received, by what became of them.",
                _counted_by("outcome", spans),
            ),
            ("version_info", "gauge", "The versions that answer now.", versions),
        ]
        lines: list[str] = []
        for name, kind, help, values in metrics:
            lines += [f"# HELP verigym_{name} {help}", f"# TYPE verigym_{name} {kind}"]
            lines += [f"verigym_{name}{labels} {value}" for labels, value in values]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterable[tuple[str, object]]:
        for route, (counts, total) in sorted(self._seconds.items()):
            below = 0
            for bound, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                below += count
                yield f"_bucket{_labels(route=route, le=bound)}", below
            yield f"_sum{_labels(route=route)}", f"{total:.6f}"
            yield f"_count{_labels(route=route)}", below


def _counted_by(label: str, counts: Mapping[str, int]) -> list[tuple[str, object]]:
    return [(_labels(**{label: key}), count) for key, count in sorted(counts.items())]


def _labels(**labels: object) -> str:
    escaped = [
        (name, str(v).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, v in labels.items()
    ]
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"


class Recorder:
    def __init__(self, capture: Capture | None, prices: Prices = Prices()) -> None:
        self.capture, self._prices = capture, prices
        self.copied = 0
        """Bytes of the streams in progress that are held for capture."""
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

    @property
    def sampling(self) -> Sampling:
        """How the request asked to sample."""
        return self._exchange.turn.sampling if self._exchange is not None else Sampling()

    def answered(self, turn: Turn, reply: list[Item], **fields: Any) -> None:
        self._add(turn, reply=reply, cost=self._prices.cost(turn), **fields)

    def failed(self, failure: Failure, finish: Finish = "error") -> None:
        self._add(Turn(finish=finish), error=failure)

    def cancelled(self) -> None:
        message = "The client disconnected, or the request timed out, before the reply was complete"
        self.failed(Failure(Fault.INFRASTRUCTURE, "GivenUp", message))

    def _add(self, turn: Turn, **fields: Any) -> None:
        if self._capture is None or self._exchange is None:
            return
        asked = self._exchange.turn
        latency_s = turn.latency_s or time.perf_counter() - self._started
        turn = msgspec.structs.replace(turn, sampling=asked.sampling, agent=asked.agent, latency_s=latency_s)
        self._capture.add(msgspec.structs.replace(self._exchange, turn=turn, **fields), self._placed)
