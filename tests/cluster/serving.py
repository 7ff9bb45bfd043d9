"""Engines as servers in the process of a test, on a thread of their own."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verigym.cluster.engine_server import EngineService, make_service, serve


class Served:
    """A running engine server."""

    def __init__(self, address: str, service: EngineService) -> None:
        self.address, self.service = address, service


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
) -> Iterator[Served]:
    """An engine server on this machine."""
    service = make_service(kind, str(model), max_batch=max_batch, versions=versions, key=key, quantized="", fake=fake)
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
