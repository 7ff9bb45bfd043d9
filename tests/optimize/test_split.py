"""The division of training tasks, and the least budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rollout.shop import spec
from verigym.core.errors import Refused
from verigym.core.records import Task
from verigym.optimize.split import BATCH_MAX, batch_size, training_parts


def tasks(families: int, each: int = 2, split: str = "train") -> list[Task]:
    return [
        Task(id=f"{family}-{n}", prompt="?", family=f"f{family}", split=split)
        for family in range(families)
        for n in range(each)
    ]


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 10))
def test_feedback_and_selection_share_no_family_and_hold_every_task(families: int, each: int, seed: int) -> None:
    parts = training_parts(spec(), tasks(families, each), seed)
    shown, chosen = ({task.family for task in part} for part in parts)
    assert shown and chosen and not shown & chosen
    assert len(parts.feedback) + len(parts.selection) == families * each
    assert parts == training_parts(spec(), list(reversed(tasks(families, each))), seed)


def test_held_out_tasks_are_refused() -> None:
    with pytest.raises(Refused, match=r"held out\. Only training tasks"):
        training_parts(spec(), [*tasks(4), *tasks(1, split="val")], 0)


def test_an_environment_without_training_tasks_or_with_one_family_is_refused() -> None:
    with pytest.raises(Refused, match="no training tasks"):
        training_parts(spec(), [], 0)
    with pytest.raises(Refused, match="one family"):
        training_parts(spec(), tasks(1, 8), 0)


@pytest.mark.parametrize(
    ("budget", "batch"), [(12, 4), (100, 6), (200, 12), (10_000, BATCH_MAX)], ids=["least", "small", "usual", "large"]
)
def test_the_first_measurement_grows_with_the_budget(budget: int, batch: int) -> None:
    assert batch_size(budget, training_parts(spec(), tasks(60), 0)) == batch


def test_a_budget_that_allows_no_candidate_is_refused_with_the_least_that_works() -> None:
    with pytest.raises(Refused, match="least that works is 12"):
        batch_size(11, training_parts(spec(), tasks(60), 0))
    assert batch_size(3, training_parts(spec(), tasks(2, 1), 0)) == 1
