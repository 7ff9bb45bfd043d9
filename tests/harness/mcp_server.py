"""A small MCP server in plain Python, for tests: `python mcp_server.py [silent|old|noisy]`, or `serve()` over HTTP.

Its tools count, add, look at the environment and the folder, fail, hang and die.
"""

import contextlib
import json
import os
import signal
import sys
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

NUMBER = {"type": "number"}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "add",
        "description": "Add two numbers.",
        "inputSchema": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]},
        "annotations": {"readOnlyHint": True},
    },
    *(
        {"name": name, "description": words, "inputSchema": {"type": "object", "properties": {}}}
        for name, words in {
            "count": "Count the calls of this process.",
            "look": "Show the environment and the folder.",
            "fail": "Report an error.",
            "die": "End the process.",
            "hang": "Never answer.",
        }.items()
    ),
]


class Server:
    """The state of one session."""

    def __init__(self, version: str = "2025-06-18") -> None:
        self.version = version
        self.calls = 0

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            return None
        result: Any = {}
        if method == "initialize":
            info = {"name": "test", "version": "1"}
            result = {"protocolVersion": self.version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":  # two pages
            second = bool(params.get("cursor"))
            result = {"tools": TOOLS[3:]} if second else {"tools": TOOLS[:3], "nextCursor": "more"}
        elif method == "tools/call":
            name = params["name"]
            if name not in [tool["name"] for tool in TOOLS]:
                error = {"code": -32602, "message": f"Unknown tool: {name}"}
                return {"jsonrpc": "2.0", "id": message["id"], "error": error}
            text, failed = self.call(name, params.get("arguments") or {})
            result = {"content": [{"type": "text", "text": text}], "isError": failed}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        self.calls += 1
        match name:
            case "add":
                return f"{arguments['a'] + arguments['b']:g}", False
            case "count":
                return str(self.calls), False
            case "look":
                return json.dumps({"env": dict(os.environ), "files": sorted(os.listdir())}), False
            case "die":
                print("the disk is full", file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                time.sleep(600)
        return "it did not work", True


@contextlib.asynccontextmanager
async def serve() -> AsyncIterator[tuple[str, list[dict[str, str]]]]:
    """The address of the server over HTTP, and the headers that arrived."""
    from aiohttp import web

    sessions: dict[str, Server] = {}
    headers: list[dict[str, str]] = []

    async def handle(request: web.Request) -> web.Response:
        headers.append(dict(request.headers))
        if request.method != "POST":
            return web.Response(status=200 if request.method == "DELETE" else 405)
        message = await request.json()
        id = request.headers.get("mcp-session-id") or uuid.uuid4().hex
        answered = sessions.setdefault(id, Server()).answer(message)
        if answered is None:
            return web.Response(status=202)
        return web.json_response(answered, headers={"mcp-session-id": id})

    app = web.Application()
    app.router.add_route("*", "/mcp", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server: Any = site._server
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", headers
    finally:
        await runner.cleanup()


def main(mode: str = "") -> None:
    server = Server("1999-01-01" if mode == "old" else "2025-06-18")
    if mode == "noisy":
        print("no module named things", file=sys.stderr, flush=True)
        sys.exit(3)
    for line in sys.stdin:
        if mode == "silent":
            continue
        answered = server.answer(json.loads(line))
        if answered is not None:
            print(json.dumps(answered), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
