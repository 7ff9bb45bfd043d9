"""Training from files alone, what sft imitates in them, and the limits of episodes."""

import json
from typing import Any

import msgspec
import pytest

from tests.workspace.desk import WALK, Bench
from verigym.core.errors import BadInput
from verigym.core.records import Sampling, Stop
from verigym.environments.load import load_environment
from verigym.rollout.settings import RunSettings
from verigym.training.imitation import Imitated
from verigym.training.recipe import make_recipe, recipe_json
from verigym.training.trackers import TrainingRun
from verigym.workspace import measure
from verigym.workspace.advise import open_subject, recipe_for
from verigym.workspace.dry_run import dry_run
from verigym.workspace.gate import Gate
from verigym.workspace.measure import max_tokens_for
from verigym.workspace.train import TrainingJob, train
from verigym.workspace.train_warnings import warnings_of

CHAT = [
    {"role": "user", "content": "say a"},
    {"role": "assistant", "content": "aa"},
    {"role": "user", "content": "say b"},
    {"role": "assistant", "content": "bb"},
]
ALONE: dict[str, Any] = {"environment": None, "held_out_eval": None, "eval_tasks": None}


def chat_file(bench: Bench, *more: object) -> str:
    rows = [{"messages": CHAT}, {"messages": CHAT[:2]}, *more]
    return bench.file("chat.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def test_sft_on_a_file_needs_neither_reward_nor_environment(fresh: Bench) -> None:
    version, run = fresh.train("sft", data=chat_file(fresh), **ALONE)
    assert version.adapter and all("loss" in row for row in fresh.metrics(run).values())
    assert warnings_of(fresh.ws, fresh.recipe("sft", data=chat_file(fresh), **ALONE)) == []
    assert fresh.train("sft", data=chat_file(fresh), **ALONE) == (version, run)


@pytest.mark.parametrize("algorithm", ["dpo", "reward"])
def test_preferences_in_a_file_need_neither_reward_nor_environment(fresh: Bench, algorithm: str) -> None:
    rows = [{"prompt": f"say {letter}", "chosen": letter, "rejected": letter.upper()} for letter in "abcdef"]
    file = fresh.file("pairs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    version, _ = fresh.train(algorithm, data=file, **ALONE)
    assert version.adapter


def test_a_command_trains_on_a_file_and_says_what_it_imitated(fresh: Bench) -> None:
    recipe = fresh.recipe_file("sft", data=chat_file(fresh, {"messages": CHAT}), steps=1, **ALONE)
    words = fresh.shell("train", recipe)
    assert "it imitates 2 replies (" in words and "1 earlier reply is only context" in words
    assert "Dropped rows: 1 twice" in words and "verigym eval ENV" in words


def test_every_reply_of_a_chat_row_is_imitated_on_request(fresh: Bench) -> None:
    file = chat_file(fresh)
    _, last = fresh.train("sft", data=file, **ALONE)
    _, every = fresh.train("sft", data=file, sft={"replies": "every"}, **ALONE)
    two, three = (fresh.ws.store.get("imitated", run, Imitated) for run in (last, every))
    assert last != every and two is not None and three is not None
    assert (two.replies, two.context, three.replies, three.context) == (2, 1, 3, 0)
    assert three.tokens > two.tokens > 0


def test_the_dry_run_says_what_would_be_imitated(fresh: Bench) -> None:
    lines = dry_run(fresh.ws, fresh.recipe("sft", data=chat_file(fresh), **ALONE)).lines
    assert any(line.startswith("imitates 2 replies of 2 rows. 1 earlier reply is only context") for line in lines)
    assert fresh.nothing_was_begun()


@pytest.mark.parametrize(
    ("algorithm", "fields", "words"),
    [
        ("grpo", ALONE, "reward is missing"),
        ("sft", ALONE, "reward is missing"),
        ("sft", {"environment": None, "data": "x.jsonl"}, "held_out_eval needs an environment"),
        ("grpo", {"sft": {"replies": "every"}}, "sft.replies works only with sft on `data`"),
        ("grpo", {"limits": {"reasoning_tokens": 8}}, "must be smaller than max_tokens"),
        ("sft", {**ALONE, "data": "x.jsonl", "limits": {"turns": 2}}, "this recipe runs none"),
    ],
)
def test_what_makes_no_sense_is_refused(fresh: Bench, algorithm: str, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        fresh.recipe(algorithm, **fields)


# -- limits -----------------------------------------------------------------------------------------------------------


def test_limits_hold_in_training_and_on_held_out_tasks(fresh: Bench) -> None:
    walk = fresh.file("walk.py", WALK)
    _, run = fresh.train("grpo", environment=walk, limits={"turns": 2}, steps=1)
    for child in fresh.children(run):
        turns = {len(one.turns) for one in fresh.ws.store.each_trajectory(child)}
        assert turns == {2}, child
    _, run = fresh.train("grpo", environment=walk, limits={"tokens": 9}, steps=1)
    stops = {one.stop for child in fresh.children(run) for one in fresh.ws.store.each_trajectory(child)}
    assert stops == {Stop.TOKENS_SPENT}


def test_defaults_of_the_new_groups_and_trackers_do_not_change_the_id_of_a_run(fresh: Bench) -> None:
    plain = fresh.recipe()
    assert not {"limits", "sft", "trackers"} & recipe_json(plain).keys()
    watched = msgspec.structs.replace(plain, trackers=["tensorboard"])
    limited = fresh.recipe(limits={"turns": 2})
    assert TrainingJob(fresh.ws, watched).run == TrainingJob(fresh.ws, plain).run
    assert TrainingJob(fresh.ws, limited).run != TrainingJob(fresh.ws, plain).run
    assert recipe_json(limited)["limits"] == {"turns": 2}


def test_the_dry_run_counts_turns(fresh: Bench) -> None:
    walk = fresh.file("walk.py", WALK)
    one, three = (dry_run(fresh.ws, fresh.recipe(environment=where)) for where in (fresh.desk, walk))
    assert three.plan.sampled == 3 * one.plan.sampled
    assert "an episode has at most 3 replies. There are no gold solutions, so each is counted in full" in three.lines
    limited = dry_run(fresh.ws, fresh.recipe(environment=walk, limits={"tokens": 10}))
    assert limited.plan.sampled_per_step == 2 * 4 * 10
    assert any("at most 10 sampled tokens in all" in line for line in limited.lines)


def test_the_dry_run_counts_the_turns_of_gold_solutions(fresh: Bench) -> None:
    gold = fresh.file(
        "gold.py", WALK.replace("False", "reply == 'bb'") + "\ndef gold(task):\n    return ['aa', 'bb']\n"
    )
    plan = dry_run(fresh.ws, fresh.recipe(environment=gold))
    line = next(line for line in plan.lines if "as the gold solutions do" in line)
    assert line.startswith("an episode has 2.0 replies") and plan.plan.sampled_per_step == 2 * 4 * 8 * 2


# -- held-out time and cost -------------------------------------------------------------------------------------------


def test_held_out_time_tokens_and_cost_are_metrics(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=1, dollars_per_hour=3.6)
    [row] = fresh.metrics(run).values()
    assert 0 < row["held_out_latency_s"] <= row["held_out_latency_p95_s"]
    assert 1 <= row["held_out_tokens"] <= 8
    assert 0 < row["held_out_cost"] <= row["eval_s"] / 1000


def test_without_a_price_there_is_no_held_out_cost(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=1)
    assert all("held_out_cost" not in row for row in fresh.metrics(run).values())


# -- trackers ---------------------------------------------------------------------------------------------------------


class Notes:
    def __init__(self) -> None:
        self.heard: list[Any] = []

    def on_begin(self, run: TrainingRun) -> None:
        self.heard.append(run)

    def on_step(self, step: int, metrics: Any, alarms: Any) -> None:
        self.heard.append((step, dict(metrics)))

    def on_end(self, version: str) -> None:
        self.heard.append(version)


class Breaks(Notes):
    def on_step(self, step: int, metrics: Any, alarms: Any) -> None:
        raise SystemExit(1)


def test_a_tracker_hears_the_stored_metrics_of_each_step_and_the_version(fresh: Bench) -> None:
    notes = Notes()
    recipe = fresh.recipe()
    version, run = train(fresh.ws, recipe, trackers=[Breaks(), notes])
    begun, *steps, ended = notes.heard
    assert begun.id == run and {**begun.recipe, "run": run} == version.recipe and ended == version.id
    assert dict(steps) == fresh.metrics(run)
    train(fresh.ws, recipe, trackers=[notes])
    assert len(notes.heard) == 2 + recipe.steps, "a run that is complete has nothing to say"


def test_a_missing_package_of_a_tracker_is_refused_before_anything_begins(fresh: Bench) -> None:
    with pytest.raises(BadInput, match="The tracker wandb needs the package wandb"):
        fresh.train(trackers=["wandb"])
    assert fresh.nothing_was_begun()


# -- defaults by model ------------------------------------------------------------------------------------------------


def test_a_model_that_reasons_may_say_more(fresh: Bench) -> None:
    plain = fresh.ws.agent(str(fresh.model))
    assert max_tokens_for(plain, 64) == 64
    template = fresh.model / "chat_template.jinja"
    before = template.read_text() if template.exists() else ""
    try:
        template.write_text(before + "{# </think> #}")
        assert max_tokens_for(plain, 64) == 4096
        other = fresh.ws.register(msgspec.structs.replace(plain, system_prompt="Think."))
        asked = Gate(fresh.ws, other, fresh.ws.register(plain), environment=fresh.desk)
        room = {asked.settings(name).sampling.max_tokens for name in asked.suites}
        assert room == {4096}, "guards that cut every thought would find no harm"
    finally:
        template.write_text(before) if before else template.unlink()
    remote = msgspec.structs.replace(plain, base="http://localhost:8000/v1#qwen")
    assert max_tokens_for(remote, 256) == 256


def test_advice_for_several_turns_writes_a_recipe_for_several_turns(fresh: Bench) -> None:
    walk = load_environment(fresh.file("walk.py", WALK))
    agent = fresh.ws.agent(str(fresh.model))
    settings = RunSettings(k=2, sampling=Sampling(max_tokens=8))
    run = measure.rollout(fresh.ws, walk, agent, walk.tasks("train")[:2], settings, name="tries")
    fields = recipe_for(open_subject(fresh.ws, run), "grpo")
    recipe = make_recipe(fields, [], "advice")
    assert (recipe.loss.average, recipe.advantage.scale, recipe.updates_per_batch) == ("tokens", "batch", 2)
    assert recipe.max_tokens == 8 and "start" not in fields
