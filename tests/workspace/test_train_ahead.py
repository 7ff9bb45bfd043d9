"""Training with `ahead`: a run samples while it learns, every episode names its version, and a kill loses nothing."""

import contextlib
import random
from collections import Counter
from typing import Any

import pytest
import torch

from tests.workspace.desk import WALK, Bench
from tests.workspace.test_train_resume import run_killed
from verigym.core.records import Trajectory
from verigym.model import lora
from verigym.training import ahead as sampling_ahead
from verigym.training import loop
from verigym.training.ahead import version_of
from verigym.training.samples import from_trajectory
from verigym.training.update import logprobs_of
from verigym.workspace.workspace import WorkspaceFolder


def episodes(ws: WorkspaceFolder, run: str) -> dict[int, list[Trajectory]]:
    """The episodes of each step."""
    return {
        int(child.id.rpartition("step-")[2].split(".")[0]): ws.store.trajectories(child.id)
        for child in ws.store.runs(parent=run)
        if "/step-" in child.id
    }


def check(ws: WorkspaceFolder, run: str, steps: int, ahead: int, groups: int, k: int) -> int:
    """Returns the largest staleness."""
    by_step = episodes(ws, run)
    assert sorted(by_step) == [*range(1, steps + 1)]
    most = 0
    for step, made in by_step.items():
        assert Counter(Counter(one.task for one in made).values()) == {k: groups}
        versions = {one.group: version_of(one, run) for one in made}
        for one in made:
            version = version_of(one, run)
            assert version is not None and version == versions[one.group], "a group has one version"
            assert {turn.agent for turn in one.turns} == {f"{run}@{version}"}, "in all turns"
            assert 0 <= step - 1 - version <= ahead
            most = max(most, step - 1 - version)
    return most


@pytest.mark.parametrize("ahead", [1, 2])
def test_a_run_samples_ahead_and_every_token_is_of_the_version_that_its_turn_names(
    fresh: Bench, ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights: dict[int, dict[str, torch.Tensor]] = {}
    written = sampling_ahead.VersionFiles.write

    def write(self: sampling_ahead.VersionFiles, model: torch.nn.Module, step: int) -> None:
        weights[step] = lora.weights(model)
        written(self, model, step)

    monkeypatch.setattr(sampling_ahead.VersionFiles, "write", write)
    walk = fresh.file("walk.py", WALK)
    fields = {"environment": walk, "steps": 6, "ahead": ahead, "eval_interval": 3, "held_out_eval": None}
    version, run = fresh.train("grpo", **fields, eval_tasks=None, advantage={"credit": "step"}, prompts_per_step=4)
    assert version.recipe["ahead"] == ahead and len(weights) == 7
    assert check(fresh.ws, run, 6, ahead, 4, 4) >= 1, "nothing was sampled ahead"

    policy: Any = fresh.ws.policy(fresh.ws.agent(version.id))
    model = policy.model
    for step, made in episodes(fresh.ws, run).items():
        samples = [sample for one in made for sample in from_trajectory(one, 1.0)]
        of = {one.id: version_of(one, run) for one in made}
        for number in {*of.values()}:
            assert number is not None
            mine = [sample for sample in samples if of[sample.trajectory] == number]
            with lora.with_weights(model, weights[number]):
                ours = logprobs_of(model, mine, 1.0)
            for sample, row in zip(mine, ours, strict=True):
                theirs = [value for value, kept in zip(sample.logprobs, sample.mask, strict=True) if kept]
                assert theirs == pytest.approx(row, abs=2e-3), (step, number)

    metrics = fresh.metrics(run)
    stale = [row["staleness_max"] for row in metrics.values()]
    assert max(stale) >= 1 and max(stale) <= ahead and stale[0] == 0
    assert all(row["waited_for_episodes_s"] >= 0 and row["waited_for_learner_s"] >= 0 for row in metrics.values())
    assert any("mismatch_ratio/age_1" in row for row in metrics.values())
    assert not fresh.ws.checkpoints(run).exists()


def test_evaluations_are_of_the_newest_version(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=4, ahead=2, eval_interval=2)
    for step in (2, 4):
        made = fresh.ws.store.trajectories(f"{run}/eval-{step:04d}")
        assert {turn.agent for one in made for turn in one.turns} == {f"{run}@{step}"} and len(made) == 3


def test_difficulty_and_dynamic_sampling_work_ahead(fresh: Bench) -> None:
    fields = {"difficulty": {"draw": "signal"}, "episodes": {"dynamic_rounds": 2}}
    _, run = fresh.train("dapo", steps=5, ahead=2, **fields)
    metrics = fresh.metrics(run)
    assert [row["tried_tasks"] for row in metrics.values()][:3] == [0.0, 0.0, 0.0], "only what is learnt may count"
    assert metrics[5]["tried_tasks"] > 0


def test_an_early_stop_ends_the_sampling_too(fresh: Bench) -> None:
    version, run = fresh.train(
        "grpo", steps=30, ahead=2, checkpoints={"patience": 1, "choose": "best"}, learning_rate=1e-9
    )
    assert version.adapter and max(fresh.metrics(run)) < 30
    assert fresh.ws.store.run(run).finished


class Killed(Exception):
    """Stands for kill -9 after a step."""


@pytest.mark.parametrize("every_step", [True, False], ids=["checkpoint of each step", "no checkpoint"])
def test_a_run_that_ended_goes_on_with_what_is_stored(
    fresh: Bench, every_step: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "CHECKPOINT_S", -1.0 if every_step else 600.0)
    fields = {"steps": 7, "ahead": 2, "eval_interval": 5, "prompts_per_step": 3}
    before: dict[str, list[list[int]]] = {}
    for dies_at in (3, 5, None):
        bench = Bench(fresh.place, fresh.model)  # as a new process

        def dies(step: int, *_: object, at: int | None = dies_at) -> None:
            if step == at:
                raise Killed

        with contextlib.nullcontext() if dies_at is None else pytest.raises(Killed):
            bench.train("grpo", dies, **fields)
        [run] = [one.id for one in bench.ws.store.runs(parent=None) if one.kind == "train"]
        stored = {
            one.id: [turn.completion_ids for turn in one.turns]
            for made in episodes(bench.ws, run).values()
            for one in made
        }
        assert before.items() <= stored.items(), "what is stored stays"
        before = stored
    check(bench.ws, run, 7, 2, 3, 4)
    assert sorted(bench.metrics(run)) == [*range(1, 8)]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_three_times_no_episode_is_lost_doubled_or_too_old(fresh: Bench) -> None:
    recipe = fresh.recipe_file("grpo", steps=12, ahead=2, eval_interval=5, prompts_per_step=3)
    home = fresh.place / "killed"
    assert run_killed(home, recipe, 3, random.Random(5)) == 3
    ws = WorkspaceFolder(home)
    [run] = [one.id for one in ws.store.runs(parent=None) if one.kind == "train"]
    check(ws, run, 12, 2, 3, 4)
    assert sorted(ws.store.metrics(run)) == [*range(1, 13)]
