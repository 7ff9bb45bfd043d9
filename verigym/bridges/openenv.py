"""An environment as a server for clients of OpenEnv: /health, /metadata, /schema and /ws.

One WebSocket is one client. `reset` opens an episode, `step` is one action, and the reward comes with the last observation:

    {"type": "reset", "data": {"task_id": "office-12"}}                      # or {"seed": 7}, or {"index": 7}
    {"type": "step", "data": {"tool_name": "email-send", "arguments": {}}}   # a call
    {"type": "step", "data": {"text": "Done."}}                              # a message, which ends most episodes

An answer is `{"type": "observation", "data": {"observation", "reward", "done"}}` or `{"type": "error", "data": {"message",
"code"}}`. An error never ends the session. The server needs no package of OpenEnv.
"""

from typing import Any

import msgspec

import verigym
from verigym.core.errors import VerigymError
from verigym.core.records import Json, Task
from verigym.servers.environment_app import AppAnswer, AppRequest, app_of
from verigym.servers.environment_sessions import EnvironmentSession, EnvironmentSessions
from verigym.wire import chat
from verigym.wire.http import HttpError
from verigym.wire.tools import ToolNames

_ACTION: Json = {
    "title": "VerigymAction",
    "type": "object",
    "properties": {
        "tool_name": {"type": "string", "description": "Name of a tool. Leave it out to send text"},
        "arguments": {"type": "object", "description": "Arguments of the tool"},
        "text": {
            "type": "string",
            "description": "What the agent says. It ends the episode if the environment does not answer",
        },
        "metadata": {"type": "object"},
    },
    "additionalProperties": False,
}
_OBSERVATION: Json = {
    "title": "VerigymObservation",
    "type": "object",
    "properties": {
        "messages": {
            "type": "array",
            "description": "After reset: system prompt and prompt, as messages of Chat Completions",
        },
        "tools": {"type": "array", "description": "After reset: the tools, as Chat Completions takes them"},
        "text": {"type": "string", "description": "After a step: the result of the call, or the answer to the text"},
        "failed": {"type": "boolean", "description": "After a call: whether the tool refused it"},
        "metadata": {"type": "object", "description": "At the end: task, passed, unsafe, parts, evidence and stop"},
    },
}
_STATE: Json = {
    "title": "VerigymState",
    "type": "object",
    "properties": {
        "episode_id": {"type": ["string", "null"]},
        "step_count": {"type": "integer"},
        "task_id": {"type": "string"},
        "done": {"type": "boolean"},
    },
}


def openenv_app(sessions: EnvironmentSessions) -> Any:
    http = app_of(_Routes(sessions).answer, sessions)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            return await _WebSocket(sessions, receive, send).serve(scope["path"])
        return await http(scope, receive, send)

    return app


class _Routes:
    def __init__(self, sessions: EnvironmentSessions) -> None:
        self._sessions = sessions

    async def answer(self, request: AppRequest) -> AppAnswer:
        path, spec = request.path.strip("/"), self._sessions.environment
        if request.method == "GET" and path == "health":
            return AppAnswer(body={"status": "healthy"})
        if request.method == "GET" and path == "metadata":
            about = f"{len(self._sessions.tasks):,} tasks. Served by Verigym {verigym.__version__}"
            return AppAnswer(body={"name": spec.name, "description": about, "version": spec.version or None})
        if request.method == "GET" and path == "schema":
            return AppAnswer(body={"action": _ACTION, "observation": _OBSERVATION, "state": _STATE})
        if path in ("reset", "step", "state"):
            raise HttpError(405, f"/{path} has no session over HTTP. Use the WebSocket /ws, as OpenEnv's clients do")
        raise HttpError(404, f"{request.method} {request.path}: not found. Routes: /health, /metadata, /schema, /ws")


class _Refused(Exception):
    """A message that the client has to change."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class _WebSocket:
    """One client. It has at most one episode at a time."""

    def __init__(self, sessions: EnvironmentSessions, receive: Any, send: Any) -> None:
        self._sessions, self._receive, self._send = sessions, receive, send
        self._session: EnvironmentSession | None = None
        self._episode, self._steps, self._done = "", 0, False

    async def serve(self, path: str) -> None:
        await self._receive()  # websocket.connect
        if path.rstrip("/") != "/ws":
            return await self._send({"type": "websocket.close", "code": 4404})
        await self._send({"type": "websocket.accept"})
        try:
            while (message := await self._receive())["type"] == "websocket.receive":
                if (answer := await self._answer(message.get("text") or message.get("bytes") or "")) is None:
                    return await self._send({"type": "websocket.close", "code": 1000})
                await self._send({"type": "websocket.send", "text": msgspec.json.encode(answer).decode()})
        finally:
            await self._release()

    async def _answer(self, raw: str | bytes) -> Json | None:
        """The answer to a message. None if the client closes the session."""
        try:
            kind, data = _read(raw)
            if kind == "close":
                return None
            if kind == "reset":
                return _observation(*await self._reset(data))
            if kind == "step":
                return _observation(*await self._step(data))
            if kind == "state":
                return {"type": "state", "data": self._state()}
            raise _Refused(f'Unknown message type: "{kind}". Send reset, step, state or close', "UNKNOWN_TYPE")
        except _Refused as error:
            return _error(str(error), error.code)
        except HttpError as error:
            code = "CAPACITY_REACHED" if error.status == 503 else "EXECUTION_ERROR"
            return _error(error.message, code)
        except VerigymError as error:
            return _error(str(error), "EXECUTION_ERROR")

    async def _reset(self, data: Json) -> tuple[Json, float | None, bool]:
        task = self._task(data)
        await self._release()
        self._session = session = await self._sessions.open(task)
        self._episode, self._steps, self._done = str(data.get("episode_id") or session.id), 0, False
        offered = session.live.offer.tools
        tools = [chat.tool(tool, session.names.wire(tool.name)) for tool in offered]
        items = session.live.items
        messages = chat.context(items, ToolNames([tool.name for tool in offered], items))
        return {"messages": messages, "tools": tools, "metadata": {"task": task.id}}, None, False

    def _task(self, data: Json) -> Task:
        if (id := data.get("task_id")) is not None:
            return self._sessions.task(id)
        number = data.get("index", data.get("seed"))
        if number is None:
            number = 0
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise _Refused("index and seed must be whole numbers from 0 on", "VALIDATION_ERROR")
        tasks = list(self._sessions.tasks.values())
        return tasks[number % len(tasks)]

    async def _step(self, data: Json) -> tuple[Json, float | None, bool]:
        if self._session is None:
            why = "The episode is over. Send reset" if self._done else "Send reset before the first step"
            raise _Refused(why, "EXECUTION_ERROR")
        session, observation = self._session, await self._act(self._session, data)
        self._steps += 1
        session.count_reply()
        if session.live.stop is None:
            return observation, None, False
        self._session, self._done = None, True
        verdict = await self._sessions.score(session)
        metadata = {
            "task": session.task.id,
            "passed": verdict.passed,
            "unsafe": verdict.unsafe,
            "parts": verdict.parts,
            "evidence": verdict.evidence,
            "stop": str(session.live.stop),
        }
        return {**observation, "metadata": metadata}, verdict.reward, True

    async def _act(self, session: EnvironmentSession, data: Json) -> Json:
        """Runs an action. It is a call or a text."""
        action = data.get("action", data)
        wrong = sorted(set(action) - {"tool_name", "arguments", "text", "metadata", "type"})
        name, text, arguments = action.get("tool_name"), action.get("text"), action.get("arguments")
        arguments = {} if arguments is None else arguments
        if wrong:
            raise _Refused(f"Unknown fields of the action: {', '.join(wrong)}", "VALIDATION_ERROR")
        if (name is None) == (text is None):
            raise _Refused("An action has either tool_name and arguments, or text", "VALIDATION_ERROR")
        if text is not None:
            if not isinstance(text, str):
                raise _Refused("text must be a string", "VALIDATION_ERROR")
            answer, _ = await session.say(text)
            return {"text": answer}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise _Refused("tool_name must be a string, and arguments an object", "VALIDATION_ERROR")
        output, ran = await session.call(name, msgspec.json.encode(arguments).decode())
        return {"text": output, "failed": not ran}

    def _state(self) -> Json:
        task = self._session.task.id if self._session is not None else ""
        return {"episode_id": self._episode or None, "step_count": self._steps, "task_id": task, "done": self._done}

    async def _release(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await self._sessions.release(session)


def _read(raw: str | bytes) -> tuple[str, Json]:
    try:
        message = msgspec.json.decode(raw)
    except (ValueError, RecursionError) as error:
        raise _Refused("The message is not JSON", "INVALID_JSON") from error
    if not isinstance(message, dict) or not isinstance(data := message.get("data") or {}, dict):
        raise _Refused('A message is {"type": ..., "data": {...}}', "VALIDATION_ERROR")
    if not isinstance(data.get("action", {}), dict):
        raise _Refused("action must be an object", "VALIDATION_ERROR")
    return str(message.get("type", "")), data


def _observation(observation: Json, reward: float | None, done: bool) -> Json:
    data: Json = {"observation": observation, "reward": reward, "done": done}
    if "metadata" in observation:
        data["metadata"] = observation["metadata"]
    return {"type": "observation", "data": data}


def _error(message: str, code: str) -> Json:
    return {"type": "error", "data": {"message": message, "code": code}}
