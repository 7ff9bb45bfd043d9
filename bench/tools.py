"""What a tool of a tools file adds to a call: over the bare aiohttp client for HTTP, over the bare SDK for MCP.

The servers are processes of their own, so their CPU time is not counted. Each round makes the same calls with the bare client
and then through the harness: arguments checked against the schema, unsafe_if evaluated, marks recorded. A figure is the
difference of the CPU time per call in a round, and of those the median. The last figure is the same with a record that answers.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.harness.episode_tools import EpisodeTools
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor
from verigym.harness.tools import ToolBox
from verigym.harness.tools_file import ToolsFile

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}, "required": ["id"]}
ANSWER = json.dumps({"id": "7", "items": [{"name": "tea", "n": 2}, {"name": "rice", "n": 1}], "status": "paid"})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER.encode())

    def log_message(self, format: str, *args: object) -> None: ...


def serve_http() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


def serve_mcp() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        result: Any = {}
        match message.get("method"):
            case "initialize":
                version = message["params"]["protocolVersion"]
                info = {"name": "bench", "version": "1"}
                result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                result = {"tools": [{"name": "get", "description": "Get.", "inputSchema": SCHEMA}]}
            case "tools/call":
                result = {"content": [{"type": "text", "text": ANSWER}], "isError": False}
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


class Nothing:
    def open(self, task: object) -> None: ...


class Episode:
    """A state with the tools of a file, as `with_tools` makes it."""

    def __init__(self, tools: EpisodeTools) -> None:
        self.call_file_tool = tools.call


async def cpu_ms(call: Callable[[int], Awaitable[Any]], calls: int) -> float:
    """CPU-ms per call, one after another."""
    for number in range(20):
        await call(number)
    before = time.process_time()
    for number in range(calls):
        await call(number)
    return (time.process_time() - before) * 1000 / calls


async def through_harness(file: ToolsFile, calls: int, varied: bool = True) -> float:
    tools = EpisodeTools(file)
    box = ToolBox(Nothing).with_declared(file.declared)
    state, executor = Episode(tools), EpisodeExecutor(AdaptiveExecutor(), own_thread=False)

    async def call(number: int) -> None:
        outcome = await box.call(state, "get", f'{{"id": "7", "n": {number if varied else 1}}}', executor)
        assert outcome.output == ANSWER, outcome

    try:
        return await cpu_ms(call, calls)
    finally:
        await tools.close()


async def bare_http(url: str, calls: int) -> float:
    import aiohttp

    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def call(number: int) -> None:
            async with session.get(f"{url}/orders/7", params={"n": str(number)}) as response:
                assert await response.text() == ANSWER

        return await cpu_ms(call, calls)


async def bare_mcp(command: list[str], calls: int) -> float:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    given = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(given) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        await session.list_tools()

        async def call(number: int) -> None:
            result: Any = await session.call_tool("get", {"id": "7", "n": number})
            assert result.content[0].text == ANSWER

        return await cpu_ms(call, calls)


def tools_file(folder: Path, name: str, text: str) -> ToolsFile:
    path = folder / name
    limits = f"parameters: {json.dumps(SCHEMA)}, unsafe_if: 'id == \"0\"'"
    path.write_text(text.replace("LIMITS", limits))
    return ToolsFile(path)


def main() -> None:
    args = parser(__doc__).parse_args()
    rounds, calls = (3, 300) if args.quick else (7, 1000)
    own = [sys.executable, __file__]
    figures: list[Figure] = []
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen([*own, "http"], stdout=subprocess.PIPE, text=True) as api,
    ):
        assert api.stdout is not None
        folder, url = Path(name), f"http://127.0.0.1:{int(api.stdout.readline())}"
        http = tools_file(folder, "http.yaml", f"tools: [{{name: get, LIMITS, http: 'GET {url}/orders/{{id}}'}}]")
        server = f"servers: {{s: {{command: {json.dumps([*own, 'mcp'])}, offer: false, spare: 0}}}}\n"
        mcp = tools_file(folder, "mcp.yaml", f"{server}tools: [{{name: get, LIMITS, mcp: s}}]")
        recorded = tools_file(
            folder,
            "replay.yaml",
            f"replay: calls.jsonl\ntools: [{{name: get, LIMITS, http: 'GET {url}/orders/{{id}}'}}]",
        )
        found: dict[str, list[tuple[float, float]]] = {"HTTP": [], "MCP": []}
        replayed: list[float] = []
        for _ in range(rounds):
            found["HTTP"].append((asyncio.run(bare_http(url, calls)), asyncio.run(through_harness(http, calls))))
            found["MCP"].append((asyncio.run(bare_mcp([*own, "mcp"], calls)), asyncio.run(through_harness(mcp, calls))))
            replayed.append(asyncio.run(through_harness(recorded, calls, varied=False)))
        api.terminate()
    unit = f"CPU-ms, median of {rounds}"
    for kind, peer in (("HTTP", "aiohttp"), ("MCP", "the mcp SDK")):
        pairs = found[kind]
        added = statistics.median(ours - bare for bare, ours in pairs)
        figures.append(figure(f"a tool call over {kind}: added to {peer}", added, unit, "<= 0.5"))
        figures.append(
            figure(f"a tool call over {kind}: {peer} alone", statistics.median(bare for bare, _ in pairs), unit)
        )
    figures.append(figure("a tool call answered from a record", statistics.median(replayed), unit))
    finish(figures, args)


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    elif sys.argv[1:] == ["mcp"]:
        serve_mcp()
    else:
        main()
