"""Waiting for a database that is away: which calls are repeated, for how long, and that nothing is done twice."""

from collections.abc import Callable, Iterator

import pytest

from verigym.store import patience, postgres, schema
from verigym.store.connection import StoreBusy, StoreFailure
from verigym.store.database import Store
from verigym.store.patience import patient, patient_stream, repeat


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses that were made. Time passes only in them."""
    pauses: list[float] = []
    monkeypatch.setattr(patience.time, "sleep", pauses.append)
    monkeypatch.setattr(patience.time, "monotonic", lambda: sum(pauses))
    return pauses


class Flaky:
    """Fails some times, then answers."""

    def __init__(self, failures: int, waits_s: float = 120.0) -> None:
        self.left, self.waits_s, self.calls = failures, waits_s, 0

    @patient
    def answer(self, text: str, *, end: str = "") -> str:
        self.fail()
        return text + end

    @patient_stream
    def rows(self, after: int = 0) -> Iterator[int]:
        """Fails after some rows."""
        yield from range(after)
        self.fail()
        yield from range(after, 3)

    def fail(self) -> None:
        self.calls += 1
        if self.left:
            self.left -= 1
            raise StoreBusy("away")


def test_a_call_is_repeated_until_the_database_is_back(clock: list[float]) -> None:
    flaky = Flaky(4)
    assert flaky.answer("a", end="b") == "ab" and flaky.calls == 5
    assert clock == [0.25, 0.5, 1.0, 2.0]


def test_a_database_that_stays_away_is_an_error_and_said_once(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StoreBusy, match="away"):
        Flaky(1000).answer("a")
    assert 110 < sum(clock) <= 120 and max(clock) == 4.0
    assert capsys.readouterr().err.count("away. Retrying for 120 s") == 1


def test_a_short_restart_is_not_worth_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    Flaky(3).answer("a")
    assert capsys.readouterr().err == ""


def test_a_file_is_not_waited_for(clock: list[float]) -> None:
    with pytest.raises(StoreBusy):
        Flaky(1, waits_s=0).answer("a")
    with pytest.raises(StoreBusy):
        list(Flaky(1, waits_s=0).rows())
    assert not clock


def test_a_lasting_error_is_not_repeated(clock: list[float]) -> None:
    def fail() -> None:
        raise StoreFailure("no such role")

    with pytest.raises(StoreFailure, match="no such role"):
        repeat(fail, 120)
    with pytest.raises(StoreBusy):
        repeat(lambda: Flaky(1).fail(), 120, only=lambda error: "starting up" in str(error))
    assert not clock


def test_a_stream_is_repeated_before_its_first_row_and_never_after() -> None:
    assert list(Flaky(3).rows()) == [0, 1, 2]
    rows = Flaky(1).rows(after=2)
    assert [next(rows), next(rows)] == [0, 1]
    with pytest.raises(StoreBusy):
        next(rows)


def test_an_entry_that_was_stored_although_the_server_did_not_say_so_is_not_appended_again(
    open_store: Callable[[str], Store],
) -> None:
    store = open_store("home")
    store.append_ledger(lambda last: b"a")
    store.append_ledger(lambda last: (last or b"") + b"b")
    assert store._append_ledger(lambda last: b"never", [(1, b"a")]) == 1
    assert store._append_ledger(lambda last: b"c", [(1, b"other")]) == 3
    assert store.ledger() == [b"a", b"ab", b"c"]


def test_every_version_of_the_tables_has_its_step_in_postgresql_as_in_a_file() -> None:
    assert sorted(schema.STEPS) == list(range(1, schema.VERSION))
    assert sorted(postgres.STEPS) == list(range(3, schema.VERSION)), "write the step for PostgreSQL too"
