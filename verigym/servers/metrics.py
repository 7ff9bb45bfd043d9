"""The gateway's counters, and their text format for Prometheus."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

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

    def text(self, *, in_flight: int, agents: Iterable[tuple[str, str, str]], capture: Mapping[str, int]) -> str:
        """`agents` are role, version id and name. `capture` are its counts."""
        lines: list[str] = []
        _add(lines, "verigym_requests_total", "counter", "Requests by route and status.")
        for (route, status), count in sorted(self.requests.items()):
            lines.append(f'verigym_requests_total{{route="{route}",status="{status}"}} {count}')
        _add(lines, "verigym_request_seconds", "histogram", "Time from a request to the end of its answer.")
        for route, (counts, total) in sorted(self._seconds.items()):
            below = 0
            for bound, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                below += count
                lines.append(f'verigym_request_seconds_bucket{{route="{route}",le="{bound}"}} {below}')
            lines.append(f'verigym_request_seconds_sum{{route="{route}"}} {total:.6f}')
            lines.append(f'verigym_request_seconds_count{{route="{route}"}} {below}')
        _add(lines, "verigym_requests_in_flight", "gauge", "Requests in progress.")
        lines.append(f"verigym_requests_in_flight {in_flight}")
        _add(lines, "verigym_tokens_total", "counter", "Tokens, if the server reported them.")
        lines.append(f'verigym_tokens_total{{kind="prompt"}} {self.prompt_tokens}')
        lines.append(f'verigym_tokens_total{{kind="completion"}} {self.completion_tokens}')
        _add(lines, "verigym_answers_total", "counter", "Answers by version.")
        for version, count in sorted(self.answers.items()):
            lines.append(f'verigym_answers_total{{version="{_escaped(version)}"}} {count}')
        _add(lines, "verigym_version_info", "gauge", "The versions that answer now.")
        for role, id, name in agents:
            lines.append(f'verigym_version_info{{role="{role}",version="{_escaped(id)}",name="{_escaped(name)}"}} 1')
        _add(lines, "verigym_captured_total", "counter", "Exchanges by the outcome of their capture.")
        for outcome, count in sorted(capture.items()):
            lines.append(f'verigym_captured_total{{outcome="{_escaped(outcome)}"}} {count}')
        return "\n".join(lines) + "\n"


def _add(lines: list[str], name: str, kind: str, help: str) -> None:
    lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
