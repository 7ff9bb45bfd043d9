"""Engines as servers in the process of a test, on a thread of their own."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

from aiohttp import web

from verigym.cluster.engine_server import EngineService, make_service, serve


class Served:
    """A running engine server."""

    def __init__(self, address: str, service: EngineService) -> None:
        self.address, self.service = address, service


class OtherClock(EngineService):
    """A server whose answers have another time."""

    def __init__(self, like: EngineService, ahead_s: float) -> None:
        super().__init__(like.engine, like.name, window=like.window, versions=like.most)
        self._ahead_s = ahead_s

    def app(self) -> web.Application:
        async def set_time(request: web.Request, response: web.StreamResponse) -> None:
            response.headers["Date"] = formatdate(time.time() + self._ahead_s, usegmt=True)

        app = super().app()
        app.on_response_prepare.append(set_time)
        return app


@contextlib.contextmanager
def served(
    kind: str,
    model: str | Path,
    *,
    versions: int = 4,
    key: str = "",
    name: str = "",
    fake: str = "",
    max_batch: int = 64,
    clock_s: float = 0.0,
) -> Iterator[Served]:
    """An engine server on this machine, whose clock is ahead by `clock_s`."""
    service = make_service(kind, str(model), max_batch=max_batch, versions=versions, key=key, quantized="", fake=fake)
    if clock_s:
        service = OtherClock(service, clock_s)
    service.name = name or service.name
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def call(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(60)

    runner = call(serve(service, "127.0.0.1", 0))
    try:
        yield Served(f"http://127.0.0.1:{runner.addresses[0][1]}", service)
    finally:
        call(runner.cleanup())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()
