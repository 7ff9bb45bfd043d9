"""A server of our own in a thread, for the tests of the gateway before it: it answers as it is told to."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from aiohttp import web

SAID = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "qwen",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Behind:
    """The server behind: it answers as it is told to, in a thread of its own, and remembers what it was sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[Any] = []
        self.paths: list[str] = []
        self.answer: Answer = says(SAID)
        self.left = threading.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.read())
        self.headers.append(request.headers)
        self.paths.append(request.path)
        try:
            return await self.answer(request)
        except asyncio.CancelledError:
            self.left.set()
            raise


def says(data: Any, status: int = 200) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(data, status=status, headers={"x-request-id": "req-1", "set-cookie": "a=b"})

    return answer


def streams_after_the_first(*pieces: bytes, read: threading.Event) -> Answer:
    """The first piece, and the others once somebody has read it."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(pieces[0])
        if await asyncio.to_thread(read.wait, 300):
            await response.write(b"".join(pieces[1:]))
        return response

    return answer


def streams(*pieces: bytes, pause_s: float = 0.0, dies: bool = False) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(pause_s)
        if dies:
            assert request.transport is not None
            request.transport.abort()
        return response

    return answer


async def hangs(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(900)
    return web.Response()


@contextlib.contextmanager
def behind() -> Iterator[tuple[Behind, str]]:
    one = Behind()
    loop = asyncio.new_event_loop()
    ready: list[str] = []
    done = asyncio.Event()

    async def serve() -> None:
        app = web.Application(handler_args={"handler_cancellation": True})
        app.router.add_route("*", "/{tail:.*}", one.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ready.append(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        await done.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    while not ready:
        time.sleep(0.005)
    try:
        yield one, ready[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
