"""A pattern matches or it does not, in bounded time, on any thread."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.verifiers.builders import verdict
from verigym.core.records import Fault
from verigym.verifiers.match import Regex, matched
from verigym.verifiers.schema import JsonSchema


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
        except TimeoutError as error:
            ended.append(error)

    start = time.perf_counter()
    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert time.perf_counter() - start < 300
    assert len(ended) == 1 and (ended[0] is None or "took longer" in str(ended[0]))


def test_a_reply_that_drives_the_pattern_past_its_time_fails_and_is_scored() -> None:
    found = verdict(Regex(r"(a|aa)+$"), "a" * 200 + "b")
    assert (found.reward, found.passed, found.error) == (0.0, False, None) and "backtrack less" in found.evidence


@pytest.mark.parametrize("pattern", ["a{1000000000}", "a{5,1000000000}", "a{1000000000,}", "((a{1000}){1000}){1000}"])
def test_a_pattern_that_would_take_minutes_to_compile_is_refused_at_once(pattern: str) -> None:
    found = verdict(Regex(pattern), "a")
    assert found.reward is None and found.error is not None and "repeats up to" in found.error.message
    assert verdict(JsonSchema({"pattern": pattern}), '"a"').error is not None
    assert verdict(Regex(r"a{3,1000}"), "aaa").passed


def test_it_runs_inside_an_event_loop() -> None:
    async def both() -> list[str | None]:
        return await asyncio.gather(*(asyncio.to_thread(matched, "b+", "abbc") for _ in range(2)))

    assert asyncio.run(both()) == ["bb", "bb"]
