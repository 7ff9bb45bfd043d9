"""A Nemotron-H with random weights: sampled tokens a second in slots and with the plain decoder, in turn.

    python bench/recurrent.py            # on a GPU: 1.1 billion weights (random_model.py) in bfloat16. On a CPU: 45 million
    python bench/recurrent.py --quick    # a small model

Prompts have 40 to 200 tokens, and no two the same length. Each is asked for by one request, or by a group of 8. There is no
adapter. The plain decoder runs only prompts of equal length together.
"""

import asyncio
import random
import statistics
import time
from typing import Any

import torch
from figures import Figure, figure, finish, parser
from random_model import KINDS, LAYERS, SMALL, WIDE
from transformers import NemotronHConfig, NemotronHForCausalLM

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.policies.local.engine import Decoder, LocalEngine, PlainDecoder
from verigym.policies.local.slots import SlotDecoder

MIDDLE: dict[str, Any] = {
    "hidden_size": 512, "intermediate_size": 1536, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
    "mamba_num_heads": 16, "mamba_head_dim": 64, "ssm_state_size": 64, "n_groups": 2, "chunk_size": 16,
}  # fmt: skip
GROUP = 8
ROUNDS = 3
VOCABULARY = 32_000


def random_nemotron(shape: dict[str, Any], device: str) -> Any:
    kinds = [KINDS[letter] for letter in LAYERS]
    config = NemotronHConfig(**shape, layers_block_type=kinds, vocab_size=VOCABULARY, max_position_embeddings=8192)
    torch.manual_seed(0)
    with torch.device(device):
        model: Any = NemotronHForCausalLM(config)
    return model.to(torch.bfloat16 if device == "cuda" else torch.float32).eval().requires_grad_(False)


def requests(count: int, each: int, new: int) -> list[Generation]:
    """`count` requests, `each` of them for the same prompt."""
    draw = random.Random(0)
    lengths = draw.sample(range(40, 200), count // each)
    prompts = [[draw.randrange(3, VOCABULARY) for _ in range(length)] for length in lengths]
    sampling = Sampling(temperature=1.0, max_tokens=new)
    return [Generation(ids=prompts[i // each], sampling=sampling, seed=i) for i in range(count)]


def speed(decoder: Decoder, model: Any, asked: list[Generation]) -> float:
    """Tokens a second of all requests at once."""
    engine = LocalEngine(model, stop_ids={-1})
    decoder.version = ""
    engine._decoders = [decoder]

    async def once() -> int:
        return sum(len(done.ids) for done in await asyncio.gather(*map(engine.generate, asked)))

    began = time.perf_counter()
    tokens = asyncio.run(once())
    return tokens / (time.perf_counter() - began)


def main() -> None:
    args = parser(__doc__).parse_args()
    cuda = torch.cuda.is_available()
    model = random_nemotron(SMALL if args.quick else WIDE if cuda else MIDDLE, "cuda" if cuda else "cpu")
    weights = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    new = 8 if args.quick else 128 if cuda else 32
    figures: list[Figure] = []
    ours, plain = SlotDecoder(model, None), PlainDecoder(model)
    for count, each in (
        ((16, 1),) if args.quick else ((16, 1), (32, 1), (32, GROUP), *([(128, 1), (256, GROUP)] * cuda))
    ):
        asked = requests(count, each, new)
        found = [[speed(decoder, model, asked) for decoder in (ours, plain)] for _ in range(ROUNDS)]
        here, there = map(statistics.median, zip(*found, strict=True))
        name = f"Nemotron-H, {weights:.0f}M weights: {count} requests, {count // each} prompts"
        figures.append(figure(name, here, "tokens/s", f">= {there:.0f}", "plain decoder", there))
    finish(figures, args)


if __name__ == "__main__":
    main()
