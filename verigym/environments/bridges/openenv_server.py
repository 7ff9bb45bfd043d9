"""Serves one application of OpenEnv from a file, in the virtual environment of the bridge. It imports nothing of Verigym.

    python openenv_server.py FILE.py APP

It prints {"port": N} when the application has started and answers, and ends when its standard input is closed.
"""

import importlib.util
import json
import os
import socket
import sys
import threading


def main(file: str, name: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    spec = importlib.util.spec_from_file_location("openenv_application", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        sys.exit(f"{file} has no {name}. Write FILE.py:APP, where APP is the name of the application in the file")
    import uvicorn  # pyright: ignore[reportMissingImports]

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets=sockets)
            print(json.dumps({"port": listening.getsockname()[1]}), flush=True)  # now it answers

    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    Server(uvicorn.Config(getattr(module, name), log_level="warning")).run(sockets=[listening])


def _end_with_parent() -> None:
    while os.read(0, 4096):  # not buffered: the end of this process must not wait for it
        pass
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
