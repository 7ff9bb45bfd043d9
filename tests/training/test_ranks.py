"""Ranks learn as one process does. Two ranks are tested here, more of them and other models in `test_ranks_families.py`."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.training.rank_models import adapted, distance, groups, model_folder, recipe
from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.records import Sample
from verigym.model import lora
from verigym.training.learner import Learner, LocalLearner
from verigym.training.rank_processes import VARIABLES, current, join, start_ranks
from verigym.training.ranked_learner import RankedLearner, open_learner
from verigym.training.ranks import Ranks, checksum, deal
from verigym.training.recipe_groups import PolicyLoss, PreferenceLoss
from verigym.training.update import logprobs_of

LOSS = PolicyLoss(kl=0.1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder("llama", tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with start_ranks(2) as ranks:
        yield ranks


def policy(learner: Learner, steps: int, **given: Any) -> list[float]:
    return [learner.update("policy", groups(step), settings=LOSS, **given)["grad_norm"] for step in range(steps)]


# -- dealing --------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 6), max_size=8), st.integers(1, 5), st.sampled_from([1, 2]))
def test_every_sample_goes_to_one_rank_and_a_group_is_never_divided(
    sizes: list[int], world: int, together: int
) -> None:
    samples = (
        groups(3, tuple(sizes)) if together == 1 else [side for one in groups(3, tuple(sizes)) for side in (one, one)]
    )
    dealt = deal(samples, world, together)
    assert sorted(index for rows in dealt for index in rows) == list(range(len(samples))) and len(dealt) == world
    where = {index: rank for rank, rows in enumerate(dealt) for index in rows}
    for a, one in enumerate(samples):
        for b, other in enumerate(samples):
            if one.ids[: one.mask.index(1)] == other.ids[: other.mask.index(1)]:
                assert where[a] == where[b]


def test_ranks_get_about_as_many_tokens_each() -> None:
    samples = groups(1, (4,) * 40)
    loads = [sum(len(samples[i].ids) for i in rows) for rows in deal(samples, 4)]
    assert max(loads) < 1.2 * min(loads)


def test_a_sample_without_scored_tokens_is_dealt_too() -> None:
    assert deal([Sample(ids=[1, 2], mask=[0, 0], logprobs=[])], 2) == [[0], []]


def test_a_checksum_sees_one_bit() -> None:
    one, other = torch.ones(5), torch.ones(5)
    assert checksum([one, one]) == checksum([other, one.clone()])
    other.view(torch.int32)[3] += 1
    assert checksum([one, other]) != checksum([one, one]) and checksum([one, other]) != checksum([other, one])
    for dtype in (torch.bfloat16, torch.float64, torch.uint8):
        assert checksum([torch.ones(3, dtype=dtype)]) != checksum([torch.zeros(3, dtype=dtype)])


# -- two ranks ------------------------------------------------------------------------------------------------------------


def test_two_ranks_learn_what_one_process_learns(folder: Path, two: Ranks) -> None:
    alone = LocalLearner(adapted(folder), recipe())
    norms = policy(alone, 4, updates=2)
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    assert isinstance(shared, RankedLearner) and current() is two
    assert policy(shared, 4, updates=2) == pytest.approx(norms, rel=1e-6)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-6
    samples = groups(9)
    ours, theirs = shared.logprobs(samples, 0.7), alone.logprobs(samples, 0.7)
    assert all(a == pytest.approx(b, abs=1e-5) for a, b in zip(ours, theirs, strict=True))
    bare = shared.logprobs(samples, reference=True)
    with lora.without(alone.model):
        assert all(
            a == pytest.approx(b, abs=1e-5) for a, b in zip(bare, logprobs_of(alone.model, samples), strict=True)
        )
    assert logprobs_of(shared.model, samples[:1]), "rank 0 can also compute alone, as a teacher does"


def test_a_rank_without_samples_takes_part(folder: Path, two: Ranks) -> None:
    alone = LocalLearner(adapted(folder), recipe())
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    one_group = groups(1, (6,))
    assert deal(one_group, 2)[1] == []
    one, other = (learner.update("policy", one_group, settings=LOSS) for learner in (alone, shared))
    assert one.keys() == other.keys() and all(other[name] == pytest.approx(one[name], rel=1e-5) for name in one)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-6


def test_a_checkpoint_of_ranks_is_that_of_one_process_and_the_other_way_round(
    folder: Path, two: Ranks, tmp_path: Path
) -> None:
    whole = LocalLearner(adapted(folder), recipe())
    policy(whole, 2)
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    policy(shared, 1)
    shared.save(tmp_path, 1)
    for learner in (LocalLearner(adapted(folder), recipe()), open_learner(adapted(folder), recipe(), base=str(folder))):
        assert learner.load(tmp_path) == 1
        learner.update("policy", groups(1), settings=LOSS)
        assert distance(whole.model, lora.weights(learner.model)) < 1e-6
    assert shared.load(tmp_path / "nothing") == 0


def test_an_update_that_is_refused_leaves_the_ranks_usable(folder: Path, two: Ranks) -> None:
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    before = lora.weights(shared.model)
    broken = [Sample(ids=[5, 6, 7], mask=[0, 1, 1], logprobs=[0, -4.0, -4.0], advantage=float("nan"))]
    with pytest.raises(Refused, match="not finite"):
        shared.update("policy", broken, settings=LOSS)
    assert distance(shared.model, before) == 0
    alone = LocalLearner(adapted(folder), recipe())
    assert policy(shared, 1) == pytest.approx(policy(alone, 1), rel=1e-6)


def test_pairs_stay_together_and_every_offline_loss_is_that_of_one_process(folder: Path, two: Ranks) -> None:
    rows = groups(5, (2, 2, 2, 4, 2))
    by_prompt = sorted(rows, key=lambda one: one.ids[: one.mask.index(1)])
    pairs = list(zip(by_prompt[::2], by_prompt[1::2], strict=True))
    cases: Any = (
        ("sft", rows, {}, False),
        ("dpo", pairs, {"settings": PreferenceLoss()}, False),
        ("reward", [(pair, 0.1) for pair in pairs], {"settings": PreferenceLoss()}, True),
    )
    for loss, batch, settings, head in cases:
        alone = LocalLearner(adapted(folder, head=head), recipe())
        shared = open_learner(adapted(folder, head=head), recipe(), base=str(folder))
        for _ in range(2):
            one, other = [each.update(loss, batch, **settings) for each in (alone, shared)]
            assert other == pytest.approx(one, rel=1e-4, abs=1e-6), loss
        assert distance(alone.model, lora.weights(shared.model)) < 1e-6, loss


# -- what is refused ------------------------------------------------------------------------------------------------------


def test_one_rank_and_a_second_set_of_ranks_are_refused(two: Ranks) -> None:
    with pytest.raises(BadInput, match="at least 2 ranks"), start_ranks(1):
        pass
    with pytest.raises(BadInput, match="belongs to ranks already"), start_ranks(2):
        pass


def test_joining_without_the_variables_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RANK", "1")
    with pytest.raises(BadInput, match="WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT are not set"):
        join()


def test_an_unknown_way_to_divide_is_refused(two: Ranks, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(VARIABLES, ("1", "2", "1", "127.0.0.1", "1"), strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VERIGYM_SHARD", "maybe")
    with pytest.raises(BadInput, match=r'VERIGYM_SHARD: "maybe" is unknown\. Use one of auto, always, never'):
        join()


def test_a_killed_rank_ends_training_with_its_name(folder: Path, two: Ranks) -> None:
    """The last test of this file: its ranks are gone afterwards."""
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    policy(shared, 1)
    [follower] = two._processes
    os.kill(follower.pid, signal.SIGKILL)
    with pytest.raises(
        InfrastructureFailure, match=r"Rank 1 of 2 .* was ended by SIGKILL.* Repeat the command to resume"
    ):
        policy(shared, 1)
