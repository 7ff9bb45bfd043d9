"""A progress bar: rich on a terminal, HTML in a notebook, nothing elsewhere.

Work on another thread only reports its state. `draw` shows the newest state and is called on the thread of the caller. A
`live` bar is drawn by each report.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from verigym.core.printable import visible
from verigym.core.words import percent


class _Screen(Protocol):
    def update(self, done: int, total: int, note: str) -> None: ...
    def close(self) -> None: ...


class ProgressBar:
    def __init__(self, title: str = "", *, live: bool = False) -> None:
        self._title, self._live = title, live
        self._state: tuple[str, int, int, str] | None = None
        """The title, what is done, the total (0: unknown) and a note."""
        self._drawn: tuple[str, int, int, str] | None = None
        self._screen: _Screen | None = None

    def start(self, title: str) -> None:
        """Names the work that the next reports are about."""
        self._title = title

    @contextlib.contextmanager
    def measurement(self, title: str) -> Iterator[Callable[[Any], None]]:
        """The bar of one measurement: call the result with the progress of its run."""
        self.start(title)
        yield self.episodes

    def report(self, done: int, total: int, note: str = "") -> None:
        self._state = self._title, done, total, note
        if self._live:
            self.draw()

    def episodes(self, progress: Any) -> None:
        """Reports the progress of a run: episodes that are stored, and how many of them passed."""
        scored = progress.judged - progress.errors
        rate = f" ({percent(progress.passed / scored, 0)})" if scored > 0 else ""
        errors = f", errors {progress.errors}" if progress.errors else ""
        cost = f", ${progress.cost:.4f}" if progress.cost else ""
        self.report(progress.done, progress.total, f"passed {progress.passed}{rate}{errors}{cost}")

    def draw(self) -> None:
        state = self._state
        if state is None or state == self._drawn:
            return
        if self._screen is not None and self._drawn is not None and self._drawn[0] != state[0]:
            self._screen.close()
            self._screen = None
        if self._screen is None:
            self._screen = _screen(state[0])
        self._drawn = state
        self._screen.update(*state[1:])

    def close(self) -> None:
        if self._screen is not None:
            self.draw()
            self._screen.close()
        self._screen = self._state = self._drawn = None


def _screen(title: str) -> _Screen:
    if in_notebook():
        return _Notebook(title)
    return _Terminal(title) if sys.stderr.isatty() else _Nothing()


def in_notebook() -> bool:
    """Whether this code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class _Nothing:
    def update(self, done: int, total: int, note: str) -> None: ...
    def close(self) -> None: ...


class _Terminal:
    def __init__(self, title: str) -> None:
        from rich import progress
        from rich.console import Console

        columns = [progress.TextColumn("{task.description}", markup=False), progress.BarColumn()]
        columns += [progress.MofNCompleteColumn(), progress.TextColumn("{task.fields[note]}", markup=False)]
        times = [progress.TimeElapsedColumn(), progress.TextColumn("ETA"), progress.TimeRemainingColumn()]
        self._bar = progress.Progress(*columns, *times, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(visible(title), total=None, note="")

    def update(self, done: int, total: int, note: str) -> None:
        self._bar.update(self._task, completed=done, total=total or None, note=visible(note))

    def close(self) -> None:
        self._bar.stop()


class _Notebook:
    """One output of the cell that is written again and again. It needs no widgets."""

    def __init__(self, title: str) -> None:
        from IPython.display import HTML, display  # pyright: ignore[reportMissingImports]

        self._title, self._html = title, HTML
        self._handle: Any = display(HTML(""), display_id=True)

    def update(self, done: int, total: int, note: str) -> None:
        from verigym.draw.svg import escape

        bar = f'<progress max="{total}" value="{done}"></progress>'
        self._handle.update(self._html(f"{escape(self._title)} {bar} {done}/{total} {escape(note)}"))

    def close(self) -> None: ...
