import math
import random
from collections.abc import Callable
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from verigym.evaluation.stats import (
    NUM_FLIPS,
    adjusted,
    clopper_pearson,
    clustered_mean,
    expected_best,
    mcnemar_midp,
    paired_delta,
    paired_ratio,
    paired_totals,
    pass_all,
    pass_at,
    percentile,
    percentile_ratio,
    ratio_of_totals,
    sign_flip_p,
    tasks_needed,
    two_sided_p,
)

Floats = npt.NDArray[np.float64]

rates = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 6)), min_size=1, max_size=40)


def test_with_one_task_a_family_the_interval_is_the_textbook_t_interval():
    values = [0.2, 0.4, 0.9, 0.3, 0.7]
    low, high = oracle.t.interval(0.95, 4, loc=0.5, scale=oracle.sem(values))
    estimate = clustered_mean(values, range(5))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.5, low, high))
    assert estimate.n == 5


def test_families_of_unequal_size_have_the_variance_of_leaving_each_out():
    values, families = [1.0, 3.0, 2.0, 7.0, 5.0, 4.0], [0, 0, 0, 1, 2, 2]
    whole = sum(values) / 6
    without = [
        np.mean([value for value, family in zip(values, families, strict=True) if family != left]) for left in range(3)
    ]
    se = math.sqrt(2 / 3 * sum((one - whole) ** 2 for one in without))
    estimate = clustered_mean(values, families)
    df = 6**2 / (3**2 + 1 + 2**2) - 1
    assert df < 2, "families of unequal size have fewer degrees of freedom than as many equal ones"
    assert estimate.high - estimate.value == pytest.approx(oracle.t.ppf(0.975, df) * se)


def test_with_one_task_per_family_a_rate_has_wilsons_interval_with_t():
    values = [1.0] * 30 + [0.0] * 10
    t, n, p = oracle.t.ppf(0.975, 39), 39, 0.75
    centre, reach = p + t * t / 2 / n, t * math.sqrt(p * (1 - p) / n + t * t / 4 / n / n)
    expected = (centre - reach) / (1 + t * t / n), (centre + reach) / (1 + t * t / n)
    estimate = clustered_mean(values, range(40), rate=True)
    assert (estimate.low, estimate.high) == pytest.approx(expected)


def test_copies_of_a_task_in_its_family_add_no_certainty():
    values = [0.2, 0.4, 0.9, 0.3, 0.7]
    once, thrice = clustered_mean(values, range(5)), clustered_mean(values * 3, [*range(5)] * 3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


Drawn = tuple[list[float], list[int]]
"""Values of tasks, and their families."""


def _families(draw: np.random.Generator, num_families: int, mean: float, likeness: float) -> tuple[list[int], Floats]:
    """1 to 8 tasks in each family, and each task's chance to pass: families differ as the correlation within them says."""
    families = np.repeat(np.arange(num_families), draw.integers(1, 9, num_families))
    strength = (1 - likeness) / likeness
    return families.tolist(), draw.beta(mean * strength, (1 - mean) * strength, num_families)[families]


def _rates(draw: np.random.Generator, num_families: int, mean: float) -> Drawn:
    families, chances = _families(draw, num_families, mean, likeness=0.3)
    return (draw.random(len(families)) < chances).astype(float).tolist(), families


def _normal(draw: np.random.Generator, num_families: int) -> Drawn:
    families = np.repeat(np.arange(num_families), draw.integers(1, 9, num_families))
    return (draw.normal(size=num_families)[families] + draw.normal(size=len(families))).tolist(), families.tolist()


def _changes(draw: np.random.Generator, num_families: int) -> Drawn:
    """Differences of tasks tried once: 25% gained, 10% lost, each more in some families than in others."""
    families, gain = _families(draw, num_families, 0.25, likeness=0.2)
    loss = draw.beta(0.4, 3.6, num_families)[families] * (1 - gain) / 0.75
    drawn = draw.random(len(families))
    return ((drawn < gain).astype(float) - (drawn > 1 - loss)).tolist(), families


def _coverage(truth: float, num_families: int, interval: Callable[[np.random.Generator], tuple[float, float]]) -> float:
    """The fewer families, the cheaper a draw, and the more of them."""
    draw, num_draws = np.random.default_rng(7), max(600, 15_000 // num_families)
    return sum(low <= truth <= high for low, high in (interval(draw) for _ in range(num_draws))) / num_draws


def _mean_interval(values: list[float], families: list[int], rate: bool) -> tuple[float, float]:
    estimate = clustered_mean(values, families, rate=rate)
    return estimate.low, estimate.high


@pytest.mark.parametrize("num_families", [5, 10, 25, 50])
@pytest.mark.parametrize("mean", [0.3, 0.5, 0.7])
def test_a_95_percent_interval_covers_the_true_rate_95_percent(num_families: int, mean: float):
    """Families of 1 to 8 tasks whose outcomes are correlated (0.3)."""
    covered = _coverage(mean, num_families, lambda draw: _mean_interval(*_rates(draw, num_families, mean), rate=True))
    assert 0.92 <= covered <= (0.97 if num_families > 5 else 0.985)


@pytest.mark.parametrize("num_families", [5, 10, 25, 50])
@pytest.mark.parametrize("mean", [0.1, 0.9])
def test_the_interval_of_a_rate_near_0_or_1_does_not_cover_too_rarely(num_families: int, mean: float):
    """Around the mean alone it would cover 88 to 89% at 10 and 25 families. With fewer, outcomes are so coarse that an interval
    covers more than it says."""
    covered = _coverage(mean, num_families, lambda draw: _mean_interval(*_rates(draw, num_families, mean), rate=True))
    assert 0.92 <= covered <= (0.99 if num_families > 5 else 1)


@pytest.mark.parametrize("num_families", [2, 5, 10, 25, 50])
def test_a_figure_that_is_no_rate_is_covered_as_often(num_families: int):
    """A z interval covers 69% at two families."""
    assert (
        0.92
        <= _coverage(0.0, num_families, lambda draw: _mean_interval(*_normal(draw, num_families), rate=False))
        <= 0.97
    )


@pytest.mark.parametrize("num_families", [5, 10, 25, 50])
def test_a_paired_difference_is_covered_about_95_percent_of_the_time(num_families: int):
    def interval(draw: np.random.Generator) -> tuple[float, float]:
        changes, families = _changes(draw, num_families)
        delta = paired_delta([0.0] * len(changes), changes, families, level=0.975, rate=True)
        return delta.low, delta.high

    assert 0.92 <= _coverage(0.15, num_families, interval) <= 0.97


@pytest.mark.parametrize("num_families", [10, 25])
@pytest.mark.parametrize("bound", ["low", "high"])
def test_each_bound_of_a_paired_difference_is_wrong_in_about_5_percent(num_families: int, bound: str):
    def side(draw: np.random.Generator) -> tuple[float, float]:
        changes, families = _changes(draw, num_families)
        delta = paired_delta([0.0] * len(changes), changes, families, rate=True)
        return (delta.low, 2.0) if bound == "low" else (-2.0, delta.high)

    assert 0.93 <= _coverage(0.15, num_families, side) <= 0.97


@given(rates)
def test_the_interval_of_a_rate_contains_it_and_stays_in_0_to_1(drawn: list[tuple[float, int]]):
    estimate = clustered_mean([value for value, _ in drawn], [family for _, family in drawn], rate=True)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


@pytest.mark.parametrize("num_families", [2, 10, 50])
def test_families_that_all_agree_get_the_exact_bound_on_their_number(num_families: int):
    families = [*range(num_families)] * 2
    none = clustered_mean([0.0] * 2 * num_families, families, rate=True)
    every = clustered_mean([1.0] * 2 * num_families, families, rate=True)
    assert (none.low, none.high) == pytest.approx(clopper_pearson(0, num_families))
    assert (every.low, every.high) == pytest.approx(clopper_pearson(num_families, num_families))


def test_one_family_says_nothing_about_a_rate():
    estimate = clustered_mean([1.0, 0.0, 1.0], ["only"] * 3, rate=True)
    assert (estimate.low, estimate.high) == (0, 1)


def test_a_constant_figure_without_a_range_has_a_finite_interval():
    estimate = clustered_mean([12.0] * 50, range(50))
    assert 10 < estimate.low < 12 < estimate.high < 14


def test_single_task_families_give_a_paired_t_test_with_degrees_of_freedom_by_spread():
    draw = random.Random(3)
    a = [draw.random() for _ in range(25)]
    b = [one + 0.1 + draw.gauss(0, 0.2) for one in a]
    delta = paired_delta(a, b, range(25))
    gains = np.array(b) - np.array(a)
    squares = (gains - gains.mean()) ** 2
    df, se = min(24, 2 * squares.sum() ** 2 / (squares**2).sum()), gains.std(ddof=1) / 5
    assert delta.p == pytest.approx(oracle.t.sf(gains.mean() / se, df))
    assert delta.low == pytest.approx(gains.mean() - oracle.t.ppf(0.95, df) * se)
    assert delta.p >= oracle.ttest_rel(b, a, alternative="greater").pvalue
    assert delta.method == "clustered t over 25 families"


@given(rates.filter(lambda drawn: len({family for _, family in drawn}) > 1))
def test_exchanging_the_two_sides_mirrors_the_bounds(drawn: list[tuple[float, int]]):
    a, families = [value for value, _ in drawn], [family for _, family in drawn]
    b = a[1:] + a[:1]
    forth, back = paired_delta(a, b, families, rate=True), paired_delta(b, a, families, rate=True)
    assert (forth.low, forth.value, forth.high) == pytest.approx((-back.high, -back.value, -back.low))


def test_ten_identical_results_leave_room_for_a_change_either_way():
    delta = paired_delta([1.0] * 10, [1.0] * 10, range(10), rate=True)
    assert (delta.low, delta.high) == pytest.approx((-0.2589, 0.2589), abs=1e-4)
    assert delta.p == 1
    assert delta.se > 0.1


def test_identical_rewards_of_any_size_leave_room_for_a_change():
    delta = paired_delta([5.0] * 10, [5.0] * 10, range(10))
    assert delta.low < 0 < delta.high


def test_twelve_gains_and_no_loss_are_significant():
    delta = paired_delta([0.0] * 12, [1.0] * 12, range(12), rate=True)
    assert delta.low > 0.5
    assert delta.p == 2**-12


def test_with_few_families_p_is_by_permutation_as_well_and_says_so():
    delta = paired_delta([0.0] * 8, [1.0, 1, 1, 0, 1, 1, 1, 1], [*range(4)] * 2)
    assert delta.method == "clustered t and sign flips over 4 families"
    assert delta.p == 2**-5, "one flip of 16 reaches the total, and ties count half"


def test_there_is_no_cliff_between_few_and_many_families():
    """The chance to show the same gain grows with the families, and never by much at once."""
    draw = np.random.default_rng(5)
    shown = []
    for num_families in (7, 8, 9, 10, 11, 12, 16, 17):
        found = 0
        for _ in range(200):
            gains = np.repeat(draw.normal(0.25, 0.3, num_families), 3) + draw.normal(0, 0.1, 3 * num_families)
            families = np.repeat(np.arange(num_families), 3)
            found += paired_delta([0.0] * len(gains), list(gains), list(families)).p <= 0.05
        shown.append(found / 200)
    steps = [after - before for before, after in pairwise(shown)]
    assert min(steps) > -0.2 and max(steps) < 0.3


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_the_permutation_p_is_the_share_of_all_sign_flips(sums: list[int]):
    flips = [sum(map(math.prod, zip(sums, signs, strict=True))) for signs in product((1, -1), repeat=len(sums))]
    assert sign_flip_p(sums) == sum(flip >= sum(sums) for flip in flips) / len(flips)


def test_sampled_sign_flips_are_those_of_the_plain_loop():
    sums = [0.5, 1.0, -0.3, 0.25, -1.0] * 5
    draw, total = random.Random(0), math.fsum(sums)
    reached = sum(math.fsum(one * draw.choice((1, -1)) for one in sums) >= total - 1e-9 for _ in range(NUM_FLIPS))
    assert sign_flip_p(sums) == (1 + reached) / (1 + NUM_FLIPS)


def test_sampled_sign_flips_agree_with_exact_ones_and_repeat():
    exact = sign_flip_p([0.5, 1.0, -0.3, 0.2] * 4)
    nearly = sign_flip_p([0.5, 1.0, -0.3, 0.2] * 4 + [1e-12])
    assert nearly == pytest.approx(exact, abs=0.01)
    assert nearly == sign_flip_p([0.5, 1.0, -0.3, 0.2] * 4 + [1e-12])


@pytest.mark.parametrize(("gained", "lost", "p"), [(9, 1, 6 / 1024), (0, 0, 0.5), (1, 9, 1018 / 1024), (3, 0, 1 / 16)])
def test_mcnemar_counts_half_of_the_outcome_seen(gained: int, lost: int, p: float):
    assert mcnemar_midp(gained, lost) == p


def test_mcnemar_holds_for_thousands_of_changed_tasks():
    assert mcnemar_midp(1500, 1500) == pytest.approx(0.5)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_scipys_binomial_test_less_half_of_the_outcome_seen(gained: int, lost: int):
    n = gained + lost
    upper = oracle.binom.sf(gained - 1, n, 0.5) if n else 1.0
    assert mcnemar_midp(gained, lost) == pytest.approx(upper - oracle.binom.pmf(gained, n, 0.5) / 2)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_and_pass_all_k_are_shares_of_all_choices_of_k_tries(drawn: tuple[int, int, int]):
    repeats, passed, k = drawn
    choices = list(combinations([True] * passed + [False] * (repeats - passed), k))
    assert pass_at(k, repeats, passed) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_all(k, repeats, passed) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_six_of_eight_tries_pass_at_4_surely_and_all_of_4_seldom():
    assert pass_at(4, 8, 6) == 1
    assert pass_all(4, 8, 6) == pytest.approx(0.21, abs=0.005)


def test_tries_are_estimated_without_bias():
    """Of 8 tries of a task that passes with 0.3, at least one of 4 passes with 1 - 0.7^4."""
    passed = np.random.default_rng(1).binomial(8, 0.3, 20_000)
    assert np.mean([pass_at(4, 8, int(one)) for one in passed]) == pytest.approx(1 - 0.7**4, abs=0.01)
    assert np.mean([pass_all(4, 8, int(one)) for one in passed]) == pytest.approx(0.3**4, abs=0.005)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_ps_are_scipys_benjamini_hochberg(ps: list[float]):
    assert adjusted(ps) == pytest.approx(oracle.false_discovery_control(ps).tolist())


def test_of_claims_about_single_families_few_are_false():
    """200 comparisons of 40 families, 10 of which changed: of all that are claimed at q <= 0.05, about 1 in 20 did not."""
    draw, claimed, wrong = np.random.default_rng(2), 0, 0
    for _ in range(200):
        z = draw.normal(size=40) + np.where(np.arange(40) < 10, 3.0, 0.0)
        claims = [q <= 0.05 for q in adjusted((2 * oracle.norm.sf(np.abs(z))).tolist())]
        claimed, wrong = claimed + sum(claims), wrong + sum(claims[10:])
    assert claimed > 500 and wrong / claimed <= 0.06


def test_a_two_sided_p_is_twice_the_smaller_side():
    a, b = [0.0] * 5, [1.0, 1, 1, 1, 0]
    assert two_sided_p(a, b, range(5)) == two_sided_p(b, a, range(5)) == 2 * 2**-5
    assert two_sided_p(a, a, range(5)) == 1


def test_the_best_of_many_equal_versions_is_flattered_as_simulation_says():
    drawn = np.random.default_rng(3).normal(size=(20_000, 12)).max(axis=1).mean()
    assert expected_best(12) == pytest.approx(drawn, abs=0.02)
    assert expected_best(1) == pytest.approx(0)


def _spent(draw: np.random.Generator, num_families: int) -> tuple[list[float], list[float], list[int]]:
    """Tokens of each task before, and 1.3 times as many after; families differ in both."""
    families = np.repeat(np.arange(num_families), draw.integers(1, 9, num_families))
    task = draw.normal(0, 0.5, num_families)[families] + draw.normal(0, 0.4, len(families))
    after = task + math.log(1.3) + draw.normal(0, 0.2, num_families)[families] + draw.normal(0, 0.2, len(families))
    return np.exp(task).tolist(), np.exp(after).tolist(), families.tolist()


@pytest.mark.parametrize("num_families", [5, 10, 25])
def test_a_ratio_task_by_task_is_covered_about_95_percent_of_the_time(num_families: int):
    def interval(draw: np.random.Generator) -> tuple[float, float]:
        ratio = paired_ratio(*_spent(draw, num_families), level=0.975)
        return ratio.low, ratio.high

    assert 0.92 <= _coverage(1.3, num_families, interval) <= 0.97


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_ratio_of_percentiles_is_covered_at_least_as_often_as_it_says(share: float):
    truth = 1.3 * math.exp(oracle.norm.ppf(share) * (math.sqrt(0.41 + 0.08) - math.sqrt(0.41)))

    def interval(draw: np.random.Generator) -> tuple[float, float]:
        ratio = percentile_ratio(*_spent(draw, 20), share, level=0.975)
        return ratio.low, ratio.high

    assert _coverage(truth, 20, interval) >= 0.93


@pytest.mark.parametrize("num_families", [10, 25])
def test_what_a_success_takes_is_covered_about_95_percent_of_the_time(num_families: int):
    def one(draw: np.random.Generator) -> tuple[float, float]:
        passed, families = _rates(draw, num_families, 0.6)
        estimate = ratio_of_totals(draw.exponential(2.0, len(families)).tolist(), passed, families)
        assert estimate is not None
        return estimate.low, estimate.high

    def two(draw: np.random.Generator) -> tuple[float, float]:
        families, chances = _families(draw, num_families, 0.6, likeness=0.3)
        before, after = (
            (draw.exponential(tokens, len(families)).tolist(), (draw.random(len(families)) < chances).tolist())
            for tokens in (2.0, 3.0)
        )
        ratio = paired_totals(before, after, families, level=0.975)
        assert ratio is not None
        return ratio.low, ratio.high

    assert 0.92 <= _coverage(2 / 0.6, num_families, one) <= 0.97
    assert 0.92 <= _coverage(1.5, num_families, two) <= 0.97


def test_ratios_without_a_success_are_none_and_constant_ones_have_width():
    assert ratio_of_totals([1.0, 2.0], [0.0, 0.0], [0, 1]) is None
    assert paired_totals(([1.0], [1.0]), ([1.0], [0.0]), [0]) is None
    constant = ratio_of_totals([2.0] * 8, [1.0] * 8, range(8))
    assert constant is not None and constant.low < constant.value == 2 < constant.high
    same = paired_ratio([3.0] * 8, [9.0] * 8, range(8))
    assert same.value == pytest.approx(3) and same.low < 3 < same.high
    alone = paired_ratio([3.0, 4.0], [3.0, 4.0], ["only"] * 2)
    assert (alone.low, alone.high) == pytest.approx((0.5, 2))
    percentiles = percentile_ratio([1.0] * 8, [1.0] * 8, range(8), 0.95)
    assert percentiles.low < percentiles.value == 1


def test_twice_the_latency_is_a_ratio_of_2_at_every_percentile():
    draw = random.Random(1)
    before = [draw.lognormvariate(0, 1) for _ in range(200)]
    for share in (0.5, 0.95):
        ratio = percentile_ratio(before, [2 * one for one in before], range(200), share)
        assert ratio.value == pytest.approx(2)
        assert 1.4 < ratio.low < 2 < ratio.high < 3.2


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_clopper_pearson_is_scipys_exact_interval(drawn: tuple[int, int]):
    k, n = drawn
    expected = oracle.binomtest(k, n).proportion_ci(0.9, method="exact")
    assert clopper_pearson(k, n, 0.9) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("n", "bound"), [(10, 0.26), (50, 0.058), (100, 0.0295), (300, 0.0099)])
def test_no_event_in_n_tasks_bounds_the_rate(n: int, bound: float):
    assert clopper_pearson(0, n, level=0.90)[1] == pytest.approx(bound, rel=0.02)


@pytest.mark.parametrize(
    ("disagreeing", "gain", "needed"),
    [(0.2, 0.10, 122), (0.3, 0.10, 184), (0.1, 0.05, 246), (0.2, 0.05, 493), (0.3, 0.05, 740), (0.1, 0.03, 685)],
)
def test_the_number_of_tasks_needed_is_that_of_the_design_table(disagreeing: float, gain: float, needed: int):
    assert tasks_needed(math.sqrt(disagreeing - gain**2), gain) == pytest.approx(needed, abs=1)


def test_as_many_tasks_as_needed_show_the_gain_with_the_power_asked_for():
    draw, shown = random.Random(5), 0
    n = tasks_needed(math.sqrt(0.3 - 0.15**2), 0.15)
    for _ in range(400):
        deltas = draw.choices([1.0, -1.0, 0.0], [0.225, 0.075, 0.7], k=n)
        shown += paired_delta([0.0] * n, deltas, range(n), rate=True).low > 0
    assert 0.74 <= shown / 400 <= 0.86


def test_a_percentile_lies_between_its_order_statistics():
    estimate = percentile(range(1000), 0.5)
    assert (estimate.value, estimate.low, estimate.high) == (500, 469, 531)
    assert percentile([3.0], 0.95).high == 3.0
