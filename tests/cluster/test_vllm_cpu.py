"""A real vLLM that Ray starts: an evaluation and a step of training on it. It takes minutes, in an environment of its own."""

import os
from pathlib import Path

import pytest

from tests.cluster.machines import machines
from tests.workspace.desk import Bench
from verigym.cluster.launch import RayPlace
from verigym.cluster.settings import ClusterSettings, Engines
from verigym.core.records import Sampling
from verigym.environments.load import load_environment
from verigym.model import embedded
from verigym.rollout.settings import RunSettings
from verigym.workspace.measure import measure

PYTHON = os.environ.get("VERIGYM_VLLM_PYTHON", "")
FLAGS = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "1024", "--max-num-batched-tokens", "4096"]

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not PYTHON, reason="VERIGYM_VLLM_PYTHON is not set; make test-cluster sets it"),
]


def test_vllm_samples_for_an_evaluation_and_for_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")  # otherwise it wants nearly all memory of the machine
    model = embedded.pull()
    bench = Bench(tmp_path / "bench", model)
    engines = Engines(kind="vllm", gpus=0, python=PYTHON, flags=FLAGS, max_batch=8, cpus=0.5)
    with machines(1) as one:
        place = RayPlace(ClusterSettings(ray=one.address, engines=engines))
        bench.ws.place = place
        try:
            version, run = bench.train("grpo", steps=1, prompts_per_step=1, num_generations_per_prompt=2, eval_tasks=1)
            settings = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=8))
            report = measure(bench.ws, load_environment(bench.desk), version, settings, n=2)
        finally:
            place.close()
    steps = bench.metrics(run)
    assert steps and report.metrics["reward"].n == 2
    turns = [turn for each in bench.ws.store.each_trajectory(f"{run}/step-0001") for turn in each.turns]
    assert turns and all(turn.agent == f"{run}@0" and len(turn.logprobs) == len(turn.completion_ids) for turn in turns)
    assert all(row.get("mismatch", 0.0) < 0.05 for row in steps.values())
