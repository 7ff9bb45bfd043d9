"""Many requests of mixed lengths that do not fit in memory together: all of them end, and memory stays flat. It needs a GPU.

    python bench/engine_load.py                        # 10,000 requests, a cache of 2 GB
    python bench/engine_load.py --requests 2000 --gb 0.5

The model has the shape of SmolLM2 and random weights. Prompts have 20 to 2,000 tokens, replies 10 to 4,000, most of them short. A
third of the requests belong to groups of 8. Together they need far more memory than the cache has, so rows have to wait.
"""

import asyncio
import random
import time
from typing import Any

import torch
from decode import config_of
from figures import figure, finish, parser
from transformers import AutoModelForCausalLM

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.policies.local.engine import LocalEngine


def requests(count: int) -> list[Generation]:
    draw = random.Random(0)

    def length(low: int, high: int) -> int:
        return min(high, max(low, round(draw.lognormvariate(5, 1.2))))

    made: list[Generation] = []
    while len(made) < count:
        ids = [draw.randrange(100, 40000) for _ in range(length(20, 2000))]
        for _ in range(8 if draw.random() < 0.06 else 1):
            sampling = Sampling(temperature=1.0, max_tokens=length(10, 4000))
            made.append(Generation(ids=ids, sampling=sampling, seed=len(made)))
    return made[:count]


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--requests", type=int, default=10_000)
    asked.add_argument("--gb", type=float, default=2.0, help="size of the cache")
    args = asked.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("There is no GPU here")
    count = 200 if args.quick else args.requests
    with torch.device("cuda"):
        model: Any = AutoModelForCausalLM.from_config(config_of("SmolLM2"), dtype=torch.bfloat16).eval()
    engine = LocalEngine(model.requires_grad_(False), stop_ids={-1})
    all_of_them = requests(count)
    waits, peaks = 0, list[int]()

    async def once() -> int:
        nonlocal waits
        tasks = [asyncio.ensure_future(engine.generate(one)) for one in all_of_them]
        limited = False
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0.2)
            for decoder in engine._decoders:
                if not limited:
                    blocks: Any = decoder.blocks  # type: ignore[union-attr]
                    blocks.most = int(args.gb * 1e9 / blocks.page_bytes)
                    limited = True
                waits = max(waits, len(decoder.everyone) - len(decoder.rows))
            peaks.append(torch.cuda.memory_allocated())
        return sum(len(task.result().ids) for task in tasks)

    began = time.perf_counter()
    tokens = asyncio.run(once())
    took = time.perf_counter() - began
    wanted = sum(one.sampling.max_tokens for one in all_of_them)
    positions = sum(len(one.ids) + one.sampling.max_tokens for one in all_of_them)
    half = len(peaks) // 2
    finish(
        [
            figure("engine under load: tokens", tokens, f"of {count:,} requests", f">= {wanted}"),
            figure("engine under load: speed", tokens / took, "tokens/s"),
            figure("engine under load: positions of all requests", positions / 1e6, "million"),
            figure("engine under load: rows that waited at once", waits, "rows", ">= 1"),
            figure(
                "engine under load: memory of the second half against the first",
                max(peaks[half:]) / max(peaks[:half] or [1]),
                "times",
                "<= 1.05",
            ),
        ],
        args,
    )


if __name__ == "__main__":
    main()
