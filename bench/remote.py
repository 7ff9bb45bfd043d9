"""What a model call over HTTP costs on the client's side, with a server that answers at once in a process of its own.

CPU time of this process, all included, for one call out of an episode of five (four tool calls and a final message).
"""

import asyncio
import statistics
import time
from typing import Any

from figures import Figure, figure, finish, parser
from instant_server import running

from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, ToolSpec, Turn
from verigym.policies.remote import RemotePolicy

CALLS = 5
PROPERTIES = {name: {"type": "string", "description": f"The {name}."} for name in ("attendee", "day", "time")}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["day"]}
TOOLS = [ToolSpec(name=f"calendar.tool_{i}", description="Does one thing.", parameters=SCHEMA) for i in range(6)]


async def episode(policy: RemotePolicy) -> None:
    items: list[Item] = [Message("system", "You are an office assistant."), Message("user", "Book Oscar on Tuesday.")]
    turns: list[Turn] = []
    for _ in range(CALLS):
        reply = await policy.respond(Request(items=list(items), tools=TOOLS, turns=list(turns)))
        turns.append(reply.turn)
        items += reply.items
        items += [FunctionCallOutput(call.call_id, "done") for call in reply.items if isinstance(call, FunctionCall)]
    assert sum(isinstance(item, FunctionCall) for item in items) == CALLS - 1


async def cpu_ms(port: int, at_once: int, episodes: int, options: dict[str, Any]) -> float:
    """CPU-ms a call, connections already open."""
    async with RemotePolicy(f"http://127.0.0.1:{port}/v1", "instant", concurrency=at_once, **options) as policy:
        await asyncio.gather(*(episode(policy) for _ in range(at_once)))
        before = time.process_time()
        for _ in range(episodes // at_once):
            await asyncio.gather(*(episode(policy) for _ in range(at_once)))
        return (time.process_time() - before) * 1000 / (episodes // at_once * at_once * CALLS)


def main() -> None:
    args = parser(__doc__).parse_args()
    rounds, episodes = (3, 512) if args.quick else (7, 1024)
    figures: list[Figure] = []
    with running() as port:
        for name, options in {
            "Chat Completions": {},
            "Responses": {"api": "responses"},
            "Chat Completions, tools as text": {"tools": "text"},
        }.items():
            for at_once in (64, 512):
                ms = [asyncio.run(cpu_ms(port, at_once, episodes, options)) for _ in range(rounds)]
                words = f"a model call by {name}, {at_once} at once"
                figures.append(figure(words, statistics.median(ms), f"CPU-ms, median of {rounds}", "<= 0.3"))
    finish(figures, args)


if __name__ == "__main__":
    main()
