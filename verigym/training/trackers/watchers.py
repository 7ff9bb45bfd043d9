"""Runs trackers beside training: a thread and a queue for each, so that none can break, slow or stop the run.

A tracker that raises is reported once and gets nothing more. A tracker that hangs fills its queue, and what does not fit is
dropped and counted. At the end, all trackers together have `_LAST_S` seconds to finish.
"""

import functools
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from verigym.core.printable import warn
from verigym.training.trackers import Tracker, TrainingRun, open_tracker

_QUEUED = 1000
"""Steps that a slow tracker may lag behind."""
_LAST_S = 30.0
"""Seconds that trackers have after the run to write what they still hold."""

Call = Callable[[Tracker], None]


class Watchers:
    """The trackers of one run."""

    def __init__(
        self, run: TrainingRun, trackers: Sequence[tuple[str, Callable[[], Tracker]]], last_s: float = _LAST_S
    ) -> None:
        """`trackers` are names with functions that open them. They are opened in their threads, because importing a package
        can hang too."""
        self._run, self._last_s, self._begun = run, last_s, False
        self._watchers = [_Watcher(name, open_one) for name, open_one in trackers]

    def step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        """The first step begins the run for the trackers. A run that is already complete has none."""
        if not self._begun:
            self._begun = True
            self._send(lambda tracker: tracker.on_begin(self._run))
        kept, messages = dict(metrics), list(alarms)
        self._send(lambda tracker: tracker.on_step(step, kept, messages))

    def end(self, version: str) -> None:
        """Waits until the trackers have taken everything, but not for long."""
        if not self._begun:
            return
        self._send(lambda tracker: tracker.on_end(version))
        deadline = time.monotonic() + self._last_s
        for watcher in self._watchers:
            watcher.finish(deadline)

    def _send(self, call: Call) -> None:
        for watcher in self._watchers:
            watcher.send(call)


class _Watcher:
    """One tracker, its queue and its thread. The thread starts with the first call."""

    def __init__(self, name: str, open_one: Callable[[], Tracker]) -> None:
        self._name, self._open = name, open_one
        self._calls: queue.Queue[Call | None] = queue.Queue(_QUEUED)
        self._thread: threading.Thread | None = None
        self._failed = False
        self._dropped = 0

    def send(self, call: Call) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"verigym-tracker-{self._name}", daemon=True)
            self._thread.start()
        if self._failed:
            return
        try:
            self._calls.put_nowait(call)
        except queue.Full:
            self._dropped += 1

    def finish(self, deadline: float) -> None:
        if self._thread is None:
            return
        try:
            self._calls.put_nowait(None)
        except queue.Full:
            self._dropped += 1
        self._thread.join(max(0.0, deadline - time.monotonic()))
        if self._thread.is_alive():
            warn(f"Tracker {self._name} did not finish in time. Training is complete, and the store has every metric")
        elif self._dropped and not self._failed:
            warn(f"Tracker {self._name} was too slow and missed {self._dropped} steps. The store has every metric")

    def _run(self) -> None:
        try:
            tracker = self._open()
            while (call := self._calls.get()) is not None:
                call(tracker)
        except BaseException as error:  # a tracker may raise anything, also SystemExit. Training goes on
            self._failed = True
            line = str(error).strip().splitlines()
            reason = f"{type(error).__name__}: {line[0] if line else 'no message'}"
            warn(f"Tracker {self._name} failed and gets no more metrics. Training goes on. {reason}")


def openers(names: Sequence[str], trackers: Sequence[Tracker]) -> list[tuple[str, Callable[[], Tracker]]]:
    """Shipped trackers by name, and trackers that exist already."""
    shipped = [(name, functools.partial(open_tracker, name)) for name in dict.fromkeys(names)]
    return [*shipped, *((type(tracker).__name__, functools.partial(_itself, tracker)) for tracker in trackers)]


def _itself(tracker: Tracker) -> Tracker:
    return tracker
