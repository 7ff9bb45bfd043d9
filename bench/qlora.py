"""One QLoRA update of 8,192 tokens of a model of 8 billion parameters, within 12 GB of GPU memory.

The model has the shape of Llama 3.1 8B and random weights. It is made in the memory of the CPU, quantised layer by layer as
`verigym train adapter=qlora` does, and trained with AdamW in 8 bits. The peaks are those of PyTorch's allocator, for loading and
for an update. A small mixture of experts shows how many times smaller its weights become. --quick measures a small model, on any
device.
"""

import random
import time
from typing import Any

import torch
from figures import figure, finish, parser
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.load import default_device, default_dtype
from verigym.model.nf4 import Nf4Weight, quantize
from verigym.training.recipe_groups import Optimizer, PolicyLoss
from verigym.training.update import make_optimizer, policy_update

LARGE: dict[str, Any] = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128_256,
    "max_position_embeddings": 8192,
}
SMALL: dict[str, Any] = {
    **LARGE,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1024,
}
TOKENS, SAMPLES, AT_ONCE = 8192, 8, 2048
GOAL_GB = 12


def random_model(shape: dict[str, Any], dtype: torch.dtype) -> Any:
    """A model with random weights on the CPU. Every weight repeats one piece of random numbers, which is faster to make."""
    with torch.device("meta"):
        model: Any = LlamaForCausalLM(LlamaConfig(**shape))
    model = model.to(dtype).to_empty(device="cpu")
    piece = torch.randn(1 << 20, generator=torch.Generator().manual_seed(0)).mul_(0.02).to(dtype)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.fill_(1.0)
                continue
            flat = parameter.view(-1)
            for start in range(0, len(flat), len(piece)):
                part = flat[start : start + len(piece)]
                part.copy_(piece[: len(part)])
    model.model.rotary_emb = type(model.model.rotary_emb)(config=model.config)
    return model.requires_grad_(False).eval()


def batch(vocabulary: int, tokens: int) -> list[Sample]:
    draw, each = random.Random(0), tokens // SAMPLES
    mask, logprobs = [0] * (each // 2) + [1] * (each - each // 2), [0.0] * each
    return [
        Sample(
            ids=[draw.randrange(vocabulary) for _ in range(each)],
            mask=mask,
            logprobs=logprobs,
            advantage=draw.uniform(-1, 1),
        )
        for _ in range(SAMPLES)
    ]


def experts_times_smaller() -> float:
    """How many times smaller the weights of a mixture of experts are in 4 bits than in float32. 95% of them are experts."""
    shape: dict[str, Any] = {**SMALL, "num_hidden_layers": 4, "moe_intermediate_size": 256, "num_experts": 16}
    model: Any = Qwen3MoeForCausalLM(Qwen3MoeConfig(**shape, num_experts_per_tok=2))
    before = sum(parameter.nbytes for parameter in model.parameters())
    quantize(model, "cpu")
    stored = [module for module in model.modules() if isinstance(module, Nf4Weight)]
    after = sum(parameter.nbytes for parameter in model.parameters())
    return before / (after + sum(each.nbytes for each in stored))


def peak_gb(device: str) -> float:
    if not device.startswith("cuda"):
        return 0.0
    found = torch.cuda.max_memory_reserved() / 1e9
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    return found


def main() -> None:
    args = parser(__doc__).parse_args()
    device = default_device()
    if not args.quick and device == "cpu":
        raise SystemExit("This benchmark needs a GPU with 12 GB. Pass --quick to measure a small model on the CPU")
    shape, tokens = (SMALL, 512) if args.quick else (LARGE, TOKENS)
    model = random_model(shape, default_dtype(device))
    size = sum(parameter.numel() for parameter in model.parameters()) / 1e9
    started = time.perf_counter()
    quantize(model, device)
    loading_s, loading_gb = time.perf_counter() - started, peak_gb(device)
    lora.attach(model, lora.LoraConfig(r=16))
    model._verigym_budget = AT_ONCE
    optimizer, samples = make_optimizer(model, 1e-5, Optimizer(name="adamw8bit")), batch(shape["vocab_size"], tokens)
    took: list[float] = []
    peaks: list[float] = []
    for _ in range(2):  # the first compiles kernels
        started = time.perf_counter()
        found = policy_update(
            model, optimizer, samples, PolicyLoss(ratio="token", clip_low=0.2, clip_high=0.28, kl=0.0)
        )
        took.append(time.perf_counter() - started)
        peaks.append(peak_gb(device))
        assert found["grad_norm"] > 0
    name = f"QLoRA of {size:.2g} billion parameters, {tokens:,} tokens"
    goal = "" if args.quick else f"<= {GOAL_GB}"
    finish(
        [
            figure(f"{name}: quantising", loading_s, "s"),
            figure(f"{name}: memory of quantising", loading_gb, "GB at most", goal),
            figure(f"{name}: update", took[-1], "s"),
            figure(f"{name}: memory of an update", max(peaks), "GB at most", goal),
            figure("Weights of a mixture of experts in 4 bits", experts_times_smaller(), "times smaller than float32"),
        ],
        args,
    )


if __name__ == "__main__":
    main()
