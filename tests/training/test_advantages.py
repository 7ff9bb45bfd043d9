"""Advantages: relative to the group, and only to those of it that have a reward."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.training.advantages import group_advantages, has_signal

reward = st.floats(-100, 100)
groups = st.lists(st.none() | reward, max_size=10)


@given(groups)
def test_advantages_are_numpys_own_over_the_rewards_there_are(rewards: list[float | None]) -> None:
    known = np.array([one for one in rewards if one is not None])
    slow = (known - known.mean()) / (known.std(ddof=1) + 1e-4) if len(known) > 1 else np.zeros(len(known))
    found = group_advantages(rewards)
    assert [one for one, given in zip(found, rewards, strict=True) if given is not None] == pytest.approx(
        slow.tolist(), abs=1e-6
    )


@given(groups)
def test_advantages_have_mean_zero_and_those_without_a_reward_take_no_part(rewards: list[float | None]) -> None:
    found = group_advantages(rewards)
    assert len(found) == len(rewards)
    assert sum(found) == pytest.approx(0, abs=1e-6)
    assert all(one == 0 for one, given in zip(found, rewards, strict=True) if given is None)
    known = [one for one in rewards if one is not None]
    without = group_advantages(known)
    assert [one for one, given in zip(found, rewards, strict=True) if given is not None] == without


@given(st.lists(reward, min_size=2, max_size=8))
def test_a_better_reward_never_has_a_smaller_advantage(rewards: list[float]) -> None:
    found = group_advantages(rewards)
    ordered = [one for _, one in sorted(zip(rewards, found, strict=True))]
    assert ordered == sorted(ordered)


@given(st.lists(reward, min_size=2, max_size=8), st.floats(-50, 50))
def test_a_bonus_for_everyone_changes_nothing(rewards: list[float], bonus: float) -> None:
    moved = group_advantages([one + bonus for one in rewards])
    assert moved == pytest.approx(group_advantages(rewards), abs=1e-6)


@given(reward, st.integers(1, 8), st.integers(0, 3))
def test_a_group_of_equal_rewards_says_nothing(value: float, known: int, unknown: int) -> None:
    rewards: list[float | None] = [value] * known + [None] * unknown
    assert not has_signal(rewards)
    assert group_advantages(rewards) == pytest.approx([0.0] * len(rewards), abs=1e-6)


@given(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=6), st.integers(0, 2))
def test_a_group_says_something_when_two_rewards_differ(rewards: list[float], unknown: int) -> None:
    assert has_signal([*rewards, *[None] * unknown]) == (len(set(rewards)) > 1)


def test_rewards_that_differ_by_rounding_are_equal() -> None:
    assert not has_signal([0.1 + 0.2, 0.3])
    assert not has_signal([])


def test_the_example_of_one_success_in_four() -> None:
    assert group_advantages([1.0, 0.0, 0.0, 0.0]) == pytest.approx([1.4997, -0.4999, -0.4999, -0.4999], abs=1e-4)


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_reward_that_is_no_number_is_a_bug_of_the_caller(odd: float) -> None:
    with pytest.raises(AssertionError):
        group_advantages([odd, 0.0])
