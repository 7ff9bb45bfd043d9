"""Hot swaps: new versions on a vLLM server while it answers, and the logprobs of every reply against its own version.

    python bench/hot_swaps.py --vllm-python vllm-env/bin/python            # 30 swaps on the embedded model, about 10 minutes

`bench/vllm.py` says how to install vLLM for a CPU. Adapters are random, so versions differ. Each reply is compared with the
trainer's own forward pass under its version, under the base model, and under the versions near it, which include all that were
loaded when it was sampled.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from figures import Figure, figure, finish, parser

from verigym.core.generation import Completion, Generation
from verigym.core.records import Sample, Sampling
from verigym.model import embedded, lora, lora_files
from verigym.model.load import load
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.vllm_process import VllmProcess
from verigym.training.update import logprobs_of

FLAGS = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "1024", "--max-num-batched-tokens", "16384"]
KEPT = 3
"""Versions that are loaded at once."""
NEAR = 2
"""Each reply is compared with so many versions before and after its own."""
Sampled = tuple[Generation, Completion, int]
"""A request, its reply, and the number of its version."""


def write_adapter(model: Any, folder: Path, seed: int) -> None:
    lora.attach(model, lora.LoraConfig(r=8, alpha=16), seed)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.02, generator=draw)
    lora_files.save(model, folder, "smollm2-135m")


async def swapping(fleet: Fleet, folders: list[Path], requests_at_once: int) -> tuple[list[Sampled], list[float], int]:
    """Loads one version after the other under load. Returns the replies, the seconds until each version served, and failures."""
    draw, sampled, served_s, failed = random.Random(0), [], [], 0
    loaded: list[str] = []
    stop = asyncio.Event()

    async def asking(number: int) -> None:
        nonlocal failed
        seed = number
        while not stop.is_set():
            seed += 1000
            version = loaded[-1]
            ids = [draw.randrange(100, 40000) for _ in range(24)]
            request = Generation(ids=ids, seed=seed, version=version, sampling=Sampling(max_tokens=16))
            try:
                sampled.append((request, await fleet.generate(request), int(version.partition("@")[2])))
            except Exception as error:
                failed += 1
                print(f"failed: {error}", file=sys.stderr)

    tasks: list[asyncio.Task[None]] = []
    for number, folder in enumerate(folders):
        version = f"run@{number}"
        began = time.perf_counter()
        await fleet.load(version, folder)
        served_s.append(time.perf_counter() - began)
        loaded.append(version)
        if number == 0:
            tasks = [asyncio.create_task(asking(place)) for place in range(requests_at_once)]
        if len(loaded) >= KEPT:
            await fleet.forget(loaded.pop(0))
        target = len(sampled) + requests_at_once
        while len(sampled) < target:
            await asyncio.sleep(0.02)
        print(f"{version}: loaded in {served_s[-1]:.2f} s, {len(sampled)} replies", file=sys.stderr)
    stop.set()
    await asyncio.gather(*tasks)
    return sampled, served_s, failed


def differences(model: Any, folders: list[Path], sampled: list[Sampled]) -> tuple[list[float], list[float]]:
    """For each reply, the largest difference of a logprob to its own version, and the smallest to any other version."""
    own: dict[int, float] = {}
    other: dict[int, float] = {}
    for number in range(-1, len(folders)):  # -1 is the base model
        near = [place for place, (_, _, of) in enumerate(sampled) if number < 0 or abs(of - number) <= NEAR]
        if number < 0:
            lora.detach(model)
        elif near:
            lora_files.load(model, folders[number])
        samples = [
            Sample(
                ids=request.ids + reply.ids,
                mask=[0] * len(request.ids) + [1] * len(reply.ids),
                logprobs=[0.0] * len(request.ids) + reply.logprobs,
            )
            for request, reply, _ in (sampled[place] for place in near)
        ]
        for place, ours in zip(near, logprobs_of(model, samples), strict=True):
            _, reply, of = sampled[place]
            most = max(abs(a - b) for a, b in zip(ours, reply.logprobs, strict=True))
            if of == number:
                own[place] = most
            else:
                other[place] = min(other.get(place, float("inf")), most)
        print(f"compared with version {number}: {len(near)} replies", file=sys.stderr)
    return list(own.values()), list(other.values())


async def measured(python: str, swaps: int, at_once: int) -> list[Figure]:
    model_folder = embedded.pull(say=lambda line: print(line, file=sys.stderr))
    loaded = load("smollm2-135m", device="cpu")
    with tempfile.TemporaryDirectory() as work:
        folders = [Path(work) / f"adapter-{number}" for number in range(swaps)]
        for number, folder in enumerate(folders):
            write_adapter(loaded.model, folder, number)
        process = await VllmProcess.start(
            python, str(model_folder), versions=KEPT + 1, rank=8, max_batch=at_once, flags=FLAGS,
            environment={"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}, log=Path(work) / "vllm.log",
        )  # fmt: skip
        fleet = Fleet([process.engine])
        try:
            sampled, served_s, failed = await swapping(fleet, folders, at_once)
        finally:
            await fleet.close()
            await process.close()
        own, other = differences(loaded.model, folders, sampled)
    return [
        figure("hot swaps", len(folders), "versions"),
        figure("replies under load", len(sampled), "replies"),
        figure("failed requests", failed, "requests", "<= 0"),
        figure("seconds until a new version is served, median", statistics.median(served_s), "s"),
        figure("seconds until a new version is served, most", max(served_s), "s", "<= 1"),
        figure("largest difference to the logprobs of its own version", max(own), "nats", "<= 0.01"),
        figure("smallest difference to another version", min(other), "nats", ">= 0.01"),
    ]


def main() -> None:
    given = parser(__doc__)
    given.add_argument("--vllm-python", default=os.environ.get("VERIGYM_VLLM_PYTHON", ""))
    given.add_argument("--swaps", type=int, default=30)
    given.add_argument("--at-once", type=int, default=4, help="Requests in flight")
    args = given.parse_args()
    finish(asyncio.run(measured(args.vllm_python, 5 if args.quick else args.swaps, args.at_once)), args)


if __name__ == "__main__":
    main()
