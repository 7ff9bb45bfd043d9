"""What happens to ranks that fail: each failure ends all ranks within seconds, with words that name it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from tests.training.rank_models import adapted, groups, model_folder, recipe
from verigym.core.errors import InfrastructureFailure
from verigym.model import lora
from verigym.model.load import load_model
from verigym.training import ranks as ranks_module
from verigym.training.rank_processes import start_ranks
from verigym.training.ranked_learner import open_learner
from verigym.training.recipe_groups import PolicyLoss

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder("llama", tmp_path_factory.mktemp("model"))


def test_an_exception_in_a_rank_is_reported_with_its_words(folder: Path) -> None:
    with start_ranks(2), pytest.raises(InfrastructureFailure, match=r"Rank 1 of 2 failed: Model .* cannot be loaded"):
        open_learner(adapted(folder), recipe(), base=str(folder / "missing"))


def test_other_weights_on_a_rank_are_found(folder: Path, tmp_path: Path) -> None:
    other = model_folder("llama", tmp_path)
    model = load_model(str(other), device="cpu")
    with torch.no_grad():
        next(model.parameters()).view(-1)[0] += 1e-3
    model.save_pretrained(other)
    with start_ranks(2), pytest.raises(InfrastructureFailure, match="Rank 1 loaded other weights"):
        open_learner(adapted(folder), recipe(), base=str(other))


def test_weights_that_drift_apart_are_found(folder: Path) -> None:
    with start_ranks(2):
        shared = open_learner(adapted(folder), recipe(), base=str(folder))
        with torch.no_grad():
            lora.parameters(shared.model)[0].view(-1)[0] += 1e-3
        with pytest.raises(InfrastructureFailure, match="weights of rank 1 differ"):
            shared.update("sft", groups(1))


def test_a_rank_that_is_killed_in_an_update_ends_it(folder: Path) -> None:
    for seconds in (0.0, 0.05, 0.3):
        with start_ranks(3) as ranks:
            shared = open_learner(adapted(folder), recipe(), base=str(folder))
            killer = threading.Timer(seconds, os.kill, (ranks._processes[1].pid, signal.SIGKILL))
            killer.start()
            with pytest.raises(InfrastructureFailure, match=r"Rank 2 of 3 .*SIGKILL"):
                while True:
                    shared.update("policy", groups(1), settings=PolicyLoss(), updates=4)
            killer.join()


def test_a_rank_that_hangs_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_ranks(2) as ranks:
        shared = open_learner(adapted(folder), recipe(), base=str(folder))
        monkeypatch.setattr(ranks_module, "LIMIT_S", 6.0)
        os.kill(ranks._processes[0].pid, signal.SIGSTOP)
        try:
            with pytest.raises(InfrastructureFailure, match="Rank 1 of 2 gave no sign of life for 6 s"):
                shared.update("sft", groups(1))
        finally:
            os.kill(ranks._processes[0].pid, signal.SIGKILL)


def test_followers_end_if_rank_0_is_killed(folder: Path, tmp_path: Path) -> None:
    script = f"""
import os, signal
from tests.training.rank_models import adapted, groups, recipe
from verigym.training.ranked_learner import open_learner
from verigym.training.rank_processes import start_ranks
from pathlib import Path
if __name__ == "__main__":
    with start_ranks(3) as ranks:
        folder = Path({str(folder)!r})
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


def test_torchrun_starts_ranks_that_run_a_command(folder: Path) -> None:
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
