"""2, 3 and 4 ranks against one process over 20 updates, for four families and every method."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.rank_models import adapted, distance, groups, model_folder, recipe
from verigym.model import full, lora
from verigym.model.load import load_model
from verigym.training.learner import Learner, LocalLearner
from verigym.training.rank_processes import start_ranks
from verigym.training.ranked_learner import open_learner
from verigym.training.ranks import Ranks
from verigym.training.recipe_groups import Distill, PolicyLoss, PreferenceLoss, Thumbs
from verigym.training.update import Teaching

pytestmark = pytest.mark.cluster

FAMILIES = ("llama", "qwen2", "gemma2", "mixtral")
UPDATES = 20
POLICIES = {
    "grpo": PolicyLoss(),
    "divergence from the reference": PolicyLoss(kl=0.1),
    "gspo": PolicyLoss(ratio="sequence", average="sequences", clip_low=3e-4, clip_high=4e-4),
    "cispo": PolicyLoss(objective="cispo", clip_high=2.0, entropy_bonus=0.01),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {family: model_folder(family, tmp_path_factory.mktemp("model")) for family in FAMILIES}


@pytest.fixture(scope="module", params=[2, 3, 4], ids=lambda world: f"{world} ranks")
def ranks(request: pytest.FixtureRequest) -> Iterator[Ranks]:
    with start_ranks(request.param) as started:
        yield started


def assert_same(alone: Learner, shared: Learner, norms: list[list[float]]) -> None:
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5
    assert norms[1] == pytest.approx(norms[0], rel=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_twenty_updates_are_those_of_one_process(family: str, ranks: Ranks, folders: dict[str, Path]) -> None:
    alone = LocalLearner(adapted(folders[family]), recipe())
    shared = open_learner(adapted(folders[family]), recipe(), base=str(folders[family]))
    norms = [
        [each.update("policy", groups(step), settings=PolicyLoss())["grad_norm"] for step in range(UPDATES)]
        for each in (alone, shared)
    ]
    assert_same(alone, shared, norms)
    first = [LocalLearner(adapted(folders[family]), recipe()).update("policy", groups(0), settings=PolicyLoss())]
    assert norms[1][0] == pytest.approx(first[0]["grad_norm"], rel=1e-6)


@pytest.mark.parametrize("updates", [1, 2], ids=["one update a batch", "two"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_loss_is_that_of_one_process(
    name: str, updates: int, ranks: Ranks, folders: dict[str, Path]
) -> None:
    folder = folders["llama"]
    reference = {key: weight + 0.01 for key, weight in lora.weights(adapted(folder)).items()}
    alone = LocalLearner(adapted(folder), recipe(), reference)
    shared = open_learner(adapted(folder), recipe(), reference, base=str(folder))
    given: Any = {"settings": POLICIES[name], "updates": updates, "temperature": 0.9, "longest": 12, "rows": 20}
    figures = [[each.update("policy", groups(step), **given) for step in range(5)] for each in (alone, shared)]
    for one, other in zip(*figures, strict=True):
        assert other == pytest.approx(one, rel=1e-4, abs=1e-6)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5


def test_a_teacher_and_a_critic_teach_the_same(ranks: Ranks, folders: dict[str, Path]) -> None:
    folder, settings = folders["llama"], recipe(algorithm="ppo", critic={"learning_rate": 0.01})
    alone = LocalLearner(adapted(folder), settings)
    shared = open_learner(adapted(folder), settings, base=str(folder))
    for step in range(3):
        samples = groups(step)
        scores = [[-3.0 - 0.1 * at for at in range(sum(one.mask))] for one in samples]
        for each in (alone, shared):
            values = each.values(samples)
            each.learn_values(samples, values, [[0.5] * len(row) for row in values], 2)
            each.update("policy", samples, settings=PolicyLoss(), teaching=Teaching(scores, Distill()))
        ours, theirs = shared.values(samples), alone.values(samples)
        assert all(a == pytest.approx(b, abs=1e-5) for a, b in zip(ours, theirs, strict=True))
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5


def test_thumbs_teach_the_same(ranks: Ranks, folders: dict[str, Path]) -> None:
    folder = folders["qwen2"]
    alone, shared = LocalLearner(adapted(folder), recipe()), open_learner(adapted(folder), recipe(), base=str(folder))
    given: Any = {"settings": PreferenceLoss(), "weights": Thumbs()}
    for step in range(3):
        rows = [(sample, sample.advantage > 0) for sample in groups(step)]
        one, other = [each.update("kto", rows, **given) for each in (alone, shared)]
        assert other == pytest.approx(one, rel=1e-3, abs=1e-5)
    assert distance(alone.model, lora.weights(shared.model)) < 1e-5


def test_all_parameters_learn_the_same(ranks: Ranks, folders: dict[str, Path]) -> None:
    folder = folders["llama"]

    def whole() -> Any:
        model = load_model(str(folder), device="cpu")
        full.begin(model)
        with torch.no_grad():  # not those of the folder, as a version that is trained further
            for parameter in model.parameters():
                parameter.mul_(1.01)
        return model

    alone = LocalLearner(whole(), recipe(adapter="full"))
    shared = open_learner(whole(), recipe(adapter="full"), base=str(folder))
    norms = [[each.update("sft", groups(step))["grad_norm"] for step in range(5)] for each in (alone, shared)]
    assert_same(alone, shared, norms)


def test_dropout_and_an_8_bit_optimizer_keep_ranks_equal(ranks: Ranks, folders: dict[str, Path]) -> None:
    """The masks of dropout depend on the micro-batch, so the result is not that of one process. `update` compares the ranks."""
    settings = recipe(optimizer={"name": "adamw8bit"}) if _has_bitsandbytes() else recipe()
    model = adapted(folders["llama"])
    lora.set_dropout(model, 0.2, 5)
    shared = open_learner(model, settings, base=str(folders["llama"]))
    assert all(shared.update("sft", groups(step))["grad_norm"] > 0 for step in range(3))


def _has_bitsandbytes() -> bool:
    try:
        import bitsandbytes  # noqa: F401
    except ImportError:
        return False
    return True
