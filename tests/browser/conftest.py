"""A view of a workspace with every kind of record, and a browser that looks at it. `make test-view` installs both."""

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.view.store import Made, make_store
from verigym.servers.connections import listen, url_of
from verigym.view.app import View
from verigym.view.door import DoorSettings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-headless-shell") or ""
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--font-render-hinting=none",
)  # fmt: skip
SHOTS = Path(os.environ.get("VERIGYM_SHOTS", Path(__file__).parents[2] / "build" / "screenshots"))
"""Where screenshots go. They are made anew by every run."""


@contextlib.contextmanager
def serving(home: Path, **settings: Any) -> Iterator[str]:
    """The address of a view of this workspace."""
    listening = listen("127.0.0.1", settings.pop("port", 0))
    view = View(home, DoorSettings(port=listening.getsockname()[1], **settings))
    server = uvicorn.Server(uvicorn.Config(view.app(), log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.01)
    try:
        yield url_of(listening)
    finally:
        server.should_exit = True
        thread.join()
        view.close()
        listening.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("browser") / "home")


@pytest.fixture(scope="session")
def address(made: Made) -> Iterator[str]:
    with serving(made.home) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # pyright: ignore[reportMissingImports]

    assert CHROMIUM, "Chromium is not installed. Run: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Watched:
    """A tab that notes everything that must not happen."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        theme = options.pop("theme", "light")
        size = {"width": options.pop("width", 1280), "height": 900}
        settings = {"color_scheme": theme, "viewport": size, "reduced_motion": "reduce", **options}
        self.context = browser.new_context(base_url=address, **settings)
        self.context.set_default_timeout(120_000)
        if address.startswith("http"):
            self.context.add_cookies([{"name": "who", "value": "Ada", "url": address}])
        self.page = self.context.new_page()
        self.address = address
        self.faults: list[str] = []
        self.page.on("dialog", lambda dialog: (self.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on(
            "console", lambda said: self.faults.append(f"console {said.text}") if said.type == "error" else None
        )
        self.page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        self.page.on("request", self._request)
        self.page.add_init_script(
            "document.addEventListener('securitypolicyviolation', "
            "(e) => console.error('policy', e.violatedDirective, e.blockedURI))"
        )

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"request {request.url}")

    def open(self, path: str) -> Any:
        """The page at an address. The browser reports an answer such as 404 as an error, which is not a fault of the page."""
        answer = self.page.goto(path, wait_until="load")
        status = answer.status if answer is not None else 0
        if status >= 400:
            said = f"console Failed to load resource: the server responded with a status of {status} "
            self.faults = [fault for fault in self.faults if not fault.startswith(said)]
        return self.page

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def tab(chromium: Any, address: str) -> Iterator[Watched]:
    one = Watched(chromium, address)
    yield one
    one.close()
    assert one.faults == []
