"""Uses of held-out sets, from a store; parts of a set in recipes."""

from pathlib import Path

import pytest

from tests.evaluation.builders import measured, tasks
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Decision, Verdict, Version
from verigym.environments.load import load_environment
from verigym.evaluation.suites import SuitePart, take_part
from verigym.registry import ledger
from verigym.training.recipe import make_recipe
from verigym.workspace.held_out import sets_of
from verigym.workspace.measure import suite_of
from verigym.workspace.training_environments import training_environments
from verigym.workspace.workspace import WorkspaceFolder

RECIPE = {"model": "smollm2-135m", "algorithm": "grpo", "reward": "tool_call_verifier"}


def test_reports_evaluations_while_training_and_decisions_are_found_in_the_store(tmp_path: Path):
    ws, given = WorkspaceFolder(tmp_path), tasks(4)
    ws.store.begin_run("run", "eval", {}, given)
    report = measured("base", given, [], [])
    ws.store.put("report", report.id, report)
    ws.store.begin_run("grpo-1", "train", {"recipe": {"held_out_eval": "calendar"}})
    for step in (1, 2):
        child = f"grpo-1/eval-{step:04d}"
        ws.store.begin_run(child, "eval", {"environment": "desk"}, given, parent="grpo-1")
        ws.store.add(child, [], [Verdict(trajectory="x", verifier="match@1", reward=1.0)])
        ws.store.scored_by(child, "match@1")
    ws.store.begin_run("grpo-1/step-0001", "collect", {}, tasks(2), parent="grpo-1")
    ws.store.put("version", "x", Version(base="x", id="x"))
    ledger.record(
        ws.store, Decision(candidate="x", champion="", verdict="REJECT", reports=[report.id]), moves=False, why="asked"
    )
    (one,) = sets_of(ws)
    assert (one.title, one.versions, one.training, one.decisions) == ("calendar@1", ["base"], 2, 1)


def test_a_recipe_may_hold_out_a_part_and_measures_on_that_alone():
    (arena,) = training_environments(make_recipe({**RECIPE, "held_out_eval": "tool_call_eval 1/3"}, [], "test"))
    assert arena.split == "val 1/3"
    suite, held_out = suite_of(arena.environment, arena.split, 20)
    kept, _ = suite_of(arena.environment, "val 2/3")
    assert suite.name == "tool_call_eval 1/3" and len(held_out) == 20
    assert not set(suite.families) & set(kept.families)
    whole, _ = suite_of(arena.environment, "val")
    assert set(suite.families) < set(whole.families)


@pytest.mark.parametrize(
    ("named", "error", "words"),
    [
        ("tool_call_evil 1/3", NotFound, 'no held_out_eval "tool_call_evil". Did you mean "tool_call_eval"'),
        ("tool_call_eval 4/3", BadInput, 'Part "4/3" is invalid. Write I/N'),
    ],
)
def test_a_part_that_does_not_exist_is_answered_in_words(named: str, error: type[Exception], words: str):
    with pytest.raises(error, match=words):
        training_environments(make_recipe({**RECIPE, "held_out_eval": named}, [], "test"))


def test_a_part_without_a_family_is_refused():
    environment = load_environment("toolcall")
    given = environment.tasks("val")
    empty = next(place for place in range(1, 101) if not take_part(given, SuitePart(place, 100)))
    with pytest.raises(Refused, match="Use fewer parts"):
        suite_of(environment, f"val {empty}/100")
