"""A small HTTP API on this machine, for tests of tools. It counts requests and can hang, redirect and fail."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web


class LocalApi:
    """Orders by id. `requests` holds what arrived: method, path with query, headers, body."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str], str]] = []
        self.url = ""
        self.busy, self.most_busy = 0, 0
        self.answers: list[web.Response] = []
        """Answers to give first."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.text()
        self.requests.append((request.method, str(request.rel_url), dict(request.headers), body))
        if self.answers:
            return self.answers.pop(0)
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        try:
            return await self._answer(request, body)
        finally:
            self.busy -= 1

    async def _answer(self, request: web.Request, body: str) -> web.StreamResponse:
        match request.rel_url.raw_path.strip("/").split("/"):
            case ["orders", id]:
                if id == "404":
                    return web.json_response({"error": "no such order"}, status=404)
                return web.json_response({"id": id, "query": request.rel_url.query_string, "body": body})
            case ["echo"]:
                return web.Response(text=json.dumps(dict(request.headers)), content_type="application/json")
            case ["slow"]:
                await asyncio.sleep(0.05)
                return web.Response(text="slow")
            case ["hang"]:
                await asyncio.sleep(600)
            case ["crash"]:
                return web.Response(text="a stack trace", status=500)
            case ["here"]:
                return web.Response(status=302, headers={"Location": "/orders/moved"})
            case ["away"]:
                return web.Response(status=302, headers={"Location": "http://example.invalid/orders/1"})
            case ["loop"]:
                return web.Response(status=307, headers={"Location": "/loop"})
            case ["secret"]:
                return web.Response(status=401, text="wrong token")
            case ["big"]:
                return web.Response(text="x" * 500_000)
            case ["binary"]:
                return web.Response(body=b"\x89PNG\0\0\0", content_type="image/png")
            case _:
                pass
        return web.Response(status=404, text="nothing here")


@contextlib.asynccontextmanager
async def local_api() -> AsyncIterator[LocalApi]:
    api = LocalApi()
    app = web.Application(client_max_size=1 << 26)
    app.router.add_route("*", "/{path:.*}", api.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server: Any = site._server
    api.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield api
    finally:
        await runner.cleanup()
