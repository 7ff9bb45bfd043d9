"""Which conversations are kept, and for how long."""

import datetime
from pathlib import Path

import pytest

from tests.traces.capture.chats import AsItIs, Chat, exchange, stored, user
from verigym.core.errors import BadInput
from verigym.traces.capture import Capture
from verigym.traces.capture import capture as module


def test_a_conversation_is_whole_or_absent_whatever_the_rate(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs(), rate=0.3)
    chats = [Chat(f"number {n}", conversation=str(n) if n % 2 else "") for n in range(300)]
    made = [[capture.add(chat.ask(f"question {turn}", f"answer {turn}")) for chat in chats] for turn in range(3)]
    assert made[0] == made[1] == made[2]
    kept = {id for id in made[0] if id}
    assert 60 < len(kept) < 120
    assert all(len(stored(capture, id).turns) == 3 for id in kept)
    assert (capture.counts.captured, capture.counts.sampled_out) == (3 * len(kept), 900 - 3 * len(kept))
    capture.close()
    again = Capture(tmp_path, AsItIs(), rate=0.3)
    assert [again.add(chat.ask("after a restart", "yes")) for chat in chats] == made[0]
    again.close()


def test_a_chain_of_responses_is_whole_or_absent_too(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs(), rate=0.5)
    for n in range(40):
        first = capture.add(exchange([user(f"chain {n}")], "a1", response=f"resp_{n}"))
        assert capture.add(exchange([user("and then?")], "a2", previous=f"resp_{n}")) == first
    assert 0 < capture.counts.sampled_out < 80
    capture.close()


@pytest.mark.parametrize(("settings", "words"), [({"rate": 1.5}, "between 0 and 1"), ({"keep_days": 0}, "at least 1")])
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, settings: dict, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Capture(tmp_path, AsItIs(), **settings)


class Clock:
    """Stands for `time` and `datetime` where days pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
        clock = self

        class Now(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
                return clock.now

        class Time:
            monotonic, sleep = module.time.monotonic, module.time.sleep

            @staticmethod
            def time() -> float:
                return clock.now.timestamp()

        class Days:
            datetime, date, timedelta, UTC = Now, module.datetime.date, module.datetime.timedelta, module.datetime.UTC

        monkeypatch.setattr(module, "datetime", Days)
        monkeypatch.setattr(module, "time", Time)

    def pass_days(self, days: int) -> None:
        self.now += datetime.timedelta(days=days)


def served(capture: Capture) -> list[str]:
    capture.flush()
    return [run.id for run in capture.store.runs() if run.kind == "traces"]


def test_whole_days_are_deleted_when_they_are_past_keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    capture = Capture(tmp_path, AsItIs(), keep_days=2)
    capture.store.begin_run("traces-mine", "traces", {})
    chat = Chat(conversation="a long one")
    first = capture.add(chat.ask("day 1", "yes"))
    assert first.startswith("traces-served-2026-03-01/")
    clock.pass_days(2)
    assert capture.add(chat.ask("day 3", "yes")) == first, "a conversation stays in the day it began"
    capture.add(exchange([user("another")], "yes"))
    assert served(capture) == ["traces-mine", "traces-served-2026-03-01", "traces-served-2026-03-03"]
    assert capture.store.run("traces-served-2026-03-01").finished is not None
    clock.pass_days(1)
    capture.flush()  # while nobody asks anything
    capture.flush()
    assert served(capture) == ["traces-mine", "traces-served-2026-03-03"]
    second = capture.add(chat.ask("day 4", "yes"))
    assert second.startswith("traces-served-2026-03-04/")
    assert len(stored(capture, second).turns) == 1
    capture.close()
    clock.pass_days(30)
    later = Capture(tmp_path, AsItIs(), keep_days=2)
    assert served(later) == ["traces-mine"]
    later.close()


def test_without_a_limit_nothing_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    capture = Capture(tmp_path, AsItIs())
    capture.add(exchange([user("one")], "yes"))
    capture.flush()
    clock.pass_days(1000)
    capture.flush()
    capture.flush()
    assert served(capture) == ["traces-served-2026-03-01"]
    capture.close()
