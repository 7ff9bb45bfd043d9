"""Captures while the disk is full, and after: python -m tests.traces.capture.full_disk HOME disk|limit.

`disk`: HOME is a small file system of its own, which is filled to the last byte; `limit`: files may not grow any more.
"""

import contextlib
import json
import resource
import sys
import time
from pathlib import Path

from tests.traces.capture.chats import AsItIs, Chat
from verigym.traces.capture import Capture

LETTERS = "letters " * 500


def fill(home: Path, way: str) -> None:
    if way == "disk":
        with (home / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 512)
    else:
        largest = max(path.stat().st_size for path in home.iterdir() if path.is_file())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 1000, resource.RLIM_INFINITY))


def make_room(home: Path, way: str) -> None:
    if way == "disk":
        (home / "ballast").unlink()
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def main(home: Path, way: str) -> None:
    said: list[str] = []
    capture = Capture(home, AsItIs(), say=said.append)
    chats = [Chat(f"number {n}") for n in range(30)]
    ids = {capture.add(chat.ask(f"before {LETTERS}", "yes")) for chat in chats}
    capture.flush()
    before = capture.counts
    fill(home, way)
    slowest = 0.0
    for turn in range(3):
        for chat in chats:
            asked = chat.ask(f"full {turn} {LETTERS}", "yes")
            began = time.perf_counter()
            ids.add(capture.add(asked))
            slowest = max(slowest, time.perf_counter() - began)
        time.sleep(0.3)
    full, lines = capture.counts, list(said)
    make_room(home, way)
    deadline = time.monotonic() + 600
    while capture.counts.waiting and time.monotonic() < deadline:
        time.sleep(0.05)
    ids |= {capture.add(chat.ask("after", "yes")) for chat in chats}
    capture.close()
    after = Capture(home, AsItIs())
    turns = {id: len(after.store.trajectory(id)[1].turns) for id in ids}
    after.close()
    shown = {"before": before, "full": full, "after": capture.counts}
    shown = {name: {"captured": one.captured, "waiting": one.waiting, "lost": one.lost} for name, one in shown.items()}
    print(
        json.dumps(
            {**shown, "slowest": slowest, "said": lines, "later": said[len(lines) :], "turns": sorted(turns.values())}
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
