"""The loop on production traces: failures become tasks of the round, training on them, and everything can be traced back."""

import pytest

from tests.flywheel.production import OFFICE, requests, served
from tests.workspace.desk import Bench
from verigym.cli.loop import SilentScreen
from verigym.core.errors import Refused
from verigym.core.records import Dataset
from verigym.environments.load import load_environment
from verigym.flywheel.loop import LoopResult, play
from verigym.flywheel.loop_recipe import make_loop
from verigym.mining.mine import mine
from verigym.registry import ledger
from verigym.training.recipe import make_recipe
from verigym.workspace import datasets as data
from verigym.workspace.train import train

pytestmark = pytest.mark.usefixtures("one_thread")
LINE = {"steps": 1, "prompts_per_step": 2}
POLICY = """
retention: null
safety: null
planned_gain: 0.9
margins: {latency: null, unsafe: null, invalid: null, tool_errors: null}
"""
"""Where nothing is gained, few tasks more are asked for."""


def trained(bench: Bench) -> str:
    """An agent with an adapter, crowned: it has learnt from what the office has."""
    fields = {
        "model": str(bench.model),
        "algorithm": "sft",
        "environment": OFFICE,
        "num_tasks": 160,
        "lora": {"r": 2},
        **LINE,
    }
    version, _ = train(bench.ws, make_recipe(fields, [], "a test"))
    return bench.ws.champion(version).id


def played(bench: Bench, rounds: int = 1, beside: dict[str, float] = {}, **mining: object) -> LoopResult:  # noqa: B006
    bench.file("alone.yaml", POLICY)
    fields = {
        "environment": OFFICE,
        "model": str(bench.model),
        "mining": mining,
        "evaluation": {"tasks": 6, "max_tokens": 8, "trial_tasks": 4},
        "fixes": ["sft"],
        "training": {"sft": LINE},
        "beside": beside,
        "gate": str(bench.place / "alone.yaml"),
        "budget": {"rounds": rounds},
    }
    return play(bench.ws, make_loop(fields, [], "office.yaml"), SilentScreen())


def test_failures_become_training_and_everything_leads_back_to_its_trace(fresh: Bench) -> None:
    champion = trained(fresh)
    traces = served(fresh.ws, requests("files.share")[:40])
    (one,), _ = played(fresh)
    assert one.dug is not None and one.dug.train >= 20 and one.dug.held_out > 0
    assert one.dug.train + one.dug.held_out <= 40 and "40 requests failed in 40 traces" in one.dug.words
    assert one.chosen is not None and one.chosen.fix == "sft" and one.made is not None and one.decided is not None
    candidate = fresh.ws.find(one.made.version)
    assert candidate.parent == champion == one.chosen.recipe["start"]
    entry = ledger.entries(fresh.ws.store)[-1]
    assert (entry.decision.candidate, entry.why) == (candidate.id, f"loop {one.loop}, round 1")
    dataset = fresh.ws.store.get("dataset", candidate.data_hash, Dataset)
    assert dataset is not None and dataset.counts["new"] == one.dug.train
    tasks = {task.id: task for task in load_environment(one.dug.environment).tasks("train")}
    shown = [tasks[row.task] for row in data.rows(fresh.ws, dataset)]
    lineage = {each.removeprefix("trace ") for task in shown for each in task.lineage if each.startswith("trace ")}
    assert lineage and lineage <= set(traces)
    assert all(fresh.ws.store.trajectory(id)[1].source == "gateway" for id in lineage)


def test_a_rounds_tasks_stay_whatever_is_mined_later_and_the_next_round_takes_what_is_new(fresh: Bench) -> None:
    trained(fresh)
    served(fresh.ws, requests("files.share")[:45])
    (first,), _ = played(fresh)
    assert first.dug is not None
    before = [task.id for task in load_environment(first.dug.environment).tasks("train")]
    served(fresh.ws, requests("crm.log_call")[:45], run="traces-later")
    mine(fresh.ws, load_environment(OFFICE), accept=True)  # somebody mines in between
    (again, second), _ = played(fresh, rounds=2)
    assert again == first and [task.id for task in load_environment(first.dug.environment).tasks("train")] == before
    assert second.dug is not None and second.dug.train > 0 and second.dug.environment != first.dug.environment
    assert first.chosen is not None and second.chosen is not None and first.chosen.fix == second.chosen.fix == "sft"


def test_what_is_kept_in_mind_is_learnt_by_a_bare_model(fresh: Bench) -> None:
    (bare,), _ = played(fresh, beside={"plain": 0.25})
    assert bare.chosen is not None and bare.made is not None
    assert bare.chosen.recipe["environments"] == {OFFICE: 0.75, "plain": 0.25}
    assert any(family.startswith("plain/") for family in fresh.ws.find(bare.made.version).families)


def test_what_is_kept_in_mind_is_rehearsed_by_a_trained_one(fresh: Bench) -> None:
    trained(fresh)
    served(fresh.ws, requests("files.share")[:45])
    (one,), _ = played(fresh, beside={"plain": 0.2})
    assert one.chosen is not None and one.made is not None
    assert one.chosen.recipe["rehearse"] == {"plain": 0.2} and "environments" not in one.chosen.recipe
    assert any("rehearsal-plain" in run.id for run in fresh.ws.store.runs(one.made.run))


def test_nothing_new_leaves_the_tasks_as_they_are_and_ends_the_loop(fresh: Bench) -> None:
    trained(fresh)
    served(fresh.ws, requests("files.share")[:45])
    (first, second), why = played(fresh, rounds=3)
    assert first.dug is not None and second.dug is not None and second.dug.environment == first.dug.environment
    assert (second.dug.train, second.dug.held_out) == (0, 0) and second.chosen is not None and second.chosen.fix is None
    assert "tried on this champion: sft" in why


def test_with_review_the_round_waits_until_somebody_has_looked(fresh: Bench) -> None:
    trained(fresh)
    served(fresh.ws, requests("files.share")[:45])
    (waits,), why = played(fresh, review=True)
    assert waits.begun is not None and waits.dug is None and "need a review. Run verigym mine" in why
    mine(fresh.ws, load_environment(OFFICE), accept=True)
    (one,), _ = played(fresh, review=True)
    assert one.begun == waits.begun and one.dug is not None and one.dug.train >= 20


def test_the_failures_held_out_can_be_what_decides(fresh: Bench) -> None:
    trained(fresh)
    fresh.file("alone.yaml", POLICY)
    fields = {
        "environment": OFFICE,
        "evaluation": {"suite": "mined", "max_tokens": 8},
        "fixes": ["sft"],
        "training": {"sft": LINE},
        "gate": str(fresh.place / "alone.yaml"),
        "budget": {"rounds": 1},
    }
    loop = make_loop(fields, [], "mined.yaml")
    with pytest.raises(Refused, match="no mined task is held out yet"):
        play(fresh.ws, loop, SilentScreen())
    served(fresh.ws, [task for tool in ("files.share", "crm.log_call", "tasks.assign") for task in requests(tool)[:30]])
    (one,), _ = play(fresh.ws, loop, SilentScreen())
    assert one.dug is not None and one.before is not None and one.before.success.n == one.dug.held_out
    suite = ledger.entries(fresh.ws.store)[-1].decision.measured[0]
    assert suite.suite == "office_v1"
