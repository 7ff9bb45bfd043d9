"""Splits by family: a family never crosses, more tasks move nothing, and like prompts stay together."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.records import Task
from verigym.tasks.split import SplitStats, dominated, sides, split_of, split_tasks, with_families

SHARES = {"val": 0.3, "test": 0.2}
WORDS = ["book a table", "cancel the meeting", "send an email to Ada", "what is six times seven", "list all my files"]


def tasks_of(rows: list[tuple[str, str]]) -> list[Task]:
    return [Task(id=f"t{place}", prompt=prompt, family=family) for place, (prompt, family) in enumerate(rows)]


PROMPTS = st.builds(
    lambda word, tail: f"{word} {tail}", st.sampled_from(WORDS), st.sampled_from(["", "now", "please", "tomorrow"])
)
ROWS = st.lists(st.tuples(PROMPTS, st.sampled_from(["", "f1", "f2", "f3"])), min_size=1, max_size=15)


@settings(deadline=None)
@given(ROWS, st.integers(0, 3))
def test_a_family_never_crosses(rows: list[tuple[str, str]], seed: int) -> None:
    made = split_tasks(with_families(tasks_of(rows)), SHARES, seed)
    assert len({(task.family, task.split) for task in made}) == len({task.family for task in made})


@settings(deadline=None)
@given(ROWS, st.randoms())
def test_the_order_of_tasks_makes_no_difference(rows: list[tuple[str, str]], draw: random.Random) -> None:
    tasks = tasks_of(rows)
    shuffled = list(tasks)
    draw.shuffle(shuffled)
    made = {task.id: task for task in split_tasks(with_families(tasks), SHARES)}
    assert {task.id: task for task in split_tasks(with_families(shuffled), SHARES)} == made


@settings(deadline=None)
@given(ROWS, ROWS)
def test_more_tasks_never_move_a_family_that_was_saved(
    rows: list[tuple[str, str]], more: list[tuple[str, str]]
) -> None:
    before = split_tasks(with_families(tasks_of(rows)), SHARES)
    added = [msgspec.structs.replace(task, id=f"more {task.id}") for task in tasks_of(more)]
    after = split_tasks(with_families([*added, *before]), SHARES)
    assert after[len(added) :] == before


@settings(deadline=None)
@given(ROWS)
def test_the_same_prompt_without_a_family_is_always_of_one(rows: list[tuple[str, str]]) -> None:
    made = with_families(tasks_of([(prompt, "") for prompt, _ in rows]))
    assert len({(str(task.prompt), task.family) for task in made}) == len({str(task.prompt) for task in made})


def test_like_prompts_get_one_family_and_others_their_own() -> None:
    prompts = ["Book a table for two, please.", "book a table for two please", "Cancel all of my meetings."]
    one, two, other = with_families([Task(id=str(i), prompt=p, family=str(i)) for i, p in enumerate(prompts)])
    assert one.family == two.family != other.family
    assert one.family.startswith("like-")


def test_a_task_without_a_family_joins_the_family_that_it_is_like() -> None:
    given = Task(id="a", prompt="Book a table for two, please.", family="tables")
    joined, left = with_families([Task(id="b", prompt="Book a table for two please!"), given])
    assert (joined.family, left) == ("tables", given)


def test_given_families_are_never_joined() -> None:
    tasks = [Task(id=str(i), prompt="Book a table.", family=f"f{i}") for i in range(2)]
    assert with_families(tasks) == tasks
    between = Task(id="c", prompt="Book a table.")
    assert [task.family for task in with_families([*tasks, between])] == ["f0", "f1", "f0"]


def test_shares_are_kept_on_average_and_a_seed_deals_anew() -> None:
    families = [f"family {number}" for number in range(10_000)]
    for seed in (0, 1):
        counts = [
            sum(split_of(family, SHARES, seed) == name for family in families) for name in ("val", "test", "train")
        ]
        assert [count / 10_000 for count in counts] == pytest.approx([0.3, 0.2, 0.5], abs=0.02)
    assert any(split_of(family, SHARES, 0) != split_of(family, SHARES, 1) for family in families)


def test_another_share_moves_only_the_families_it_must() -> None:
    families = [f"family {number}" for number in range(1000)]
    small = {family for family in families if split_of(family, {"val": 0.1}) == "val"}
    assert small < {family for family in families if split_of(family, {"val": 0.2}) == "val"}


def test_splits_are_counted_with_their_largest_family() -> None:
    rows = [("a", "train", "f"), ("b", "train", "f"), ("c", "train", "g"), ("d", "val", "")]
    tasks = [Task(id=id, prompt=id, split=split, family=family) for id, split, family in rows]
    train, val = sides(tasks)
    assert train == SplitStats(split="train", tasks=3, share=0.75, families=2, largest="f", largest_share=2 / 3)
    assert (val.split, val.largest, val.largest_share) == ("val", "d", 1.0)
    assert dominated(train)
    assert not dominated(msgspec.structs.replace(train, largest_share=0.5))
