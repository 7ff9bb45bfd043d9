"""Difficulty memory and gold solutions in a whole training run: what is stored, shown and drawn again after a kill."""

from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import HEAD, Bench
from verigym.core.errors import Refused
from verigym.workspace.difficulty import difficulty_report
from verigym.workspace.nothing_learnt import why_nothing_learnt

FAILS = (
    HEAD
    + """
class Environment:
    max_turns = 1
    def open(self, task): ...

def gold(task):
    return "abc"

def verify(task, trajectory):
    return float(trajectory.reply == "abc")
"""
)
SIGNAL: dict[str, Any] = {"steps": 5, "difficulty": {"draw": "signal", "pause": 2, "solved": 0.6}}


def drawn(bench: Bench, run: str) -> list[set[str]]:
    return [{task.id for task in bench.ws.store.tasks(child)} for child in bench.children(run) if "/step-" in child]


def test_training_learns_from_gold_where_nothing_passes_and_resumes_exactly(
    fresh: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verigym.training.loop.CHECKPOINT_S", -1.0)
    fails = fresh.file("fails.py", FAILS)
    fields: dict[str, Any] = {"environment": fails, "episodes": {"gold_when_all_fail": 1.0}}
    version, run = fresh.train("grpo", **fields)
    assert version.adapter
    for row in fresh.metrics(run).values():
        assert row["gold"] == 2 and row["gold_missing"] == 0 and row["gold_tokens"] > 0 and "loss" in row

    def die(step: int, *_: Any) -> None:
        if step == 2:
            raise KeyboardInterrupt

    other = Bench(tmp_path / "again", fresh.model)
    with pytest.raises(KeyboardInterrupt):
        other.train("grpo", die, **fields)
    assert other.train("grpo", **fields)[0].adapter == version.adapter


def test_an_environment_without_gold_is_refused(fresh: Bench) -> None:
    text = FAILS.replace("def gold", "def silver").replace('"answer"', '"letter"')
    with pytest.raises(Refused, match=r"no task of .* has a gold solution"):
        fresh.train("grpo", environment=fresh.file("x.py", text), episodes={"gold_when_all_fail": 1.0})


def test_rft_that_never_sees_a_pass_says_so_and_makes_no_version(fresh: Bench) -> None:
    version, run = fresh.train("rft", environment=fresh.file("fails.py", FAILS))
    assert not version.adapter
    assert why_nothing_learnt(fresh.ws, run).startswith(
        "No episode of 2 steps passed, so there was nothing to imitate."
    )


def test_a_run_that_was_killed_draws_the_same_tasks_by_their_difficulty(
    fresh: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verigym.training.loop.CHECKPOINT_S", -1.0)
    version, run = fresh.train("grpo", **SIGNAL)

    def die(step: int, *_: Any) -> None:
        if step == 3:
            raise KeyboardInterrupt

    other = Bench(tmp_path / "other", fresh.model)
    other.desk = fresh.desk
    with pytest.raises(KeyboardInterrupt):
        other.train("grpo", die, **SIGNAL)
    resumed, _ = other.train("grpo", **SIGNAL)
    assert drawn(other, run) == drawn(fresh, run) and resumed.adapter == version.adapter
    uniform, plain = fresh.train("grpo", steps=5)
    assert drawn(fresh, plain) != drawn(fresh, run) and uniform.adapter != version.adapter
    rows = fresh.metrics(run)
    assert rows[1]["tried_tasks"] == 0 < rows[2]["tried_tasks"] and "paused_tasks" in rows[5]


def test_the_difficulty_of_its_tasks_is_part_of_a_run(fresh: Bench) -> None:
    _, run = fresh.train("grpo", **SIGNAL)
    report = difficulty_report(fresh.ws, run)
    assert sum(report.bands.values()) == len(report.tasks) > 0 and report.steps == 5
    assert sum(one.attempts for _, _, one in report.tasks) == 5 * 2 * 4
    rates = [one.rate for _, _, one in report.tasks]
    assert rates == sorted(rates), "hardest first"
    text = fresh.shell("runs", "show", run, "--tasks")
    assert f"difficulty of {len(report.tasks)} tasks that it tried: " in text and "passed lately" in text
    assert '"difficulty"' in fresh.shell("runs", "show", run, "--tasks", "--json")
    _, plain = fresh.train("sft")
    assert difficulty_report(fresh.ws, plain).tasks == [] and "difficulty of" not in fresh.shell("runs", "show", plain)
