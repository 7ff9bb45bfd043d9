"""The server's side of MCP (Model Context Protocol): tools over JSON-RPC 2.0, without an SDK.

`McpServer.handle` answers one message, whatever carries it. `http_answer` is the transport over HTTP (a message per POST,
answered with JSON) and `serve_lines` the one over standard input and output (a message per line). Over lines, a client can
cancel a call, and a call can report its progress (`report_progress`). Not supported: resources, prompts, sampling, and other
messages that the server sends on its own.
"""

import asyncio
import contextlib
import contextvars
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from verigym.core.errors import VerigymError, words_of
from verigym.core.records import Json, ToolSpec

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol that begin with `initialize`. Newer clients fall back to it."""
_PARSE, _REQUEST, _METHOD, _PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603
_END_S = 10.0
"""Seconds that cancelled calls have to end when the input ends."""
Notify = Callable[[Json], None]
_progress: contextvars.ContextVar[Callable[[float, float, str], None] | None] = contextvars.ContextVar(
    "progress", default=None
)


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
        hints: Mapping[str, Json] = {},
    ) -> None:
        """`hints` are the annotations of tools by name, such as `{"readOnlyHint": True}`."""
        self._name, self._version, self._instructions, self._hints = name, version, instructions, hints
        self._tools, self._call = tools, call

    async def handle(self, message: Any, notify: Notify | None = None) -> Any:
        """The answer to a message, or to a list of messages. None if it needs no answer. `notify` sends the progress of a call to
        a client that asked for it."""
        if isinstance(message, list):
            answers = [answer for each in message if (answer := await self.handle(each, notify)) is not None]
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
        reset = _progress.set(_reporter(params, notify))
        try:
            result = await self._result(message["method"], params)
        except LookupError:
            return _error(message["id"], _METHOD, f"This server has no method {message['method']}")
        except VerigymError as error:
            return _error(message["id"], _PARAMS, str(error))
        finally:
            _progress.reset(reset)
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
            return {"tools": [_tool(tool, self._hints.get(tool.name)) for tool in await self._tools()]}
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


def report_progress(done: float, total: float, message: str = "") -> None:
    """Sends the progress of the call that runs, if its client asked for it. A total of 0 is unknown."""
    report = _progress.get()
    if report is not None:
        report(done, total, message)


def _reporter(params: Json, notify: Notify | None) -> Callable[[float, float, str], None] | None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if notify is None or token is None:
        return None
    last = -1.0

    def report(done: float, total: float, message: str) -> None:
        nonlocal last
        if done <= last:  # clients expect it to grow
            return
        last = done
        known = {"total": total} if total else {}
        told = {"message": message} if message else {}
        body = {"progressToken": token, "progress": done, **known, **told}
        notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": body})

    return report


def _tool(tool: ToolSpec, hints: Json | None) -> Json:
    schema = tool.parameters if tool.parameters.get("type") == "object" else {"type": "object", **tool.parameters}
    described = {"name": tool.name, "description": tool.description, "inputSchema": schema}
    return {**described, "annotations": hints} if hints else described


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
    """Answers messages until the input ends. Calls run at the same time, and `write` gets whole lines. What still runs at the end
    is cancelled."""
    running: dict[Any, asyncio.Task[None]] = {}

    def send(message: Any) -> None:
        write(msgspec.json.encode(message) + b"\n")

    async def answer(message: Any) -> None:
        try:
            reply = await server.handle(message, send)
        except Exception as error:
            id = message.get("id") if isinstance(message, dict) else None
            reply = _error(id, _INTERNAL, f"The server failed: {type(error).__name__}: {words_of(error)}")
        if reply is not None:
            send(reply)

    while line := await read_line():
        if not line.strip():
            continue
        try:
            message = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            send(_error(None, _PARSE, "The line is not JSON"))
            continue
        if (cancelled := _cancelled(message)) is not None:
            if cancelled in running:
                running[cancelled].cancel()
            continue
        task = asyncio.create_task(answer(message))
        key = _key(message.get("id")) if isinstance(message, dict) else None
        key = key if key is not None and key not in running else task
        running[key] = task
        task.add_done_callback(lambda _, key=key: running.pop(key, None))
    if tasks := list(running.values()):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=_END_S)


def _cancelled(message: Any) -> Any:
    """The request that a notification cancels. None for another message."""
    if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
        return None
    params = message.get("params")
    return _key(params.get("requestId")) if isinstance(params, dict) else None


def _key(id: Any) -> Any:
    """The id of a request as a key. 1 and "1" are two ids."""
    return (type(id).__name__, id) if isinstance(id, str | int | float) else None


async def serve_stdio(server: McpServer) -> None:
    """Serves over standard input and output, which nothing else may use: what code prints goes to standard error."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.dup(1)
    sys.stdout.flush()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        while True:
            line = source.readline()
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop has ended
                return
            if not line:
                return

    def write(line: bytes) -> None:
        view = memoryview(line)
        with contextlib.suppress(BrokenPipeError):  # the client is gone, and the input ends too
            while view:
                view = view[os.write(sink, view) :]

    threading.Thread(target=read, name="mcp input", daemon=True).start()
    await serve_lines(server, lines.get, write)
    os.close(sink)
