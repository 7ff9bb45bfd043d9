"""Serving the view: listens, says where, and answers until it is stopped."""

import contextlib
import ctypes
import gc
import html
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.parse
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn

from verigym.core.errors import BadInput, Refused
from verigym.servers.admission import is_loopback, keys_from
from verigym.servers.connections import limited, listen, url_of
from verigym.view.app import View
from verigym.view.door import DoorSettings
from verigym.view.find import page_of

_CONNECTIONS = 256
_M_ARENA_MAX = -8
_COLLECT = (2_000, 10, 50)
"""New objects until a look at the youngest generation, and looks until one at the next."""
_OPENED_S = 30.0
"""Seconds that a browser gets to start."""


class ViewServer(NamedTuple):
    view: View
    server: uvicorn.Server
    socket: socket.socket
    address: str
    """Where to open it, with the token if it needs one."""

    def run(self) -> None:
        """Answers until Ctrl-C or SIGTERM."""
        try:
            _share_memory()
            threading.Thread(target=self._import_pages, daemon=True).start()
            self.view.reader.derived.start()
            with contextlib.suppress(KeyboardInterrupt):
                self.server.run(sockets=[self.socket])
        finally:
            self.view.close()
            self.socket.close()

    def _import_pages(self) -> None:
        """Also lets the garbage collector look at old objects less often, and never at what was imported. Otherwise it adds 90 ms
        to every tenth page."""
        assert self.view.pages
        gc.freeze()
        gc.set_threshold(*_COLLECT)


def open_view(
    home: Path,
    what: str = "",
    *,
    host: str = "127.0.0.1",
    port: int = 8401,
    url: str = "",
    key_env: str = "",
    token: bool = False,
    read_only: bool = False,
    named: Path | None = None,
) -> ViewServer:
    """A server that listens already. `what` names the thing whose page the address opens. `named` is the workspace as the
    user wrote it, for the commands on pages."""
    keys = keys_from(key_env, host)
    names, secure = _outside(url)
    if url and not keys:
        raise Refused(
            "Others can reach the view through --url, so it needs a key. Put a key into an environment variable: "
            "export VERIGYM_KEY=$(openssl rand -hex 24). Then pass --key-env VERIGYM_KEY"
        )
    one_time = secrets.token_urlsafe(24) if token else ""
    listening = listen(host, port)
    address = url_of(listening)
    bound = int(listening.getsockname()[1])
    settings = DoorSettings(
        host=host,
        port=bound,
        keys=[*keys, *([one_time] if one_time else [])],
        names=names,
        secure=secure,
        read_only=read_only,
    )
    try:
        view = View(home, settings, named)
        path = page_of(view.reader, what) if what else "/"
    except BaseException:
        listening.close()
        raise
    if url:
        address = url.rstrip("/")
    if one_time:
        path += ("&" if "?" in path else "?") + urllib.parse.urlencode({"token": one_time})
    config = uvicorn.Config(
        view.app(),
        http=limited(_CONNECTIONS),
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    return ViewServer(view, _Server(config, view.stop), listening, address + path)


def _share_memory() -> None:
    """Lets all threads allocate from one heap. With a heap for each thread, memory that one thread freed is of no use to the
    others, and the process takes half as much again."""
    with contextlib.suppress(OSError, AttributeError):  # only glibc has this
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


class _Server(uvicorn.Server):
    """Ends at the first Ctrl-C. A page that listens for events would otherwise keep the server waiting."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._stop = stop

    def handle_exit(self, sig: int, frame: object) -> None:
        self._stop()
        self.should_exit = True
        self.force_exit = sig == signal.SIGINT


def _outside(url: str) -> tuple[list[str], bool]:
    """The host name of the address under which a proxy offers the view, and whether it is HTTPS."""
    if not url:
        return [], False
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f'--url "{url}" is not an address. Write https://view.example.org')
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise BadInput(
            f'--url "{url}" has a path. Give the view a host name of its own, such as https://view.example.org'
        )
    return [parts.hostname], parts.scheme == "https"


def open_browser(address: str) -> bool:
    """Opens the address in the user's browser, if there is a screen to show it on."""
    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not screen or os.environ.get("SSH_CONNECTION"):
        return False
    threading.Thread(target=_open, args=(address,), daemon=True).start()
    return True


def _open(address: str) -> None:
    """A token must not be an argument of the browser's process, which other users can see, so a file leads to it."""
    if "token=" not in address:
        webbrowser.open(address)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:  # only its owner can read it
        file.write(f'<meta http-equiv="refresh" content="0;url={html.escape(address)}">')
        file.flush()
        webbrowser.open(Path(file.name).as_uri())
        time.sleep(_OPENED_S)


def tunnel(address: str) -> str:
    """The command that brings the view to the machine from which somebody is logged in. Empty without such a login."""
    port = urllib.parse.urlsplit(address).port
    if not os.environ.get("SSH_CONNECTION") or not is_loopback(urllib.parse.urlsplit(address).hostname or ""):
        return ""
    here = os.environ["SSH_CONNECTION"].split()[2]
    return f"ssh -L {port}:127.0.0.1:{port} {os.environ.get('USER', 'USER')}@{here}"
