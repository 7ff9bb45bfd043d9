"""A pattern matches or it does not, in bounded time, on any thread."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.verifiers.builders import verdict
from verigym.core.errors import VerifierFailure
from verigym.core.records import Fault
from verigym.verifiers.match import Regex, matched


@pytest.mark.parametrize(
    ("settings", "data", "reply", "passed"),
    [
        ({"pattern": r"order #\d+"}, {}, "Your order #12 is on its way", True),
        ({"pattern": r"order #\d+"}, {}, "Your order is on its way", False),
        ({"pattern": r"(?i)YES"}, {}, "yes", True),
        ({"pattern": r"\d+", "full": True}, {}, "12", True),
        ({"pattern": r"\d+", "full": True}, {}, "12 apples", False),
        ({"pattern": r"\d+", "full": True, "where": "auto"}, {}, "The answer is 12", True),
        ({"pattern": r"\d+", "where": "boxed"}, {}, "12", False),
        ({}, {"pattern": "^a+$"}, "aaa", True),
        ({"pattern": "b"}, {"pattern": "a"}, "a", False),
        ({"pattern": "^$"}, {}, "", True),
    ],
)
def test_a_reply_passes_when_it_matches(
    settings: dict[str, Any], data: dict[str, Any], reply: str, passed: bool
) -> None:
    found = verdict(Regex(**settings), reply, **data)
    assert (found.reward, found.passed, found.error) == (float(passed), passed, None)


def test_the_evidence_is_what_matched() -> None:
    assert verdict(Regex(r"#\d+"), "order #12").evidence == r'"#12" matches #\d+'


@pytest.mark.parametrize("settings", [{}, {"pattern": "("}], ids=["no pattern", "no regular expression"])
def test_a_pattern_that_is_none_is_the_verifiers_failure(settings: dict[str, Any]) -> None:
    found = verdict(Regex(**settings), "x")
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(a+)+$", "a" * 5000 + "b"), (r"(a|aa)+$", "a" * 200 + "b"), (r"(\w+\s?)*;", "word " * 5000)],
    ids=["nested", "overlapping", "words"],
)
def test_endless_backtracking_is_stopped_off_the_main_thread_too(pattern: str, text: str) -> None:
    ended: list[BaseException | str | None] = []

    def search() -> None:
        try:
            ended.append(matched(pattern, text))
        except VerifierFailure as error:
            ended.append(error)

    start = time.perf_counter()
    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert time.perf_counter() - start < 300
    assert len(ended) == 1 and (ended[0] is None or "took longer" in str(ended[0]))


def test_a_pattern_that_never_ends_is_a_failure_and_not_a_zero() -> None:
    found = verdict(Regex(r"(a|aa)+$"), "a" * 200 + "b")
    assert found.reward is None and found.error is not None and "backtrack less" in found.error.message


def test_it_runs_inside_an_event_loop() -> None:
    async def both() -> list[str | None]:
        return await asyncio.gather(*(asyncio.to_thread(matched, "b+", "abbc") for _ in range(2)))

    assert asyncio.run(both()) == ["bb", "bb"]
