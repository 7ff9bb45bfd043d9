"""2, 3 and 4 ranks against one process over 20 updates, for four families and every method."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.rank_models import adapted, distance, groups, model_folder, recipe
from verigym.core.errors import InfrastructureFailure
from verigym.model import full, lora
from verigym.model.load import load_model
from verigym.training import ranks as ranks_module
from verigym.training.learner import Learner, LocalLearner
from verigym.training.ranked_learner import open_learner
from verigym.training.ranks import Ranks, start_ranks
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


def test_an_exception_in_a_rank_is_reported_with_its_words(folders: dict[str, Path]) -> None:
    with start_ranks(2), pytest.raises(InfrastructureFailure, match="Rank 1 of 2 failed: Model .* cannot be loaded"):
        open_learner(adapted(folders["llama"]), recipe(), base=str(folders["llama"] / "missing"))


def test_other_weights_on_a_rank_are_found(folders: dict[str, Path], tmp_path: Path) -> None:
    other = model_folder("llama", tmp_path)
    model = load_model(str(other), device="cpu")
    with torch.no_grad():
        next(model.parameters()).view(-1)[0] += 1e-3
    model.save_pretrained(other)
    with start_ranks(2), pytest.raises(InfrastructureFailure, match="Rank 1 loaded other weights"):
        open_learner(adapted(folders["llama"]), recipe(), base=str(other))


def test_weights_that_drift_apart_are_found(folders: dict[str, Path]) -> None:
    with start_ranks(2):
        shared = open_learner(adapted(folders["llama"]), recipe(), base=str(folders["llama"]))
        with torch.no_grad():
            lora.parameters(shared.model)[0].view(-1)[0] += 1e-3
        with pytest.raises(InfrastructureFailure, match="weights of rank 1 differ"):
            shared.update("sft", groups(1))


def test_a_rank_that_is_killed_in_an_update_ends_it(folders: dict[str, Path]) -> None:
    for seconds in (0.0, 0.05, 0.3):
        with start_ranks(3) as ranks:
            shared = open_learner(adapted(folders["llama"]), recipe(), base=str(folders["llama"]))
            killer = threading.Timer(seconds, os.kill, (ranks._processes[1].pid, signal.SIGKILL))
            killer.start()
            with pytest.raises(InfrastructureFailure, match="Rank 2 of 3 .*SIGKILL"):
                while True:
                    shared.update("policy", groups(1), settings=PolicyLoss(), updates=4)
            killer.join()


def test_a_rank_that_hangs_is_found(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with start_ranks(2) as ranks:
        shared = open_learner(adapted(folders["llama"]), recipe(), base=str(folders["llama"]))
        monkeypatch.setattr(ranks_module, "LIMIT_S", 6.0)
        os.kill(ranks._processes[0].pid, signal.SIGSTOP)
        try:
            with pytest.raises(InfrastructureFailure, match="rank 1 gave no sign of life for 6 s"):
                shared.update("sft", groups(1))
        finally:
            os.kill(ranks._processes[0].pid, signal.SIGKILL)


def test_followers_end_if_rank_0_is_killed(folders: dict[str, Path], tmp_path: Path) -> None:
    script = f"""
import os, signal
from tests.training.rank_models import adapted, groups, recipe
from verigym.training.ranked_learner import open_learner
from verigym.training.ranks import start_ranks
from pathlib import Path
if __name__ == "__main__":
    with start_ranks(3) as ranks:
        folder = Path({str(folders["llama"])!r})
        learner = open_learner(adapted(folder), recipe(), base=str(folder))
        learner.update("sft", groups(1))
        print(*(each.pid for each in ranks._processes), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=300, check=False)
    pids = [int(word) for word in done.stdout.split()]
    assert done.returncode == -signal.SIGKILL and len(pids) == 2
    for pid in pids:
        while Path(f"/proc/{pid}").exists() and "zombie" not in Path(f"/proc/{pid}/status").read_text():
            threading.Event().wait(0.2)


def test_torchrun_starts_ranks_that_run_a_command(folders: dict[str, Path]) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*command, "-m", "verigym.training.launch", "--version"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("verigym") == 1, "rank 0 alone runs the command"
