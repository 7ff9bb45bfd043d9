"""What every group of `Workspace` methods needs: the folder, the thread that the work runs on, opening and closing."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from verigym.core.errors import Refused
from verigym.core.event_loop import LoopThread
from verigym.progress_bar import ProgressBar

if TYPE_CHECKING:
    from types import TracebackType

T = TypeVar("T")


class WorkspaceBase:
    """An open workspace folder."""

    def __init__(self, home: str | Path | None = None) -> None:
        """Opens the folder `home`. The default is the variable VERIGYM_HOME, or `.verigym`. The folder is made if missing."""
        from verigym.workspace.workspace import WorkspaceFolder

        self.folder: WorkspaceFolder = WorkspaceFolder(Path(home) if home is not None else None)
        self._thread = LoopThread("verigym-workspace")
        self._closed = False

    @property
    def home(self) -> Path:
        """The folder."""
        return self.folder.home

    def close(self) -> None:
        """Closes the store and ends the thread. A closed workspace refuses every call. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._thread.close()
            self.folder.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        self.close()

    def _call(self, function: Callable[..., T], /, *args: Any, bar: ProgressBar | None = None) -> T:
        """Runs a function on the workspace's thread, with the folder as its first argument."""
        self._check_open()
        work = functools.partial(function, self.folder, *args)
        if bar is None:
            return self._thread.call(work)
        try:
            return self._thread.call(work, bar.draw)
        finally:
            bar.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Refused(f"The workspace {self.home} is closed. Open it again: verigym.Workspace(...)")
