"""Rejection-sampling fine-tuning: what is kept of a group, that it is imitated, and that a killed run ends the same."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.training.test_loops import (
    TASKS,
    Reporter,
    Rollouts,
    assert_resumes_exactly,
    assert_same_weights,
    fresh_policy,
    letters,
    recipe,
)
from verigym.core.errors import BadInput
from verigym.core.records import Sample, Stop, Trajectory, Turn, Verdict
from verigym.policies.local.policy import LocalPolicy
from verigym.training.groups import Group, Source, has_signal
from verigym.training.recipe_groups import Rft
from verigym.training.rft import batches_of, kept_of, train_rft
from verigym.training.samples import from_trajectory
from verigym.training.update import logprobs_of


def episode(name: str, ids: list[int], stop: Stop = Stop.DONE) -> Trajectory:
    turn = Turn(context_ids=[1], completion_ids=ids, logprobs=[-1.0] * len(ids))
    return Trajectory(id=name, task="t", group="g", turns=[turn], stop=stop)


def group(*episodes: tuple[Trajectory, bool], **verdict: Any) -> Group:
    return Group(
        "chat",
        [one for one, _ in episodes],
        [
            Verdict(trajectory=one.id, verifier="v", reward=float(good), passed=good, **verdict)
            for one, good in episodes
        ],
    )


def names(kept: list[Trajectory]) -> list[str]:
    return [one.id for one in kept]


def test_the_shortest_that_passed_are_kept_each_wording_once() -> None:
    tried = group(
        (episode("long", [5, 6, 7, 8]), True),
        (episode("short", [5, 6]), True),
        (episode("again", [5, 6]), True),
        (episode("failed", [5]), False),
        (episode("middle", [5, 6, 7]), True),
    )
    assert names(kept_of(tried, Rft(keep=2))) == ["short", "middle"]
    assert names(kept_of(tried, Rft(keep=9))) == ["short", "middle", "long"]


def test_those_that_differ_most_are_kept_if_the_recipe_prefers_them() -> None:
    tried = group(
        (episode("first", [1, 2, 3]), True),
        (episode("like it", [1, 2, 3, 4]), True),
        (episode("other", [7, 8, 9, 7, 8]), True),
    )
    assert names(kept_of(tried, Rft(keep=2, prefer="different"))) == ["first", "other"]
    assert names(kept_of(tried, Rft(keep=3, prefer="different"))) == ["first", "other", "like it"]


def test_what_is_cut_off_unsafe_or_not_scored_is_never_imitated() -> None:
    assert kept_of(group((episode("cut", [5], Stop.MAX_TOKENS), True)), Rft()) == []
    assert kept_of(group((episode("unsafe", [5]), True), unsafe=True), Rft()) == []
    unscored = Verdict(trajectory="x", verifier="v", reward=None, passed=True)
    assert kept_of(Group("chat", [episode("x", [5])], [unscored]), Rft()) == []
    assert kept_of(group(), Rft()) == []


def test_every_row_is_imitated_once_per_epoch_in_another_order() -> None:
    rows = [Sample(ids=[i], mask=[1], logprobs=[]) for i in range(10)]
    settings = recipe(algorithm="rft", rft={"epochs": 2, "batch": 4})
    batches = batches_of(rows, settings, 1)
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2]
    epochs = [[row.ids[0] for batch in half for row in batch] for half in (batches[:3], batches[3:])]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(10)) and epochs[0] != epochs[1]
    assert batches_of(rows, settings, 1) == batches != batches_of(rows, settings, 2)


def run(policy: LocalPolicy, folder: Path, reporter: Reporter, score: Any = letters, **fields: Any) -> Rollouts:
    settings = recipe(**{"algorithm": "rft", "max_tokens": 90, "num_generations_per_prompt": 6, "steps": 3, **fields})
    rollouts = Rollouts(policy, settings, score, [Source("chat", 1.0, TASKS)])
    asyncio.run(train_rft(policy.model, settings, rollouts, folder, report=reporter))  # type: ignore[arg-type]
    return rollouts


def some_pass(trajectory: Trajectory) -> Verdict:
    good = sum(trajectory.turns[0].completion_ids) % 2 == 0
    return Verdict(trajectory=trajectory.id, verifier="even", reward=float(good), passed=good)


def test_what_passed_becomes_likelier_and_the_round_says_how_much_was_kept(tmp_path: Path) -> None:
    policy, before, reporter = fresh_policy(), fresh_policy(), Reporter()
    rollouts = run(policy, tmp_path, reporter, some_pass, steps=1, rft={"keep": 2, "epochs": 3, "batch": 2})
    [metrics] = reporter.steps.values()
    rows = [s for one in rollouts.groups for kept in kept_of(one, Rft(keep=2)) for s in from_trajectory(kept, 1.0)]
    assert rows, "some replies end by themselves"
    assert metrics["kept"] == len(rows) and metrics["kept_tasks"] == sum(
        bool(kept_of(g, Rft())) for g in rollouts.groups
    )
    assert metrics["updates"] == 3 * -(-len(rows) // 2) and metrics["loss"] > 0
    gains = [
        sum(a) - sum(b) for a, b in zip(logprobs_of(policy.model, rows), logprobs_of(before.model, rows), strict=True)
    ]
    assert sum(gains) > 0


@pytest.mark.usefixtures("checkpoint_every_step")
def test_rft_that_was_killed_ends_where_it_would_have_ended(tmp_path: Path) -> None:
    assert_resumes_exactly(partial(run, score=some_pass), tmp_path, dies_at=2, steps=3)


def test_a_round_in_which_nothing_passes_changes_nothing(tmp_path: Path) -> None:
    def none(trajectory: Trajectory) -> Verdict:
        return Verdict(trajectory=trajectory.id, verifier="none", reward=0.0, passed=False)

    policy, reporter = fresh_policy(), Reporter()
    run(policy, tmp_path, reporter, none, steps=2)
    assert all(row["kept"] == 0 and row["live_groups"] == 0 and "loss" not in row for row in reporter.steps.values())
    assert_same_weights(policy.model, fresh_policy().model)


def test_a_group_has_signal_if_an_episode_passed() -> None:
    settings = recipe(algorithm="rft")
    assert has_signal(group((episode("a", [1]), True), (episode("b", [2]), True)), settings)
    assert not has_signal(group((episode("a", [1]), False)), settings)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rft": {"keep": 9}}, r"rft.keep \(9\) is above num_generations_per_prompt \(8\)"),
        ({"loss": {"kl": 0.1}}, r"loss.kl has no effect with rft"),
        ({"updates_per_batch": 4}, r"updates_per_batch has no effect with rft"),
        ({"algorithm": "grpo", "rft": {"keep": 1}}, r"rft cannot be used with grpo"),
        ({"rft": {"prefer": "longest"}}, r"rft.prefer"),
    ],
    ids=["too many", "a divergence", "updates", "another algorithm", "unknown choice"],
)
def test_settings_of_rft_that_make_no_sense_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "rft", **fields})


def test_one_try_per_task_is_enough() -> None:
    assert recipe(algorithm="rft", num_generations_per_prompt=1, rft={"keep": 1}).num_generations_per_prompt == 1
