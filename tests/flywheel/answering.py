"""A Chat Completions server that answers by a function of the model's name and the messages, for tests of whole rings."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from aiohttp import web

Answer = Callable[[str, list[dict[str, Any]]], str]


@contextlib.contextmanager
def answering(answer: Answer, tokens: Callable[[str], int] = lambda model: 20) -> Iterator[str]:
    """The server's address, while it is there. `tokens` is how many a reply of a model has."""

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        choice = {"index": 0, "message": {"role": "assistant", "content": answer(body["model"], body["messages"])}}
        usage = {"prompt_tokens": 300, "completion_tokens": tokens(body["model"])}
        return web.json_response({"choices": [{**choice, "finish_reason": "stop"}], "usage": usage})

    loop, ready, port = asyncio.new_event_loop(), threading.Event(), list[int]()

    async def run() -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.append(site._server.sockets[0].getsockname()[1])  # type: ignore[union-attr]
        ready.set()

    starting = loop.create_task(run())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    assert ready.wait(600), starting
    try:
        yield f"http://127.0.0.1:{port[0]}/v1"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(600)
