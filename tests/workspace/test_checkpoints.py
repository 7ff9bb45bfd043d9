"""Kept checkpoints: which are kept, which becomes the version, when training stops, and on which families the gate judges it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspace.desk import DESK, LETTERS, Bench, keep, preference
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Report, Task, Version
from verigym.environments.load import load_environment
from verigym.evaluation.suites import family_of, parse_part, take_part
from verigym.gates.policy import GatePolicy, Margins
from verigym.registry.checkpoints import KeptCheckpoint, best_of, kept_checkpoints
from verigym.training.recipe import make_recipe, recipe_json
from verigym.workspace.checkpoints import CheckpointKeeper, score_of
from verigym.workspace.cleanup import collect_garbage, delete_runs, delete_version, needed_by, plan_garbage
from verigym.workspace.gate import Gate
from verigym.workspace.held_out import sets_of

ALONE = GatePolicy(name="alone", retention=None, safety=None, margins=Margins(latency=None))
BEST = {"steps": 6, "eval_interval": 1, "eval_tasks": None, "checkpoints": {"choose": "best", "keep": 2}}
VAL = [Task(id=f"val/{letter}", prompt="", family=f"val-{letter}", split="val") for letter in LETTERS]
CHOICE = set(map(family_of, take_part(VAL, parse_part("1/3"))))
"""The families of the part on which checkpoints are chosen."""


def steps_of(bench: Bench, run: str) -> list[int]:
    return [one.step for one in kept_checkpoints(bench.ws.store, run)]


def test_the_last_and_the_best_are_kept_and_the_best_becomes_the_version(fresh: Bench) -> None:
    version, run = fresh.train("grpo", **BEST)
    scores = {step: score_of(row) for step, row in fresh.metrics(run).items()}
    best = max(scores, key=lambda step: (scores[step], -step))
    assert version.recipe["step"] == best
    assert steps_of(fresh, run) == sorted({5, 6, best})
    assert fresh.ws.find(f"{run}@best").id == version.id == fresh.ws.find(f"{run}@{best}").id
    assert version.name == "grpo" and set(version.chosen_on) == CHOICE
    assert fresh.ws.find("grpo@6").adapter != "" and fresh.ws.find("grpo@6").recipe["step"] == 6


def test_a_checkpoint_is_a_version_to_evaluate_compare_and_start_from(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=3, eval_interval=1, checkpoints={"keep": 3})
    assert "tasks of" in fresh.shell("eval", fresh.desk, "-m", f"{run}@2", "--max-tokens", "8")
    assert "chose this checkpoint among others" in " ".join(
        fresh.shell("eval", fresh.desk, "-m", f"{run}@2", "--max-tokens", "8").split()
    )
    registered = fresh.ws.find(f"{run}@2")
    assert registered.made, "it is registered now"
    version, later = fresh.train("grpo", start=f"{run}@2", steps=1)
    assert version.parent == registered.id and later != run
    assert set(version.chosen_on) == set(registered.chosen_on), "what was chosen stays chosen"


def test_the_weights_of_a_checkpoint_are_those_of_a_run_with_as_many_steps(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=4, eval_interval=1, checkpoints={"keep": 4})
    short, _ = fresh.train("grpo", steps=2, eval_interval=1, held_out_eval="desk_eval")
    assert fresh.ws.find(f"{run}@2").adapter == short.adapter


def test_without_evaluations_the_last_checkpoints_are_kept(fresh: Bench) -> None:
    version, run = fresh.train("sft", held_out_eval=None, steps=6, eval_interval=2, checkpoints={"keep": 2})
    assert steps_of(fresh, run) == [4, 6]
    assert fresh.ws.find(f"{run}@6").id == version.id and version.chosen_on == []
    assert "step" not in version.recipe
    with pytest.raises(NotFound, match=r'checkpoint "sft-.*@best"'):
        fresh.ws.find(f"{run}@best")


def test_with_keep_0_nothing_but_the_version_stays(fresh: Bench) -> None:
    version, run = fresh.train("grpo", **{**BEST, "checkpoints": {"choose": "best", "keep": 0}})
    assert steps_of(fresh, run) == []
    assert [path.name for path in (fresh.ws.home / "adapters").iterdir()] == [version.adapter]
    _, other = fresh.train("grpo", checkpoints={"keep": 0})
    assert steps_of(fresh, other) == []


def test_disk_use_is_bounded_while_training_runs(fresh: Bench) -> None:
    most: list[int] = []
    fresh.train("grpo", lambda *_: most.append(len([*(fresh.ws.home / "adapters").iterdir()])), **{**BEST, "steps": 8})
    assert max(most) <= 3, "two last ones and the best"


# -- stopping early ------------------------------------------------------------------------------------------------------


def keeper(bench: Bench, patience: int, steps: int = 100) -> CheckpointKeeper:
    recipe = bench.recipe(steps=steps, checkpoints={"patience": patience})
    return CheckpointKeeper(bench.ws, recipe, "run", "base", lambda adapter, step: Version(base="base"))


@pytest.mark.parametrize(
    ("successes", "stops"),
    [
        ([0.1, 0.2, 0.2, 0.2], 4),
        ([0.1, 0.2, 0.1, 0.3, 0.3], None),
        ([0.1, 0.2, 0.1, 0.3, 0.3, 0.2, 0.9], 6),
        ([0.5], None),
        ([], None),
    ],
    ids=["two without a gain", "a gain between", "after the second best", "one look", "nothing yet"],
)
def test_training_stops_after_so_many_looks_without_a_new_best(
    bench: Bench, successes: list[float], stops: int | None
) -> None:
    history = {step: {"held_out_success": value} for step, value in enumerate(successes, 1)}
    assert keeper(bench, 2).stops_at(history) == stops
    assert keeper(bench, 0).stops_at(history) is None


def test_equal_success_with_more_reward_is_a_new_best(bench: Bench) -> None:
    history = {step: {"held_out_success": 0.5, "held_out_reward": step / 10} for step in range(1, 9)}
    assert keeper(bench, 1).stops_at(history) is None


def test_a_run_that_stops_early_ends_with_the_step_that_was_reached(fresh: Bench) -> None:
    fields: dict[str, Any] = {**BEST, "steps": 40, "learning_rate": 1e-9, "checkpoints": {"patience": 2}}
    seen: list[int] = []
    version, run = fresh.train("grpo", lambda step, *_: seen.append(step), **fields)
    assert len(seen) < 40 and version.recipe["step"] == max(seen)
    assert set(version.chosen_on) == CHOICE, "when to stop was chosen on them"
    text = fresh.shell("runs", "show", run)
    assert f"training stopped after step {max(seen)} of 40: 2 evaluations without a new best" in text
    assert "kept checkpoints (" in text


def test_a_run_that_stopped_early_and_was_killed_before_its_version_is_not_trained_further(fresh: Bench) -> None:
    fields: dict[str, Any] = {
        **BEST, "steps": 40, "learning_rate": 1e-9, "checkpoints": {"patience": 2, "choose": "best"},
    }  # fmt: skip
    version, run = fresh.train("grpo", **fields)
    fresh.ws.store.delete("trained", run)
    fresh.ws.store.delete("version", version.id)

    def never(*_: Any) -> None:
        raise AssertionError("nothing is trained")

    again, _ = fresh.train("grpo", never, **fields)
    assert again.id == version.id


@pytest.mark.parametrize("dies_at", [1, 4, 5], ids=["at the first step", "at a checkpoint", "after it"])
def test_a_run_that_was_killed_keeps_the_same_checkpoints_and_chooses_the_same_one(
    fresh: Bench, dies_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {**BEST, "eval_interval": 2}
    monkeypatch.setattr("verigym.training.loop.CHECKPOINT_S", -1.0)
    version, run = fresh.train("grpo", **fields)

    def die(step: int, *_: Any) -> None:
        if step == dies_at:
            raise KeyboardInterrupt

    other = Bench(tmp_path / "other", fresh.model)
    other.desk = fresh.desk
    with pytest.raises(KeyboardInterrupt):
        other.train("grpo", die, **fields)
    resumed, _ = other.train("grpo", **fields)
    assert resumed.id == version.id and resumed.recipe == version.recipe
    kept = [kept_checkpoints(bench.ws.store, run) for bench in (fresh, other)]
    assert [(one.step, one.version.adapter, one.score) for one in kept[0]] == [
        (one.step, one.version.adapter, one.score) for one in kept[1]
    ]
    assert all(other.ws.has_adapter(one.version.adapter) for one in kept[1])


# -- the gate ------------------------------------------------------------------------------------------------------------


def test_the_gate_leaves_out_the_families_that_chose_the_checkpoint(fresh: Bench) -> None:
    version, _ = fresh.train("grpo", **BEST)
    base = fresh.ws.register(fresh.ws.agent(str(fresh.model)))
    asked = Gate(fresh.ws, version, base, ALONE)
    assert set(asked.suites["primary"].families) == {f"val-{x}" for x in "abcdefghijkl"} - CHOICE
    assert asked.plan().left_out == {"desk_eval": len(CHOICE)}
    text = fresh.shell("gate", version.id, "--champion", base.id, "--dry-run")
    assert (
        f"{len(CHOICE)} families of desk_eval chose this checkpoint of the candidate. The gate leaves them out." in text
    )
    decision = asked.run()
    measured = fresh.ws.store.get("report", decision.reports[0], Report)
    assert measured is not None and CHOICE.isdisjoint(measured.suite.families)
    assert "chosen among checkpoints are left out" in decision.checks[0].words


def test_rivals_are_judged_on_the_same_families(fresh: Bench) -> None:
    version, run = fresh.train("grpo", **BEST)
    other, _ = fresh.train("grpo", seed=1)
    base = fresh.ws.register(fresh.ws.agent(str(fresh.model)))
    asked = Gate(fresh.ws, other, base, ALONE, chosen_on=version.chosen_on)
    assert asked.suites["primary"].hash == asked.against(version).suites["primary"].hash
    assert other.chosen_on == [] and f"{run}@6" in [one.name for one in kept_checkpoints(fresh.ws.store)]


def test_a_checkpoint_that_the_whole_suite_chose_cannot_be_gated_on_it(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=3, eval_interval=1, eval_tasks=None, checkpoints={"keep": 3})
    base = fresh.ws.register(fresh.ws.agent(str(fresh.model)))
    with pytest.raises(Refused, match=r"desk_eval: all 12 families chose this checkpoint among others"):
        Gate(fresh.ws, fresh.ws.find(f"{run}@2"), base, ALONE)
    Gate(fresh.ws, fresh.ws.find(f"{run}@3"), base, ALONE)  # nobody chose the last one


def test_the_families_of_every_run_with_the_same_weights_count(fresh: Bench) -> None:
    short = {"eval_interval": 1, "eval_tasks": None}
    version, _ = fresh.train("grpo", steps=2, checkpoints={"keep": 0}, **short)
    assert version.chosen_on == []
    _, run = fresh.train("grpo", steps=4, checkpoints={"keep": 4}, **short)
    same = fresh.ws.find(f"{run}@2")
    assert same.id == version.id and fresh.ws.find(version.id).chosen_on == [], "as it was first registered"
    base = fresh.ws.register(fresh.ws.agent(str(fresh.model)))
    with pytest.raises(Refused, match="all 12 families chose this checkpoint"):
        Gate(fresh.ws, same, base, ALONE)


def test_evaluations_of_a_run_that_chooses_count_for_their_part_of_the_suite(fresh: Bench) -> None:
    fresh.train("grpo", **BEST)
    assert [one.suite.name for one in sets_of(fresh.ws)] == ["desk_eval 1/3"]


# -- recipes, names, cleaning up -----------------------------------------------------------------------------------------


def test_the_default_changes_the_id_of_no_run(bench: Bench) -> None:
    assert "checkpoints" not in recipe_json(bench.recipe())
    assert recipe_json(bench.recipe(checkpoints={"keep": 3}))["checkpoints"] == {"keep": 3}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"checkpoints": {"choose": "best"}, "held_out_eval": None}, r"choose: best needs held-out evaluations"),
        ({"checkpoints": {"patience": 2}, "held_out_eval": None}, r"patience needs held-out evaluations"),
        ({"checkpoints": {"patience": 2}, "eval_interval": 0}, r"eval_interval is 0, so only the last of 2 steps"),
        ({"checkpoints": {"choose": "best"}, "eval_interval": 2}, r"eval_interval is 2, so only the last of 2 steps"),
        ({"checkpoints": {"keep": -1}}, r"checkpoints.keep"),
        ({"checkpoints": {"choose": "first"}}, r"checkpoints.choose"),
        ({"checkpoints": {"kept": 1}}, r"kept"),
    ],
    ids=[
        "best without a suite",
        "patience without a suite",
        "one look only",
        "as many steps as between looks",
        "below 0",
        "unknown choice",
        "unknown key",
    ],
)
def test_settings_that_make_no_sense_are_refused(bench: Bench, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        bench.recipe(**fields)


def test_a_part_that_the_recipe_names_is_used_as_it_is() -> None:
    given = {"model": "m", "algorithm": "grpo", "reward": "r", "checkpoints": {"choose": "best"}}
    suites = ["val 2/3", "val"]
    assert [make_recipe({**given, "held_out_eval": one}, [], "r").evaluated_on for one in suites] == [
        "val 2/3",
        "val 1/3",
    ]


def test_the_best_checkpoint_was_chosen_also_if_it_is_the_last(fresh: Bench) -> None:
    fields: dict[str, Any] = {"eval_tasks": None, "steps": 3, "checkpoints": {"keep": 1}}
    version, run = fresh.train("grpo", eval_interval=1, **fields)
    last = kept_checkpoints(fresh.ws.store, run)[-1]
    fresh.ws.store.delete("checkpoint", last.name)
    fresh.ws.store.put("checkpoint", last.name, msgspec.structs.replace(last, score=(9.0,)))
    best = fresh.ws.find(f"{run}@best")
    assert best.id == version.id and set(best.chosen_on) == {task.family for task in VAL}
    assert fresh.ws.find(version.id).chosen_on == [] == fresh.ws.find(f"{run}@3").chosen_on, "nobody chose those"
    _, once = fresh.train("grpo", eval_interval=0, **fields)
    assert fresh.ws.find(f"{once}@best").chosen_on == [], "there was nothing to choose from"


def test_patience_that_never_ran_out_chose_when_to_go_on(fresh: Bench) -> None:
    version, run = fresh.train("grpo", steps=3, eval_interval=1, eval_tasks=None, checkpoints={"patience": 3})
    assert max(fresh.metrics(run)) == 3 and set(version.chosen_on) == CHOICE


def test_patience_begins_after_the_warm_up_of_a_critic(bench: Bench) -> None:
    recipe = bench.recipe("ppo", steps=20, critic={"warmup": 4}, checkpoints={"patience": 2})
    waits = CheckpointKeeper(bench.ws, recipe, "run", "base", lambda adapter, step: Version(base="base"))
    history = {step: {"held_out_success": 0.5} for step in range(1, 6)}
    assert waits.stops_at(history) is None
    assert waits.stops_at({**history, 6: {"held_out_success": 0.5}}) == 6


def test_a_name_that_two_runs_share_lists_their_checkpoints(fresh: Bench) -> None:
    runs = [fresh.train("grpo", seed=seed, steps=1)[1] for seed in (0, 1)]
    with pytest.raises(BadInput, match=rf'"grpo@1" names 2 checkpoints: .*{max(runs)}@1. Name one of them'):
        fresh.ws.find("grpo@1")
    with pytest.raises(BadInput, match="Name one of them"):
        fresh.ws.agent("grpo@1")


def test_a_third_of_a_small_suite_that_is_empty_names_the_setting(fresh: Bench) -> None:
    other = next(letter for letter in LETTERS if f"val-{letter}" not in CHOICE)
    few = DESK.replace(f'"{LETTERS}"', f'("{LETTERS}" if split == "train" else "{other}")')
    fields: dict[str, Any] = {"environment": fresh.file("few.py", few), "eval_tasks": None}
    with pytest.raises(Refused, match=r"choose and patience evaluate on desk_eval 1/3.*held_out_eval: desk_eval 1/2"):
        fresh.train("grpo", **{**BEST, **fields})
    assert fresh.nothing_was_begun()


def test_a_reward_model_needs_families_to_choose_on(fresh: Bench) -> None:
    few = keep(fresh.ws, *(preference(f"f{i}") for i in range(9)))
    with pytest.raises(Refused, match="has 9 families, and a reward model holds out a tenth"):
        fresh.train("reward", data=few.id, checkpoints={"choose": "best"})


def test_garbage_collection_forgets_the_checkpoints_of_a_run(fresh: Bench) -> None:
    version, run = fresh.train("grpo", steps=2, eval_interval=1, checkpoints={"keep": 2})
    delete_version(fresh.ws, version)
    plan = plan_garbage(fresh.ws, older_than_days=-1)
    assert run in plan.runs and steps_of(fresh, run)
    collect_garbage(fresh.ws, plan)
    assert steps_of(fresh, run) == [] and not [*(fresh.ws.home / "adapters").iterdir()]


def test_an_unknown_step_lists_those_that_are_kept(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=2, eval_interval=1, checkpoints={"keep": 2})
    with pytest.raises(NotFound, match=rf"{run}@7.*{run}@1"):
        fresh.ws.find(f"{run}@7")


def test_without_held_out_evaluations_no_checkpoint_is_the_best(fresh: Bench) -> None:
    _, run = fresh.train("grpo", held_out_eval=None, eval_tasks=None)
    with pytest.raises(
        NotFound, match=rf'no checkpoint "{run}@best", because no held-out .*Name a step, such as {run}@2'
    ):
        fresh.ws.find(f"{run}@best")


def test_checkpoints_are_deleted_one_by_one_or_with_their_run_and_never_as_garbage(fresh: Bench) -> None:
    version, run = fresh.train("grpo", steps=3, eval_interval=1, checkpoints={"keep": 3})
    first = fresh.ws.find(f"{run}@1")
    assert needed_by(fresh.ws, first) == []
    delete_version(fresh.ws, first)
    assert steps_of(fresh, run) == [2, 3] and not fresh.ws.has_adapter(first.adapter)
    assert fresh.ws.store.get("trained", run, Version) == version, "the run still knows what it made"
    assert not [path for path in plan_garbage(fresh.ws).paths if "adapters" in path]
    delete_runs(fresh.ws, [run])
    assert steps_of(fresh, run) == [] and fresh.ws.has_adapter(version.adapter)


def test_the_best_of_equals_is_the_earliest() -> None:
    def at(step: int, *score: float) -> KeptCheckpoint:
        return KeptCheckpoint(run="r", step=step, version=Version(base="b"), score=score)

    best = best_of([at(1, 0.5, 0.1), at(2, 0.5, 0.3), at(3, 0.5, 0.3), at(4)])
    assert best is not None and best.step == 2
    assert best_of([at(1)]) is None


def test_a_dry_run_says_on_what_the_checkpoint_is_chosen(bench: Bench, tmp_path: Path) -> None:
    text = bench.shell("train", bench.recipe_file("grpo", **BEST), "--dry-run")
    assert "desk_eval 1/3 chooses the checkpoint. The gate leaves its families out" in text
    assert load_environment(bench.desk).suites == {"desk_eval": "val"}
