"""Sampling with integer weights: training episodes are sampled with them, evaluations are not, and the records say so."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

import verigym
from tests.model.families import make
from tests.tiny import tiny
from tests.workspace.desk import Bench
from verigym.core.errors import BadInput, Refused
from verigym.core.generation import Generation
from verigym.core.protocols import Request
from verigym.core.records import Message, Sampling, Version
from verigym.environments.load import load_environment
from verigym.model import cpu_kernels
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.local.engine import LocalEngine
from verigym.policies.remote import RemotePolicy
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.workspace import measure
from verigym.workspace.dry_run import dry_run
from verigym.workspace.gate_target import find_target
from verigym.workspace.shared_reports import shared_reports

needs_compiler = pytest.mark.skipif(cpu_kernels.library() is None, reason="no C++ compiler")
INT16: dict[str, Any] = {"engine": {"weights": "int16"}}


@needs_compiler
def test_training_episodes_are_sampled_with_integer_weights_and_evaluations_are_not(fresh: Bench) -> None:
    version, run = fresh.train("grpo", **INT16)
    assert version.recipe["engine"] == {"weights": "int16"}
    for child in fresh.children(run):
        weights = {turn.sampling.weights for one in fresh.ws.store.trajectories(child) for turn in one.turns}
        assert weights == ({"int16"} if "/step-" in child else {""})
    assert all(1e-6 < row["mismatch"] < 0.02 for row in fresh.metrics(run).values())
    _, other = fresh.train("grpo")
    assert other != run


@needs_compiler
def test_an_interrupted_run_resumes_with_what_it_sampled(fresh: Bench) -> None:
    def interrupt(step: int, *_: Any) -> None:
        if step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fresh.train("grpo", interrupt, steps=3, **INT16)
    [run] = [one.id for one in fresh.ws.store.runs() if one.kind == "train"]
    before = fresh.ws.store.trajectories(f"{run}/step-0002")
    version, resumed = fresh.train("grpo", steps=3, **INT16)
    assert resumed == run and version.adapter
    assert fresh.ws.store.trajectories(f"{run}/step-0002") == before
    last = fresh.ws.store.trajectories(f"{run}/step-0003")
    assert {turn.sampling.weights for one in last for turn in one.turns} == {"int16"}


@needs_compiler
def test_a_run_with_integer_weights_is_another_run(fresh: Bench) -> None:
    environment, version = load_environment(fresh.desk), fresh.ws.agent(str(fresh.model))
    tasks = measure.tasks_of(environment, "train")[:2]
    runs = [
        measure.rollout(
            fresh.ws,
            environment,
            version,
            tasks,
            RunSettings(sampling=Sampling(max_tokens=8, temperature=0.0, weights=weights)),
        )
        for weights in ("", "int16", "int16")
    ]
    assert runs[0] != runs[1] == runs[2]
    assert fresh.ws.store.run(runs[1]).config["sampling"]["weights"] == "int16"
    assert "weights" not in fresh.ws.store.run(runs[0]).config["sampling"]


def test_the_dry_run_refuses_them_without_a_compiler_and_for_other_models(
    fresh: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = fresh.recipe("grpo", **INT16)
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    with pytest.raises(BadInput, match=r"`engine.weights: int16` cannot be used here: they need a C\+\+ compiler"):
        dry_run(fresh.ws, recipe)
    other = Path(shutil.copytree(fresh.model, tmp_path / "other"))
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"model_type": "gpt_neox"}))
    with pytest.raises(BadInput, match="are not those of the Llama family"):
        dry_run(fresh.ws, fresh.recipe("grpo", model=str(other), **INT16))


def test_an_agent_on_a_server_is_refused_before_anything_is_stored(fresh: Bench) -> None:
    far = fresh.ws.agent("http://127.0.0.1:9/v1#far")
    before = len(fresh.ws.store.runs())
    settings = RunSettings(sampling=Sampling(max_tokens=8, weights="int16"))
    with pytest.raises(BadInput, match=r"a model that runs in this process, and .*far does not\. Remove the setting"):
        measure.measure(fresh.ws, load_environment(fresh.desk), far, settings)
    assert len(fresh.ws.store.runs()) == before


def test_an_agent_with_its_own_sampling_settings_uses_the_weights_of_the_run() -> None:
    agent = Version(base="tiny", sampling=Sampling(temperature=0.3, reasoning_tokens=9))
    settings = RunSettings(sampling=Sampling(weights="int16"), limits=EpisodeLimits(reasoning_tokens=5))
    assert settings.sampling_of(agent) == Sampling(temperature=0.3, reasoning_tokens=5, weights="int16")
    plain = msgspec.structs.replace(settings, sampling=Sampling())
    assert plain.sampling_of(agent) == Sampling(temperature=0.3, reasoning_tokens=5)
    own = msgspec.structs.replace(agent, sampling=Sampling(weights="int8"))
    assert plain.sampling_of(own).weights == "", "weights belong to the run"


@needs_compiler
def test_the_gate_measures_with_the_weights_of_the_versions_and_compare_names_those_of_the_run(fresh: Bench) -> None:
    environment, champion = load_environment(fresh.desk), fresh.ws.agent(str(fresh.model))
    candidate, _ = fresh.train("grpo")
    settings = RunSettings(sampling=Sampling(max_tokens=8, temperature=0.0, weights="int16"))
    measured = measure.measure(fresh.ws, environment, champion, settings)
    assert fresh.ws.store.run(measured.run).config["sampling"]["weights"] == "int16"
    target = find_target(fresh.ws, candidate, champion)
    assert target.settings.sampling == Sampling(max_tokens=8, temperature=0.0)
    with pytest.raises(Refused, match=f"-m {candidate.id} .* --max-tokens 8 --weights int16$"):
        shared_reports(fresh.ws, candidate, champion)


def test_a_version_cannot_have_integer_weights(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="`weights` is a setting of a run"):
        verigym.Workspace(tmp_path).new_version("small", parent="smollm2-135m", sampling={"weights": "int8"})


def test_other_engines_and_servers_refuse_them() -> None:
    request = Request(items=[Message(role="user", content="Hi")], tools=[], sampling=Sampling(weights="int8"), seed=0)
    with pytest.raises(BadInput, match="for the engine in this process"):
        asyncio.run(TokenPolicy(tiny().tokenizer, FakeEngine(), agent="fake").respond(request))
    with pytest.raises(BadInput, match="for a model in this process"):
        asyncio.run(RemotePolicy("http://127.0.0.1:9/v1", "far").respond(request))


def test_an_unknown_kind_is_refused_and_other_requests_go_on() -> None:
    wrong: Any = "int4"
    engine = LocalEngine(make("Llama"), stop_ids={-1})

    async def both() -> list[Any]:
        asked = [Sampling(max_tokens=3), Sampling(max_tokens=3, weights=wrong)]
        made = (engine.generate(Generation(ids=[1, 2], sampling=each)) for each in asked)
        return await asyncio.gather(*made, return_exceptions=True)

    good, refused = asyncio.run(both())
    assert len(good.ids) == 3
    assert isinstance(refused, BadInput) and 'Weights cannot be "int4"' in str(refused)
