"""An environment as an MCP server: its tools over HTTP (`/mcp`, a session per client) or over standard input and output.

The instructions of the server are the system prompt and the task. A session ends when the client deletes it, or when standard
input ends. Then it is scored, and `on_verdict` gets the result. `/mcp?task=ID` chooses a task. `POST /sessions/ID/end` with
`{"reply": "..."}` ends a session and returns its verdict, for whoever started the client.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import msgspec

import verigym
from verigym.core.records import Json, Message, Task, ToolSpec
from verigym.rollout.session import first_items
from verigym.servers.environment_app import AppAnswer, AppRequest, app_of, json_object
from verigym.servers.environment_sessions import EXTERNAL, EnvironmentSession, EnvironmentSessions
from verigym.wire.http import HttpError
from verigym.wire.mcp import McpServer, ToolAnswer, http_answer, serve_lines

_SESSION = b"mcp-session-id"
OnVerdict = Callable[[Json], None]


def mcp_app(sessions: EnvironmentSessions, task: Task, on_verdict: OnVerdict) -> Any:
    return app_of(_Routes(sessions, task, on_verdict).answer, sessions)


class _Routes:
    def __init__(self, sessions: EnvironmentSessions, task: Task, on_verdict: OnVerdict) -> None:
        self._sessions, self._task, self._on_verdict = sessions, task, on_verdict

    async def answer(self, request: AppRequest) -> AppAnswer:
        path = request.path.strip("/")
        if path == "mcp":
            return await self._mcp(request)
        parts = path.split("/")
        if request.method == "POST" and len(parts) == 3 and parts[0] == "sessions" and parts[2] == "end":
            session = self._session(parts[1])
            return AppAnswer(body=await self._end(session, str(json_object(request.body).get("reply", ""))))
        if request.method == "GET" and not path:
            return AppAnswer(body={"status": "ok", "environment": self._sessions.environment.name})
        raise HttpError(404, f"{request.method} {request.path}: not found. The MCP server is at /mcp")

    async def _mcp(self, request: AppRequest) -> AppAnswer:
        key = request.headers.get(_SESSION, b"").decode("latin-1")
        if request.method == "POST" and not key:
            if json_object(request.body).get("method") != "initialize":
                raise HttpError(400, "The header Mcp-Session-Id is missing. Begin with initialize")
            task = self._sessions.task(asked[0]) if (asked := parse_qs(request.query).get("task")) else self._task
            session = await self._sessions.open(task)
            status, body = await http_answer(server_of(self._sessions, session), request.method, request.body)
            return AppAnswer(status=status, body=body, headers=[(_SESSION, session.id.encode())])
        if request.method == "GET":
            return AppAnswer(status=405, body=b"")
        session = self._session(key)
        if request.method == "DELETE":
            await self._end(session)
            return AppAnswer(body=b"")
        status, body = await http_answer(server_of(self._sessions, session), request.method, request.body)
        return AppAnswer(status=status, body=body)

    def _session(self, id: str) -> EnvironmentSession:
        session = self._sessions.find(id)
        if session is None:
            raise HttpError(404, "No session has this id. It may be over")
        return session

    async def _end(self, session: EnvironmentSession, reply: str = "") -> Json:
        result = await ended(self._sessions, session, reply)
        self._on_verdict(result)
        return result


def server_of(sessions: EnvironmentSessions, session: EnvironmentSession) -> McpServer:
    async def tools() -> list[ToolSpec]:
        offered = session.live.offer.tools
        return [msgspec.structs.replace(tool, name=session.names.wire(tool.name)) for tool in offered]

    async def call(name: str, arguments: Json) -> ToolAnswer:
        output, ran = await session.call(name, msgspec.json.encode(arguments).decode())
        return ToolAnswer(output, failed=not ran)

    items = first_items(sessions.environment, session.task, EXTERNAL)
    told = "\n\n".join(item.text for item in items if isinstance(item, Message))
    return McpServer(f"verigym-{sessions.environment.name}", verigym.__version__, tools, call, told)


async def ended(sessions: EnvironmentSessions, session: EnvironmentSession, reply: str = "") -> Json:
    """Ends a session and says how it went."""
    trajectory, verdict = await sessions.verdict(session, reply)
    error = verdict.error or trajectory.error
    return {
        "task": session.task.id,
        "session": session.id,
        "reward": verdict.reward,
        "passed": verdict.passed,
        "unsafe": verdict.unsafe,
        "evidence": verdict.evidence,
        "calls": len(trajectory.calls),
        "error": f"{error.kind}: {error.message} (the {error.fault}'s fault)" if error is not None else "",
    }


async def serve_stdio(sessions: EnvironmentSessions, task: Task, on_verdict: OnVerdict) -> None:
    """Serves one session over standard input and output."""
    session = await sessions.open(task)
    loop = asyncio.get_running_loop()

    async def read_line() -> bytes:
        return await loop.run_in_executor(None, sys.stdin.buffer.readline)

    def write(line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    try:
        await serve_lines(server_of(sessions, session), read_line, write)
        on_verdict(await ended(sessions, session))
    finally:
        await sessions.close()
