"""Looking more than once: the levels and acceptance numbers keep the risk, by exact sums, published tables and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import Look
from verigym.evaluation.sequential import (
    acceptance_number,
    first_that_passes,
    information_share,
    look_sizes,
    mixture_evidence,
    next_level,
    share_of_risk,
    spent_early,
)


def _levels(fractions: list[float], alpha: float) -> list[float]:
    looks: list[Look] = []
    for fraction in fractions:
        looks.append(Look(0, fraction, alpha * fraction, next_level(looks, fraction, alpha * fraction)))
    return [look.boundary for look in looks]


def test_one_look_needs_the_whole_risk():
    assert _levels([1.0], 0.05) == [0.05]


def test_the_levels_are_those_of_the_published_recursion():
    """Linear spending of 0.025 over 5 equal looks: z = 2.576, 2.490, 2.410, 2.343, 2.287 (Kim and DeMets, rho 1)."""
    from statistics import NormalDist

    found = [-NormalDist().inv_cdf(level) for level in _levels([0.2, 0.4, 0.6, 0.8, 1.0], 0.025)]
    assert found == pytest.approx([2.576, 2.490, 2.410, 2.343, 2.287], abs=0.015)


@pytest.mark.parametrize("fractions", [[0.1, 0.3, 1.0], [0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [0.05, 1.0]], ids=str)
def test_over_all_looks_a_false_alarm_is_as_rare_as_planned(fractions: list[float]):
    draw, n = np.random.default_rng(1), 100_000
    steps = np.diff([0.0, *fractions])
    walk = np.cumsum(draw.normal(size=(n, len(steps))) * np.sqrt(steps), axis=1) / np.sqrt(fractions)
    from scipy.special import ndtri

    bounds = -ndtri(np.array(_levels(fractions, 0.05)))
    assert (walk >= bounds).any(axis=1).mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / n))


def test_without_new_risk_a_look_can_show_nothing():
    assert next_level([Look(40, 0.5, 0.05, 0.05)], 0.7, 0.05) == 0.0


@pytest.mark.parametrize("rate", [0.03, 0.05, 0.15])
@pytest.mark.parametrize("sizes", [[60, 120, 184], [16, 32, 64, 128, 184], [184]], ids=str)
def test_acceptance_numbers_are_exact(rate: float, sizes: list[int]):
    """The chance to pass at any look, summed over all paths by another recursion, is at most what was spent."""
    looks: list[Look] = []
    accepted: list[int] = []
    for size in sizes:
        spent = spent_early(0.05, size / sizes[-1])
        accepted.append(acceptance_number(looks, size, spent, rate))
        looks.append(Look(size, size / sizes[-1], spent, 0.0))
    chances, passed, done = {0: 1.0}, 0.0, 0
    for size, most, look in zip(sizes, accepted, looks, strict=True):
        for _ in range(size - done):
            after: dict[int, float] = {}
            for events, chance in chances.items():
                after[events] = after.get(events, 0.0) + chance * (1 - rate)
                after[events + 1] = after.get(events + 1, 0.0) + chance * rate
            chances = after
        passed += math.fsum(chance for events, chance in chances.items() if events <= most)
        chances, done = {events: chance for events, chance in chances.items() if events > most}, size
        assert passed <= look.spent + 1e-9
    assert passed > 0.02, "and the risk is used"


def test_the_first_look_is_the_first_at_which_no_event_is_enough():
    first = first_that_passes(0.05, 184, 0.05)
    assert acceptance_number([], first, spent_early(0.05, first / 184), 0.05) == 0
    assert acceptance_number([], first - 1, spent_early(0.05, (first - 1) / 184), 0.05) == -1
    assert first_that_passes(0.05, 20, 0.05) == 20, "too few tasks for any"


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 80))
def test_looks_grow_to_all_tasks(sizes: list[int], first: int):
    looks = look_sizes(first, sizes)
    assert looks[-1] == sum(sizes) and looks == sorted(set(looks))
    assert len(looks) <= 4 + math.log(max(1, sum(sizes) / min(first, sum(sizes))), 1.3)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=20))
def test_every_further_task_tells_a_little_more(sizes: list[int]):
    order = [family for turn in range(max(sizes)) for family, size in enumerate(sizes) if turn < size]
    shares = [information_share(order[:n], sizes) for n in range(1, len(order) + 1)]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)


def test_a_new_family_tells_more_than_a_known_one():
    assert information_share(["a", "b"], [2, 2]) > information_share(["a", "a"], [2, 2])


def test_the_evidence_of_new_families_is_rarely_large_without_a_gain():
    """Looked at after each family, over 200 of them."""
    draw, ever = np.random.default_rng(2), 0
    for _ in range(300):
        sums = draw.choice([-2.0, -1.0, 0.0, 1.0, 2.0], 200)
        ever += any(mixture_evidence(list(sums[:n]), 8.0) >= 20 for n in range(4, 201, 4))
    assert ever / 300 <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)
    assert mixture_evidence([1.0] * 20, 8.0) > 20


def test_candidates_in_turn_share_one_risk():
    shares = [share_of_risk(0.05, turn) for turn in range(1, 2000)]
    assert sum(shares) <= 0.05 and shares[0] == pytest.approx(0.0304, abs=1e-4)
    assert shares == sorted(shares, reverse=True)
