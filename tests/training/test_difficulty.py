"""Difficulty memory: pass rates with a prior and decay, weighted draws, pauses, and the same draws after a kill."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.test_loops import recipe
from verigym.core.errors import BadInput
from verigym.core.records import Task, Trajectory, Verdict
from verigym.store.database import Store
from verigym.training.difficulty import DifficultyMemory, TaskRate, bands
from verigym.training.groups import Source, pick
from verigym.training.recipe_groups import Difficulty

TASKS = [Task(id=f"t{i}", prompt="") for i in range(20)]


def test_the_rate_is_the_mean_of_a_beta_distribution_with_decayed_counts() -> None:
    memory = DifficultyMemory(Difficulty(draw="signal", decay=0.5))
    assert memory.weight(("e", "new")) == pytest.approx(0.25 + 0.02), "a new task is worth most"
    memory.add(1, ("e", "t"), 3, 1)
    assert memory.rates["e", "t"].rate == pytest.approx(4 / 6)
    memory.add(2, ("e", "t"), 0, 4)
    assert memory.rates["e", "t"].rate == pytest.approx((1 + 1.5) / (2 + 1.5 + 4.5))
    assert memory.rates["e", "t"].attempts == 8


def test_a_task_between_is_drawn_more_often_than_one_that_always_or_never_passes() -> None:
    memory = DifficultyMemory(Difficulty(draw="signal", pause=0))
    for name, passed in (("t0", 8), ("t1", 4), ("t2", 0)):
        for step in range(1, 6):
            memory.add(step, ("e", name), passed, 8 - passed)
    chance, drawn = random.Random(0), Counter[str]()
    for _ in range(4000):
        drawn[memory.draw("e", TASKS[:3], 1, 9, chance)[0].id] += 1
    total = sum(memory.weight(("e", f"t{i}")) for i in range(3))
    for i in range(3):
        assert drawn[f"t{i}"] / 4000 == pytest.approx(memory.weight(("e", f"t{i}")) / total, abs=0.03)
    assert drawn["t1"] > 5 * drawn["t0"] and drawn["t2"] > 0, "none is forgotten"


def test_a_solved_task_pauses_and_comes_back() -> None:
    memory = DifficultyMemory(Difficulty(draw="signal", pause=5))
    memory.add(3, ("e", "t0"), 16, 0)
    assert memory.paused(("e", "t0"), 4) and memory.paused(("e", "t0"), 8)
    assert not memory.paused(("e", "t0"), 9)
    drawn = {memory.draw("e", TASKS[:2], 1, 5, random.Random(i))[0].id for i in range(50)}
    assert drawn == {"t1"}
    assert len(memory.draw("e", TASKS[:2], 2, 5, random.Random(0))) == 2, "paused tasks fill up"


@given(st.integers(0, 2**30), st.integers(1, 20), st.integers(0, 20))
def test_drawn_tasks_are_distinct_and_depend_on_the_seed_alone(seed: int, count: int, solved: int) -> None:
    memory = DifficultyMemory(Difficulty(draw="signal"))
    for i in range(solved):
        memory.add(1, ("e", f"t{i}"), 8, 0)
    first, again = (memory.draw("e", TASKS, count, 2, random.Random(seed)) for _ in range(2))
    assert first == again and len({task.id for task in first}) == count


def stored(path: Path, steps: int) -> Store:
    """A run whose task t0 always passes, t1 never, t2 in half of its attempts. One episode could not be scored."""
    store = Store(path)
    for step in range(1, steps + 1):
        run = f"grpo-1/step-{step:04d}"
        store.begin_run(run, "collect", {"environment": "e", "verifier": "v"}, TASKS[:3], parent="grpo-1")
        for task, passes in (("t0", 4), ("t1", 0), ("t2", 2)):
            episodes = [Trajectory(id=f"{run}/{task}/{i}", task=task, group=task, index=i) for i in range(4)]
            verdicts = [
                Verdict(trajectory=one.id, verifier="v", reward=float(i < passes), passed=i < passes)
                if (task, i) != ("t1", 3)
                else Verdict(trajectory=one.id, verifier="v", reward=None)
                for i, one in enumerate(episodes)
            ]
            store.add(run, episodes, verdicts)
    return store


def test_the_memory_is_read_from_stored_episodes_of_earlier_steps_only(tmp_path: Path) -> None:
    store = stored(tmp_path / "store.db", 6)
    at_once = DifficultyMemory(Difficulty(draw="signal"))
    at_once.read(store, "grpo-1", 5)
    one_by_one = DifficultyMemory(Difficulty(draw="signal"))
    for step in range(1, 6):
        one_by_one.read(store, "grpo-1", step)
    assert at_once.rates == one_by_one.rates, "a resumed run knows the same"
    assert at_once.rates["e", "t1"].attempts == 12, "four steps, and the one that was not scored does not count"
    assert at_once.rates["e", "t0"].last == 4


def test_a_step_draws_by_the_memory_within_the_shares_of_a_mixture() -> None:
    memory = DifficultyMemory(Difficulty(draw="signal", pause=100))
    for task in TASKS[5:]:
        memory.add(1, ("a", task.id), 16, 0)
    settings = recipe(algorithm="grpo", prompts_per_step=4, difficulty={"draw": "signal"})
    sources = [Source("a", 1.0, TASKS), Source("b", 1.0, TASKS)]
    for step in range(2, 12):
        picked = pick(sources, settings, step, memory=memory)
        assert sum(map(len, picked.values())) == 4
        assert all(task in TASKS[:5] for task in picked.get("a", []))
        again = pick(sources, settings, step, 1, 4, {("a", "t0")}, memory)
        assert "t0" not in [task.id for task in again.get("a", [])], "dynamic sampling draws others"


def test_tasks_are_counted_by_ranges_of_their_pass_rate() -> None:
    rates = [TaskRate(passed=a, failed=b, attempts=8) for a, b in ((0, 8), (1, 7), (4, 4), (8, 0), (2, 6))]
    assert list(bands(rates).values()) == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"difficulty": {"decay": 0.5}}, r"difficulty has no effect with `draw: uniform`"),
        ({"algorithm": "sft", "difficulty": {"draw": "signal"}}, r"works only if training samples its own episodes"),
        ({"difficulty": {"draw": "signal", "solved": 1.5}}, r"difficulty.solved"),
        ({"difficulty": {"draw": "hard"}}, r"difficulty.draw"),
    ],
    ids=["no effect", "sft", "above 1", "unknown choice"],
)
def test_settings_of_difficulty_that_make_no_sense_are_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "grpo", **fields})
