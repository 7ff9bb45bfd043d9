"""RL on stored rollouts: which groups are used, what is refused, the importance weights against brute force, and resuming."""

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from tests.training.test_gold import batch, brute_force, gradients
from tests.training.test_loops import fresh_policy, recipe
from tests.workspace.desk import Bench, desk
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Version
from verigym.training.grpo import staleness
from verigym.training.update import logprobs_of
from verigym.workspace.cleanup import plan_garbage, removable
from verigym.workspace.dry_run import dry_run
from verigym.workspace.stored_groups import check_tokens, stored_groups
from verigym.workspace.train import TrainingJob


def test_a_version_is_trained_on_stored_episodes_and_samples_none(fresh: Bench, tmp_path: Path) -> None:
    run = fresh.rollout(k=4)
    version, made = fresh.train("grpo", data=run, max_tokens=80, steps=4)
    assert version.adapter and not [child for child in fresh.children(made) if "/step-" in child]
    assert set(version.families) == {f"train-{letter}" for letter in "abcdefghijkl"}
    rows = fresh.metrics(made)
    assert rows[1]["stale_kl"] == pytest.approx(0, abs=1e-3) and rows[1]["stale_share"] == pytest.approx(1, abs=0.01)
    assert abs(rows[4]["stale_kl"]) > abs(rows[1]["stale_kl"]), "the weights move away from the sampler"
    assert rows[4]["epoch"] == pytest.approx(4 * 2 / 12)
    assert fresh.ws.store.run(made).config["data"] == run
    assert removable(fresh.ws, [run])[run] == [f"training run {made} trains on its episodes"]
    assert "it samples nothing and trains on 12 groups of 48 stored episodes" in " ".join(
        fresh.shell("train", fresh.recipe_file("grpo", data=run, max_tokens=80), "--dry-run").split()
    )


def test_a_run_on_stored_episodes_that_was_killed_ends_in_the_same_weights(
    fresh: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verigym.training.loop.CHECKPOINT_S", -1.0)
    fields: dict[str, Any] = {"data": fresh.rollout(k=4), "max_tokens": 80, "steps": 4, "updates_per_batch": 2}

    def die(step: int, *_: Any) -> None:
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fresh.train("grpo", die, **fields)
    resumed, run = fresh.train("grpo", **fields)
    fresh.ws.store.delete("trained", run)
    fresh.ws.store.delete("version", resumed.id)
    whole, _ = fresh.train("grpo", **fields)
    assert whole.adapter == resumed.adapter


def test_the_episodes_of_a_training_run_can_be_used_again(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=3)
    again, later = fresh.train("dapo", data=run, steps=2, seed=1)
    assert again.adapter and later.startswith("dapo-")
    stored = stored_groups(fresh.ws, fresh.recipe(data=run), TrainingJob(fresh.ws, fresh.recipe()).environments)
    assert len(stored.groups) == 3 * 2 and all(len(group.trajectories) == 4 for group in stored.groups)


def test_the_gradient_weighs_each_token_by_its_bounded_importance_ratio() -> None:
    model = fresh_policy().model
    for parameter in lora_parameters(model):
        torch.nn.init.normal_(parameter, std=0.05, generator=torch.Generator().manual_seed(parameter.numel()))
    attempts, _ = batch(model)
    shifts = itertools.cycle([0.3, -0.4, 2.5, 0.0])
    stale = [
        msgspec.structs.replace(
            row, logprobs=[x - next(shifts) if m else 0.0 for x, m in zip(row.logprobs, row.mask, strict=True)]
        )
        for row in attempts
    ]
    shifts = itertools.cycle([0.3, -0.4, 2.5, 0.0])
    weighted = [
        msgspec.structs.replace(row, advantages=[
            row.advantage * min(3.0, float(torch.exp(torch.tensor(next(shifts))))) for m in row.mask if m
        ])
        for row in attempts
    ]  # fmt: skip
    expected = brute_force(model, weighted)
    for ours, theirs in zip(gradients(model, stale, correction="tis"), expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5), (ours - theirs).abs().max()


def lora_parameters(model: Any) -> list[torch.nn.Parameter]:
    from verigym.model import lora

    return lora.parameters(model)


def test_staleness_is_the_divergence_from_the_sampler_and_the_effective_share() -> None:
    model = fresh_policy().model
    attempts, _ = batch(model)
    now = logprobs_of(model, attempts)
    shifted = [
        msgspec.structs.replace(row, logprobs=[x + 0.1 if m else 0.0 for x, m in zip(row.logprobs, row.mask, strict=True)])
        for row in attempts
    ]  # fmt: skip
    figures = staleness(now, shifted, 10, 5, 4)
    assert figures["stale_kl"] == pytest.approx(0.1, abs=1e-4) and figures["epoch"] == 2
    weights = torch.exp(-0.1 * torch.tensor([float(len(row)) for row in now]))
    assert figures["stale_share"] == pytest.approx(float(weights.sum() ** 2 / (weights**2).sum() / 2), abs=1e-4)


# -- what is refused ------------------------------------------------------------------------------------------------------


def test_held_out_episodes_are_never_trained_on(fresh: Bench) -> None:
    run = fresh.rollout(k=2, split="val")
    with pytest.raises(
        Refused, match=rf'data: run {run} has episodes of the held-out task .*split "val".*--split train'
    ):
        fresh.train("grpo", data=run)


def test_the_dry_run_counts_the_stored_episodes_and_no_sampling(fresh: Bench) -> None:
    run = fresh.rollout(k=3)
    found = dry_run(fresh.ws, fresh.recipe("grpo", data=run, num_generations_per_prompt=8))
    [step] = [line for line in found.lines if line.startswith("a step is")]
    assert "2 prompts of " in step and " tokens x 3 episodes of " in step
    assert found.plan.sampled == 0 and found.plan.sampling_s == 0 and found.plan.trained > 0


def without_tokens(bench: Bench, run: str, ids: bool) -> str:
    """A copy of a run whose turns have lost their logprobs, or whose ids are of another tokenizer."""
    record, other = bench.ws.store.run(run), f"{run}-changed"
    bench.ws.store.begin_run(other, "rollout", record.config, bench.ws.store.tasks(run))
    episodes, verdicts = [], []
    for one, verdict in zip(bench.ws.store.trajectories(run), bench.ws.store.verdicts(run), strict=True):
        turns = [
            msgspec.structs.replace(turn, logprobs=[])
            if not ids
            else msgspec.structs.replace(turn, context_ids=[(id + 7) % 250 for id in turn.context_ids])
            for turn in one.turns
        ]
        id = one.id.replace(run, other)
        episodes.append(msgspec.structs.replace(one, id=id, turns=turns))
        verdicts.append(msgspec.structs.replace(verdict, trajectory=id))
    bench.ws.store.add(other, episodes, verdicts)
    return other


def test_episodes_without_logprobs_are_refused_with_a_way_out(fresh: Bench) -> None:
    run = without_tokens(fresh, fresh.rollout(k=2), ids=False)
    with pytest.raises(Refused, match=r"24 without token ids and logprobs.*verigym data demos tries-train-changed"):
        fresh.train("grpo", data=run)


def test_episodes_of_another_tokenizer_are_refused(fresh: Bench) -> None:
    run = without_tokens(fresh, fresh.rollout(k=2), ids=True)
    with pytest.raises(Refused, match=r"the token ids of run tries-train-changed are not those of"):
        fresh.train("grpo", data=run)
    job = TrainingJob(fresh.ws, fresh.recipe(data="tries-train"))
    assert job.stored is not None
    check_tokens(job.stored, fresh.ws.load_base(str(fresh.model)).render.tokenizer, "tiny")


def test_episodes_that_another_verifier_scored_are_refused(fresh: Bench) -> None:
    run = fresh.rollout(k=2)
    with pytest.raises(Refused, match=r"24 without a verdict of short@.*verigym rescore tries-train"):
        fresh.train("grpo", data=run, reward="short")


def test_the_steps_of_a_training_run_are_scored_again_one_by_one(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=2)
    words = rf"Score each of its 2 steps first, such as: verigym rescore {run}/step-0001"
    with pytest.raises(Refused, match=words):
        fresh.train("grpo", data=run, reward="short")
    fresh.shell("rescore", f"{run}/step-0001", "--verifier", "short")


def test_garbage_collection_keeps_the_steps_that_another_run_trains_on(fresh: Bench) -> None:
    _, run = fresh.train("grpo", steps=2)
    _, later = fresh.train("grpo", data=run, steps=1, seed=1)
    for version in fresh.ws.store.documents("version", Version):
        if version.recipe:
            fresh.ws.store.delete("version", version.id)
    fresh.ws.store.delete("trained", run)
    gone = plan_garbage(fresh.ws, older_than_days=-1).runs
    assert later in gone and not {run, f"{run}/step-0001", f"{run}/step-0002"} & {*gone}
    assert removable(fresh.ws, [run])[run] == [f"training run {later} trains on its episodes"]


def test_a_run_on_another_environment_or_an_unknown_one_is_refused(fresh: Bench) -> None:
    run = fresh.rollout(k=2)
    with pytest.raises(Refused, match="Name a run on that environment"):
        fresh.train("grpo", data=run, environment=fresh.file("other.py", desk("return 1.0")))
    with pytest.raises(NotFound, match="nothing-like-it"):
        fresh.train("grpo", data="nothing-like-it")


def test_single_attempts_are_no_groups(fresh: Bench) -> None:
    with pytest.raises(Refused, match=r"12 alone in their group"):
        fresh.train("grpo", data=fresh.rollout(k=1))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "rft"}, "data cannot be used with rft"),
        ({"episodes": {"dynamic_rounds": 2}}, "episodes.dynamic_rounds and `data: RUN` cannot be combined"),
        ({"loss": {"correction": "none"}}, "would ignore that other weights sampled"),
        ({"difficulty": {"draw": "signal"}}, "works only if training samples its own episodes"),
        ({"num_tasks": 4}, "num_tasks and `data: RUN` cannot be combined"),
    ],
    ids=["rft", "dynamic sampling", "no correction", "difficulty", "some tasks"],
)
def test_settings_that_need_new_episodes_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "grpo", "data": "RUN", **fields})
