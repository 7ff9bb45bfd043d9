"""advise on a tiny local model: what it finds in a workspace, trials that become versions, recipes that can be run."""

import json
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from tests.workspace.desk import Bench
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Label, Sampling, Version
from verigym.environments.load import load_environment
from verigym.evaluation.advise import SFT
from verigym.flywheel.trials import try_out
from verigym.optimize.mutations import call_schema
from verigym.optimize.records import Optimization
from verigym.rollout.settings import RunSettings
from verigym.training.recipe import read_recipe
from verigym.workspace import datasets as data
from verigym.workspace import measure as stages
from verigym.workspace.advise import AdviceReport, advise_on, gather, open_subject
from verigym.workspace.dry_run import dry_run
from verigym.workspace.train import train

pytestmark = pytest.mark.usefixtures("one_thread")

CALLS = """
from verigym import Task, tool

def tasks(split):
    names = [f"{a}{b}" for a in "abcdefgh" for b in "klmnopqr"]
    return [
        Task(id=f"{split}/{name}", prompt=f"{split} ask {name}", split=split, family=f"{split}-{name[0]}",
             data={"expected_tool": "say" if name[1] < "o" else "shout", "expected_args": {"name": name}})
        for name in names
    ]

suites = {"calls_eval": "val"}

class Environment:
    system = "Call a tool."
    max_turns = 1
    def open(self, task): ...
    @tool
    def say(self, name: str) -> str:
        return name
    @tool
    def shout(self, name: str) -> str:
        return name.upper()

def verify(task, trajectory):
    calls = [(call.name, call.arguments) for call in trajectory.calls]
    return float(bool(calls) and calls[0][0] == task.data["expected_tool"])
"""
"""64 tasks of 8 families, each with a gold call. A tiny model never writes a call by itself; held to the form it has to."""


def _measured(bench: Bench) -> str:
    environment = load_environment(bench.file("calls.py", CALLS))
    agent = bench.ws.agent(str(bench.model))
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=60))
    return stages.measure(bench.ws, environment, agent, setting, n=8).run


def test_what_a_workspace_knows_becomes_evidence(bench: Bench):
    run = _measured(bench)
    bench.ws.store.put("label", "one", Label(trajectory="x", other="y", judgement="better"))
    bench.ws.store.put("label", "two", Label(trajectory="x", other="y", judgement="skip"))
    evidence, notes = gather(open_subject(bench.ws, run))
    assert (evidence.train_tasks, evidence.train_families, evidence.gold) == (64, 8, 64)
    assert (evidence.success.n, evidence.success.value, evidence.labels) == (8, 0.0, 1)
    assert evidence.local and evidence.has_tools and not evidence.checked and not notes
    assert 10_000 < evidence.parameters < 100_000
    assert evidence.pass_at_k is None and sum(evidence.buckets.values()) == pytest.approx(1)


def test_trials_are_versions_on_training_tasks_that_are_found_again(bench: Bench):
    subject = open_subject(bench.ws, _measured(bench))
    (one,), notes = try_out(subject, n=12)
    assert (one.kind, one.tasks, one.before) == ("prompt", 12, 0.0)
    assert "constrained could not be tried" in notes[0], (
        "grammars cannot read the tiny tokenizer: said, and no end of it"
    )
    tasks = bench.ws.store.tasks(one.run)
    [search] = [run for run in bench.ws.store.runs() if run.kind == "optimize"]
    searched = [task for run in bench.ws.store.runs(parent=search.id) for task in bench.ws.store.tasks(run.id)]
    assert {task.split for task in [*tasks, *searched]} == {"train"}
    assert searched and not {task.family for task in tasks} & {task.family for task in searched}
    result = bench.ws.store.get("optimization", search.id, Optimization)
    assert result is not None and result.best == one.version and result.episodes <= 36 and len(result.candidates) > 1
    runs = len(bench.ws.store.runs())
    assert try_out(subject, n=12).trials == [one] and len(bench.ws.store.runs()) == runs
    evidence, _ = gather(subject)
    assert evidence.trials == [one]


def test_the_schema_of_a_call_is_fitted_by_gold_and_by_no_prose(bench: Bench):
    environment = load_environment(bench.file("calls.py", CALLS))
    schema = Draft202012Validator(json.loads(call_schema(environment.tools)))
    assert schema.is_valid({"tool": "say", "args": {"name": "x"}})
    for wrong in ({"tool": "sing", "args": {}}, {"tool": "say", "args": {"who": "x"}}, {"tool": "say"}, "say it"):
        assert not schema.is_valid(wrong)


def test_training_that_is_advised_comes_with_a_recipe_that_runs_and_what_it_takes(bench: Bench):
    found: AdviceReport = advise_on(open_subject(bench.ws, _measured(bench)))
    sft = next(one for one in found.advice if one.fix == SFT)
    assert sft.advised and sft.estimate["tokens"] > 0 and sft.estimate["hours"] > 0 and sft.estimate["fits"] == 1
    path = Path(sft.command.removeprefix("verigym train "))
    recipe = read_recipe(path)
    assert (recipe.algorithm, recipe.held_out_eval, recipe.num_tasks) == ("sft", "calls_eval", 64)
    assert dry_run(bench.ws, recipe).plan.trained == sft.estimate["tokens"], "nothing is sampled"


def test_a_trained_agent_learns_what_is_new_to_it_beside_what_it_knows(bench: Bench):
    environment = load_environment(bench.file("calls.py", CALLS))
    few = bench.file("few.py", CALLS.replace('"abcdefgh"', '("abcd" if split == "train" else "abcdefgh")'))
    trained, _ = bench.train("sft", environment=few, held_out_eval="", num_tasks=32, lora={"r": 3})
    assert trained.families == [f"train-{letter}" for letter in "abcd"]
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=60))
    run = stages.measure(bench.ws, environment, trained, setting, n=8).run
    found = advise_on(open_subject(bench.ws, run))
    assert found.evidence.fresh == 32, "the families e to h"
    sft = next(one for one in found.advice if one.fix == SFT)
    assert sft.advised and "32 training tasks with a gold solution are new" in sft.reasons[0]
    recipe = read_recipe(Path(sft.command.removeprefix("verigym train ")))
    dataset = data.find(bench.ws, recipe.data)
    assert dataset.counts == {"new": 32, "known": 32} and recipe.start == trained.id
    made, _ = train(bench.ws, msgspec.structs.replace(recipe, steps=1, held_out_eval=""))
    assert len(made.families) == 8, "its adapter goes on in its own shape"


def test_an_agent_with_an_adapter_gets_no_prompt_variant_and_one_that_is_constrained_nothing(bench: Bench):
    run = _measured(bench)
    subject = open_subject(bench.ws, run)
    done = msgspec.structs.replace(subject.agent, adapter="f00", constraints="tools")
    with pytest.raises(Refused, match="No cheap trial applies"):
        try_out(msgspec.structs.replace(subject, agent=done))


def test_who_and_what_cannot_be_advised_on_is_said(fresh: Bench):
    with pytest.raises(NotFound, match="no run"):
        open_subject(fresh.ws, "latest")
    version = fresh.ws.register(Version(base="nothing", name="idle"))
    with pytest.raises(NotFound, match=r"has no run yet\. Run: verigym eval ENV -m"):
        open_subject(fresh.ws, version.id)
    fresh.ws.store.begin_run("lost", "rollout", {"environment": fresh.desk}, [])
    with pytest.raises(BadInput, match="does not record its version"):
        open_subject(fresh.ws, "lost")
    fresh.ws.store.begin_run("empty", "rollout", {"environment": fresh.desk, "agent": version.id}, [])
    with pytest.raises(Refused, match="has no scored episode"):
        open_subject(fresh.ws, "empty")
