"""Files of traces into the store: how many a second, in how much memory, and what redaction alone takes.

    python bench/ingest.py            # 100,000 conversations as chat pairs, 20,000 traces as OpenTelemetry spans
    python bench/ingest.py --quick    # 5,000 and 2,000

A conversation is a system prompt, a request, a call, its result and an answer, 1.2 kB of JSON; one in ten holds an address. Spans
of a trace stand 50 lines apart. The flat memory is that of a file ten times as long against the shorter one.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from figures import figure, finish, parser

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Trajectory
from verigym.store.database import Store
from verigym.traces import ingest
from verigym.traces.redaction import Redaction

SYSTEM = (
    "You are an office assistant. Today is Monday, 2026-03-02. Book, move and cancel meetings with the tools you have. "
    * 3
)
NAMES = ["Oscar", "Ann", "Bo", "Cy", "Dora", "Eve"]


def pair(number: int) -> dict:
    name, address = random.choice(NAMES), " (dora@example.com)" if number % 10 == 0 else ""
    arguments = f'{{"attendee": "{name}", "day": "Tuesday", "time": "12:{number % 60:02}"}}'
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "create_event", "arguments": arguments}}
    return {
        "request": {
            "model": "m",
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": f"Get {name}{address} into my diary on Tuesday, request {number}. Thanks!"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call_{number}", "content": f"booked {name}, Tuesday"},
            ],
            "tools": [{"type": "function", "function": {"name": "create_event", "parameters": {"type": "object"}}}],
        },
        "response": {
            "model": "m-1",
            "choices": [{"message": {"role": "assistant", "content": f"Done, {name} is in."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 180, "completion_tokens": 12},
        },
        "latency_ms": 420,
    }


def spans(number: int) -> list[dict]:
    """A model call that calls a tool, the tool, and the model call that answers."""
    asked = [{"role": "user", "parts": [{"type": "text", "content": f"Weather in city {number}?"}]}]
    part = {"type": "tool_call", "id": f"c{number}", "name": "weather", "arguments": {"city": number}}
    called = [{"role": "assistant", "parts": [part]}]
    result = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": f"c{number}", "response": "rain"}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "It rains."}]}]
    calls = [(asked, called), (asked + called + result, said)]
    made = [
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": msgspec.json.encode(context).decode(),
            "gen_ai.output.messages": msgspec.json.encode(reply).decode(),
        }
        for context, reply in calls
    ]
    made.insert(
        1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": f"c{number}"}
    )
    return [document(number, place, about) for place, about in enumerate(made)]


def document(number: int, place: int, about: dict) -> dict:
    span = {
        "traceId": f"{number:032x}",
        "spanId": f"{place:016x}",
        "name": about["gen_ai.operation.name"],
        "startTimeUnixNano": str(10**18 + place * 10**9),
        "endTimeUnixNano": str(10**18 + place * 10**9 + 10**8),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in about.items()],
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def write(path: Path, rows) -> Path:
    with path.open("wb") as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")
    return path


def scattered(count: int, apart: int = 50):
    for start in range(0, count, apart):
        some = [spans(number) for number in range(start, min(start + apart, count))]
        for place in range(3):
            yield from (each[place] for each in some)


def taken(path: Path, home: Path) -> tuple[float, int]:
    """Trajectories a second of CPU, and the process's peak memory in MiB, in a process of its own."""
    said = subprocess.run(
        [sys.executable, __file__, "--child", str(path), str(home)], check=True, capture_output=True, text=True
    )
    rate, memory = said.stdout.split()
    return float(rate), int(memory)


def child(path: str, home: Path) -> None:
    store = Store(home / "store.db")
    began = os.times()
    summary = ingest(store, home, [path], Redaction.load())
    took = os.times()
    assert not summary.quarantined, summary.reasons
    seconds = took.user + took.system - began.user - began.system
    print(summary.accepted / seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def redacted(count: int) -> float:
    """Trajectories a second of CPU, without reading and storing them."""
    redaction, made = Redaction.load(), []
    for number in range(count):
        user = f"Get Ann into my diary on Tuesday, request {number}."
        items: list[Item] = [
            Message("system", SYSTEM),
            Message("user", user + (" (dora@example.com)" if number % 10 == 0 else "")),
            FunctionCall("c", "create_event", '{"attendee": "Ann", "time": "12:15"}'),
            FunctionCallOutput("c", "booked Ann, Tuesday"),
            Message("assistant", "Done, Ann is in."),
        ]
        made.append(Trajectory(id=str(number), task="t", group="t", items=items))
    began = time.process_time()
    for each in made:
        redaction.trajectory(each)
    return count / (time.process_time() - began)


def main() -> None:
    args = parser(__doc__).parse_args()
    pairs, traces = (5_000, 2_000) if args.quick else (100_000, 20_000)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        long = write(folder / "chat.jsonl", (pair(number) for number in range(pairs)))
        short = write(folder / "short.jsonl", (pair(number) for number in range(pairs // 10)))
        rate, memory = taken(long, folder / "long")
        _, less = taken(short, folder / "short")
        joined, _ = taken(write(folder / "otel.jsonl", scattered(traces)), folder / "otel")
    finish(
        [
            figure("ingest chat pairs", rate, "trajectories a CPU s", ">= 1000"),
            figure("ingest OpenTelemetry spans, joined", joined, "trajectories a CPU s", ">= 1000"),
            figure("ingest memory, ten times the file", memory - less, "MiB more", "<= 30"),
            figure("redaction alone", redacted(pairs // 10), "trajectories a CPU s", ">= 3000"),
        ],
        args,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
