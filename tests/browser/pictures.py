"""`python -m tests.browser.pictures`: the pictures of docs/how-to/view.md and the README, taken from the demonstration."""

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright  # pyright: ignore[reportMissingImports]

from tests.browser.conftest import ARGUMENTS, CHROMIUM, Watched, serving
from verigym.workspace.demo import put_demo

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "view"
PICTURES = {
    "home": "/",
    "gate": "/gate/3",
    "compare": "/compare?a=grpo&b=hacked",
    "training": "/training/grpo-846e9a72",
    "run": "/runs/eval-toolcall-9fef82fe",
    "trajectory": "/t/eval-toolcall-9fef82fe%2Ftoolcall%2Fval%2F0347%2F0",
    "failures": "/failures/eval-toolcall-9fef82fe",
    "traces": "/traces",
}
_HEIGHT = 860


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        os.chdir(work)
        home = Path("verigym-demo")
        put_demo(home)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        with serving(home) as address:
            tab = Watched(browser, address, viewport={"width": 1280, "height": _HEIGHT})
            for name, path in PICTURES.items():
                page = tab.open(path)
                page.wait_for_timeout(800)
                page.screenshot(path=FOLDER / f"{name}.png")
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
