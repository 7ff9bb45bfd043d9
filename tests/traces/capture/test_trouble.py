"""Whatever happens to the store, the answer goes out; what is lost is counted."""

import json
import shlex
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.traces.capture.chats import AsItIs, Chat, exchange, stored, user
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Trajectory
from verigym.traces.capture import Capture, conversation
from verigym.traces.capture import capture as module
from verigym.traces.capture import conversation_writer as keep

ROOT = Path(__file__).parents[3]


def run_on_a_full_disk(home: Path) -> dict[str, Any]:
    """On a file system of its own where the kernel lets us make one; else with files that may not grow."""
    python = f"{shlex.quote(sys.executable)} -m tests.traces.capture.full_disk {shlex.quote(str(home))}"
    own = f"mount -t tmpfs -o size=4m tmpfs {shlex.quote(str(home))} && exec {python} disk"
    may = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(home)], capture_output=True)
    command = ["unshare", "-rm", "sh", "-c", own] if may.returncode == 0 else ["sh", "-c", f"exec {python} limit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_on_a_full_disk_answers_go_out_and_when_there_is_room_it_goes_on(tmp_path: Path) -> None:
    found = run_on_a_full_disk(tmp_path)
    assert found["before"] == {"captured": 30, "waiting": 0, "lost": {}}
    assert found["full"]["waiting"] >= 30, "the disk was not full"
    assert found["slowest"] < 20, "an answer waited for the disk"
    assert len(found["said"]) == 1, "one line, not one a request"
    assert "full" in found["said"][0] or "disk" in found["said"][0]
    assert any("again" in line for line in found["later"])
    assert found["after"] == {"captured": 150, "waiting": 0, "lost": {}}
    assert found["turns"] == [5] * 30


class Broken:
    """A store that raises as long as it is told to."""

    def __init__(self, capture: Capture, error: Exception) -> None:
        self.add, self.error, self.asked = capture.store.add, error, 0
        capture.store.add = self  # type: ignore[method-assign]

    def __call__(self, *given: Any, **more: Any) -> None:
        self.asked += 1
        if self.error is not None:
            raise self.error
        self.add(*given, **more)


@pytest.mark.parametrize("error", [RuntimeError("broken"), InfrastructureFailure("database or disk is full")])
def test_what_a_broken_store_refuses_waits_within_bounds_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(keep, "_MOST", 5)
    monkeypatch.setattr(keep, "_LONGEST_WAIT_S", 0.5)
    said: list[str] = []
    capture = Capture(tmp_path, AsItIs(), say=said.append)
    broken = Broken(capture, error)
    ids = [capture.add(exchange([user(f"question {n}")], "yes")) for n in range(12)]
    capture.flush()
    reason = "disk full" if isinstance(error, InfrastructureFailure) else "store: RuntimeError"
    assert capture.counts.lost == {reason: 7}
    assert (capture.counts.captured, capture.counts.waiting, capture.counts.conversations) == (0, 5, 5)
    assert len(said) == 1
    broken.error = None  # type: ignore[assignment]
    deadline = time.monotonic() + 600
    while capture.counts.waiting and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (capture.counts.captured, capture.counts.waiting) == (5, 0)
    assert capture.store.known_trajectories(ids) == set(ids[-5:])
    assert said[-1] == "capture: the store accepts conversations again"
    capture.close()


def test_what_was_never_written_is_lost_at_the_end_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CLOSE_S", 0.3)
    capture = Capture(tmp_path, AsItIs(), say=lambda words: None)
    Broken(capture, RuntimeError("broken"))
    capture.add(exchange([user("one")], "yes"))
    capture.close()
    assert capture.counts.lost == {"store: RuntimeError": 1}
    assert capture.counts.waiting == 0


def test_a_store_that_somebody_else_locks_holds_up_nobody(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs(), say=lambda words: None)
    lock = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    ids = [capture.add(exchange([user(f"question {n}")], "yes")) for n in range(100)]
    assert capture.counts.captured == 0
    lock.execute("ROLLBACK")
    capture.flush()
    assert capture.counts.captured == 100
    assert capture.store.known_trajectories(ids) == set(ids)
    capture.close()


def test_a_full_queue_is_counted_and_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUEUE", 10)
    said: list[str] = []
    capture = Capture(tmp_path, AsItIs(), say=said.append)
    holding, held = threading.Event(), capture._writer.write
    monkeypatch.setattr(capture._writer, "write", lambda **more: (holding.wait(), held(**more)))
    capture.add(exchange([user("the first")], "yes"))
    time.sleep(0.1)
    for n in range(30):
        assert capture.add(exchange([user(f"question {n}")], "yes"))
    assert capture.counts.lost["queue full"] == 20
    assert len(said) == 1
    holding.set()
    capture.flush()
    assert capture.counts.captured == 11
    capture.close()


def test_a_conversation_whose_exchange_was_lost_goes_on_with_all_that_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Capture(tmp_path, AsItIs(), say=lambda words: None)
    chat = Chat()
    id = capture.add(chat.ask("one", "a1"))
    capture.flush()
    monkeypatch.setattr(module, "_QUEUE", 0)
    capture.add(chat.ask("two", "a2"))
    monkeypatch.setattr(module, "_QUEUE", 100)
    assert capture.add(chat.ask("three", "a3")) == id
    found = stored(capture, id)
    capture.close()
    assert found.items == chat.items
    assert [turn.made for turn in found.turns] == [[2], [6]]


def test_what_cannot_be_redacted_is_not_stored(tmp_path: Path) -> None:
    class Fails(AsItIs):
        def trajectory(self, trajectory: Trajectory) -> Trajectory:
            if "secret" in trajectory.reply:
                raise ValueError("a rule failed")
            return trajectory

    capture = Capture(tmp_path, Fails(), say=lambda words: None)
    bad, good = (capture.add(exchange([user(text)], text)) for text in ("a secret", "a fact"))
    capture.flush()
    assert capture.store.known_trajectories([bad, good]) == {good}
    assert capture.counts.lost == {"redaction failed": 1}
    capture.close()


def test_a_conversation_without_end_is_cut_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "_LONGEST", 50_000)
    capture = Capture(tmp_path, AsItIs(), say=lambda words: None)
    ids = {capture.add(exchange([user("x" * 10_000 + str(n))], "yes", conversation="default")) for n in range(20)}
    (id,) = ids
    assert len(stored(capture, id).turns) < 8
    assert capture.counts.lost["conversation too long"] > 12
    capture.close()


@pytest.mark.parametrize("nonsense", [None, {"items": 3}, "text"])
def test_nonsense_from_the_caller_raises_nothing(
    capture: Capture, nonsense: Any, capsys: pytest.CaptureFixture
) -> None:
    assert capture.add(nonsense) == ""
    assert (sum(capture.counts.lost.values()), capture.counts.sampled_out) == (1, 0)
    assert "capture:" in capsys.readouterr().err


def test_many_threads_may_add_at_once(capture: Capture) -> None:
    def talk(n: int) -> None:
        chat = Chat(f"thread {n}")
        made[n] = {capture.add(chat.ask(f"question {turn}", f"answer {turn}")) for turn in range(50)}

    made: dict[int, set[str]] = {}
    threads = [threading.Thread(target=talk, args=[n]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(ids) == 1 for ids in made.values())
    assert len(set.union(*made.values())) == 8
    assert all(len(stored(capture, id).turns) == 50 for ids in made.values() for id in ids)


def test_a_long_conversation_is_not_written_whole_for_every_word(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    add = capture.store.add
    monkeypatch.setattr(capture.store, "add", lambda run, some: (written.append(1), add(run, some)))
    chat = Chat(conversation="long")
    id = capture.add(chat.ask("x" * 2_000_000, "yes"))
    capture.flush()
    for turn in range(10):
        capture.add(chat.ask(f"question {turn}", "yes"))
        time.sleep(0.04)
    assert len(written) <= 2
    assert len(stored(capture, id).turns) == 11
