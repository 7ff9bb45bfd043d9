"""Serves an ASGI app on a thread, for the tests: `with serving(app) as url`."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn

from verigym.servers.connections import listen, url_of


@contextlib.contextmanager
def serving(app: Any) -> Iterator[str]:
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.01)
    try:
        yield url_of(listening)
    finally:
        server.should_exit = True
        thread.join(60)
        listening.close()
