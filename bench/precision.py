"""What integer weights change: logprobs of replies to `toolcall` prompts with the kernels for a CPU, beside float32 weights.

    python bench/precision.py              # the embedded model, 48 replies of at most 48 tokens, a minute

Replies are sampled with float32 weights. Then their logprobs are computed with each kind of weights. The ratio is the mean of
exp |difference of logprobs| over sampled tokens, which training shows as `mismatch_ratio`. KL is summed over the vocabulary.
"""

import asyncio
from typing import Any

import torch
from figures import Figure, figure, finish, parser
from torch import Tensor

import verigym
from verigym.core.records import Sample
from verigym.model.cpu_kernels import Bits
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.model.packed import PackedWeights

KINDS: dict[str, Bits] = {"float32": 32, "int16": 16, "int8": 8}


def samples_of(policy: verigym.LocalPolicy, count: int, new: int) -> list[Sample]:
    """One reply for each of some held-out tasks."""
    environment = verigym.load_environment("toolcall")
    settings = verigym.RunSettings(sampling=verigym.Sampling(temperature=1.0, max_tokens=new))
    agent = verigym.Version(base="smollm2-135m")

    async def all_at_once() -> list[Any]:
        tasks = environment.tasks("val")[:count]
        return await asyncio.gather(
            *(
                verigym.run_episode(
                    environment, task, policy, settings, agent=agent, id=task.id, group=task.id, index=0
                )
                for task in tasks
            )
        )

    return [sample for one in asyncio.run(all_at_once()) for sample in verigym.from_trajectory(one, 1.0)]


@torch.inference_mode()
def logprobs(fused: FusedWeights, sample: Sample) -> Tensor:
    """Logprobs of the whole vocabulary before each sampled token, (T, V)."""

    def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        query, key, value = (each.transpose(0, 1) for each in (q, k, v))
        scale = fused.llama.layers[layer].scores.scaling
        seen = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scale, enable_gqa=True
        )
        return seen.transpose(0, 1)

    ids = torch.tensor(sample.ids)
    hidden = fused.hidden(ids, torch.arange(len(ids)), attend)
    before = torch.tensor(sample.mask[1:]).nonzero()[:, 0]
    return fused.head(hidden[before]).double().log_softmax(-1)


def main() -> None:
    args = parser(__doc__).parse_args()
    policy = verigym.LocalPolicy.open("smollm2-135m", device="cpu")
    samples = samples_of(policy, *((8, 16) if args.quick else (48, 48)))
    llama = llama_model(policy.model)
    assert llama is not None
    plain = FusedWeights(llama)
    found: dict[str, list[Tensor]] = {name: [] for name in KINDS}
    packed = {name: PackedWeights(llama, bits) for name, bits in KINDS.items()}
    for each in packed.values():
        each.use_adapter()
    for sample in samples:
        wanted = logprobs(plain, sample)
        tokens = torch.tensor([id for id, scored in zip(sample.ids, sample.mask, strict=True) if scored])
        for name, fused in packed.items():
            own = logprobs(fused, sample)
            apart = (own - wanted).gather(1, tokens[:, None])[:, 0].abs()
            kl = (wanted.exp() * (wanted - own)).sum(1)
            found[name].append(torch.stack([apart, apart.exp(), kl], 1))
    figures: list[Figure] = []
    for name, rows in found.items():
        difference, ratio, kl = torch.cat(rows).mean(0).tolist()
        figures += [
            figure(f"{name}: mean difference of logprobs", difference, f"over {sum(map(len, rows))} tokens"),
            figure(f"{name}: mean ratio of probabilities", ratio, "times"),
            figure(f"{name}: KL per token", kl, "nats"),
        ]
    finish(figures, args)


if __name__ == "__main__":
    main()
