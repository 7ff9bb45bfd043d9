"""Advantages: TRL's formulas, over those episodes that have a reward; and what must hold of any of them."""

import math
from typing import Any

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from verigym.training.advantages import (
    Rewards,
    advantages,
    advantages_of_each,
    differ,
    overlong,
    state_advantages,
    step_advantages,
    success_penalties,
)
from verigym.training.recipe import ALGORITHMS, Advantage

reward = st.floats(-100, 100)
group = st.lists(st.none() | reward, min_size=1, max_size=8)
groups = st.lists(group, min_size=1, max_size=4)
even = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.lists(st.none() | reward, min_size=size, max_size=size), min_size=1, max_size=4)
)
"""Groups of one size, as TRL has them."""
any_settings = st.builds(
    Advantage, baseline=st.sampled_from(["group", "others"]), scale=st.sampled_from(["group", "batch", "none"])
)
OTHERS = Advantage(baseline="others", scale="none")


def nanstd(values: Tensor) -> Tensor:
    """Bessel's, of the last axis, over what is known; TRL's."""
    known = (~values.isnan()).sum(-1, keepdim=True)
    away = values - values.nanmean(-1, keepdim=True)
    return ((away**2).nansum(-1, keepdim=True) / (known - 1)).sqrt().nan_to_num(0.0, 0.0, 0.0)


def table(given: Any) -> Tensor:
    return torch.tensor([[math.nan if value is None else value for value in row] for row in given], dtype=torch.float64)


def trl_grpo(given: list[list[float | None]], scale: str) -> Tensor:
    """`sum_then_normalize` of GRPOTrainer."""
    rewards = table(given)
    found = rewards - rewards.nanmean(1, keepdim=True)
    if scale == "group":
        found = found / (nanstd(rewards) + 1e-4)
    elif scale == "batch":
        found = found / (nanstd(rewards.view(1, -1)) + 1e-4)
    return found.nan_to_num(0.0)


def trl_rloo(given: list[list[float | None]]) -> Tensor:
    """Of RLOOTrainer."""
    rewards = table(given)
    known = (~rewards.isnan()).sum(1, keepdim=True)
    return (rewards - (rewards.nansum(1, keepdim=True) - rewards) / (known - 1)).nan_to_num(0.0, 0.0, 0.0)


def trl_each(given: list[list[list[float] | None]], weights: list[float]) -> Tensor:
    """`normalize_then_sum` of GRPOTrainer (GDPO)."""
    rewards_GER = torch.stack([table([row or [None] * len(weights) for row in own]) for own in given])
    away = rewards_GER - rewards_GER.nanmean(1, keepdim=True)
    each = away / (nanstd(rewards_GER.transpose(1, 2)).transpose(1, 2) + 1e-4)
    summed = (each * torch.tensor(weights, dtype=torch.float64)).nansum(2)
    summed[rewards_GER.isnan().all(2)] = math.nan
    return ((summed - summed.nanmean()) / (nanstd(summed.view(1, -1)) + 1e-4)).nan_to_num(0.0)


def assert_same(found: list[list[float]], theirs: Tensor) -> None:
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), theirs, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@given(given_groups=even)
def test_advantages_are_trls(scale: Any, given_groups: list[list[float | None]]) -> None:
    found = advantages(given_groups, Advantage(scale=scale))
    assert_same(found, trl_grpo(given_groups, scale))


@given(even)
def test_leaving_one_out_is_trls(given_groups: list[list[float | None]]) -> None:
    assert_same(advantages(given_groups, OTHERS), trl_rloo(given_groups))


@given(st.data(), st.integers(2, 4), st.integers(1, 3), st.integers(1, 3))
def test_rewards_compared_each_by_itself_are_trls(data: st.DataObject, size: int, count: int, parts: int) -> None:
    row = st.none() | st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=parts, max_size=parts)
    given_groups = data.draw(st.lists(st.lists(row, min_size=size, max_size=size), min_size=count, max_size=count))
    weights = data.draw(st.lists(st.floats(0.1, 3), min_size=parts, max_size=parts))
    assume(any(own is not None for one in given_groups for own in one))
    found = advantages_of_each(given_groups, weights)
    assert_same(found, trl_each(given_groups, weights))


def test_a_small_reward_beside_a_large_one_counts_by_its_weight_alone() -> None:
    """Summed, the first would drown the second."""
    rows: list[list[float]] = [[100.0, 0.0], [0.0, 0.0], [100.0, 1.0], [0.0, 1.0]]
    [summed], [each] = advantages([[sum(row) for row in rows]]), advantages_of_each([rows], [1.0, 1.0])
    assert summed[2] - summed[0] < 0.02
    assert each[2] - each[0] == pytest.approx(each[0] - each[1], rel=1e-3)


# -- what holds of any ----------------------------------------------------------------------------------------------


@given(groups, any_settings)
def test_they_sum_to_nothing_in_every_group_of_more_than_one(given_groups: list[Rewards], own: Advantage) -> None:
    for values in advantages(given_groups, own):
        assert sum(values) == pytest.approx(0, abs=1e-6 + 1e-9 * sum(map(abs, values)))


@given(groups, any_settings, st.data())
def test_an_episode_without_a_reward_never_matters(
    given_groups: list[list[float | None]], own: Advantage, data: st.DataObject
) -> None:
    found = advantages(given_groups, own)
    more = [[*one, None] for one in given_groups]
    for values, wider, rewards in zip(found, advantages(more, own), given_groups, strict=True):
        assert wider == pytest.approx([*values, 0.0])
        assert all(value == 0 for value, one in zip(values, rewards, strict=True) if one is None)


@given(groups, any_settings, st.floats(-50, 50))
def test_a_bonus_for_everyone_in_a_group_changes_nothing(
    given_groups: list[list[float | None]], own: Advantage, bonus: float
) -> None:
    assume(own.scale != "batch")  # there it moves the groups apart
    moved = [[None if one is None else one + bonus for one in rewards] for rewards in given_groups]
    for values, others in zip(advantages(given_groups, own), advantages(moved, own), strict=True):
        assert values == pytest.approx(others, abs=1e-6, rel=1e-6)


@given(st.lists(st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=6), min_size=1, max_size=3), any_settings)
def test_doubled_rewards_change_only_unscaled_advantages(given_groups: list[list[float]], own: Advantage) -> None:
    twice = [[2 * one for one in rewards] for rewards in given_groups]
    for values, others in zip(advantages(given_groups, own), advantages(twice, own), strict=True):
        factor = 2 if own.scale == "none" else 1
        assert [factor * value for value in values] == pytest.approx(others, rel=1e-3, abs=1e-6)


@given(st.lists(reward, min_size=2, max_size=8), any_settings)
def test_a_better_reward_never_has_a_smaller_advantage(rewards: list[float], own: Advantage) -> None:
    [found] = advantages([rewards], own)
    ordered = [one for _, one in sorted(zip(rewards, found, strict=True))]
    assert ordered == pytest.approx(sorted(ordered), abs=1e-9)


@given(groups)
def test_leaving_one_out_is_the_mean_of_the_group_a_little_larger(given_groups: list[list[float | None]]) -> None:
    """reward - mean of the others = (reward - mean) n / (n - 1)"""
    both = zip(advantages(given_groups, OTHERS), advantages(given_groups, Advantage(scale="none")), strict=True)
    for (others, mean), rewards in zip(both, given_groups, strict=True):
        n = sum(one is not None for one in rewards)
        assert others == pytest.approx([value * n / max(n - 1, 1) for value in mean], abs=1e-6)


@given(reward, st.integers(1, 8), st.integers(0, 3), any_settings)
def test_a_group_of_equal_rewards_says_nothing(value: float, known: int, unknown: int, own: Advantage) -> None:
    rewards: list[float | None] = [value] * known + [None] * unknown
    assert not differ(rewards)
    assert advantages([rewards], own) == [pytest.approx([0.0] * len(rewards), abs=1e-6)]


@given(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=6), st.integers(0, 2))
def test_a_group_says_something_when_two_rewards_differ(rewards: list[float], unknown: int) -> None:
    assert differ([*rewards, *[None] * unknown]) == (len(set(rewards)) > 1)


def test_rewards_that_differ_by_rounding_are_equal() -> None:
    assert not differ([0.1 + 0.2, 0.3])
    assert not differ([])


def test_the_example_of_one_success_in_four() -> None:
    assert advantages([[1.0, 0.0, 0.0, 0.0]]) == [pytest.approx([1.4997, -0.4999, -0.4999, -0.4999], abs=1e-4)]


def test_a_batch_without_groups_has_none() -> None:
    assert advantages([]) == [] and advantages_of_each([], [1.0]) == [] and step_advantages([], Advantage()) == []


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_reward_that_is_no_number_is_a_bug_of_the_caller(odd: float) -> None:
    with pytest.raises(AssertionError):
        advantages([[odd, 0.0]])


def test_what_algorithms_say_of_advantages() -> None:
    own = {name: Advantage(**parts.get("advantage", {})) for name, parts in ALGORITHMS.items()}
    assert own["rloo"] == OTHERS and own["dr_grpo"] == Advantage(scale="none")
    assert {own[name] for name in ("grpo", "dapo", "gspo", "cispo")} == {Advantage()}


# -- by step --------------------------------------------------------------------------------------------------------

steps = st.lists(st.floats(-5, 5), max_size=4)


@given(
    st.lists(st.lists(st.none() | steps, min_size=1, max_size=4), min_size=1, max_size=3), st.sampled_from([1.0, 0.5])
)
def test_a_turn_is_compared_by_its_return_with_the_same_turn_of_others(
    given_groups: list[list[list[float] | None]], discount: float
) -> None:
    own = Advantage(scale="group", discount=discount)
    found = step_advantages(given_groups, own)
    for rows, values in zip(given_groups, found, strict=True):
        assert [len(one) for one in values] == [0 if row is None else len(row) for row in rows]
        longest = max((len(row) for row in rows if row), default=0)
        for turn in range(longest):
            at_turn = {
                i: sum(later * discount**away for away, later in enumerate(row[turn:]))
                for i, row in enumerate(rows)
                if row is not None and turn < len(row)
            }
            [slow] = advantages([list(at_turn.values())], own)
            assert [values[i][turn] for i in at_turn] == pytest.approx(slow, rel=1e-6, abs=1e-6)


def test_the_turn_that_made_the_difference_gets_the_credit() -> None:
    """Both did the same until the second turn; what came of the first is shared."""
    [(good, bad)] = step_advantages([[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]], Advantage(scale="none", credit="step"))
    assert good == [0.5, 0.5, 0.0] and bad == [-0.5, -0.5, 0.0]


def test_a_discount_makes_a_later_reward_worth_less() -> None:
    [(good, bad)] = step_advantages([[[0.0, 0.0, 4.0], [0.0, 0.0, 0.0]]], Advantage(scale="none", discount=0.5))
    assert good == [0.5, 1.0, 2.0] and bad == [-0.5, -1.0, -2.0]


def test_a_turn_that_only_one_episode_reached_has_advantage_0() -> None:
    [(long, short)] = step_advantages([[[0.0, 0.0, 9.0], [0.0]]], Advantage(scale="none"))
    assert long == [4.5, 0.0, 0.0] and short == [-4.5]


@given(st.lists(st.none() | st.floats(-5, 5), min_size=1, max_size=6), st.integers(1, 4), any_settings)
def test_with_a_final_reward_only_every_turn_gets_the_same_advantage(
    rewards: list[float | None], turns: int, own: Advantage
) -> None:
    [found] = step_advantages([[None if one is None else [0.0] * (turns - 1) + [one] for one in rewards]], own)
    [whole] = advantages([rewards], own)
    for values, value, one in zip(found, whole, rewards, strict=True):
        assert values == ([] if one is None else pytest.approx([value] * turns))


def gigpo(rewards: list[list[float]], states: list[list[str]], own: Advantage) -> list[list[float]]:
    """The paper's second level, state by state: https://arxiv.org/abs/2505.10978."""
    found: list[list[float]] = [[0.0] * len(row) for row in rewards]
    discount = own.discount or 1.0
    returns = [[sum(r * discount**j for j, r in enumerate(row[t:])) for t in range(len(row))] for row in rewards]
    for state in {one for row in states for one in row}:
        members = [(i, t) for i, row in enumerate(states) for t, one in enumerate(row) if one == state]
        values = torch.tensor([returns[i][t] for i, t in members], dtype=torch.float64)
        few = len(members) < (own.min_scaled or 0)
        for (i, t), value in zip(members, values, strict=True):
            if len(members) > 1:
                mean = (values.sum() - value) / (len(values) - 1) if few else values.mean()
                scale = 1.0 if few or own.scale == "none" else values.std() + 1e-4
                found[i][t] = float((value - mean) / scale)
    return found


@given(st.data(), st.sampled_from(["group", "none"]), st.sampled_from([0, 4]), st.sampled_from([0.5, 0.95, 1.0]))
def test_turns_of_equal_states_are_compared_as_gigpo_writes_it(
    data: st.DataObject, scale: Any, min_scaled: int, discount: float
) -> None:
    turns = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rewards = [data.draw(st.lists(st.floats(-2, 2), min_size=n, max_size=n)) for n in turns]
    states = [data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)) for n in turns]
    own = Advantage(scale=scale, credit="state", discount=discount, min_scaled=min_scaled, baseline="group")
    [found] = state_advantages([rewards], [states], own)
    for mine, theirs in zip(found, gigpo(rewards, states, own), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-6)


def test_two_late_survivors_are_not_blown_up_to_a_deviation() -> None:
    """0.9 against 0.91: divided by the deviation of two, that would be 0.7 either way."""
    rows = [[0.0, 0.9], [0.0, 0.91], [0.0], [1.0]]
    own = Advantage(credit="step", min_scaled=4)
    [found] = step_advantages([rows], own)
    assert [row[1] for row in found[:2]] == pytest.approx([-0.01, 0.01])
    assert [row[0] for row in found] == pytest.approx(advantages([[0.9, 0.91, 0.0, 1.0]])[0])


def test_the_scale_of_a_batch_of_turns_is_that_of_all_turns_with_signal() -> None:
    own = Advantage(scale="batch", scale_from="advantages", credit="step", min_scaled=0)
    rows = [[[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]]
    deviation = torch.tensor([0.5, -0.5, 0.5, -0.5]).std().item()
    better, worse = step_advantages(rows, own)[0]
    assert better == pytest.approx([0.5 / deviation] * 2, abs=1e-3)
    assert worse == pytest.approx([-0.5 / deviation] * 2, abs=1e-3)
    assert step_advantages(rows, own)[1] == [[0.0, 0.0], [0.0, 0.0]]


@given(st.lists(group, min_size=1, max_size=3))
def test_the_scale_of_a_batch_is_the_deviation_of_centred_rewards_of_groups_with_signal(
    given_groups: list[list[float | None]],
) -> None:
    live = [[one for one in group if one is not None] for group in given_groups if differ(group)]
    centred = [one - sum(group) / len(group) for group in live for one in group]
    deviation = torch.tensor(centred, dtype=torch.float64).std().item() if centred else 0.0
    found = advantages(given_groups, Advantage(scale="batch", scale_from="advantages"))
    mine = [value for group, values in zip(given_groups, found, strict=True) if differ(group)
            for value, one in zip(values, group, strict=True) if one is not None]  # fmt: skip
    assert mine == pytest.approx([value / (deviation + 1e-4) for value in centred], rel=1e-6, abs=1e-6)


# -- overlong -------------------------------------------------------------------------------------------------------


def test_the_overlong_penalty_starts_at_the_buffer_and_rises() -> None:
    """DAPO's: max_tokens 20, the last 4 of them."""
    found = [overlong(tokens, 20, 4, 1.0) for tokens in (0, 15, 16, 17, 18, 20)]
    assert found == [0.0, 0.0, 0.0, 0.25, 0.5, 1.0]
    assert overlong(20, 20, 4, 0.5) == 0.5


@given(st.integers(0, 50), st.floats(0, 3))
def test_without_a_buffer_no_length_costs_anything(tokens: int, penalty: float) -> None:
    assert overlong(tokens, 50, 0, penalty) == 0.0


@given(st.integers(1, 49), st.integers(0, 49))
def test_a_longer_reply_never_costs_less_and_never_more_than_the_penalty(buffer: int, tokens: int) -> None:
    less, more = overlong(tokens, 50, buffer, 2.0), overlong(tokens + 1, 50, buffer, 2.0)
    assert 0 <= less <= more <= 2.0


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 50), st.integers(0, 6)), min_size=1, max_size=6), st.floats(0, 1)
)
def test_penalties_are_within_their_bounds_and_never_reward_failing_quickly(
    episodes: list[tuple[bool, int, int]], penalty: float
) -> None:
    passed, tokens, turns = ([*column] for column in zip(*episodes, strict=True))
    taken = success_penalties(passed, tokens, turns, penalty, 0.0)
    assert all(cost == 0.0 for cost, one in zip(taken, passed, strict=True) if not one)
    assert all(0.0 <= cost <= penalty for cost in taken)
    passing = [(length, cost) for one, length, cost in zip(passed, tokens, taken, strict=True) if one]
    assert [cost for _, cost in sorted(passing)] == sorted(cost for _, cost in passing)
    by_turn = success_penalties(passed, tokens, turns, 0.0, penalty)
    assert by_turn == pytest.approx(
        [penalty * max(n - 1, 0) if one else 0.0 for one, n in zip(passed, turns, strict=True)]
    )
