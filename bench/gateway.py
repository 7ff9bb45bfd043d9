"""What the gateway adds to a model call: `verigym serve --upstream` with capture, before a server that answers at once.

Gateway, server and this client are three processes. Each round asks the server directly and then through the gateway, over
connections that stay open; a figure is the difference of the two medians of a round, and of those the median. With 32 clients
at once a call takes 50 ms at the server, as a model's would at the least, and a client pauses for up to 50 ms after it, so that
they do not come in step: else it is the queue that is measured, which `calls a second` says.
"""

import asyncio
import contextlib
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, figure, finish, parser
from instant_server import running

SYSTEM = "You are an office assistant. " * 20
TOOL = (
    '{"type": "function", "function": {"name": "calendar-create_event", "description": "Books a meeting.", '
    '"parameters": {"type": "object", "properties": {"attendee": {"type": "string"}, "day": {"type": "string"}}}}}'
)
BODY = (
    f'{{"model": "instant", "messages": [{{"role": "system", "content": "{SYSTEM}"}}, '
    f'{{"role": "user", "content": "Book Oscar on Tuesday, number %d."}}], "tools": [{TOOL}], "temperature": 0.2}}'
)
_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> float:
    """Seconds of one call."""
    body = (BODY % number).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: %d\r\n\r\n"
    started = time.perf_counter()
    writer.write(head % len(body) + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    found = _LENGTH.search(answer)
    assert answer.startswith(b"HTTP/1.1 200") and found is not None, answer
    await reader.readexactly(int(found[1]))
    return time.perf_counter() - started


async def round_of(port: int, at_once: int, calls: int, pause_s: float = 0.0) -> list[float]:
    """Seconds of each call; the connections' first calls are left out."""
    taken: list[float] = []
    pauses = random.Random(0)

    async def client(own: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(calls // at_once + 2):
            if pause_s:
                await asyncio.sleep(pauses.uniform(0, pause_s))
            seconds = await ask(reader, writer, own * calls + number)
            if number >= 2:
                taken.append(seconds)
        writer.close()

    await asyncio.gather(*(client(own) for own in range(at_once)))
    return taken


def p50(port: int, at_once: int, calls: int, pause_s: float) -> float:
    return 1000 * statistics.median(asyncio.run(round_of(port, at_once, calls, pause_s)))


def per_second(port: int, at_once: int, calls: int) -> float:
    started = time.perf_counter()
    asyncio.run(round_of(port, at_once, calls))
    return calls / (time.perf_counter() - started)


@contextlib.contextmanager
def gateway(upstream: int) -> Iterator[tuple[int, int]]:
    """Its port and its process."""
    with tempfile.TemporaryDirectory() as home:
        address = f"http://127.0.0.1:{upstream}/v1#instant"
        command = [
            sys.executable,
            "-m",
            "verigym.cli.main",
            "serve",
            "--upstream",
            address,
            "--port",
            "0",
            "--home",
            home,
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                found = None
                while found is None:
                    found = re.search(r"http://127\.0\.0\.1:(\d+)/v1:", process.stdout.readline())
                yield int(found[1]), process.pid
            finally:
                process.terminate()
                process.communicate()


def added(name: str, at_once: int, delay_s: float, rounds: int, calls: int) -> list[Figure]:
    with running(delay_s=delay_s) as behind, gateway(behind) as (before, process):
        pairs = [(p50(behind, at_once, calls, delay_s), p50(before, at_once, calls, delay_s)) for _ in range(rounds)]
        more = statistics.median(through - direct for direct, through in pairs)
        unit = f"ms at p50, {rounds} rounds of {calls}"
        figures = [
            figure(f"a call through the gateway adds, {name}", more, unit, "<= 2"),
            figure(f"a call to the server itself, {name}", statistics.median(direct for direct, _ in pairs), unit),
        ]
        if not delay_s:
            used = cpu_s(process)
            rate = statistics.median(per_second(before, 32, calls) for _ in range(rounds))
            used = 1000 * (cpu_s(process) - used) / (rounds * (calls + 2 * 32))
            figures.append(figure("calls through the gateway, 32 at once", rate, "a second"))
            figures.append(figure("a call through the gateway, capture included", used, "CPU-ms of its process"))
        return figures


def cpu_s(process: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    args = parser(__doc__).parse_args()
    rounds, calls = (3, 320) if args.quick else (7, 960)
    figures = added("one at a time", 1, 0.0, rounds, calls)
    figures += added("32 clients at once, 50 ms each", 32, 0.05, rounds, calls)
    finish(figures, args)


if __name__ == "__main__":
    main()
