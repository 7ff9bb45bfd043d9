"""A progress bar for the caller of a workspace method: rich on a terminal, HTML in a notebook, nothing elsewhere.

The work reports its state from another thread. `draw` shows the newest state and is called on the thread of the caller.
"""

import sys
from typing import Any, Protocol


class _Screen(Protocol):
    def update(self, done: int, total: int, note: str) -> None: ...
    def close(self) -> None: ...


class ProgressBar:
    """`report` is called by the work, `draw` and `close` by the caller."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._state: tuple[int, int, str] | None = None
        self._drawn: tuple[int, int, str] | None = None
        self._screen: _Screen | None = None

    def report(self, done: int, total: int, note: str = "") -> None:
        self._state = done, total, note

    def episodes(self, progress: Any) -> None:
        """Reports the progress of a run."""
        scored = progress.judged - progress.errors
        rate = f" ({100 * progress.passed / scored:.0f}%)" if scored > 0 else ""
        errors = f", errors {progress.errors}" if progress.errors else ""
        self.report(progress.done, progress.total, f"passed {progress.passed}{rate}{errors}")

    def draw(self) -> None:
        if self._state is None or self._state == self._drawn:
            return
        if self._screen is None:
            self._screen = _screen(self._title)
        self._drawn = self._state
        self._screen.update(*self._state)

    def close(self) -> None:
        if self._screen is not None:
            self.draw()
            self._screen.close()


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
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
        more = [TextColumn("{task.fields[note]}"), TimeElapsedColumn()]
        self._bar = Progress(*columns, *more, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(title, total=None, note="")

    def update(self, done: int, total: int, note: str) -> None:
        self._bar.update(self._task, completed=done, total=total, note=note)

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
