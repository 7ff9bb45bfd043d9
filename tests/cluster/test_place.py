"""The same recipe, evaluation and gate with engines elsewhere: the same records as in one process."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cluster.serving import served
from tests.workspace.desk import Bench, save_tiny
from verigym.cli.main import app
from verigym.cluster.place import ClusterPlace
from verigym.cluster.settings import ClusterSettings, Engines
from verigym.core.errors import BadInput, InfrastructureFailure, Refused, VerigymError
from verigym.core.records import Sampling
from verigym.environments.load import load_environment
from verigym.policies.engines.fake import FakeEngine
from verigym.rollout.settings import RunSettings
from verigym.workspace.measure import measure
from verigym.workspace.train import TrainingJob


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("place") / "model")


class LowRank(FakeEngine):
    """An engine that was started for adapters of a lower rank."""

    async def load(self, version: str, folder: Path) -> None:
        raise BadInput("LoRA rank 2 is above 1, the maximum of this server")


def on(*addresses: str, **engines: Any) -> ClusterPlace:
    return ClusterPlace(ClusterSettings(engines=Engines(**{"kind": "local", "at": [*addresses], **engines})))


def two(tmp_path: Path, model: Path) -> tuple[Bench, Bench]:
    """Two workspaces with the same environment, so that runs have the same names."""
    here, there = Bench(tmp_path / "here", model), Bench(tmp_path / "there", model)
    there.desk = here.desk
    return here, there


def test_training_on_two_engines_gives_the_run_and_the_weights_of_one_process(tmp_path: Path, model: Path):
    here, there = two(tmp_path, model)
    version, run = here.train("grpo")
    with served("local", model) as one, served("local", model) as other:
        there.ws.place = on(one.address, other.address)
        found, same = there.train("grpo")
        assert not one.service.versions and not other.service.versions, "versions are unloaded at the end"
    assert (run, version.id, version.adapter) == (same, found.id, found.adapter)
    for step in here.metrics(run):
        a, b = here.metrics(run)[step], there.metrics(run)[step]
        assert a["reward"] == b["reward"] and a["held_out_reward"] == b["held_out_reward"]
    mine = {one.id: one.turns for one in here.ws.store.each_trajectory(f"{run}/step-0002")}
    theirs = {one.id: one.turns for one in there.ws.store.each_trajectory(f"{run}/step-0002")}
    assert {id: [turn.completion_ids for turn in turns] for id, turns in mine.items()} == {
        id: [turn.completion_ids for turn in turns] for id, turns in theirs.items()
    }
    assert {turn.agent for turns in theirs.values() for turn in turns} == {f"{run}@1"}
    assert not [*(there.ws.home / "published").iterdir()]


def test_training_all_weights_on_two_engines_gives_the_weights_of_one_process(tmp_path: Path, model: Path):
    """The engines are paused, get all weights and go on."""
    here, there = two(tmp_path, model)
    fields: dict[str, Any] = {"adapter": "full", "lora": None}
    version, run = here.train("grpo", **fields)
    with served("local", model) as one, served("local", model) as other:
        there.ws.place = on(one.address, other.address)
        found, same = there.train("grpo", **fields)
        assert one.service.served and other.service.served
    assert (run, version.id, version.adapter) == (same, found.id, found.adapter)
    turns = [turn for each in there.ws.store.each_trajectory(f"{run}/step-0002") for turn in each.turns]
    assert {turn.agent for turn in turns} == {f"{run}@1"}
    assert all(row.get("mismatch", 0.0) < 1e-3 for row in there.metrics(run).values())


def test_an_evaluation_of_a_trained_version_has_the_same_report(tmp_path: Path, model: Path):
    here, there = two(tmp_path, model)
    version, _ = here.train("grpo")
    settings = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=8))
    expected = measure(here.ws, load_environment(here.desk), version, settings)
    with served("local", model, versions=1) as one:
        here.ws.place = on(one.address)
        again = measure(here.ws, load_environment(here.desk), version, settings, name="again")
        assert not one.service.versions
        there.ws.place = on(one.address)
        base = measure(there.ws, load_environment(there.desk), there.ws.agent(str(model)), settings)
    assert again.metrics["reward"] == expected.metrics["reward"]
    assert base.metrics["reward"].n == expected.metrics["reward"].n


def test_a_wrong_setup_is_refused_before_anything_is_stored(tmp_path: Path, model: Path):
    bench = Bench(tmp_path / "bench", model)

    def refused(place: ClusterPlace, kind: type[VerigymError], words: str, **fields: Any) -> None:
        bench.ws.place = place
        with pytest.raises(kind, match=words):
            bench.train("grpo", **fields)
        assert bench.nothing_was_begun()

    with served("local", model, versions=1) as small, served("local", model, name="llama") as other:
        refused(on(small.address), BadInput, "slots for 1 versions, and 2 are needed")
        refused(on(other.address), BadInput, "serves llama")
        refused(on("http://127.0.0.1:9"), InfrastructureFailure, "No engine answers")
        refused(
            on(small.address, kind="sglang"), Refused, "does not replace those of SGLang", adapter="full", lora=None
        )
        refused(on(small.address, kind="vllm"), Refused, "trains on a 4-bit base", adapter="qlora")
    with served("fake", model) as low, served("fake", model, clock_s=90.0) as late:
        low.service.engine = LowRank()
        refused(on(low.address), InfrastructureFailure, "cannot read the adapter in .* rank 2 is above 1")
        refused(on(late.address), BadInput, r"The clock of .* is \d\d s ahead of the one of this machine")
    file = bench.file("wrong.yaml", "engines: {kind: vlm, count: 2}\n")
    with pytest.raises(BadInput, match=r"wrong\.yaml: engines\.kind"):
        bench.shell("train", bench.recipe_file("grpo"), "--cluster", file)
    assert bench.nothing_was_begun()


def test_commands_take_addresses_and_cluster_files(tmp_path: Path, model: Path):
    bench = Bench(tmp_path / "bench", model)
    with served("local", model) as one:
        file = bench.file("cluster.yaml", f"engines: {{kind: local, at: ['{one.address}']}}\n")
        said = bench.shell("eval", bench.desk, "-m", str(model), "-n", "3", "--cluster", one.address)
        assert "desk_eval" in said
        said = bench.shell("rollout", bench.desk, "-m", str(model), "-n", "3", "-k", "2", "--cluster", file)
        assert "6 trajectories of 3 tasks, 0 not scored" in said
        recipe = bench.recipe_file("grpo")
        said = bench.shell("train", recipe, "--cluster", file)
        version = said.split("version ")[1].split()[0]
        bench.shell("eval", bench.desk, "-m", version, "--cluster", file)
        policy = bench.file("alone.yaml", "retention: null\nsafety: null\nmargins: {latency: null}\n")
        given = ["gate", version, "--policy", policy, "--cluster", file]
        before = one.service.served
        assert "The gate compares" in bench.shell(*given, "--dry-run") and one.service.served == before
        done = CliRunner().invoke(app, given, env={"VERIGYM_HOME": str(bench.ws.home)})
        assert done.exit_code in (0, 1, 3), done.output
        assert one.service.served > before, "the gate samples on the engine"


def test_the_dry_run_says_what_runs_where_and_how_long_a_step_takes(tmp_path: Path, model: Path):
    bench = Bench(tmp_path / "bench", model)
    recipe = bench.recipe_file("grpo")
    file = bench.file("at.yaml", "engines: {kind: local, at: ['http://localhost:1', 'http://localhost:2']}\n")
    said = bench.shell("train", recipe, "--dry-run", "--cluster", file)
    assert "2 engines of kind local at http://localhost:1" in said
    assert "an engine needs" in said and "GB: fits" in said and "s sampling" in said
    assert f"next: verigym train {recipe} --cluster {file}" in said
    engines = "{kind: fake, count: 2, cpus: 0.25}"
    file = bench.file("here.yaml", f"engines: {engines}\nworkers: {{count: 2, cpus: 0.25}}\n")
    said = bench.shell("train", recipe, "--dry-run", "--cluster", file)
    assert "2 engines (0 GPUs, 0.25 CPU cores each); 2 workers (0 GPUs, 0.25 CPU cores each)" in said
    assert bench.nothing_was_begun()


def test_a_cluster_without_room_is_refused(tmp_path: Path, model: Path):
    bench = Bench(tmp_path / "bench", model)
    file = bench.file("large.yaml", "engines: {kind: local, count: 2, gpus: 64}\n")
    with pytest.raises(BadInput, match="There is no room for engine 0: it needs 64 GPUs"):
        bench.shell("train", bench.recipe_file("grpo"), "--dry-run", "--cluster", file)


def test_hardware_does_not_name_a_run(tmp_path: Path, model: Path):
    here, there = two(tmp_path, model)
    there.ws.place = on("http://localhost:1", "http://localhost:2")
    assert TrainingJob(here.ws, here.recipe()).run == TrainingJob(there.ws, there.recipe()).run
