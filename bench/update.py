"""One GRPO update of the embedded model on this machine: 8 prompts x 8 completions, 155 and 40 tokens, 130 common to all.

Each budget of tokens is measured in a process of its own, for its peak of memory; the limit is what the same arithmetic would
take at the speed of one large product of matrices.

On a GPU: models of 1.5B and 8B random weights with LoRA r 16 on groups of 8 that share a prompt of 155 tokens, and one sample of
32,768 tokens. The share of the GPU's peak counts 4 operations per parameter and distinct token, and no recomputation.

    python bench/update.py --only 8B --profile     # also prints which kernels take the time
"""

import multiprocessing
import os
import random
import resource
import statistics
import time
from collections.abc import Iterator
from typing import Any

import torch
from figures import Figure, figure, finish, parser
from train import PEAK, parameters, random_model

from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.devices import empty_cache
from verigym.model.forward_check import can_share
from verigym.model.load import load
from verigym.model.tree import pack
from verigym.training import update
from verigym.training.recipe_groups import PolicyLoss
from verigym.training.update import make_optimizer, policy_update

BUDGETS = (512, 1024, 2048, 4096)
ROWS = [("1.5B", 32, 8, 512, 0.45), ("1.5B", 4, 8, 4096, 0.45), ("8B", 32, 8, 512, 0.55), ("8B", 4, 8, 4096, 0.55)]
ROWS += [("8B", 1, 1, 32_768 - 155, 0.0)]
"""On a GPU: shape, prompts, replies of each, tokens of a reply, and the share of the peak to reach."""


def batch(prompts: int = 8, replies: int = 8, new: int = 40) -> list[Sample]:
    draw = random.Random(0)

    def ids(count: int) -> list[int]:
        return [draw.randrange(100, 49_000) for _ in range(count)]

    system = ids(130)
    asked = [system + ids(25) for _ in range(prompts)]
    mask, logprobs = [0] * 155 + [1] * new, [0.0] * (155 + new)
    return [
        Sample(ids=prompt + ids(new), mask=mask, logprobs=logprobs, advantage=draw.uniform(-1, 1))
        for prompt in asked
        for _ in range(replies)
    ]


def on_gpu(only: list[str], profile: bool) -> Iterator[Figure]:
    made: dict[str, Any] = {}
    for shape, prompts, replies, new, goal in ROWS:
        name = f"update, {shape}, {prompts} x {replies} x {new}"
        if only and not any(map(name.count, only)):
            continue
        if shape not in made:
            made = {}  # the memory of the last one is needed
            empty_cache(torch.device("cuda"))
            made[shape] = random_model(shape, 32_768)
            lora.attach(made[shape].requires_grad_(False).eval(), lora.LoraConfig())
        model, samples = made[shape], batch(prompts, replies, new)
        optimizer = make_optimizer(model, 1e-6)
        policy_update(model, optimizer, samples, PolicyLoss())
        torch.cuda.reset_peak_memory_stats()
        seconds = min(timed(model, optimizer, samples) for _ in range(2))
        distinct = 130 + prompts * 25 + prompts * replies * new
        share = 4 * parameters(shape) * distinct / seconds / PEAK
        peak = torch.cuda.max_memory_allocated() / 1e9
        note = f"of 989 TFLOP/s, {seconds:.2f} s, {peak:.0f} GB at most"
        yield figure(name, share, note, f">= {goal}" if goal else "")
        if profile:
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
                timed(model, optimizer, samples)
            print(found.key_averages().table(sort_by="cuda_time_total", row_limit=25, max_name_column_width=60))


def timed(model: Any, optimizer: Any, samples: list[Sample]) -> float:
    torch.cuda.synchronize()
    started = time.perf_counter()
    policy_update(model, optimizer, samples, PolicyLoss())
    torch.cuda.synchronize()
    return time.perf_counter() - started


def measured(tokens: int, share: bool, repeats: int) -> tuple[float, float]:
    """Seconds of an update, and the process's peak of memory in GB."""
    update.CPU_TOKENS = tokens
    model = load("smollm2-135m").model
    model._verigym_shares = share and can_share(model)
    lora.attach(model, lora.LoraConfig())
    optimizer, samples = make_optimizer(model, 1e-5), batch()
    took: list[float] = []
    for _ in range(repeats + 1):  # the first touches the memory
        started = time.perf_counter()
        policy_update(model, optimizer, samples, PolicyLoss())
        took.append(time.perf_counter() - started)
    return statistics.median(took[1:]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def limit_s() -> float:
    """The update's products of matrices, forward and backward, at the speed of a large one."""
    model = load("smollm2-135m").model
    lora.attach(model, lora.LoraConfig())
    base = sum(module.base.weight.numel() for _, module in lora.modules(model))
    adapter = sum(parameter.numel() for parameter in lora.parameters(model))
    [packed] = pack(batch(), 1 << 20)
    head = model.get_output_embeddings().weight.numel()
    flops = 2 * len(packed.ids_N) * (2 * base + 3 * adapter) + 2 * len(packed.parents_M) * 2 * head
    one, other = torch.randn(4096, 1536, device=model.device), torch.randn(1536, 1536, device=model.device)
    speeds: list[float] = []
    for _ in range(20):
        started = time.perf_counter()
        _ = one @ other
        speeds.append(2 * 4096 * 1536 * 1536 / (time.perf_counter() - started))
    return flops / statistics.median(speeds)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--only", nargs="*", default=[], help="rows whose names contain one of these texts, on a GPU")
    made.add_argument("--profile", action="store_true", help="print which kernels take the time, on a GPU")
    args = made.parse_args()
    if torch.cuda.is_available():
        finish(list(on_gpu(args.only, args.profile)), args)
        return
    repeats = 1 if args.quick else 3
    least = limit_s()
    figures: list[Figure] = [
        figure("update of 8 x 8, products of matrices alone", least, "s, at the speed of a large one")
    ]
    asked = [(tokens, True) for tokens in ((update.CPU_TOKENS,) if args.quick else BUDGETS)]
    asked += [] if args.quick else [(update.CPU_TOKENS, False)]
    for tokens, share in asked:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, peak = pool.apply(measured, (tokens, share, repeats))
        name = f"update of 8 x 8, {tokens} tokens at once" + ("" if share else ", nothing shared")
        load_now = f"load {os.getloadavg()[0]:.1f}"
        figures.append(
            figure(name, seconds, f"s, {peak:.1f} GB at most, {least / seconds:.0%} of the limit's speed, {load_now}")
        )
    finish(figures, args)


if __name__ == "__main__":
    main()
