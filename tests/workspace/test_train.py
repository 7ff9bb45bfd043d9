"""Training end to end on a tiny model: every method, from every kind of data, gives a version that says where it came from."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

import verigym
from tests.workspace.desk import DESK, HEAD, LETTERS, WALK, Bench, desk
from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Version
from verigym.environments.load import load_environment
from verigym.registry.integrity import ADAPTER_FILE
from verigym.tasks.load import tasks_hash
from verigym.training.alarms import Alarm
from verigym.training.recipe import ALGORITHMS
from verigym.workspace import datasets as data
from verigym.workspace.nothing_learnt import why_nothing_learnt

FAMILIES = [f"train-{letter}" for letter in LETTERS]
ACTS = """
from verigym import tool

class Environment:
    max_turns = 1
    def open(self, task): ...
    @tool
    def look(self) -> str:
        "Looks."
        return "nothing"

def verify(task, trajectory):
    return task.data["answer"] in "abcdef"
"""
"""Half of its tasks pass, whatever is done."""
TIMES = {"seconds", "sampling_s", "update_s", "eval_s", "held_out_latency_s", "held_out_latency_p95_s"}


def never(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
    raise AssertionError("a finished run is not run again")


def of(algorithm: str, bench: Bench) -> dict[str, Any]:
    """What this algorithm learns from, beside tasks. With one update a batch, some of the GRPO family are the same."""
    if algorithm in ("dpo", "reward"):
        return {"data": bench.pairs().id}
    if algorithm == "kto":
        return {"data": bench.thumbs().id}
    if algorithm == "rft":
        return {"max_tokens": 80}  # it imitates replies that end by themselves
    teacher = {"distill": {"teacher": "self"}} if algorithm == "distill" else {}
    critic = {"critic": {"warmup": 0}} if algorithm == "ppo" else {}
    return {"updates_per_batch": 2, **teacher, **critic}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_makes_a_version_that_says_where_it_came_from(bench: Bench, algorithm: str) -> None:
    more = of(algorithm, bench)
    seen: list[int] = []
    version, run = bench.train(algorithm, lambda step, *_: seen.append(step), **more)
    tasks = load_environment(bench.desk).tasks("train")
    assert seen == [1, 2]
    assert version.recipe["algorithm"] == algorithm and version.recipe["run"] == run and version.name == algorithm
    assert version.parent == bench.ws.agent(str(bench.model)).id and version.base == str(bench.model)
    assert version.data_hash == more.get("data", tasks_hash(tasks))
    assert set(version.families) <= set(FAMILIES) and ("data" in more or version.families == FAMILIES)
    saved = bench.ws.adapter_folder(version.adapter) / ADAPTER_FILE
    assert hashlib.sha256(saved.read_bytes()).hexdigest() == version.adapter
    assert bench.ws.find(version.id) == version
    assert bench.ws.store.run(run).finished and not bench.ws.checkpoints(run).exists()

    metrics = bench.metrics(run)
    assert all({"seconds", "cost", "grad_norm", "loss"} <= row.keys() for row in metrics.values())
    if algorithm != "reward":
        assert {"eval_s", "held_out_success", "held_out_reward", "held_out_unsafe"} <= metrics[2].keys()
    assert ("sampling_s" in metrics[1]) == (algorithm not in ("sft", "dpo", "kto", "reward"))
    assert bench.train(algorithm, never, **more) == (version, run), "the same call finds the finished run"


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The rows that sft would learn from; it learns nothing."""
    found: list[Any] = []

    async def train_sft(model: Any, recipe: Any, rows: list[Any], place: Any, **given: Any) -> None:
        found.extend(rows)

    monkeypatch.setattr("verigym.training.offline.train_sft", train_sft)
    return found


def test_what_the_start_says_by_itself_is_rehearsed_in_its_share(fresh: Bench, handed: list[Any]) -> None:
    gold = load_environment(fresh.desk).tasks("train")
    version, run = fresh.train("sft", rehearse={"plain": 0.25}, temperature=2.0)
    own = fresh.ws.store.trajectories(f"{run}/rehearsal-plain")
    assert len(own) == round(len(gold) / 3), "no more than are needed"
    assert len(handed) == len(gold) + len(own)
    replies = {tuple(one.turns[0].completion_ids) for one in own}
    rehearsed = [tuple(id for id, kept in zip(one.ids, one.mask, strict=True) if kept) for one in handed[len(gold) :]]
    assert rehearsed and set(rehearsed) <= replies, "its own tokens, cut off or not"
    assert {family for family in version.families if family.startswith("plain/train/")}


def test_a_share_of_a_few_rows_is_one_row_at_least(fresh: Bench, handed: list[Any]) -> None:
    fresh.train("sft", rehearse={"plain": 0.1}, num_tasks=2)
    assert len(handed) == 3


def test_where_there_are_tools_only_what_was_done_rightly_is_rehearsed(
    fresh: Bench, handed: list[Any], tmp_path: Path
) -> None:
    acts = tmp_path / "acts.py"
    acts.write_text(HEAD.replace("{split}/", "acts/{split}/").replace("{split}-", "acts/{split}-") + ACTS)
    _, run = fresh.train("sft", rehearse={str(acts): 0.5})
    [child] = [one for one in fresh.ws.store.runs(run) if "rehearsal" in one.id]
    right = {one.trajectory for one in fresh.ws.store.verdicts(child.id) if one.passed}
    assert {one.trajectory for one in handed[len(handed) // 2 :]} == right and len(right) == 6

    acts.write_text(acts.read_text().replace("abcdef", ""))
    with pytest.raises(Refused, match=r"no reply of the start version in"):
        fresh.train("sft", rehearse={str(acts): 0.5}, seed=1)


def test_all_algorithms_learn_something_else(bench: Bench) -> None:
    made = {algorithm: bench.train(algorithm, **of(algorithm, bench))[0].adapter for algorithm in ALGORITHMS}
    assert len(set(made.values())) == len(ALGORITHMS), made


def test_an_adapter_that_was_lost_is_trained_again_and_is_the_same(fresh: Bench) -> None:
    version, run = fresh.train()
    shutil.rmtree(fresh.ws.adapter_folder(version.adapter))
    again, same_run = Bench(fresh.place, fresh.model).train()
    assert (again, same_run) == (version, run) and fresh.ws.has_adapter(version.adapter)


def test_a_machine_with_a_price_makes_every_step_cost(bench: Bench) -> None:
    _, run = bench.train("grpo", dollars_per_hour=3600.0)
    for row in bench.metrics(run).values():
        assert row["cost"] == pytest.approx(row["seconds"] + row["eval_s"])


# -- written data -------------------------------------------------------------------------------------------------------


def test_sft_learns_from_a_data_set_and_remembers_which(bench: Bench) -> None:
    demos = bench.demos()
    version, run = bench.train("sft", data=demos.name, steps=6, prompts_per_step=demos.rows)
    assert version.data_hash == demos.id and version.families == sorted(demos.families)
    losses = [row["loss"] for row in bench.metrics(run).values()]
    assert losses[-1] < losses[0]
    gold, _ = bench.train("sft", steps=6)
    assert gold.adapter != version.adapter


def test_a_file_of_rows_is_a_data_set_too(fresh: Bench) -> None:
    rows = "\n".join(f'{{"prompt": "say {each}", "completion": "{each}"}}' for each in LETTERS)
    version, _ = fresh.train("sft", data=fresh.file("rows.jsonl", rows))
    assert version.data_hash == data.known(fresh.ws)[0].id


def test_dpo_learns_from_graded_pairs(bench: Bench) -> None:
    version, run = bench.train("dpo", data=bench.pairs().id, steps=12, preference={"beta": 1.0})
    first, *_, last = bench.metrics(run).values()
    assert first["margin"] == pytest.approx(0, abs=1e-4) and last["margin"] > 0
    assert version.families == sorted(bench.pairs().families)


@pytest.fixture(scope="module")
def reward_model(bench: Bench) -> Version:
    return bench.train("reward", data=bench.pairs().id, steps=20, prompts_per_step=8)[0]


def test_a_reward_model_holds_out_pairs_of_its_own(bench: Bench, reward_model: Version) -> None:
    metrics = bench.metrics(reward_model.recipe["run"])
    assert "held_out_told_apart" in metrics[20] and metrics[20]["told_apart"] > 0.5
    assert metrics[20]["loss"] < metrics[1]["loss"]


def test_grpo_learns_from_a_reward_model_and_the_environment_judges(bench: Bench, reward_model: Version) -> None:
    loss = {"kl": 0.05}
    version, run = bench.train("grpo", reward_model=reward_model.id, reward="letters", loss=loss, num_tasks=2)
    metrics = bench.metrics(run)
    assert {"kl", "held_out_success", "passed", "part/lower"} <= metrics[2].keys()
    collected, held_out = (bench.ws.store.verdicts(f"{run}/{name}") for name in ("step-0001", "eval-0002"))
    assert {one.verifier for one in collected} == {f"reward_model@{reward_model.id}"}
    assert {one.verifier.split("@")[0] for one in held_out} == {"letters"}
    assert all(one.evidence.startswith("score ") and "lower" in one.parts for one in collected)
    assert all(one.passed == (one.parts["lower"] >= 0.25) for one in collected), "the environment says what passed"
    assert set(reward_model.families) <= set(version.families), "what the reward model was taught counts as trained on"
    assert len(version.families) > 2
    assert version.adapter != bench.train("grpo", reward="letters", loss=loss, num_tasks=2)[0].adapter


# -- where it starts ----------------------------------------------------------------------------------------------------


def test_the_divergence_is_from_the_start_or_from_the_bare_model(bench: Bench) -> None:
    start, _ = bench.train("sft", steps=4)
    kl = {}
    for reference in ("start", "base"):
        version, run = bench.train("grpo", start=start.id, loss={"kl": 0.1, "reference": reference}, lora=None)
        kl[reference] = bench.metrics(run)[1]["kl"]
        assert version.parent == start.id and version.families == FAMILIES
    assert kl["start"] == pytest.approx(0, abs=1e-6) and kl["base"] > 1e-3


def test_rloo_takes_the_divergence_off_the_reward(bench: Bench) -> None:
    start, _ = bench.train("sft", steps=4)
    _, run = bench.train("rloo", start=start.id, loss={"kl": 0.1, "reference": "base"}, lora=None)
    assert bench.metrics(run)[1]["kl"] != 0


# -- rewards ------------------------------------------------------------------------------------------------------------


def test_several_rewards_are_summed_or_compared_each_by_itself(bench: Bench) -> None:
    adapters = set[str]()
    for how in ("sum", "each"):
        version, run = bench.train("grpo", reward={"letters": 1, "short": 0.5}, advantage={"rewards": how})
        row = bench.metrics(run)[1]
        assert row["reward"] == pytest.approx(row["part/letters"] + 0.5 * row["part/short"])
        assert row["part/letters.lower"] == row["part/letters"]
        held_out = bench.ws.store.verdicts(f"{run}/eval-0002")
        assert {one.verifier.split("@")[0] for one in held_out} == {"letters"}, "the first judges what is held out"
        adapters.add(version.adapter)
    assert len(adapters) == 2


def test_steps_of_an_environment_are_credited_one_by_one(bench: Bench) -> None:
    walk = bench.file("walk.py", WALK)
    made = {}
    for credit in ("trajectory", "step"):
        version, run = bench.train(
            "grpo", environment=walk, advantage={"credit": credit, "discount": 0.5}, temperature=1.5
        )
        made[credit] = version.adapter
        for one in bench.ws.store.trajectories(f"{run}/step-0001"):
            assert len(one.rewards) == 3 and sum(turn.actor == "policy" for turn in one.turns) == 3
        assert "loss" in bench.metrics(run)[1]
    assert made["step"] != made["trajectory"]


def test_cut_off_replies_can_be_left_out_or_made_to_cost(bench: Bench) -> None:
    plain, masked, costly = (
        bench.train("grpo", episodes=episodes, max_tokens=24, advantage={"scale": "batch"})
        for episodes in ({}, {"mask_truncated": True}, {"overlong_buffer": 16, "overlong_penalty": 2.0})
    )
    rows = [bench.metrics(run)[1] for _, run in (plain, masked, costly)]
    assert 0 < rows[0]["truncated"] < 1
    assert rows[1]["tokens"] < rows[0]["tokens"] and rows[1]["reward"] == rows[0]["reward"]
    assert len({version.adapter for version, _ in (plain, masked, costly)}) == 3


def test_a_reply_may_be_one_token_long(bench: Bench) -> None:
    _, run = bench.train("grpo", max_tokens=1, updates_per_batch=2, prompts_per_step=6)
    assert all(row["length"] == 1 for row in bench.metrics(run).values())


def test_where_every_group_agrees_nothing_changes_and_it_is_said(fresh: Bench) -> None:
    alarms: list[Alarm] = []
    flat = fresh.file("flat.py", desk("return 0.5"))
    version, run = fresh.train(
        "grpo", lambda step, metrics, new: alarms.extend(new), environment=flat, steps=9, held_out_eval=None
    )
    assert all("loss" not in row and row["live_groups"] == 0 for row in fresh.metrics(run).values())
    assert [alarm.kind for alarm in alarms] == ["tasks too hard"]
    assert version.adapter == "" and [one.id for one in fresh.ws.store.documents("version", Version)] == [version.id]


def test_without_signal_there_is_no_new_version_and_the_command_says_so(fresh: Bench) -> None:
    start, _ = fresh.train("sft", data=fresh.demos().id)
    flat = fresh.file("flat.py", desk("return 0.5"))
    fields = {"environment": flat, "steps": 2, "held_out_eval": None, "start": start.id, "name": "wanted"}
    for _ in range(2):  # the second call finds the finished run
        assert fresh.train("grpo", **fields)[0] == start
    assert [one.name for one in fresh.ws.store.documents("version", Version)].count("wanted") == 0
    with (
        verigym.Workspace(fresh.ws.home) as ws,
        pytest.raises(Refused, match="Nothing was learnt in run grpo-") as said,
    ):
        ws.train(fresh.recipe("grpo", **fields))
    assert "In 2 steps, the episodes of each group got equal rewards" in str(said.value)
    assert "no new version" in str(said.value) and "train on demonstrations first" in str(said.value).lower()


@pytest.mark.parametrize("verify", ["return float('nan')", "raise ValueError('broken')"], ids=["nan", "raises"])
def test_a_verifier_that_fails_costs_no_run_and_it_is_said(fresh: Bench, verify: str) -> None:
    alarms: list[Alarm] = []
    version, run = fresh.train(
        "grpo", lambda step, metrics, new: alarms.extend(new), environment=fresh.file("bad.py", desk(verify))
    )
    for row in fresh.metrics(run).values():
        assert row["unscored"] == 8 and "reward" not in row and "loss" not in row
        assert not any(name.startswith("held_out") for name in row)
    assert [alarm.kind for alarm in alarms] == ["nothing scored"] and "none of 8 episodes" in alarms[0].observation
    assert version.adapter == ""
    why = why_nothing_learnt(fresh.ws, run)
    assert why.startswith("No episode of 2 steps could be scored. Most frequent reason: ")
    assert "broken" in why or "finite" in why
    explained = fresh.shell("explain", f"{run}/step-0001")
    assert "broken" in explained or "finite" in explained, explained


def test_training_stops_if_nothing_can_be_scored_and_goes_on_when_the_cause_is_gone(fresh: Bench) -> None:
    works = fresh.ws.home.parent / "works"
    verify = f"""
    import pathlib
    if not pathlib.Path({str(works)!r}).exists():
        raise ValueError('no disk')
    return float(len(trajectory.reply) % 2)"""
    place = fresh.file("needs_disk.py", desk(verify))
    for _ in range(2):
        with pytest.raises(InfrastructureFailure, match=r"last 3 steps could be scored.*no disk.*repeat the command"):
            fresh.train("grpo", environment=place, steps=5, held_out_eval=None)
    works.touch()
    _, run = fresh.train("grpo", environment=place, steps=5, held_out_eval=None)
    rows = fresh.metrics(run)
    assert len(rows) == 5 and [step for step, row in rows.items() if "reward" in row] == [1, 2, 3, 4, 5]


# -- which tasks --------------------------------------------------------------------------------------------------------


def test_gold_of_a_mixture_is_imitated_by_weight(fresh: Bench, handed: list[Any]) -> None:
    other = fresh.file("other.py", DESK.replace("islower", "isupper"))
    fresh.train("sft", environment=None, environments={fresh.desk: 3, other: 1})
    assert len(handed) == 4 * len(load_environment(other).tasks("train"))


def test_a_mixture_measures_each_environment_and_shares_tasks_by_weight(bench: Bench) -> None:
    other = bench.file("other.py", DESK.replace("islower", "isupper"))
    _, run = bench.train(
        "grpo",
        environment=None,
        environments={bench.desk: 3, other: 1},
        steps=8,
        prompts_per_step=4,
        num_generations_per_prompt=2,
        eval_interval=4,
        held_out_eval="all",
    )
    metrics = bench.metrics(run)
    for place in (bench.desk, other):
        assert {f"{place}/held_out_success", f"{place}/held_out_reward"} <= metrics[8].keys()
        assert any(f"{place}/reward" in row for row in metrics.values())
    mean = (metrics[8][f"{bench.desk}/held_out_success"] + metrics[8][f"{other}/held_out_success"]) / 2
    assert metrics[8]["held_out_success"] == pytest.approx(mean)
    assert "eval_s" not in metrics[3] and "eval_s" in metrics[4]
    tried = {
        place: sum(
            len(bench.ws.store.tasks(child))
            for child in bench.children(run)
            if "/step-" in child and child.endswith(place)
        )
        for place in (bench.desk, other)
    }
    assert sum(tried.values()) == 32 and 18 <= tried[bench.desk] <= 30, tried


def test_the_environments_of_a_mixture_are_sampled_side_by_side(fresh: Bench) -> None:
    meets = """
async def verify(task, trajectory):
    import asyncio, pathlib
    here = pathlib.Path(__file__)
    split = task.id.split("/")[0]
    here.with_suffix(f".{split}").touch()
    other = {"one": "two", "two": "one"}[here.stem]
    for _ in range(60_000):
        if here.with_name(f"{other}.{split}").exists():
            return 1.0
        await asyncio.sleep(0.01)
    return 0.0
"""
    body = HEAD + "class Environment:\n    max_turns = 1\n    def open(self, task): ...\n" + meets
    places = {fresh.file("one.py", body): 1, fresh.file("two.py", body): 1}
    _, run = fresh.train(
        "grpo", environment=None, environments=places, steps=1, prompts_per_step=8, held_out_eval="all"
    )
    row = fresh.metrics(run)[1]
    assert row["reward"] == 1.0, "one environment's verifier waited for an episode of the other in vain"
    assert row["held_out_reward"] == 1.0


def test_other_tasks_are_tried_in_place_of_groups_that_say_nothing(bench: Bench) -> None:
    half = bench.file(
        "half.py", desk("return float(task.data['answer'] > 'h') and sum(map(str.islower, trajectory.reply)) / 8")
    )
    _, run = bench.train("grpo", environment=half, episodes={"dynamic_rounds": 2}, steps=4, held_out_eval=None)
    children = bench.children(run)
    rounds = [child for child in children if ".1" in child]
    assert rounds and not any(".3" in child for child in children)
    for step in range(1, 5):
        tried = [
            task.id
            for child in children
            if child.startswith(f"{run}/step-{step:04d}")
            for task in bench.ws.store.tasks(child)
        ]
        assert len(set(tried)) == len(tried) >= 2


# -- what can be read afterwards ------------------------------------------------------------------------------------------


def test_what_every_step_and_evaluation_said_can_be_read(bench: Bench) -> None:
    _, run = bench.train("grpo")
    assert bench.children(run) == [f"{run}/{name}" for name in ("eval-0001", "eval-0002", "step-0001", "step-0002")]
    assert "finished" in bench.shell("runs", "show", run)
    for child, count in (("step-0002", 8), ("eval-0002", 3)):
        assert f"{count} trajectories" in bench.shell("runs", "show", f"{run}/{child}")
        listed = bench.shell("trajectories", "list", f"{run}/{child}")
        shown = bench.shell("trajectories", "show", listed.rsplit(" ", 1)[1].strip())
        assert "[user]" in shown and "verdict by letters@" in shown
        assert "with letters@" in bench.shell("rescore", f"{run}/{child}")
    _, longer = bench.train("grpo", max_tokens=80, num_generations_per_prompt=8)
    assert "pairs of 2 tasks" in bench.shell("data", "pairs", f"{longer}/step-0001", "--gap", "0.01"), (
        "a step teaches others too"
    )


def test_the_sampler_signs_with_the_step_whose_weights_it_had(bench: Bench) -> None:
    _, run = bench.train("grpo")
    signed = {
        name: {turn.agent for one in bench.ws.store.trajectories(f"{run}/{name}") for turn in one.turns}
        for name in ("step-0001", "eval-0001", "step-0002", "eval-0002")
    }
    assert signed == {
        "step-0001": {f"{run}@0"},
        "eval-0001": {f"{run}@1"},
        "step-0002": {f"{run}@1"},
        "eval-0002": {f"{run}@2"},
    }


def test_what_needs_a_sandbox_is_judged_in_one_also_where_it_is_held_out(fresh: Bench) -> None:
    """The context of a step and of an evaluation holds the machine's sandbox."""
    asks = desk("return float(context.sandbox is not None)").replace(
        "(task, trajectory):", "(task, trajectory, context):"
    )
    for algorithm in ("grpo", "sft"):
        _, run = fresh.train(algorithm, environment=fresh.file("asks.py", asks))
        assert fresh.metrics(run)[2]["held_out_success"] == 1.0


PAIRS = (
    HEAD
    + """
from verigym import PairwiseJudge

class Environment:
    max_turns = 1
    def open(self, task): ...

verify = PairwiseJudge("Which is better?")
"""
)


def test_a_reward_model_compares_replies_where_a_judge_is_asked_for(bench: Bench, reward_model: Version) -> None:
    place = bench.file("pairs.py", PAIRS)
    fields: dict[str, Any] = {"environment": place, "reward": "", "judge": reward_model.id, "held_out_eval": ""}
    version, run = bench.train("grpo", num_tasks=2, **fields)
    assert bench.metrics(run)[1]["unscored"] == 0
    verdicts = bench.ws.store.verdicts(f"{run}/step-0001")
    assert all("scores " in one.evidence for one in verdicts) and {one.reward for one in verdicts} - {0.5}
    assert set(reward_model.families) <= set(version.families), "what the judge was taught counts as trained on"


def test_a_reward_model_plays_nobody(bench: Bench, reward_model: Version) -> None:
    with pytest.raises(Refused, match=f"cannot answer.*--judge {reward_model.id}"):
        bench.ws.open_beside(reward_model)


TALK = (
    HEAD
    + """
class Environment:
    max_turns = 2
    def open(self, task): ...
    def persona(self):
        return "You are Ann."

async def verify(task, trajectory, context):
    from verigym.core.protocols import Request
    from verigym.core.records import Message, Sampling

    asked = Request(items=[Message("user", trajectory.reply or ".")], sampling=Sampling(max_tokens=2), seed=1)
    said = await context.policies["judge"].respond(asked)
    return sum(said.turn.completion_ids) / 100
"""
)


def test_a_judge_and_a_simulated_user_are_models_that_the_recipe_names(fresh: Bench) -> None:
    place, model = fresh.file("talk.py", TALK), str(fresh.model)
    fields: dict[str, Any] = {"environment": place, "reward": "", "judge": model, "user": model}
    _, run = fresh.train("grpo", held_out_eval="all", **fields)
    row = fresh.metrics(run)[1]
    assert row["unscored"] == 0 and row["reward"] > 0
    [first, *_] = fresh.ws.store.trajectories(f"{run}/step-0001")
    assert [turn.actor for turn in first.turns][:2] == ["policy", "user"]
