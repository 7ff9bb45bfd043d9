"""Training with `ahead` on engines elsewhere: versions are loaded while requests run, and each group keeps its own."""

from pathlib import Path

import pytest

from tests.cluster.serving import served
from tests.cluster.test_place import on
from tests.workspace.desk import WALK, Bench, save_tiny
from tests.workspace.test_train_ahead import check


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("ahead") / "model")


def test_groups_keep_their_version_on_two_engines(tmp_path: Path, model: Path) -> None:
    bench = Bench(tmp_path / "home", model)
    walk = bench.file("walk.py", WALK)
    with served("local", model, versions=6) as one, served("local", model, versions=6) as other:
        bench.ws.place = on(one.address, other.address)
        fields = {"environment": walk, "steps": 6, "ahead": 2, "held_out_eval": None, "eval_tasks": None}
        version, run = bench.train("grpo", **fields, prompts_per_step=3, advantage={"credit": "step"})
        assert not one.service.versions and not other.service.versions, "versions are unloaded at the end"
    assert version.adapter and check(bench.ws, run, 6, 2, 3, 4) >= 1
    metrics = bench.metrics(run)
    assert all(row["mismatch_ratio/age_0"] < 1.05 for row in metrics.values() if "mismatch_ratio/age_0" in row)
    assert max(row["staleness_max"] for row in metrics.values()) <= 2
