"""Serves one adapter over HTTP, inside the virtual environment of a bridge. It imports only the standard library.

    python child_host.py ADAPTER.py '{"option": "value"}'

It reads a secret from the first line of its standard input, and prints {"port": N} when it listens on the loopback address. It
ends when its standard input is closed, so it never outlives the process that started it.

An adapter is a Python file that runs in the other project's environment and imports nothing of Verigym:

    def start(options): ...                  # optional, called once
    def tasks(): return [{"id": ..., ...}]   # optional. Any other function without a session works in the same way
    class Session:                           # one per episode
        def open(self, task): return {...}   # what the bridge needs to know: a prompt, tools
        def call(self, name, arguments): ... # or step(reply), run(urls), end_state(): any method without an underscore
        def close(self): ...                 # optional
    THREADS = 1                              # optional: how many plain functions may run at the same time

Functions and methods may be async. Plain ones run in a thread, one at a time unless THREADS says more. All values are JSON.

    POST /open {"task": {...}}                        -> {"session": ID, "result": ...}
    POST /call {"session": ID, "name": ..., ...}      -> {"result": ...}       any method of the session
    POST /close {"session": ID}                       -> {"result": null}
    POST /tasks {}                                    -> {"result": ...}       any function of the adapter

Every request has the header `authorization: Bearer SECRET`. Status 400 is an error of the caller (the adapter raised ValueError,
whose words the user reads), and 500 is any other exception.
"""

import asyncio
import concurrent.futures
import hmac
import importlib.util
import inspect
import json
import os
import secrets
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

_LARGEST = 64 * 2**20
"""Maximum bytes of a request."""
_TRACE = 2000


class _Refused(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Host:
    """The adapter and its sessions."""

    def __init__(self, adapter: Any, secret: str) -> None:
        self._adapter, self._secret = adapter, f"Bearer {secret}"
        self._sessions: dict[str, Any] = {}
        self._threads = concurrent.futures.ThreadPoolExecutor(int(getattr(adapter, "THREADS", 1)))

    async def answer(self, method: str, path: str, authorization: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to one request."""
        try:
            if not hmac.compare_digest(authorization.encode(), self._secret.encode()):
                raise _Refused(401, "The secret is wrong")
            given = json.loads(body or b"{}")
            if method != "POST" or not isinstance(given, dict):
                raise _Refused(400, "Send a POST with an object")
            answer = await self._act(path.strip("/"), given)
            return 200, json.dumps(answer, separators=(",", ":")).encode()
        except _Refused as error:
            return error.status, _words(str(error))
        except ValueError as error:
            return 400, _words(str(error) or "ValueError", traceback.format_exc())
        except Exception as error:
            return 500, _words(f"{type(error).__name__}: {error}", traceback.format_exc())

    async def _act(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        if name == "open":
            session = await self._run(self._adapter.Session)
            result = await self._run(session.open, **given)
            id = secrets.token_hex(8)
            self._sessions[id] = session
            return {"session": id, "result": result}
        if "session" not in given:
            return {"result": await self._run(_public(self._adapter, name), **given)}
        id = given.pop("session")
        if id not in self._sessions:
            raise _Refused(410, "This session is over")
        session = self._sessions[id]
        if name != "close":
            return {"result": await self._run(_public(session, name), **given)}
        del self._sessions[id]
        if callable(getattr(session, "close", None)):
            await self._run(session.close)
        return {"result": None}

    async def _run(self, function: Any, **given: Any) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(**given)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: function(**given))


def _public(owner: Any, name: str) -> Any:
    found = None if name.startswith("_") else getattr(owner, name, None)
    if not inspect.isroutine(found):
        raise _Refused(404, f'The adapter has no "{name}"')
    return found


def _words(error: str, trace: str = "") -> bytes:
    return json.dumps({"error": error, "trace": trace[-_TRACE:]}).encode()


class Connection(asyncio.Protocol):
    """HTTP/1.1 with Content-Length and keep-alive, one request after another: all that our client needs."""

    def __init__(self, host: Host) -> None:
        self._host, self._buffer = host, bytearray()
        self._transport: Any = None
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._answering is None:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answering is not None:
            self._answering.cancel()

    def _next(self) -> None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > 64 * 1024:
                self._transport.close()
            return
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        words = first.split(" ")
        size = headers.get("content-length", "0")
        if len(words) != 3 or not size.isdigit() or int(size) > _LARGEST:
            self._transport.close()
            return
        if len(self._buffer) < end + 4 + int(size):
            return
        body = bytes(self._buffer[end + 4 : end + 4 + int(size)])
        del self._buffer[: end + 4 + int(size)]
        task = self._answer(words[0], words[1], headers.get("authorization", ""), body)
        self._answering = asyncio.get_running_loop().create_task(task)

    async def _answer(self, method: str, path: str, authorization: str, body: bytes) -> None:
        status, answer = await self._host.answer(method, path, authorization, body)
        head = f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {len(answer)}\r\n\r\n"
        self._transport.write(head.encode() + answer)
        self._answering = None
        if self._buffer:
            self._next()


def load(file: str) -> Any:
    """The adapter as a module. Its folder is not importable, because Verigym's modules are there."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


async def serve(file: str, options: dict[str, Any], secret: str, told: int) -> None:
    adapter = load(file)
    if callable(getattr(adapter, "start", None)):
        started = adapter.start(options)
        if inspect.isawaitable(started):
            await started
    host = Host(adapter, secret)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(host), "127.0.0.1", 0, backlog=1024)
    os.write(told, json.dumps({"port": server.sockets[0].getsockname()[1]}).encode() + b"\n")
    await server.serve_forever()


def end_with_parent() -> None:
    while os.read(0, 4096):  # not buffered: the end of this process must not wait for it
        pass
    os._exit(0)


def main(file: str, options: str) -> None:
    secret = sys.stdin.buffer.readline().decode().strip()
    threading.Thread(target=end_with_parent, daemon=True).start()
    told = os.dup(1)
    os.dup2(2, 1)  # what the other project prints goes to the log, not to us
    asyncio.run(serve(file, json.loads(options), secret, told))


if __name__ == "__main__":
    main(*sys.argv[1:3])
