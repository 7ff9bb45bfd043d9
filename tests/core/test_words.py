import pytest

from verigym.core.words import counted, interval


@pytest.mark.parametrize(
    ("count", "what", "words"),
    [
        (1, "task", "1 task"),
        (0, "task", "0 tasks"),
        (1, "family", "1 family"),
        (2, "family", "2 families"),
        (1200, "near repeat", "1,200 near repeats"),
        (3, "trajectory", "3 trajectories"),
    ],
)
def test_one_is_singular_and_all_else_plural(count: int, what: str, words: str) -> None:
    assert counted(count, what) == words


def test_an_interval_beyond_any_use_is_not_a_number() -> None:
    assert interval(1.1, 0.0, 15829815.03) == "unknown (too few families)"
    assert interval(0.0, 0.0, 0.52) == "0.00 to 0.52", "a reward of 0 with its bound"
    assert interval(1.1, 0.9, 1.3) == "0.90 to 1.30"
