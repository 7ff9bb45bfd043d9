"""20 GRPO updates on 2, 3 and 4 processes of this machine against one process, for tiny models of four families.

Adapters on a whole base, adapters on a base whose layers are divided (FSDP2), and all parameters with divided layers are each
compared with one process. The goals are those of float32: weights within 1e-5, the norm of the first gradient within 1e-6 of
itself. Ranks compare their weights bit by bit after every update, so a run that ends had equal ranks.
"""

import itertools
import random
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from figures import Figure, figure, finish, parser

from verigym.core.records import Sample
from verigym.model import full, lora
from verigym.model.load import load_model
from verigym.training.learner import Learner, LocalLearner
from verigym.training.rank_processes import start_ranks
from verigym.training.ranked_learner import open_learner
from verigym.training.ranks import Shard
from verigym.training.recipe import Recipe, make_recipe
from verigym.training.recipe_groups import PolicyLoss

UPDATES, VOCABULARY = 20, 128
SHAPE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 256,
}
FAMILIES = ("Llama", "Qwen2", "Gemma2", "Mixtral")


def make(family: str, folder: Path) -> Path:
    torch.manual_seed(0)
    more = {"num_local_experts": 4} if family == "Mixtral" else {}
    config = getattr(transformers, f"{family}Config")(**SHAPE, **more)
    getattr(transformers, f"{family}ForCausalLM")(config).save_pretrained(folder / family)
    return folder / family


def fresh(folder: Path, everything: bool = False) -> Any:
    """The model with an adapter that does something, or with all parameters to train."""
    model = load_model(str(folder), device="cpu")
    if everything:
        full.begin(model)
        return model
    lora.attach(model, lora.LoraConfig(r=4, alpha=8))
    noise = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=noise))
    return model


def batch(step: int) -> list[Sample]:
    """12 groups of 1 to 7 samples that share a prompt."""
    draw = random.Random(step)
    made: list[Sample] = []
    for _ in range(12):
        prompt = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(10, 40))]
        for _ in range(draw.randrange(1, 8)):
            reply = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(3, 20))]
            mask = [0] * len(prompt) + [1] * len(reply)
            logprobs = [one * (-4.8 + 0.2 * draw.random()) for one in mask]
            made.append(Sample(ids=prompt + reply, mask=mask, logprobs=logprobs, advantage=draw.uniform(-1, 1)))
    return made


def learnt(learner: Learner, kl: float) -> tuple[dict[str, torch.Tensor], list[float]]:
    norms = [learner.update("policy", batch(step), settings=PolicyLoss(kl=kl))["grad_norm"] for step in range(UPDATES)]
    return lora.weights(learner.model), norms


class Way(NamedTuple):
    """A way to train on ranks."""

    words: str
    shard: Shard
    everything: bool = False


WAYS = (
    Way("adapter", "never"),
    Way("adapter on a divided base", "always"),
    Way("all parameters, divided", "always", everything=True),
)


def recipe_of(way: Way) -> Recipe:
    given = {"algorithm": "grpo", "model": "tiny", "reward": "exact", "steps": UPDATES, "learning_rate": 1e-3}
    return make_recipe({**given, "adapter": "full"} if way.everything else given, [], "bench")


def compared(
    name: str, learner: Learner, expected: tuple[dict[str, torch.Tensor], list[float]], kl: float
) -> list[Figure]:
    began = time.perf_counter()
    weights, norms = learnt(learner, kl)
    took = (time.perf_counter() - began) / UPDATES
    apart = max(float((weights[each] - value).abs().max()) for each, value in expected[0].items())
    later = max(abs(ours / other - 1) for ours, other in zip(norms, expected[1], strict=True))
    return [
        figure(f"{name}: weights", apart, f"apart, {took * 1e3:.0f} ms an update", "<= 1e-5"),
        figure(f"{name}: first gradient norm", abs(norms[0] / expected[1][0] - 1), "relative", "<= 1e-6"),
        figure(f"{name}: all gradient norms", later, "relative"),
    ]


def main() -> None:
    args = parser(__doc__).parse_args()
    torch.set_num_threads(1)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as place:
        folders = {family: make(family, Path(place)) for family in FAMILIES[: 1 if args.quick else None]}
        for everything in (False, True):
            ways = [way for way in WAYS if way.everything == everything]
            kl = 0.0 if everything else 0.05  # the reference of all parameters would be a second model
            alone = {
                family: learnt(LocalLearner(fresh(folder, everything), recipe_of(ways[0])), kl)
                for family, folder in folders.items()
            }
            for way, world in itertools.product(ways, (2,) if args.quick else (2, 3, 4)):
                began = time.perf_counter()
                with start_ranks(world, shard=way.shard):
                    figures.append(figure(f"{world} ranks start", time.perf_counter() - began, "s"))
                    for family, folder in folders.items():
                        learner = open_learner(fresh(folder, everything), recipe_of(way), base=str(folder))
                        figures += compared(f"{family}, {way.words}, {world} ranks", learner, alone[family], kl)
    finish(figures, args)


if __name__ == "__main__":
    main()
