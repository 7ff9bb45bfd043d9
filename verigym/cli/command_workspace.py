"""The workspace of a command."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from verigym.api import Workspace
from verigym.api_base import T
from verigym.progress_bar import ProgressBar


class CommandWorkspace(Workspace):
    """Its methods run on the main thread, where a signal can interrupt a verifier that hangs."""

    def __init__(self, home: Path | None) -> None:
        super().__init__(home)
        self._bar = ProgressBar(live=True)

    def _call(self, work: Callable[[], T]) -> T:
        with contextlib.closing(self._bar):
            return work()
