"""Sampling in 8 bits: training episodes are sampled with them, evaluations are not, and the records say so."""

from typing import Any

import msgspec
import pytest
import torch

from tests.workspace.desk import Bench
from verigym.core.errors import BadInput
from verigym.core.records import Sampling, Version
from verigym.environments.load import load_environment
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.training.alarms import sampler_differs
from verigym.workspace import measure

needs_vnni = pytest.mark.skipif(not torch.cpu._is_vnni_supported(), reason="this CPU has no products in 8 bits")
INT8: dict[str, Any] = {"engine": {"weights": "int8"}}


@needs_vnni
def test_training_episodes_are_sampled_in_8_bits_and_evaluations_are_not(fresh: Bench) -> None:
    version, run = fresh.train("grpo", **INT8)
    assert version.recipe["engine"] == {"weights": "int8"}
    for child in fresh.children(run):
        weights = {turn.sampling.weights for one in fresh.ws.store.trajectories(child) for turn in one.turns}
        assert weights == ({"int8"} if "/step-" in child else {""})
    assert all(row["mismatch"] > 1e-5 and row["sampler_bits"] == 8 for row in fresh.metrics(run).values())
    _, other = fresh.train("grpo")
    assert other != run and all("sampler_bits" not in row for row in fresh.metrics(other).values())


@needs_vnni
def test_an_interrupted_run_resumes_with_what_it_sampled(fresh: Bench) -> None:
    def interrupt(step: int, *_: Any) -> None:
        if step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fresh.train("grpo", interrupt, steps=3, **INT8)
    [run] = [one.id for one in fresh.ws.store.runs() if one.kind == "train"]
    before = fresh.ws.store.trajectories(f"{run}/step-0002")
    version, resumed = fresh.train("grpo", steps=3, **INT8)
    assert resumed == run and version.adapter
    assert fresh.ws.store.trajectories(f"{run}/step-0002") == before
    last = fresh.ws.store.trajectories(f"{run}/step-0003")
    assert {turn.sampling.weights for one in last for turn in one.turns} == {"int8"}


@needs_vnni
def test_a_run_in_8_bits_is_another_run(fresh: Bench) -> None:
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
        for weights in ("", "int8", "int8")
    ]
    assert runs[0] != runs[1] == runs[2]
    assert fresh.ws.store.run(runs[1]).config["sampling"]["weights"] == "int8"
    assert "weights" not in fresh.ws.store.run(runs[0]).config["sampling"]


def test_a_policy_without_our_engine_is_refused() -> None:
    class Remote:
        agent = "a-server"

    measure.check_weights(Remote(), "")
    with pytest.raises(
        BadInput, match=r"for a model that runs in this process, and a-server does not\. Remove --weights"
    ):
        measure.check_weights(Remote(), "int8")


def test_an_agent_with_its_own_sampling_settings_uses_the_weights_of_the_run() -> None:
    agent = Version(base="tiny", sampling=Sampling(temperature=0.3, reasoning_tokens=9))
    settings = RunSettings(sampling=Sampling(weights="int8"), limits=EpisodeLimits(reasoning_tokens=5))
    assert settings.sampling_of(agent) == Sampling(temperature=0.3, reasoning_tokens=5, weights="int8")
    plain = msgspec.structs.replace(settings, sampling=Sampling())
    assert plain.sampling_of(agent) == Sampling(temperature=0.3, reasoning_tokens=5)


def test_the_alarm_expects_a_larger_difference_in_8_bits() -> None:
    history = {step: {"mismatch_ratio": 1.1, "mismatch": 0.09} for step in range(1, 5)}
    assert sampler_differs(history) is not None
    assert sampler_differs({step: {**row, "sampler_bits": 8.0} for step, row in history.items()}) is None
    far = {step: {**row, "sampler_bits": 8.0, "mismatch_ratio": 1.4} for step, row in history.items()}
    assert "limit 1.25" in str(sampler_differs(far))
