"""Decoding: sampled tokens a second of the in-process engine, beside transformers' `generate` and vLLM.

    python bench/decode.py --peers                           # this machine: CPU, or the GPU where there is one
    python bench/decode.py --peers --vllm-python PYTHON      # vLLM from that interpreter as well (see bench/vllm.py)

Groups of 8 share a prompt of 155 tokens, all share its first 130, as in a GRPO step; an adapter is in place and merged. On a GPU
the model is bfloat16 and the shape SmolLM2's (the weights' values do not change the time); the share of the memory limit is the
bytes that a step must read (weights once, keys and values of every sequence) at the speed of a plain copy, against its time.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from figures import Figure, figure, finish, parser
from transformers import AutoModelForCausalLM, LlamaConfig

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.model import lora
from verigym.policies.local.engine import LocalEngine

K, PROMPT, COMMON = 8, 155, 130
SMOLLM2 = LlamaConfig(
    hidden_size=576,
    intermediate_size=1536,
    num_hidden_layers=30,
    num_attention_heads=9,
    num_key_value_heads=3,
    vocab_size=49152,
    max_position_embeddings=8192,
    tie_word_embeddings=True,
)


def prompts(count: int) -> list[list[int]]:
    draw = random.Random(0)
    head = [draw.randrange(100, 40000) for _ in range(COMMON)]
    return [head + [draw.randrange(100, 40000) for _ in range(PROMPT - COMMON)] for _ in range(count)]


def model_here(cuda: bool) -> Any:
    torch.manual_seed(0)
    if cuda:
        made: Any = AutoModelForCausalLM.from_config(SMOLLM2, dtype=torch.bfloat16)
        return made.cuda().eval().requires_grad_(False)
    from verigym.model.load import load

    return load("smollm2-135m", device="cpu").model


def ours(model: Any, sequences: int, new: int, rounds: int) -> tuple[float, list[float]]:
    """Tokens a second, the median of some rounds, each from the moment when the adapter has changed."""
    engine = LocalEngine(model, stop_ids={-1})
    asked = prompts(sequences // K)
    sampling = Sampling(temperature=1.0, max_tokens=new)

    async def once(seed: int) -> int:
        requests = [
            Generation(ids=ids, shared=COMMON, sampling=sampling, seed=seed + 1000 * i + j)
            for i, ids in enumerate(asked)
            for j in range(K)
        ]
        return sum(len(done.ids) for done in await asyncio.gather(*map(engine.generate, requests)))

    speeds: list[float] = []
    for number in range(rounds + 1):
        engine.refresh()
        began = time.perf_counter()
        tokens = asyncio.run(once(number))
        speeds.append(tokens / (time.perf_counter() - began))
    return statistics.median(speeds[1:]), speeds


@torch.inference_mode()
def generate(model: Any, sequences: int, new: int, rounds: int) -> float:
    """transformers, all sequences in one batch, without an adapter."""
    ids = torch.tensor([ids for ids in prompts(sequences // K) for _ in range(K)], device=model.device)
    speeds: list[float] = []
    for number in range(rounds + 1):
        began = time.perf_counter()
        model.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, max_new_tokens=new if number else 4,
            min_new_tokens=new if number else 4, pad_token_id=0,
        )  # fmt: skip
        if model.device.type == "cuda":
            torch.cuda.synchronize()
        speeds.append(sequences * new / (time.perf_counter() - began))
    return statistics.median(speeds[1:])


VLLM = """
import json, sys, time
from vllm import LLM, SamplingParams
folder, prompts, k, new, rounds = json.loads(sys.argv[1])
llm = LLM(folder, dtype="float32", enforce_eager=True, max_model_len=1024, max_num_seqs=128, max_num_batched_tokens=16384,
          enable_prefix_caching=True)
asked = [{"prompt_token_ids": ids} for ids in prompts for _ in range(k)]
settings = SamplingParams(temperature=1.0, max_tokens=new, min_tokens=new, ignore_eos=True)
speeds = []
for _ in range(rounds + 1):
    llm.reset_prefix_cache()
    began = time.perf_counter()
    done = llm.generate(asked, settings, use_tqdm=False)
    speeds.append(sum(len(one.outputs[0].token_ids) for one in done) / (time.perf_counter() - began))
print("FOUND", json.dumps(speeds))
"""


def vllm(python: str, sequences: int, new: int, rounds: int) -> float:
    """vLLM in its own interpreter, with its prefix cache, empty when a round begins: the weights have changed."""
    from verigym.model import embedded

    asked = json.dumps([str(embedded.pull()), prompts(sequences // K), K, new, rounds])
    with tempfile.TemporaryDirectory() as work:
        script = Path(work) / "peer.py"
        script.write_text("if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in VLLM.splitlines()))
        told = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "2", "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([python, str(script), asked], cwd=work, env=told, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    if not found:
        sys.exit(f"vLLM failed: {done.stderr[-2000:]}")
    return statistics.median(json.loads(found[0].removeprefix("FOUND "))[1:])


def memory_speed() -> float:
    """Bytes a second that a plain copy reads and writes."""
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    target.copy_(source)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(10):
        target.copy_(source)
    torch.cuda.synchronize()
    return 20 * len(source) / (time.perf_counter() - began)


def against(name: str, speed: float, who: str, peer: float, times: int) -> Figure:
    return figure(f"{name}, against {who}", speed, "tokens/s", f">= {times * peer:.0f}", who, peer)


def on_cpu(args: Any) -> list[Figure]:
    sequences, new, rounds = (16, 8, 1) if args.quick else (64, 40, 3)
    model = model_here(False)
    lora.attach(model, lora.LoraConfig())
    speed, _ = ours(model, sequences, new, rounds)
    lora.detach(model)
    name = f"decode, {sequences} sequences, float32, CPU"
    figures = [figure(name, speed, "tokens/s")]
    if args.peers:
        peer = generate(model, sequences, new, 1)
        figures.append(against(name, speed, "transformers generate", peer, 4))
    if args.vllm_python:
        peer = vllm(args.vllm_python, sequences, new, rounds)
        figures.append(against(name, speed, "vllm-cpu 0.32", peer, 3))
    return figures


def on_gpu(args: Any) -> list[Figure]:
    model = model_here(True)
    bytes_s = memory_speed()
    figures: list[Figure] = []
    config = model.config
    for sequences, times in ((64, 12), (512, 10)):
        new = 64
        lora.attach(model, lora.LoraConfig())
        speed, _ = ours(model, sequences, new, 2 if args.quick else 5)
        lora.detach(model)
        weights = sum(parameter.numel() for parameter in model.parameters()) * 2
        position = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * 2
        least_s = (weights + sequences * (PROMPT + new / 2) * position) / bytes_s
        name = f"decode, {sequences} sequences, bfloat16"
        figures += [
            figure(name, speed, "tokens/s"),
            figure(f"{name}: share of the memory limit", least_s * speed / sequences, f"of {least_s * 1e3:.2f} ms"),
        ]
        if args.peers:
            peer = generate(model, sequences, new, 2)
            figures.append(against(name, speed, "transformers generate", peer, times))
    return figures


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--vllm-python", default=os.environ.get("VERIGYM_VLLM_PYTHON", ""), help="vLLM's interpreter")
    args = made.parse_args()
    if args.quick:
        args.peers = args.vllm_python = ""
    finish(on_gpu(args) if torch.cuda.is_available() else on_cpu(args), args)


if __name__ == "__main__":
    main()
