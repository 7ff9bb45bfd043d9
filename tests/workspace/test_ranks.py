"""A whole training run with ranks gives the version that one process gives."""

from pathlib import Path
from typing import Any

import pytest
import safetensors.torch

from tests.cluster.serving import served
from tests.workspace.desk import Bench, save_tiny
from verigym.cluster.place import ClusterPlace
from verigym.cluster.settings import ClusterSettings, Engines
from verigym.core.errors import Refused
from verigym.core.records import Version
from verigym.training.rank_processes import start_ranks
from verigym.workspace.dry_run import dry_run

pytestmark = pytest.mark.cluster


def weights(bench: Bench, version: Version) -> dict[str, Any]:
    [file] = (bench.ws.home / "adapters" / version.adapter).glob("*.safetensors")
    return safetensors.torch.load_file(file)


def test_every_way_to_train_ends_with_the_same_weights(tmp_path: Path) -> None:
    model = save_tiny(tmp_path / "model")
    alone, shared = Bench(tmp_path / "alone", model), Bench(tmp_path / "shared", model)
    runs: list[tuple[str, dict[str, Any]]] = [
        ("grpo", {}),
        ("dapo", {"updates_per_batch": 2}),
        ("ppo", {"critic": {"warmup": 0}}),
        ("rft", {}),
        ("sft", {}),
        ("grpo", {"adapter": "full", "lora": None}),
    ]
    expected = [alone.train(algorithm, **fields) for algorithm, fields in runs]
    with start_ranks(2):
        found = [shared.train(algorithm, **fields) for algorithm, fields in runs]
    for (version, run), (other, again), (algorithm, _) in zip(expected, found, runs, strict=True):
        assert alone.metrics(run).keys() == shared.metrics(again).keys()
        if not version.adapter:
            assert not other.adapter, "nothing was learnt"
            continue
        ours, theirs = weights(alone, version), weights(shared, other)
        assert max(float((ours[name] - theirs[name]).abs().max()) for name in ours) < 1e-5, algorithm


def test_engines_elsewhere_sample_for_ranks_that_divide_the_model(tmp_path: Path) -> None:
    model = save_tiny(tmp_path / "model")
    alone, shared = Bench(tmp_path / "alone", model), Bench(tmp_path / "shared", model)
    shared.desk = alone.desk
    first, run = alone.train()
    second, _ = alone.train(start=first.id, steps=1)
    with served("local", model) as engine, start_ranks(2, shard="always"):
        shared.ws.place = ClusterPlace(ClusterSettings(engines=Engines(kind="local", at=[engine.address])))
        found, again = shared.train()
        assert shared.ws._local is None, "no process has a whole model"
        more, _ = shared.train(start=found.id, steps=1)
        with pytest.raises(Refused, match="algorithm: ppo cannot be used with ranks that divide the model"):
            shared.train("ppo", critic={"warmup": 0})
    assert run == again
    for version, other in ((first, found), (second, more)):
        ours, theirs = weights(alone, version), weights(shared, other)
        assert max(float((ours[name] - theirs[name]).abs().max()) for name in ours) < 1e-5


def test_the_dry_run_says_what_each_rank_holds(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home", save_tiny(tmp_path / "model"))
    assert not dry_run(bench.ws, bench.recipe()).cluster
    with start_ranks(2):
        [first, second] = dry_run(bench.ws, bench.recipe()).cluster
        assert first == "ranks    2 ranks make the updates together, and each holds the whole model"
        assert "rank 0 needs at least" in second and second.endswith("fits")
    with start_ranks(2, shard="always"):
        assert "each holds 1/2 of the layers" in dry_run(bench.ws, bench.recipe()).cluster[0]
        with pytest.raises(Refused, match=r"optimizer\.name: adamw8bit cannot be used with ranks that divide"):
            dry_run(bench.ws, bench.recipe(optimizer={"name": "adamw8bit"}))
