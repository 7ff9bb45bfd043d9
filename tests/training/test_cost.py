"""Cost: seconds at a price, what episodes paid, and what a point of held-out success came to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.training.cost import cost_of, step_dollars


def test_a_step_costs_its_seconds_at_the_price_and_what_its_episodes_paid() -> None:
    assert step_dollars(2700, 4.0) == pytest.approx(3.0)
    assert step_dollars(1800, 4.0, episodes=0.25) == pytest.approx(2.25)
    assert step_dollars(1800, 0.0) == 0.0


def test_a_point_costs_what_was_spent_between_the_measurements() -> None:
    history = {step: {"cost": 2.0} for step in range(1, 5)}
    history[2]["held_out_success"], history[4]["held_out_success"] = 0.30, 0.40
    cost = cost_of(history)
    assert (cost.dollars, cost.gained, cost.per_point) == (8.0, pytest.approx(10.0), pytest.approx(0.4))
    assert cost.words == "$8.00 so far. Held-out success went from 30.0% at step 2 to 40.0% at step 4: $0.4 per point"


def test_a_measurement_before_the_first_step_counts_all_that_was_spent() -> None:
    history = {0: {"held_out_success": 0.0}, 1: {"cost": 1.0, "held_out_success": 0.1}}
    assert cost_of(history).per_point == pytest.approx(0.1)


def test_where_nothing_was_gained_a_point_has_no_price_and_the_words_say_so() -> None:
    history = {step: {"cost": 0.1, "held_out_success": 0.5 - step / 100} for step in (1, 2)}
    cost = cost_of(history)
    assert cost.per_point is None and cost.gained == pytest.approx(-1.0) and "It did not rise" in cost.words


@pytest.mark.parametrize(("measured", "words"), [({}, "never"), ({"held_out_success": 0.2}, "once")])
def test_with_fewer_than_two_measurements_the_words_say_that_it_cannot_be_said(
    measured: dict[str, float], words: str
) -> None:
    cost = cost_of({1: {"cost": 0.1, **measured}})
    assert cost.per_point is None and cost.gained is None and cost.dollars == pytest.approx(0.1)
    assert f"measured {words}, so the cost per point is unknown" in cost.words


@given(st.lists(st.floats(0, 1e4), max_size=20))
def test_the_total_is_the_sum_of_the_steps(dollars: list[float]) -> None:
    history = {step: {"cost": each} for step, each in enumerate(dollars)}
    assert cost_of(history).dollars == pytest.approx(sum(dollars))
