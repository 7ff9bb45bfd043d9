"""The server's side of MCP (Model Context Protocol): tools over JSON-RPC 2.0, without an SDK.

`McpServer.handle` answers one message, whatever carries it. `http_answer` is the transport over HTTP (a message per POST,
answered with JSON) and `serve_lines` the one over standard input and output (a message per line). Not supported: resources,
prompts, sampling, and messages that the server sends on its own.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from verigym.core.errors import VerigymError, words_of
from verigym.core.records import Json, ToolSpec

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol that begin with `initialize`. Newer clients fall back to it."""
_PARSE, _REQUEST, _METHOD, _PARAMS = -32700, -32600, -32601, -32602


class ToolAnswer(msgspec.Struct, frozen=True):
    """The result of a tool call."""

    text: str
    failed: bool = False


class McpServer:
    """Tools for MCP clients. `tools` lists them, `call` runs one with its arguments object."""

    def __init__(
        self,
        name: str,
        version: str,
        tools: Callable[[], Awaitable[list[ToolSpec]]],
        call: Callable[[str, Json], Awaitable[ToolAnswer]],
        instructions: str = "",
    ) -> None:
        self._name, self._version, self._instructions = name, version, instructions
        self._tools, self._call = tools, call

    async def handle(self, message: Any) -> Any:
        """The answer to a message, or to a list of messages. None if it needs no answer."""
        if isinstance(message, list):
            answers = [answer for each in message if (answer := await self.handle(each)) is not None]
            return answers or None
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if isinstance(message, dict) and ("result" in message or "error" in message):
                return None  # an answer, and this server asks nothing
            return _error(None, _REQUEST, "This is not a JSON-RPC request")
        if "id" not in message:
            return None  # a notification
        params = message.get("params") or {}
        if not isinstance(params, dict):
            return _error(message["id"], _PARAMS, "params must be an object")
        try:
            result = await self._result(message["method"], params)
        except LookupError:
            return _error(message["id"], _METHOD, f"This server has no method {message['method']}")
        except VerigymError as error:
            return _error(message["id"], _PARAMS, str(error))
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    async def _result(self, method: str, params: Json) -> Json:
        if method == "initialize":
            asked = params.get("protocolVersion")
            return {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": {"name": self._name, "version": self._version},
                **({"instructions": self._instructions} if self._instructions else {}),
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": [_tool(tool) for tool in await self._tools()]}
        if method == "tools/call":
            return await self._called(params)
        raise LookupError(method)

    async def _called(self, params: Json) -> Json:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            answer = ToolAnswer("error: a call needs a name and an object of arguments", failed=True)
        else:
            try:
                answer = await self._call(name, arguments)
            except VerigymError as error:
                answer = ToolAnswer(f"error: {words_of(error)}", failed=True)
        return {"content": [{"type": "text", "text": answer.text}], "isError": answer.failed}


def _tool(tool: ToolSpec) -> Json:
    schema = tool.parameters if tool.parameters.get("type") == "object" else {"type": "object", **tool.parameters}
    return {"name": tool.name, "description": tool.description, "inputSchema": schema}


def _error(id: Any, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


async def http_answer(server: McpServer, method: str, body: bytes) -> tuple[int, bytes]:
    """Status and body for an HTTP request of a client. A GET would open a stream of the server's own messages, of which there
    are none. A DELETE ends a session, of which there are none either."""
    if method == "DELETE":
        return 200, b""
    if method != "POST":
        return 405, b""
    try:
        message = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return 400, msgspec.json.encode(_error(None, _PARSE, "The body is not JSON"))
    answer = await server.handle(message)
    return (202, b"") if answer is None else (200, msgspec.json.encode(answer))


async def serve_lines(
    server: McpServer, read_line: Callable[[], Awaitable[bytes]], write: Callable[[bytes], None]
) -> None:
    """Answers messages until the input ends. Calls run at the same time, and `write` gets whole lines."""
    running: set[asyncio.Task[None]] = set()

    async def answer(line: bytes) -> None:
        try:
            message = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            reply: Any = _error(None, _PARSE, "The line is not JSON")
        else:
            reply = await server.handle(message)
        if reply is not None:
            write(msgspec.json.encode(reply) + b"\n")

    while line := await read_line():
        if line.strip():
            task = asyncio.create_task(answer(line))
            running.add(task)
            task.add_done_callback(running.discard)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
