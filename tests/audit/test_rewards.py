"""How rewards spread, and how much of them is for passing."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.audit.rewards import (
    histogram,
    parts_of,
    parts_that_say_little,
    passing_pays,
    point_biserial,
    rewards_differ,
)
from verigym.core.records import Verdict


def verdicts(*rewards: tuple[float, bool]) -> list[Verdict]:
    return [Verdict(reward=reward, passed=passed, parts={"r": reward, "form": 1.0}) for reward, passed in rewards]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_a_histogram_counts_every_reward_once_in_at_most_ten_rows(rewards: list[float]) -> None:
    rows = histogram(rewards)
    assert sum(count for _, count in rows) == len(rewards) and 1 <= len(rows) <= 10


def test_few_values_are_shown_as_they_are() -> None:
    assert histogram([1, 0, 1, -0.5]) == [("-0.5", 1), ("0", 1), ("1", 2)] and histogram([]) == []


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=2, max_size=40))
def test_the_relation_to_passing_is_the_correlation_with_it(pairs: list[tuple[float, bool]]) -> None:
    values, passed = [value for value, _ in pairs], [ok for _, ok in pairs]
    found = point_biserial(values, passed)
    if found is not None and statistics.pstdev(values) > 1e-6:
        assert found == pytest.approx(statistics.correlation(values, [float(ok) for ok in passed]), abs=1e-6)


def test_a_part_that_is_high_whether_it_passed_or_not_says_little() -> None:
    found = parts_of(verdicts((1.0, True), (0.2, False), (0.2, False)))
    assert [(part.name, part.passed, part.failed) for part in found] == [
        ("r", 1.0, pytest.approx(0.2)),
        ("form", 1.0, 1.0),
    ]
    assert found[0].relation == pytest.approx(1) and found[1].relation is None
    assert parts_that_say_little(found) == [
        "form is high for failed outputs too (1.00), so it says little about passing"
    ]


@pytest.mark.parametrize(
    ("found", "outcome", "words"),
    [
        (verdicts((1, True), (0, False), (0.2, False)), "pass", "the median failed one 0.10 of that"),
        (verdicts((1, True), (0.8, False), (0.8, False)), "unclear", "too much shaping"),
        (verdicts((1, True), (1, False), (0, False)), "fail", "1 of 2 failed outputs earn as much as a passed one"),
        (verdicts((1, True), (0.2, False), (-9, False), (0.3, False)), "unclear", "too much shaping"),
        (verdicts((0, False)), "unclear", "all 1 outputs failed"),
        ([], "unclear", "no output has a reward"),
    ],
    ids=["little", "much", "as much", "a wide range below", "none passed", "none"],
)
def test_what_a_failed_output_earns_beside_a_passed_one(found: list[Verdict], outcome: str, words: str) -> None:
    assert passing_pays(found)[0] == outcome and words in passing_pays(found)[1]


def test_rewards_that_hardly_differ_leave_it_open() -> None:
    assert rewards_differ(verdicts(*[(0.0, False)] * 99, (1.0, True)))[0] == "unclear"
    assert rewards_differ(verdicts((0.1, False), (0.2, False)))[1].endswith(
        "This run has no passed output to compare with"
    )
    outcome, words = rewards_differ(verdicts((0.0, False), (1.0, True), (1.0, True), (0.5, False)))
    assert (
        outcome == "pass"
        and words == "2 of 4 passed, most frequent reward 1 (50%), 25% at the minimum (0), 50% at the maximum (1)"
    )
