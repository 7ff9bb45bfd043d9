"""The bounds of every guardrail, against brute force."""

import math
from functools import cache

import pytest

from tests.evaluation.builders import report
from verigym.evaluation.compare import scored_pairs
from verigym.gates.damage import damage, score_bounds


def _chance(worse: int, better: int, n: int, p_worse: float, p_better: float) -> float:
    same = n - worse - better
    ways = math.comb(n, worse) * math.comb(n - worse, better)
    return ways * p_worse**worse * p_better**better * (1 - p_worse - p_better) ** same


@pytest.mark.parametrize(
    ("n", "p_worse", "p_better", "margin"),
    [
        (60, 0.05, 0.0, 0.05),
        (60, 0.10, 0.05, 0.05),
        (100, 0.07, 0.02, 0.05),
        (40, 0.20, 0.05, 0.15),
        (120, 0.05, 0.02, 0.03),
    ],
)
def test_damage_at_the_margin_passes_in_at_most_5_percent_of_all_outcomes(
    n: int, p_worse: float, p_better: float, margin: float
):
    """Every outcome that there can be, with its probability."""
    high = cache(lambda worse, better: score_bounds(worse, better, n)[1])
    passing = math.fsum(
        _chance(worse, better, n, p_worse, p_better)
        for worse in range(n + 1)
        for better in range(n + 1 - worse)
        if worse + better < n / 2 + 8 and high(worse, better) <= margin
    )
    assert 0.005 < passing <= 0.055


def test_where_no_task_got_better_the_bound_is_clopper_pearsons():
    """None of n: 26% at 10, 5.8% at 50, 2.95% at 100, 0.99% at 300."""
    found = [round(100 * score_bounds(0, 0, n)[1], 2) for n in (10, 50, 100, 300)]
    assert found == [25.89, 5.82, 2.95, 0.99]


def test_the_bounds_mirror_each_other():
    low, high = score_bounds(7, 3, 80)
    assert score_bounds(3, 7, 80) == pytest.approx((-high, -low))
    assert low < 4 / 80 < high


def test_ten_identical_results_have_a_bound_as_wide_as_ten_tasks_deserve():
    same = report("old", [1.0] * 10)
    found = damage(scored_pairs(same, same), lambda one: 1 - one.passed)
    assert (found.value, round(found.high, 3)) == (0.0, 0.259)
    repeated = report("old", [0.75] * 10, repeats=4)
    assert round(damage(scored_pairs(repeated, repeated), lambda one: 1 - one.passed).high, 3) == 0.259


def test_damage_in_one_family_counts_as_one_fact():
    """Six new failures in one family of six say less about others than six spread over families; the bound is the wider one."""
    together = damage(
        scored_pairs(
            report("old", [1.0] * 120, 20), report("new", [0.0 if i % 20 == 0 else 1.0 for i in range(120)], 20)
        ),
        lambda one: 1 - one.passed,
    )
    apart = damage(
        scored_pairs(report("old", [1.0] * 120, 20), report("new", [0.0] * 6 + [1.0] * 114, 20)),
        lambda one: 1 - one.passed,
    )
    assert together.value == apart.value == pytest.approx(0.05)
    assert together.high > 0.15 > apart.high


def test_tasks_that_could_not_be_scored_on_a_side_are_in_no_pair():
    import msgspec

    old, new = report("old", [1.0] * 5), report("new", [1.0] * 5)
    broken = [msgspec.structs.replace(new.results[0], error=True), *new.results[1:]]
    assert len(scored_pairs(old, msgspec.structs.replace(new, results=broken))) == 4
