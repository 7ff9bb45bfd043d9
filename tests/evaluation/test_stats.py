import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from verigym.evaluation.stats import (
    clopper_pearson,
    clustered_mean,
    mcnemar_midp,
    paired_delta,
    percentile,
    sign_flip_p,
    tasks_needed,
)

rates = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 6)), min_size=1, max_size=40)


def test_with_one_task_a_family_the_interval_is_the_textbook_t_interval():
    values = [0.2, 0.4, 0.9, 0.3, 0.7]
    low, high = oracle.t.interval(0.95, 4, loc=0.5, scale=oracle.sem(values))
    estimate = clustered_mean(values, range(5))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.5, low, high))
    assert estimate.n == 5


def test_copies_of_a_task_in_its_family_add_no_certainty():
    values = [0.2, 0.4, 0.9, 0.3, 0.7]
    once, thrice = clustered_mean(values, range(5)), clustered_mean(values * 3, [*range(5)] * 3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def _coverage(num_families: int, binary: bool, num_draws: int = 1500) -> float:
    draw, hits = random.Random(num_families), 0
    for _ in range(num_draws):
        values, families = [], []
        for family in range(num_families):
            size, shift, rate = draw.randint(3, 6), draw.gauss(0, 1), draw.choice([0.3, 0.5, 0.7])
            values += [float(draw.random() < rate) if binary else shift + draw.gauss(0, 1) for _ in range(size)]
            families += [family] * size
        estimate = clustered_mean(values, families, rate=binary)
        hits += estimate.low <= (0.5 if binary else 0.0) <= estimate.high
    return hits / num_draws


@pytest.mark.parametrize("num_families", [5, 10, 50])
@pytest.mark.parametrize("binary", [True, False], ids=["rate", "normal"])
def test_a_95_percent_interval_covers_the_truth_about_95_percent_of_the_time(num_families: int, binary: bool):
    assert 0.92 <= _coverage(num_families, binary) <= 0.97


def test_two_families_do_not_make_a_narrow_interval():
    """A z interval covers 69% here."""
    assert _coverage(2, binary=False) >= 0.92


@given(rates)
def test_the_interval_of_a_rate_holds_its_value_within_0_and_1_and_has_width(drawn: list[tuple[float, int]]):
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


def test_a_figure_without_a_range_gets_a_finite_interval_even_when_it_never_varies():
    estimate = clustered_mean([12.0] * 50, range(50))
    assert 10 < estimate.low < 12 < estimate.high < 14


def test_a_paired_difference_is_the_textbook_one_sided_t_test_when_families_are_single_tasks():
    draw = random.Random(3)
    a = [draw.random() for _ in range(15)]
    b = [one + 0.1 + draw.gauss(0, 0.2) for one in a]
    delta = paired_delta(a, b, range(15))
    expected = oracle.ttest_rel(b, a, alternative="greater")
    assert delta.p == pytest.approx(expected.pvalue)
    assert delta.low == pytest.approx(expected.confidence_interval(0.95).low)
    assert delta.method == "clustered t over 15 families"


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
    assert delta.sd > 0


def test_identical_rewards_of_any_size_leave_room_for_a_change():
    delta = paired_delta([5.0] * 10, [5.0] * 10, range(10))
    assert delta.low < 0 < delta.high


def test_twelve_gains_and_no_loss_are_significant():
    delta = paired_delta([0.0] * 12, [1.0] * 12, range(12), rate=True)
    assert delta.low > 0.5
    assert delta.p == 2**-12


def test_under_ten_families_p_is_by_permutation_and_says_so():
    delta = paired_delta([0.0] * 8, [1.0, 1, 1, 0, 1, 1, 1, 1], [*range(4)] * 2)
    assert delta.method == "sign-flip permutation over 4 families"
    assert delta.p == 2**-4


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_the_permutation_p_is_the_share_of_all_sign_flips(sums: list[int]):
    flips = [sum(map(math.prod, zip(sums, signs, strict=True))) for signs in product((1, -1), repeat=len(sums))]
    assert sign_flip_p(sums) == sum(flip >= sum(sums) for flip in flips) / len(flips)


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
