"""Conversations outlive the process."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.traces.capture.chats import AsItIs, Chat, exchange, output, stored, user
from tests.traces.capture.test_turns import ids
from verigym.core.records import FunctionCall, Message
from verigym.store.database import Store
from verigym.traces.capture import Capture
from verigym.traces.capture import conversation_writer as keep
from verigym.traces.redaction import Redaction
from verigym.training.samples import from_trajectory

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("more", [{}, {"conversation": "mine"}])
def test_a_conversation_goes_on_where_it_was_after_a_restart(tmp_path: Path, more: dict) -> None:
    chat = Chat(as_parts=True, **more)
    first = Capture(tmp_path, AsItIs())
    id = first.add(chat.ask("one", [FunctionCall("c1", "look_up", "{}")], **ids([1], [2])))
    first.close()
    second = Capture(tmp_path, AsItIs())
    assert second.add(chat.ask([output("c1", "tea")], "a2", **ids([1, 2, 3], [4]))) == id
    found = stored(second, id)
    second.close()
    assert [type(item) for item in found.items] == [type(item) for item in chat.items]
    assert [turn.parent for turn in found.turns] == [None, 0]
    assert [mark.kind for mark in found.marks] == ["executed"]
    assert [sample.ids for sample in from_trajectory(found, 1.0)] == [[1, 2, 3, 4]]


def test_who_says_the_same_after_a_restart_is_not_taken_for_one_who_went_on_before_it(tmp_path: Path) -> None:
    first, second = Chat(), Chat()
    capture = Capture(tmp_path, AsItIs())
    id = capture.add(first.ask("hello", "hi"))
    capture.add(first.ask("book a room", "done"))
    capture.close()
    again = Capture(tmp_path, AsItIs())
    assert again.add(second.ask("hello", "hi")) != id
    again.close()


def test_a_chain_of_responses_goes_on_after_a_restart(tmp_path: Path) -> None:
    first = Capture(tmp_path, AsItIs())
    id = first.add(exchange([user("one")], "a1", response="resp_1"))
    first.close()
    second = Capture(tmp_path, AsItIs())
    assert second.add(exchange([user("two")], "a2", previous="resp_1")) == id
    assert len(stored(second, id).items) == 4
    second.close()


def test_what_was_redacted_stays_so_after_a_restart_with_its_ids(tmp_path: Path) -> None:
    """What comes back is redacted; ids that spell it must not come in again."""
    chat = Chat("")
    first = Capture(tmp_path, Redaction.load(None))
    id = first.add(chat.ask("I am ada@example.com", "hi", **ids([1, 777], [2])))
    first.close()
    second = Capture(tmp_path, Redaction.load(None))
    assert second.add(chat.ask("thanks", "bye", **ids([1, 777, 2, 3], [4]))) == id
    found = stored(second, id)
    second.close()
    assert "ada@" not in str(found)
    assert [turn.context_ids + turn.completion_ids for turn in found.turns] == [[], []]


def test_a_secret_that_was_named_before_a_restart_is_known_after_it(tmp_path: Path) -> None:
    chat = Chat("")
    first = Capture(tmp_path, Redaction.load(None))
    id = first.add(chat.ask("The password is hunter2-xyz, mail ada@example.com", "ok"))
    first.close()
    second = Capture(tmp_path, Redaction.load(None))
    second.add(chat.ask("Type hunter2-xyz for bob@example.com, then for ada@example.com", "done"))
    found = stored(second, id)
    second.close()
    assert [item.text for item in found.items if isinstance(item, Message) and item.role == "user"] == [
        "The password is [PASSWORD 1], mail [EMAIL 1]",
        "Type [PASSWORD 1] for [EMAIL 2], then for [EMAIL 1]",
    ]


def test_a_conversation_that_was_put_away_is_taken_out_of_the_store_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep, "_MOST", 3)
    capture = Capture(tmp_path, AsItIs())
    chats = [Chat(f"number {n}") for n in range(20)]
    made = [[capture.add(chat.ask(f"question {turn}", f"answer {turn}")) for chat in chats] for turn in range(3)]
    capture.flush()
    assert capture.counts.conversations == 3
    assert made[0] == made[1] == made[2]
    assert all(len(stored(capture, id).turns) == 3 for id in made[0])
    assert not capture.counts.lost
    capture.close()


def test_without_its_fingerprints_a_conversation_begins_anew_and_nothing_is_written_over(tmp_path: Path) -> None:
    chat = Chat(conversation="mine")
    first = Capture(tmp_path, AsItIs())
    before = first.add(chat.ask("one", "a1"))
    first.close()
    for path in tmp_path.glob("captured.db*"):
        path.unlink()
    second = Capture(tmp_path, AsItIs())
    after = second.add(chat.ask("two", "a2"))
    assert len(stored(second, before).turns) == len(stored(second, after).turns) == 1
    second.close()


def test_two_processes_that_capture_into_one_workspace_do_not_write_over_each_other(tmp_path: Path) -> None:
    one, other = Capture(tmp_path, AsItIs()), Capture(tmp_path, AsItIs())
    chat = Chat(conversation="everywhere")
    ids = {one.add(chat.ask("one", "a1")), other.add(chat.ask("two", "a2"))}
    chat = Chat("begun in one")
    begun = one.add(chat.ask("one", "a1"))
    one.flush()
    third = Capture(tmp_path, AsItIs())
    assert third.add(chat.ask("two", "a2")) != begun
    for each in (one, other, third):
        each.close()
    store = Store(tmp_path / "store.db")
    assert {tuple(len(each.turns) for each in [store.trajectory(id)[1]]) for id in ids} == {(1,)}
    assert len(ids) == 2
    store.close()


def test_fingerprints_are_for_nobody_elses_eyes_and_cannot_be_tried_out(tmp_path: Path) -> None:
    chats = []
    for name in "ab":
        capture = Capture(tmp_path / name, AsItIs())
        chats.append(capture.add(exchange([user("my number is 5551234")], "ok", conversation="c")).partition("/")[2])
        capture.close()
    assert chats[0] != chats[1], "the same text has other fingerprints elsewhere"
    assert stat.S_IMODE((tmp_path / "a" / "captured.db").stat().st_mode) == 0o600
    written = b"".join(path.read_bytes() for path in (tmp_path / "a").glob("captured.db*"))
    assert b"5551234" not in written


def test_a_killed_process_loses_only_what_was_not_said_to_be_written(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.traces.capture.endless", str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    safe = 0
    deadline = time.monotonic() + 600
    while safe < 400 and time.monotonic() < deadline:
        safe = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    said = [int(line) for line in process.stdout.read().splitlines() if line.strip()]
    safe = max([safe, *said])
    assert safe >= 400
    capture = Capture(tmp_path, AsItIs())
    runs = [run.id for run in capture.store.runs() if run.kind == "traces"]
    found = [one for run in runs for one in capture.store.trajectories(run)]
    assert sum(len(one.turns) for one in found) >= safe
    for one in found:
        assert [turn.parent for turn in one.turns] == [None, *range(len(one.turns) - 1)]
    by_beginning = next(one for one in found if isinstance(one.items[0], Message) and "number" in one.items[0].text)
    assert capture.add(exchange([*by_beginning.items, user("still there?")], "Yes.")) == by_beginning.id
    assert stored(capture, by_beginning.id).turns[-1].parent == len(by_beginning.turns) - 1
    capture.close()
