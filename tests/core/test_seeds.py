"""Seeds follow from names alone."""

from hypothesis import given
from hypothesis import strategies as st

from verigym.core.seeds import derive

names = st.lists(st.text(max_size=5) | st.integers(), max_size=4)


@given(st.integers(), names)
def test_a_seed_is_63_bits_and_always_the_same(seed: int, what: list[object]) -> None:
    made = derive(seed, *what)
    assert made == derive(seed, *what)
    assert 0 <= made < 2**63


def test_a_seed_is_the_same_in_every_version_of_verigym() -> None:
    assert derive(7, "rollout", "task-3", 3) == 5015259527911294600


def test_every_name_matters_and_so_does_its_place() -> None:
    calls = [
        (7,),
        (8,),
        (7, "a"),
        (7, "b"),
        (7, "a", "b"),
        (7, "ab"),
        (7, "b", "a"),
        (7, "a", 1),
        (7, "a", 11),
        (7, "a", 1, 1),
    ]
    assert len({derive(*call) for call in calls}) == len(calls)


def test_seeds_of_neighbours_share_nothing() -> None:
    seeds = [derive(0, "episode", "t", i) for i in range(2000)]
    assert len(set(seeds)) == 2000
    ones = sum(seed.bit_count() for seed in seeds) / (2000 * 63)
    assert 0.49 < ones < 0.51
