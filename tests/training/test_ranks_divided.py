"""Ranks that divide the layers among them learn what one process learns, and their checkpoints load at any number of ranks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.tensor import DTensor

from tests.model.lora_families import shake
from tests.training.rank_models import adapted, distance, groups, model_folder, recipe
from verigym.core.errors import Refused
from verigym.model import full, lora, lora_files
from verigym.model.divided_load import readable
from verigym.model.load import load_model
from verigym.training.learner import LocalLearner
from verigym.training.rank_processes import start_ranks
from verigym.training.ranked_learner import load_apart, open_learner
from verigym.training.ranks import Ranks
from verigym.training.recipe_groups import PolicyLoss
from verigym.training.update import logprobs_of

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder("llama", tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module", params=[2, 4], ids=lambda world: f"{world} ranks")
def ranks(request: pytest.FixtureRequest) -> Iterator[Ranks]:
    with start_ranks(request.param, shard="always") as started:
        yield started


def whole(folder: Path, dtype: torch.dtype = torch.float32) -> Any:
    model = load_model(str(folder), device="cpu", dtype=dtype)
    full.begin(model)
    return model


ALL = recipe(adapter="full")


def test_all_parameters_learn_the_same(ranks: Ranks, folder: Path, checkpoints: Path) -> None:
    alone, shared = LocalLearner(whole(folder), ALL), open_learner(whole(folder), ALL, base=str(folder))
    inner: Any = shared
    divided = [each for each in inner._local.model.parameters() if isinstance(each, DTensor)]
    assert divided and sum(each.to_local().numel() for each in divided) < 0.6 * sum(each.numel() for each in divided)
    for step in range(5):
        given: Any = {"settings": PolicyLoss(), "updates": 2}
        one, other = [each.update("policy", groups(step), **given) for each in (alone, shared)]
        assert other == pytest.approx(one, rel=1e-4, abs=1e-6)
        assert distance(alone.model, lora.weights(shared.model)) < 1e-5
    samples = groups(8)
    ours, theirs = shared.logprobs(samples), alone.logprobs(samples)
    assert all(a == pytest.approx(b, abs=1e-4) for a, b in zip(ours, theirs, strict=True))
    shared.save(checkpoints / str(ranks.world), 5)
    alone.save(checkpoints / "1", 5)


def test_a_checkpoint_loads_at_another_number_of_ranks(ranks: Ranks, folder: Path, checkpoints: Path) -> None:
    expected = LocalLearner(whole(folder), ALL)
    expected.load(checkpoints / "1")
    expected.update("sft", groups(20))
    for written in ("1", "2"):
        shared = open_learner(whole(folder), ALL, base=str(folder))
        assert shared.load(checkpoints / written) == 5
        shared.update("sft", groups(20))
        assert distance(expected.model, lora.weights(shared.model)) < 1e-5
    alone = LocalLearner(whole(folder), ALL)
    assert alone.load(checkpoints / str(ranks.world)) == 5
    alone.update("sft", groups(20))
    assert distance(expected.model, lora.weights(alone.model)) < 1e-5


def test_an_adapter_on_a_divided_base_learns_the_same(ranks: Ranks, folder: Path) -> None:
    alone = LocalLearner(adapted(folder), recipe())
    shared = open_learner(adapted(folder), recipe(), base=str(folder))
    for step in range(5):
        one, other = [each.update("policy", groups(step), settings=PolicyLoss(kl=0.1)) for each in (alone, shared)]
        assert other == pytest.approx(one, rel=1e-4, abs=1e-6)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5


def test_a_rank_without_samples_takes_part(ranks: Ranks, folder: Path) -> None:
    alone, shared = LocalLearner(whole(folder), ALL), open_learner(whole(folder), ALL, base=str(folder))
    for each in (alone, shared):
        each.update("sft", groups(3, (5,)))
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5


def test_half_precision_has_a_copy_of_each_part(ranks: Ranks, folder: Path) -> None:
    alone = LocalLearner(whole(folder, torch.bfloat16), ALL)
    shared = open_learner(whole(folder, torch.bfloat16), ALL, base=str(folder))
    one, other = [each.update("sft", groups(1)) for each in (alone, shared)]
    assert other["loss"] == pytest.approx(one["loss"], rel=2e-2)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-2


def test_what_cannot_be_divided_is_refused(ranks: Ranks, folder: Path) -> None:
    with pytest.raises(Refused, match="algorithm: ppo cannot be used with ranks that divide"):
        open_learner(adapted(folder), recipe(algorithm="ppo"), base=str(folder))


@pytest.mark.parametrize("family", ["llama", "qwen2", "gemma2", "mixtral"])
def test_engines_elsewhere_leave_no_rank_with_a_whole_model(ranks: Ranks, family: str, tmp_path: Path) -> None:
    folder = model_folder(family, tmp_path / "model")
    assert readable(str(folder), torch.float32) == (family != "mixtral"), "its files have other names"
    alone = LocalLearner(adapted(folder), recipe())
    model = load_apart(recipe(), str(folder))
    lora.attach(model, lora.LoraConfig(r=4, alpha=8))
    shake(model)
    shared = open_learner(model, recipe(), base=str(folder))
    assert shared.model is model
    layers = [each for each in model.parameters() if isinstance(each, DTensor)]
    assert layers and sum(each.to_local().numel() for each in layers) < 0.7 * sum(each.numel() for each in layers)
    shared.check(groups(0))
    for step in range(3):
        one, other = [each.update("policy", groups(step), settings=PolicyLoss(kl=0.1)) for each in (alone, shared)]
        assert other == pytest.approx(one, rel=1e-4, abs=1e-6)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5
    shared.save(tmp_path / "checkpoints", 3)
    assert shared.load(tmp_path / "checkpoints") == 3
    lora_files.save(shared.model, tmp_path / "adapter", str(folder))
    again = load_model(str(folder), device="cpu")
    lora_files.load(again, tmp_path / "adapter")
    ours, theirs = logprobs_of(again, groups(9)), shared.logprobs(groups(9))
    assert all(a == pytest.approx(b, abs=1e-4) for a, b in zip(ours, theirs, strict=True))


def test_all_parameters_and_one_process_keep_a_whole_model(ranks: Ranks, folder: Path) -> None:
    assert load_apart(ALL, str(folder)) is None
