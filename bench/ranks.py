"""20 GRPO updates on 2, 3 and 4 processes of this machine against one process, for tiny models of four families.

The goals are those of float32: weights within 1e-5, the norm of the first gradient within 1e-6 of itself. Ranks compare their
weights bit by bit after every update, so a run that ends had equal ranks.
"""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from figures import Figure, figure, finish, parser

from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.load import load_model
from verigym.training.learner import Learner, LocalLearner
from verigym.training.rank_processes import start_ranks
from verigym.training.ranked_learner import open_learner
from verigym.training.recipe import make_recipe
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


def fresh(folder: Path) -> Any:
    model = load_model(str(folder), device="cpu")
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


def learnt(learner: Learner) -> tuple[dict[str, torch.Tensor], list[float]]:
    norms = [
        learner.update("policy", batch(step), settings=PolicyLoss(kl=0.05))["grad_norm"] for step in range(UPDATES)
    ]
    return lora.weights(learner.model), norms


def main() -> None:
    args = parser(__doc__).parse_args()
    torch.set_num_threads(1)
    given = {"algorithm": "grpo", "model": "tiny", "reward": "exact", "steps": UPDATES, "learning_rate": 1e-3}
    recipe = make_recipe(given, [], "bench")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as place:
        folders = {family: make(family, Path(place)) for family in FAMILIES[: 1 if args.quick else None]}
        alone = {family: learnt(LocalLearner(fresh(folder), recipe)) for family, folder in folders.items()}
        for world in (2,) if args.quick else (2, 3, 4):
            began = time.perf_counter()
            with start_ranks(world):
                figures.append(figure(f"{world} ranks start", time.perf_counter() - began, "s"))
                for family, folder in folders.items():
                    learner = open_learner(fresh(folder), recipe, base=str(folder))
                    began = time.perf_counter()
                    weights, norms = learnt(learner)
                    took = (time.perf_counter() - began) / UPDATES
                    expected, theirs = alone[family]
                    apart = max(float((weights[name] - expected[name]).abs().max()) for name in expected)
                    later = max(abs(ours / other - 1) for ours, other in zip(norms, theirs, strict=True))
                    name = f"{family}, {world} ranks"
                    figures += [
                        figure(f"{name}: weights", apart, f"apart, {took * 1e3:.0f} ms an update", "<= 1e-5"),
                        figure(f"{name}: first gradient norm", abs(norms[0] / theirs[0] - 1), "relative", "<= 1e-6"),
                        figure(f"{name}: all gradient norms", later, "relative"),
                    ]  # fmt: skip
    finish(figures, args)


if __name__ == "__main__":
    main()
