"""One GRPO update of the embedded model on this machine: 8 prompts x 8 completions, 155 and 40 tokens, 130 common to all.

Each budget of tokens is measured in a process of its own, for its peak of memory; the limit is what the same arithmetic would
take at the speed of one large product of matrices.
"""

import multiprocessing
import os
import random
import resource
import statistics
import time

import torch
from figures import Figure, figure, finish, parser

from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.forward_check import can_share
from verigym.model.load import load
from verigym.model.tree import pack
from verigym.training import update
from verigym.training.recipe_groups import PolicyLoss
from verigym.training.update import make_optimizer, policy_update

BUDGETS = (512, 1024, 2048, 4096)


def batch() -> list[Sample]:
    draw = random.Random(0)

    def ids(count: int) -> list[int]:
        return [draw.randrange(100, 49_000) for _ in range(count)]

    system = ids(130)
    prompts = [system + ids(25) for _ in range(8)]
    mask, logprobs = [0] * 155 + [1] * 40, [0.0] * 195
    return [
        Sample(ids=prompt + ids(40), mask=mask, logprobs=logprobs, advantage=draw.uniform(-1, 1))
        for prompt in prompts
        for _ in range(8)
    ]


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
    args = parser(__doc__).parse_args()
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
