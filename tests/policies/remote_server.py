"""A server of our own in the same process, for the tests of a remote model: it gives the answers that it was told to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, ToolSpec
from verigym.policies.remote import RemotePolicy

Answer = web.Response | dict[str, Any] | Callable[[web.Request], Awaitable[web.StreamResponse]]

KEY = "sk-very-secret-4711"
EVENT = ToolSpec(name="calendar.create_event", description="Book.", parameters={"type": "object", "properties": {}})
HELLO = Request(items=[Message("user", "Hello")])


class Server:
    """Gives its answers in order, the last one again and again, and remembers what it was asked."""

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[Any] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        answer = self.answers[min(len(self.bodies), len(self.answers) - 1)]
        self.bodies.append(await request.json())
        self.paths.append(request.path_qs)
        self.headers.append(request.headers)
        if isinstance(answer, dict):
            return web.json_response(answer)
        if isinstance(answer, web.Response):
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        return await answer(request)


@contextlib.asynccontextmanager
async def serving(server: Server) -> AsyncIterator[str]:
    """The server's address."""
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def ask(
    *answers: Answer, request: Request = HELLO, times: int = 1, query: str = "", key: str = KEY, **options: Any
) -> tuple[Reply, Server]:
    """The reply of a policy whose server gives these answers."""
    server = Server(answers)

    async def run() -> Reply:
        async with serving(server) as address, RemotePolicy(f"{address}{query}", "small", **options) as policy:
            return (await asyncio.gather(*(policy.respond(request) for _ in range(times))))[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", key)
        return asyncio.run(run()), server


def ask_raw(*pieces: bytes, pause_s: float = 0.0, then: str = "close", **options: Any) -> Reply:
    """The reply of a policy whose server writes these bytes, whatever it is asked, and then closes or hangs."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause_s)
            if then == "hang":
                await asyncio.sleep(30)
        writer.close()

    async def run() -> Reply:
        server = await asyncio.start_server(speak, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with RemotePolicy(f"http://127.0.0.1:{port}/v1", "small", **{"retries": 0, **options}) as policy:
            try:
                return await policy.respond(HELLO)
            finally:
                server.close()

    return asyncio.run(run())


def chat(message: dict[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}], **more}


def responses(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": "completed", "output": list(output), **more}


def failing(status: int, text: str = "no", retry_after: str | None = "0") -> web.Response:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return web.Response(status=status, text=text, headers=headers)


HI = chat({"content": "Hi"})
