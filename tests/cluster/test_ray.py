"""Engines, workers and ranks that Ray starts on several machines, and kills of each. All machines are this one."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cluster.machines import (
    Killer,
    Machines,
    expected,
    kill_command,
    kill_engine,
    kill_worker,
    machines,
    made_model,
    same,
    settings,
)
from tests.workspace.desk import WALK, Bench
from tests.workspace.test_train_ahead import check
from verigym.cli.main import app
from verigym.cluster.launch import RayPlace
from verigym.cluster.placement import table
from verigym.cluster.ray_cluster import RayCluster
from verigym.cluster.settings import ClusterSettings, Engines, Learners, Workers
from verigym.cluster.status import ClusterStatus, status
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Version

pytestmark = pytest.mark.cluster
STEPS = 6
"""One kill during each step but the first, so 5 kills."""


@pytest.fixture(scope="module")
def three() -> Iterator[Machines]:
    with machines(3) as found:
        yield found


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Version, str]:
    folder = tmp_path_factory.mktemp("ray")
    return expected(folder, made_model(folder), STEPS)


def bench_like(wanted: tuple[Bench, Version, str], folder: Path) -> Bench:
    bench = Bench(folder / "bench", wanted[0].model)
    bench.desk = wanted[0].desk
    return bench


def trained(bench: Bench, place: RayPlace, killer: Killer) -> tuple[Bench, Version, str]:
    bench.ws.place = place
    try:
        version, run = bench.train("grpo", on_step=killer.on_step, steps=STEPS)
    finally:
        killer.close()
        place.close()
    return bench, version, run


def test_engines_and_workers_give_the_run_of_one_process(
    three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path
):
    place = RayPlace(settings(three.address))
    assert len(place.nodes) == 3 and "this command" in "\n".join(table(place.placed, place.nodes))
    seen: list[ClusterStatus] = []
    bench = bench_like(wanted, tmp_path)
    bench.ws.place = place
    try:
        version, run = bench.train("grpo", on_step=lambda *_: seen.append(status(place.ray)), steps=STEPS)
    finally:
        place.close()
    same(wanted, (bench, version, run))
    assert [one.role for one in seen[0].processes] == ["engine-0", "engine-1", "worker-0", "worker-1"]
    assert {one.state for one in seen[0].processes} == {"up"}
    assert all(one.address.startswith("http://") for one in seen[0].processes[:2])


def test_engines_that_are_killed_change_nothing(three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path):
    place, draw = RayPlace(settings(three.address)), random.Random(1)
    killer = Killer(lambda: kill_engine(place, draw), seed=1)
    same(wanted, trained(bench_like(wanted, tmp_path), place, killer))
    assert killer.kills >= STEPS - 1


def test_workers_that_are_killed_change_nothing(three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path):
    place, draw = RayPlace(settings(three.address)), random.Random(2)
    killer = Killer(lambda: kill_worker(place, draw), seed=2)
    same(wanted, trained(bench_like(wanted, tmp_path), place, killer))
    assert killer.kills >= STEPS - 1


def test_machines_that_are_lost_change_nothing(three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path):
    place, draw = RayPlace(settings(three.address, engines=3)), random.Random(3)
    killer = Killer(lambda: three.kill(draw), 3, three.add)
    same(wanted, trained(bench_like(wanted, tmp_path), place, killer))
    assert killer.kills >= STEPS - 1


def test_a_machine_that_is_lost_before_its_clock_is_read_is_left_out(
    three: Machines, capsys: pytest.CaptureFixture[str]
):
    cluster = RayCluster(three.address)
    try:
        three.kill(random.Random(5))  # Ray lists it for some seconds more
        cluster.check_clocks()
        three.add()
    finally:
        cluster.close()
    assert "was not compared" in capsys.readouterr().err


def test_a_command_that_is_killed_resumes(three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path):
    bench = bench_like(wanted, tmp_path)
    version = kill_command(bench, three.address, wanted[2], STEPS - 1, random.Random(4))
    same(wanted, (bench, version, wanted[2]))


def test_two_ranks_that_ray_starts_learn_what_one_process_does(
    three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path
):
    bench = bench_like(wanted, tmp_path)
    one = Bench(tmp_path / "one", wanted[0].model)
    one.desk = bench.desk
    alone, run = one.train("grpo")
    bench.ws.place = RayPlace(ClusterSettings(ray=three.address, learners=Learners(count=2, cpus=0.5)))
    try:
        version, again = bench.train("grpo")
    finally:
        bench.ws.place.close()
    assert run == again and version.adapter
    import safetensors.torch

    mine, theirs = (
        safetensors.torch.load_file(each.ws.adapter_folder(made.adapter) / "adapter_model.safetensors")
        for each, made in ((one, alone), (bench, version))
    )
    assert max(float((mine[name] - theirs[name]).abs().max()) for name in mine) < 1e-5


def test_workers_sample_ahead_of_the_learner_and_groups_keep_their_version(
    three: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    bench = Bench(tmp_path / "bench", made_model(tmp_path))
    walk = bench.file("walk.py", WALK)
    engines = Engines(kind="local", count=2, gpus=0, cpus=0.5, versions=6)
    bench.ws.place = RayPlace(ClusterSettings(ray=three.address, engines=engines, workers=Workers(count=2, cpus=0.5)))
    fields = {"environment": walk, "steps": 6, "ahead": 2, "held_out_eval": None, "eval_tasks": None}
    try:
        _, run = bench.train("grpo", **fields, prompts_per_step=3, advantage={"credit": "step"})
    finally:
        bench.ws.place.close()
    assert check(bench.ws, run, 6, 2, 3, 4) >= 1
    assert max(row["staleness_max"] for row in bench.metrics(run).values()) <= 2
    assert "runs the episodes itself" not in capsys.readouterr().err


def test_all_weights_go_to_engines_on_other_machines(
    three: Machines, wanted: tuple[Bench, Version, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Engines are paused, replaced and resumed. The command says why its workers have no work."""
    one, bench = Bench(tmp_path / "one", wanted[0].model), bench_like(wanted, tmp_path)
    one.desk = bench.desk
    fields: dict[str, Any] = {"adapter": "full", "lora": None}
    alone, run = one.train("grpo", **fields)
    engines = Engines(kind="local", count=2, gpus=0, cpus=0.5)
    bench.ws.place = RayPlace(ClusterSettings(ray=three.address, engines=engines, workers=Workers(count=1, cpus=0.5)))
    try:
        version, again = bench.train("grpo", **fields)
    finally:
        bench.ws.place.close()
    assert (run, alone.adapter) == (again, version.adapter)
    assert "because all parameters are trained" in capsys.readouterr().err


def test_an_engine_that_cannot_start_ends_the_command_in_words(three: Machines, tmp_path: Path):
    bench = Bench(tmp_path / "bench", made_model(tmp_path))
    flags = ["--fake", '{"slots": 0}']
    bench.ws.place = RayPlace(ClusterSettings(ray=three.address, engines=Engines(kind="fake", cpus=0.5, flags=flags)))
    try:
        with pytest.raises(InfrastructureFailure, match="No engine could be started"):
            bench.train("grpo")
        assert bench.nothing_was_begun()
    finally:
        bench.ws.place.close()


def test_the_status_shows_machines_and_processes(three: Machines):
    done = CliRunner().invoke(app, ["cluster", "status", three.address, "--json"])
    assert done.exit_code == 0, done.output
    assert done.output.count('"alive": true') == 1 + len(three.others)
    done = CliRunner().invoke(app, ["cluster", "status", "127.0.0.1:9"])
    assert "There is no Ray cluster at 127.0.0.1:9" in str(done.exception)
