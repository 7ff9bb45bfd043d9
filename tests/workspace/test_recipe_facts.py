"""What defaults depend on is found in the model, the gold replies and the environment, and the run stores the values."""

import warnings
from typing import Any

import pytest

import verigym
from tests.workspace.desk import DESK, Bench, keep, preference
from verigym.core.records import Harness, Version
from verigym.training.recipe_notes import RecipeWarning
from verigym.workspace.dry_run import dry_run
from verigym.workspace.recipe_facts import notes_of
from verigym.workspace.train import TrainingJob


def test_a_run_stores_the_values_that_the_recipe_left_out(fresh: Bench) -> None:
    job = TrainingJob(fresh.ws, fresh.recipe("grpo", learning_rate=None, max_tokens=None))
    assert (job.recipe.learning_rate, job.recipe.max_tokens) == (2e-4, 64), "gold replies here have a few tokens"
    stored = job.config["recipe"]
    assert (stored["learning_rate"], stored["max_tokens"]) == (2e-4, 64)
    assert job.facts.reply_tokens is not None and 0 < job.facts.reply_tokens < 40 and not job.facts.reasoning
    [line] = [line for line in dry_run(fresh.ws, job.written).lines if line.startswith("defaults chosen")]
    assert "learning_rate 0.0002, max_tokens 64" in line


def test_longer_gold_replies_leave_more_room(fresh: Bench) -> None:
    long = fresh.file("long.py", DESK + "\ndef gold(task):\n    return 'word ' * 100\n")
    job = TrainingJob(fresh.ws, fresh.recipe("grpo", environment=long, max_tokens=None))
    assert job.facts.reply_tokens is not None and job.facts.reply_tokens > 100
    assert job.recipe.reply_limit >= 1.5 * job.facts.reply_tokens


def test_rows_of_a_dataset_are_measured_as_gold_replies_are(fresh: Bench) -> None:
    pairs = keep(fresh.ws, preference("train-a"))
    job = TrainingJob(fresh.ws, fresh.recipe("dpo", data=pairs.id, max_tokens=None, learning_rate=None))
    assert job.facts.reply_tokens is not None and job.recipe.max_tokens == 64 and job.recipe.learning_rate == 2e-5


def test_nothing_is_looked_up_that_the_recipe_says(fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("not needed")

    monkeypatch.setattr("verigym.model.shape.read_shape", never)
    monkeypatch.setattr("verigym.model.load.load_tokenizer", never)
    assert TrainingJob(fresh.ws, fresh.recipe("grpo")).recipe.learning_rate == 0.01


def test_python_warns_of_settings_without_effect(fresh: Bench) -> None:
    recipe = fresh.recipe("gspo")
    assert "gspo has the gradient of grpo" in dry_run(fresh.ws, recipe).notes[0]
    fresh.ws.store.close()
    with verigym.Workspace(fresh.place / "home") as ws, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ws.train(recipe)
    assert any(issubclass(one.category, RecipeWarning) and "gspo has the gradient" in str(one.message) for one in told)


def test_the_turns_of_the_agent_and_of_the_recipe_count(fresh: Bench) -> None:
    agent = fresh.ws.register(Version(base=str(fresh.model), harness=Harness(turns=5), name="patient"))
    for fields, turns in (({}, 5), ({"limits": {"turns": 3}}, 3)):
        recipe = fresh.recipe("grpo", start=agent.id, **fields)
        assert TrainingJob(fresh.ws, recipe).facts.max_turns == turns
        assert notes_of(fresh.recipe("grpo", advantage={"credit": "step"}, **fields), agent) == []
    assert TrainingJob(fresh.ws, fresh.recipe("grpo")).facts.max_turns == 1
