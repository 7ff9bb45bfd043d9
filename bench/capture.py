"""Capture: what an exchange costs the gateway, and how many a second are joined, redacted and written.

    python bench/capture.py              # 100,000 exchanges: conversations of five calls each, tools, 1 KB an exchange

Half of the conversations have an id, half are joined by what they begin with; 500 are going on at once. The rate counts from the
first `add` to the last commit, with `add` and the writing thread on the same machine; the time of one `add` is that of a caller
which adds at half that rate.
"""

import itertools
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, figure, finish, parser

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, ToolSpec, Turn, Usage
from verigym.traces.capture import Capture, Exchange
from verigym.traces.redaction import Redaction

LIVE, CALLS = 500, 5
TOOLS = [ToolSpec(name=f"tool_{n}", description="Does a thing. " * 10, parameters={"type": "object"}) for n in range(8)]
WORDS = "The meeting with the team is on Tuesday at noon in the large room upstairs. "


def conversation(number: int) -> Iterator[Exchange]:
    """Five calls: a request, three tool calls with their results, an answer."""
    items: list[Item] = [
        Message("system", "You are an office assistant. " * 10),
        Message("user", f"{number}: {WORDS * 3}"),
    ]
    named = f"conversation {number}" if number % 2 else ""
    for turn in range(CALLS):
        last = turn == CALLS - 1
        call = FunctionCall(f"call_{number}_{turn}", f"tool_{turn}", '{"what": "the meeting", "day": "Tuesday"}')
        reply: list[Item] = [Message("assistant", WORDS * 3) if last else call]
        yield Exchange(
            context=items[:],
            reply=reply,
            tools=TOOLS,
            conversation=named,
            turn=Turn(agent="510b8c59953a", usage=Usage(300, 40), latency_s=0.2),
        )
        items = [*items, *reply, FunctionCallOutput(call.call_id, WORDS * 5)]


def exchanges(count: int) -> Iterator[Exchange]:
    """Of many conversations at once, turn by turn."""
    numbers = itertools.count()
    made = 0
    while made < count:
        for together in zip(*(conversation(next(numbers)) for _ in range(LIVE)), strict=True):
            yield from together
        made += LIVE * CALLS


def rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def rate(folder: Path, count: int) -> list[Figure]:
    """As fast as they are taken: the one who adds waits where a thousand wait already."""
    capture = Capture(folder, Redaction.load(None))
    marks: list[float] = []
    began, cpu = time.perf_counter(), time.process_time()
    for n, one in enumerate(exchanges(count)):
        capture.add(one)
        if n % 500 == 0:
            while capture.counts.waiting > 1000:
                time.sleep(0.005)
        if n % (count // 10) == 0:
            marks.append(rss_mb())
    while capture.counts.waiting:
        time.sleep(0.005)
    taken, spent = time.perf_counter() - began, time.process_time() - cpu
    marks.append(rss_mb())
    counts = capture.counts
    capture.close()
    assert counts.captured >= count and not counts.lost, counts
    flat = "<= 1.1" if count >= 100_000 else ""  # before that, what is held for later grows to its bounds
    return [
        figure("exchanges captured, joined, redacted and written", counts.captured / taken, "1/s", ">= 1000"),
        figure("CPU of one exchange, in all", 1e3 * spent / counts.captured, "CPU-ms"),
        figure(f"memory at the end of {count:,} exchanges against the middle", marks[-1] / marks[5], "times", flat),
        figure("memory at the end", marks[-1], "MB"),
        figure("store on disk", (folder / "store.db").stat().st_size / counts.captured, "bytes an exchange"),
    ]


def pace(folder: Path, count: int, each_s: float) -> list[Figure]:
    """The time of one `add` while the thread writes; the exchanges are made beforehand."""
    capture = Capture(folder, Redaction.load(None))
    ready = list(itertools.islice(exchanges(count), count))
    took: list[float] = []
    spent: list[float] = []
    start = time.perf_counter()
    for n, one in enumerate(ready):
        while time.perf_counter() < start + n * each_s:
            time.sleep(each_s / 4)
        before, cpu = time.perf_counter(), time.thread_time()
        capture.add(one)
        spent.append(time.thread_time() - cpu)
        took.append(time.perf_counter() - before)
    capture.close()
    took.sort()
    spent.sort()
    name = f"add, at {1 / each_s:,.0f} a second"
    return [
        figure(f"{name}, median", 1e6 * took[len(took) // 2], "us"),
        figure(f"{name}, p99", 1e6 * took[len(took) * 99 // 100], "us", "<= 200"),
        figure(f"{name}, p99 of its own work", 1e6 * spent[len(spent) * 99 // 100], "CPU-us"),
    ]


def main() -> None:
    args = parser(__doc__).parse_args()
    count = 20_000 if args.quick else 100_000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = rate(folder / "rate", count) + pace(folder / "pace", 2_500 if args.quick else 10_000, 0.002)
    finish(found, args)


if __name__ == "__main__":
    main()
