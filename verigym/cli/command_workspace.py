"""The workspace of a command."""

import contextlib
import difflib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from verigym.api import Workspace
from verigym.api_base import T
from verigym.core.errors import NotFound
from verigym.progress_bar import ProgressBar

_FILES = ("store.db", "store.url", "servers.json")
"""A workspace has one of these."""


class CommandWorkspace(Workspace):
    """Its methods run on the main thread, where a signal can interrupt a verifier that hangs."""

    def __init__(self, home: Path | None, cluster: str = "") -> None:
        super().__init__(home, cluster=cluster)
        self._bar = ProgressBar(live=True)

    def _call(self, work: Callable[[], T]) -> T:
        with contextlib.closing(self._bar):
            return work()

    def check_exists(self) -> None:
        """Refuses a folder that is not a workspace, so that a wrong --home does not look like an empty workspace."""
        from verigym.store.address import VARIABLE
        from verigym.store.connection import exists

        if os.environ.get(VARIABLE) or any(exists(self.home / name) for name in _FILES):
            return
        near = next(_others_near(self.home), None)
        hint = f" Did you mean --home {near}?" if near else ""
        raise NotFound(
            f"There is no workspace in {self.home.absolute()}.{hint} Check --home, VERIGYM_HOME and the folder that you are "
            "in. Commands that store something create a workspace: verigym quickstart, or verigym eval ENV -m MODEL"
        )


def _others_near(home: Path) -> Iterator[Path]:
    """Workspaces inside the folder, in the folders above this one, and beside it with a similar name."""
    above = [folder / ".verigym" for folder in Path.cwd().parents]
    siblings = {path.name: path for path in home.parent.glob("*") if path.name != home.name}
    alike = [siblings[name] for name in difflib.get_close_matches(home.name, siblings, n=3)]
    for folder in [home / ".verigym", *alike, *above]:
        with contextlib.suppress(OSError):
            if (folder / _FILES[0]).is_file():
                yield folder
