"""What a run cost in total, and per point of held-out success."""

import pytest

from verigym.training.alarms import cost_summary


def test_a_point_costs_what_was_spent_between_the_measurements() -> None:
    history = {step: {"cost": 2.0} for step in range(1, 5)}
    history[2]["held_out_success"], history[4]["held_out_success"] = 0.30, 0.40
    words = "$8.00 so far. Held-out success went from 30.0% at step 2 to 40.0% at step 4: $0.4 per point"
    assert cost_summary(history) == words


def test_a_measurement_before_the_first_step_counts_all_that_was_spent() -> None:
    history = {0: {"held_out_success": 0.0}, 1: {"cost": 1.0, "held_out_success": 0.1}}
    assert cost_summary(history).endswith(": $0.1 per point")


def test_without_a_gain_there_is_no_cost_per_point() -> None:
    history = {step: {"cost": 0.1, "held_out_success": 0.5 - step / 100} for step in (1, 2)}
    assert cost_summary(history).endswith("It did not rise, so there is no cost per point")


@pytest.mark.parametrize(("measured", "times"), [({}, "never"), ({"held_out_success": 0.2}, "once")])
def test_two_measurements_are_needed_for_a_cost_per_point(measured: dict[str, float], times: str) -> None:
    expected = f"$0.10 so far. Held-out success was measured {times}, so the cost per point is unknown"
    assert cost_summary({1: {"cost": 0.1, **measured}}) == expected
