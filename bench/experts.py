"""A mixture of experts with random weights: sampled tokens a second with Verigym's own path and with the layers of transformers.

    python bench/experts.py            # on a GPU: the shape of Qwen3-30B-A3B with 12 of its 48 layers, in bfloat16
    python bench/experts.py --quick    # a small model, also on a CPU

Groups of 8 share a prompt of 155 tokens. There is no adapter. The last figures are one update of an adapter of rank 2 on
everything, which runs through the layers of transformers.
"""

import asyncio
import time
from typing import Any

import torch
from decode import COMMON, K, prompts
from figures import Figure, figure, finish, parser
from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

from verigym.core.generation import Generation
from verigym.core.records import Sample, Sampling
from verigym.model import lora
from verigym.model.llama_family import llama_model
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.slots import SlotDecoder
from verigym.training.update import make_optimizer, sft_update

SMALL: dict[str, Any] = {
    "hidden_size": 128, "moe_intermediate_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "num_experts": 16, "num_experts_per_tok": 4,
}  # fmt: skip
WIDE: dict[str, Any] = {
    "hidden_size": 2048, "moe_intermediate_size": 768, "num_hidden_layers": 12, "num_attention_heads": 32,
    "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
}  # fmt: skip


def speed(engine: LocalEngine, sequences: int, new: int) -> float:
    """Tokens a second in the second of two rounds."""
    sampling = Sampling(temperature=1.0, max_tokens=new)

    async def once(seed: int) -> int:
        asked = [ids for ids in prompts(max(1, sequences // K)) for _ in range(min(K, sequences))]
        requests = [
            Generation(ids=ids, shared=COMMON, sampling=sampling, seed=seed + number)
            for number, ids in enumerate(asked)
        ]
        return sum(len(done.ids) for done in await asyncio.gather(*map(engine.generate, requests)))

    took = tokens = 0.0
    for number in range(2):
        began = time.perf_counter()
        tokens = asyncio.run(once(10_000 * number))
        took = time.perf_counter() - began
    return tokens / took


def update(model: Any, samples: int, length: int) -> float:
    """Seconds of the second of two updates."""
    lora.attach(model, lora.LoraConfig(r=2))
    optimizer = make_optimizer(model, 1e-4)
    asked = [ids + [7 + i] * length for i, ids in enumerate(prompts(samples))]
    batch = [Sample(ids=ids, mask=[0] * (len(ids) - length) + [1] * length, logprobs=[]) for ids in asked]
    took = 0.0
    for _ in range(2):
        began = time.perf_counter()
        sft_update(model, optimizer, batch)
        if model.device.type == "cuda":
            torch.cuda.synchronize()
        took = time.perf_counter() - began
    return took


def main() -> None:
    args = parser(__doc__).parse_args()
    cuda = torch.cuda.is_available()
    if not cuda and not args.quick:
        raise SystemExit("There is no GPU here. Use --quick")
    shape = SMALL if args.quick else WIDE
    config = Qwen3MoeConfig(
        vocab_size=49152, intermediate_size=shape["moe_intermediate_size"], norm_topk_prob=True,
        max_position_embeddings=4096, **shape,
    )  # fmt: skip
    with torch.device("cuda" if cuda else "cpu"):
        torch.manual_seed(0)
        model: Any = Qwen3MoeForCausalLM(config)
    model.to(torch.bfloat16 if cuda else torch.float32).eval().requires_grad_(False)
    assert llama_model(model) is not None
    figures: list[Figure] = []
    new = 16 if args.quick else 128
    for sequences in (1, 8) if args.quick else (1, 8, 64, 256):
        theirs = LocalEngine(model, stop_ids={-1})
        theirs._decoders = [SlotDecoder(model, None)]
        peer = speed(theirs, sequences, new)
        name = f"mixture of experts: decoding {sequences}"
        found = speed(LocalEngine(model, stop_ids={-1}), sequences, new)
        goal = f">= {2 * peer:.0f}" if cuda else ""
        figures.append(figure(name, found, "tokens/s", goal, "layers of transformers", peer))
    samples, length = (4, 32) if args.quick else (32, 256)
    seconds = update(model, samples, length)
    figures.append(figure(f"mixture of experts: update of {samples} samples", seconds, "s"))
    if cuda:
        figures.append(figure("mixture of experts: memory", torch.cuda.max_memory_allocated() / 2**30, "GiB"))
    finish(figures, args)


if __name__ == "__main__":
    main()
