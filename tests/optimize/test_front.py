"""The Pareto front."""

from hypothesis import given
from hypothesis import strategies as st

from verigym.optimize.front import dominates, front
from verigym.optimize.records import CandidateFigures


def figures(name: str, success: float, tokens: float, unsafe: float) -> CandidateFigures:
    return CandidateFigures(
        version=name,
        name=name,
        parent="",
        change="",
        tasks=8,
        success=success,
        reward=success,
        tokens=tokens,
        unsafe=unsafe,
    )


def test_a_cheaper_a_safer_and_a_better_version_are_all_on_the_front() -> None:
    better, cheaper = figures("better", 0.9, 300, 0.1), figures("cheaper", 0.5, 100, 0.1)
    safer, worse = figures("safer", 0.6, 300, 0.0), figures("worse", 0.5, 300, 0.1)
    assert front([better, cheaper, safer, worse]) == {"better", "cheaper", "safer"}


_shares = st.sampled_from([0.0, 0.5, 1.0])
_candidates = st.lists(st.tuples(_shares, st.sampled_from([10.0, 20.0]), _shares), min_size=1, max_size=12)


@given(_candidates)
def test_every_version_is_on_the_front_or_dominated_by_one_that_is(values: list[tuple[float, float, float]]) -> None:
    pool = [figures(str(index), *value) for index, value in enumerate(values)]
    on_front = front(pool)
    assert on_front
    for one in pool:
        dominated = any(dominates(other, one) for other in pool if other.version in on_front)
        assert dominated != (one.version in on_front)
