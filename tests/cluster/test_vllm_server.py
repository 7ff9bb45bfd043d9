"""A real vLLM server on a CPU: versions under load, and all weights replaced. About five minutes.

`make test-cluster` installs vLLM into an environment of its own and names it in VERIGYM_VLLM_PYTHON.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from verigym.core.errors import NotFound
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sample, Sampling
from verigym.model import embedded, full, lora, lora_files
from verigym.model.load import LoadedModel, load
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.one_version import OneVersionEngine
from verigym.policies.engines.vllm_process import VllmProcess
from verigym.training.update import logprobs_of

PYTHON = os.environ.get("VERIGYM_VLLM_PYTHON", "")
FLAGS = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "512", "--max-num-batched-tokens", "2048"]
ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not PYTHON, reason="VERIGYM_VLLM_PYTHON is not set; make test-cluster sets it"),
]


@pytest.fixture(scope="module")
def base() -> LoadedModel:
    return load("smollm2-135m", device="cpu")


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def process(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmProcess]:
    folder = embedded.pull(say=lambda line: None)
    log = tmp_path_factory.mktemp("vllm") / "vllm.log"
    starting = VllmProcess.start(
        PYTHON, str(folder), versions=3, rank=8, max_batch=8, flags=FLAGS, environment=ENVIRONMENT, log=log
    )
    process = runner.run(starting)
    yield process
    runner.run(process.close())


def asked(version: str, seed: int) -> Generation:
    ids = [100 + (seed * 37 + place * 911) % 40000 for place in range(12)]
    return Generation(ids=ids, seed=seed, version=version, sampling=Sampling(max_tokens=8))


def apart(model: Any, request: Generation, reply: Completion) -> float:
    """The largest difference between the server's logprobs and those of the trainer."""
    mask = [0] * len(request.ids) + [1] * len(reply.ids)
    sample = Sample(ids=request.ids + reply.ids, mask=mask, logprobs=[0.0] * len(mask))
    [ours] = logprobs_of(model, [sample])
    return max(abs(a - b) for a, b in zip(ours, reply.logprobs, strict=True))


def write_adapter(model: Any, folder: Path, seed: int) -> Path:
    lora.attach(model, lora.LoraConfig(r=8, alpha=16), seed)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.02, generator=draw)
    lora_files.save(model, folder, "smollm2-135m")
    return folder


def test_every_reply_under_load_is_of_the_version_that_it_names(
    process: VllmProcess, runner: asyncio.Runner, base: LoadedModel, tmp_path: Path
) -> None:
    folders = [write_adapter(base.model, tmp_path / f"adapter-{number}", number) for number in range(3)]

    async def work() -> list[tuple[int, Generation, Completion]]:
        fleet = Fleet([process.engine])
        running: list[tuple[int, Generation, asyncio.Task[Completion]]] = []
        for number, folder in enumerate(folders):
            await fleet.load(f"run@{number}", folder)
            for seed in range(3):
                request = asked(f"run@{number}", 10 * number + seed)
                running.append((number, request, asyncio.create_task(fleet.generate(request))))
        await fleet.forget("run@0")
        with pytest.raises(NotFound):
            await fleet.generate(asked("run@0", 99))
        done = [(number, request, await reply) for number, request, reply in running]
        for number in (1, 2):
            await fleet.forget(f"run@{number}")
        await fleet.close()
        return done

    replies = runner.run(work())
    for number, folder in enumerate(folders):
        lora_files.load(base.model, folder)
        for own, request, reply in replies:
            assert reply.version == f"run@{own}"
            assert (apart(base.model, request, reply) < 0.01) == (own == number)


def test_replaced_weights_are_those_of_the_folder_and_of_no_other(
    runner: asyncio.Runner, base: LoadedModel, tmp_path: Path
) -> None:
    """The head of this model is tied to its embeddings, of which vLLM on a CPU has a packed copy."""
    first = str(embedded.pull(say=lambda line: None))
    changed = load(first, device="cpu")
    full.begin(changed.model)
    with torch.no_grad():
        for parameter in changed.model.parameters():
            parameter.mul_(1.05)
    full.save(changed.model, changed.tokenizer, tmp_path / "changed")
    lora.detach(base.model)

    async def work() -> list[tuple[Generation, Completion]]:
        starting = VllmProcess.start(PYTHON, first, max_batch=8, flags=FLAGS, environment=ENVIRONMENT, full=True)
        process = await starting
        engine, replies = OneVersionEngine(process.engine), []
        try:
            for version, folder in (("", None), ("run@1", tmp_path / "changed"), ("run@2", Path(first))):
                if folder is not None:
                    await engine.load(version, folder)
                request = asked(version, 7)
                replies.append((request, await engine.generate(request)))
        finally:
            await process.close()
        return replies

    replies = runner.run(work())
    for number, (request, reply) in enumerate(replies):
        differences = [apart(model, request, reply) for model in (base.model, changed.model)]
        own, other = differences if number != 1 else differences[::-1]
        assert own < 0.01 < other
